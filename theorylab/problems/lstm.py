"""A stacked LSTM that reads a sequence of tokens and names its class: the next character, say."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from theorylab.problems._network import Network
from theorylab.problems._network_data import Part
from theorylab.problems._network_options import Options
from theorylab.problems._options import count


class LSTM(Network, name="lstm"):
    """Embedding, LSTM layers, and a linear layer on the last hidden state. States start at 0.

    Source: LEAF's model for Shakespeare (Caldas et al., 2018): embedding 8, 2 layers of 256 units,
    80 characters, the next one to predict: d = 819920. The layers have the parameters, gates and
    first law of torch.nn.LSTM. Where copies are mapped, a backward pass forms one gradient of the
    recurrent weights a step, which ``memory`` does not count.

    Images of integers (the digits, by default) are read pixel by pixel, row after row, a pixel's
    value being its token: 17 tokens and 64 steps for a digit.

    Args:
        clients: n.
        embedding: numbers a token becomes. units: of each LSTM layer. layers: how many.
        options: of every ``Network``.
    """

    def __init__(
        self,
        clients: int,
        *,
        embedding: int = 8,
        units: int = 256,
        layers: int = 2,
        **options: Unpack[Options],
    ) -> None:
        own = {"embedding": embedding, "units": units, "layers": layers}
        self._own = {name: count(self.name, name, value) for name, value in own.items()}
        super().__init__(clients, self._own, **options)

    def _prepared(self, train: Part, test: Part, source: Any) -> tuple[Part, Part, float | None]:
        if train.inputs.dtype.kind not in "iu":
            raise ValueError(f"lstm: {source.name} holds {train.inputs.dtype}; need integer tokens")
        flat = [part._replace(inputs=_sequences(part.inputs)) for part in (train, test)]
        return flat[0], flat[1], None

    def _built(self, source: Any, train: Part) -> Any:
        from theorylab.problems._network_modules import lstm

        vocabulary = source.vocabulary
        if not vocabulary:
            vocabulary = int(max(source.x.max(), source.x_test.max())) + 1
        o = self._own
        return lstm(vocabulary, o["embedding"], o["units"], o["layers"], source.classes)


def _sequences(inputs: Any) -> Any:
    return inputs.reshape(len(inputs), -1).astype(np.int64)
