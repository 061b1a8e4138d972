"""The convolutional network of dfedsgpsm, Appendix A (for CIFAR-10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from theorylab.problems._asked import Study
from theorylab.problems._network import Network
from theorylab.problems._network_data import Part
from theorylab.problems._network_options import Options, image_shape, widths
from theorylab.problems._options import count

_KERNEL, _LAYERS = 5, 2


class CNN(Network, name="cnn"):
    """Two 5x5 convolutions, each with ReLU and a 2x2 max-pool of stride 2, then linear layers.

    Source: dfedsgpsm, Appendix A: 64 channels after each convolution, "384 neurons in the first
    layer, 192 neurons in the second layer, and a final layer with the output size matching the
    number of classes". The text says nothing of padding or activations. d = 797962 on CIFAR-10.

    Args:
        clients: n.
        channels: of the two convolutions. hidden: units of the linear layers before the last.
        padding: zeros around the input of each convolution. None: 0, as the text has none, where
            the image is large enough for it (both sides >= 16); 2 on smaller ones such as the
            digits, which keeps each convolution's size.
        options: of every ``Network``.
    """

    study = Study(
        {"channels": [4, 8], "hidden": [16], "batch": 4, "reg": 0.1, "samples": 400, "alpha": 0.3},
        {"channels": [64, 64], "hidden": [384, 192], "samples": None}, 0.15, 256,
    )  # fmt: skip

    def __init__(
        self,
        clients: int,
        *,
        channels: Sequence[int] = (64, 64),
        hidden: Sequence[int] = (384, 192),
        padding: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._channels = widths(self.name, "channels", channels, _LAYERS)
        self._hidden = widths(self.name, "hidden", hidden)
        self.padding = padding if padding is None else count(self.name, "padding", padding, 0)
        own = {"channels": self._channels, "hidden": self._hidden, "padding": self.padding}
        super().__init__(clients, own, **options)

    def _built(self, source: Any, train: Part) -> Any:
        from theorylab.problems._network_modules import cnn

        shape = image_shape(self.name, source, train)
        padding = self.padding
        if padding is None:
            padding = 0 if _fits(min(shape[1:]), 0) else _KERNEL // 2
        if padding >= _KERNEL or not _fits(min(shape[1:]), padding):
            raise ValueError(
                f"cnn: padding {padding} on images of {shape[1]}x{shape[2]} leaves a layer without "
                f"pixels or full of zeros; need padding < {_KERNEL} and larger images"
            )
        return cnn(shape, self._channels, _KERNEL, padding, self._hidden, source.classes)


def _fits(side: int, padding: int) -> bool:
    for _ in range(_LAYERS):
        side = (side + 2 * padding - _KERNEL + 1) // 2
    return side >= 1
