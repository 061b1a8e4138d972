"""A multilayer perceptron: mnist_2NN, two hidden layers of 200 units (dfedsgpsm, Appendix A)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Unpack

from theorylab.problems._asked import Study
from theorylab.problems._network import Network
from theorylab.problems._network_data import Part
from theorylab.problems._network_options import Options, widths


class MLP(Network, name="mlp"):
    """Flatten, then linear layers with ReLU between them. d = 55210 on the digits.

    Source: dfedsgpsm, Appendix A: "two layers with 200 neurons each, followed by a fully connected
    layer". The paper does not name the activation; ReLU is the one of the architecture it cites.

    Args:
        clients: n.
        hidden: units of the hidden layers, at least one of them.
        options: of every ``Network``.
    """

    study = Study(
        {"hidden": [16], "batch": 4, "reg": 0.1, "samples": 400, "alpha": 0.3},
        {"hidden": [200, 200], "samples": None}, 0.15, 256,
    )  # fmt: skip

    def __init__(
        self, clients: int, *, hidden: Sequence[int] = (200, 200), **options: Unpack[Options]
    ) -> None:
        self._hidden = widths(self.name, "hidden", hidden)
        super().__init__(clients, {"hidden": self._hidden}, **options)

    def _built(self, source: Any, train: Part) -> Any:
        from theorylab.problems._network_modules import mlp

        return mlp(math.prod(train.inputs.shape[1:]), self._hidden, source.classes)
