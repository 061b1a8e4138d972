"""One forward pass of many copies of a perceptron: a product of stacks a layer.

Imports torch, so it is itself imported only where a network is built.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

_LAYERS = nn.Flatten, nn.ReLU, nn.Linear


def stacks(module: nn.Module) -> bool:
    """Whether ``Stacked`` knows every layer."""
    return all(type(layer) in _LAYERS for layer in module.children())


class Stacked:
    """The forward pass of a module that ``stacks``."""

    def __init__(self, module: nn.Module) -> None:
        self._layers = [(name, type(layer)) for name, layer in module.named_children()]

    def __call__(self, named: Mapping[str, Tensor], x: Tensor) -> Tensor:
        """What copy k makes of x[k] (P, b, ...) with the parameters named[...][k]: its logits."""
        for name, kind in self._layers:
            if kind is nn.Linear:
                weight, bias = named[f"{name}.weight"], named[f"{name}.bias"]
                # Samples as columns: so the slope of the weights comes in their own order.
                x = torch.baddbmm(bias[:, :, None], weight, x.mT).mT
            else:
                x = x.flatten(2) if kind is nn.Flatten else x.relu()
        return x
