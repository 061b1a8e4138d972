"""ResNet-18 with group normalisation, the backbone of the four papers' larger experiments."""

from __future__ import annotations

from typing import Any, Unpack

from theorylab.problems._network import Network
from theorylab.problems._network_data import Part
from theorylab.problems._network_options import Options, image_shape
from theorylab.problems._options import count

_STEMS = ("cifar", "imagenet")


class ResNet18(Network, name="resnet18"):
    """He et al., CVPR 2016, with GroupNorm (Wu, He, ECCV 2018) in place of batch normalisation.

    Source: dfedsgpsm, Appendix A; dfedpgp and dfedalt_dfedsalt, "Baselines and Backbone"; deprl,
    experiments. None of them prints the number of groups or the stem. d = 11173962 on CIFAR-10.

    Args:
        clients: n.
        groups: of every GroupNorm; 2 is what the federated literature most often takes.
        stem: "cifar", a 3x3 convolution of stride 1 without max-pool, or "imagenet", 7x7 of stride
            2 with a 3x3 max-pool of stride 2.
        width: channels of the first stage, a multiple of groups; the later ones have 2, 4 and 8
            times as many.
        options: of every ``Network``.
    """

    def __init__(
        self,
        clients: int,
        *,
        groups: int = 2,
        stem: str = "cifar",
        width: int = 64,
        **options: Unpack[Options],
    ) -> None:
        self.groups = count(self.name, "groups", groups)
        self.width = count(self.name, "width", width)
        if stem not in _STEMS:
            raise ValueError(f"resnet18: stem is {stem!r}; need one of {', '.join(_STEMS)}")
        if self.width % self.groups:
            raise ValueError(f"resnet18: width is {width}; need a multiple of groups ({groups})")
        self.stem = stem
        own = {"groups": self.groups, "stem": stem, "width": self.width}
        super().__init__(clients, own, **options)

    def _built(self, source: Any, train: Part) -> Any:
        from theorylab.problems._network_modules import resnet18

        channels = image_shape(self.name, source, train)[0]
        return resnet18(channels, self.width, self.groups, self.stem, source.classes)
