"""Layers of a network for a stack of copies: parameters (P, ...), and what passes is (P, b, ...).

Imports torch, so it is itself imported only where a network is built. Images (P, b, c, height,
width) lie in memory as (b, P, c, height, width): so P copies of a convolution are one of P groups.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)

from theorylab.problems._network_modules import BasicBlock, Mean

Named = dict[str, Tensor]
_LAYER = [nn.Linear, nn.ReLU]


def stacked(module: nn.Module) -> nn.Module | None:
    """The module for P copies at once, with the same names; None where a layer has no such form."""
    own = copy.deepcopy(module)
    for layer in own.modules():
        if type(layer) in _STACKED:
            if isinstance(layer, nn.Conv2d) and (layer.groups, *layer.dilation) != (1, 1, 1):
                return None
            layer.__class__ = _STACKED[type(layer)]
        elif type(layer) not in _AS_THEY_ARE:
            return None
    return own


class Perceptron:
    """The gradients of P perceptrons, written out: a layer's slope goes where it will lie."""

    def __init__(self, module: nn.Module) -> None:
        self._names = [name for name, each in module.named_children() if type(each) is nn.Linear]

    @classmethod
    def of(cls, module: nn.Module) -> Perceptron | None:
        """None where the module is no perceptron."""
        kinds = [type(each) for each in module.children()]
        hidden = len(kinds) // 2 - 1
        return cls(module) if kinds == [nn.Flatten, *_LAYER * hidden, nn.Linear] else None

    def slopes(self, point: Named, batch: tuple[Tensor, Tensor, Tensor], out: Named) -> None:
        """Of the weighted sums of cross entropies. Samples are columns: (P, units, b)."""
        inputs, labels, weights = batch
        h = inputs.flatten(2).mT
        below: list[Tensor] = []
        for name in self._names:
            below.append(h.relu_() if below else h)
            h = torch.baddbmm(point[f"{name}.bias"][:, :, None], point[f"{name}.weight"], h)
        error, places = h.softmax(1), labels[:, None]
        error.scatter_add_(1, places, error.new_full((1, 1, 1), -1.0).expand_as(places))
        error.mul_(weights[:, None])
        for name, h in zip(reversed(self._names), reversed(below), strict=True):
            torch.sum(error, 2, out=out[f"{name}.bias"])
            torch.bmm(error, h.mT, out=out[f"{name}.weight"])
            if h is not below[0]:
                error = torch.bmm(point[f"{name}.weight"].mT, error)
                error = torch.ops.aten.threshold_backward(error, h, 0)


class Linears(nn.Linear):
    """Products of stacks."""

    def forward(self, x: Tensor) -> Tensor:
        """Samples are columns: so the slope of the weights comes in their own order."""
        return torch.baddbmm(self.bias[:, :, None], self.weight, x.mT).mT


class Flattens(nn.Flatten):
    """(P, b, ...) to (P, b, numbers)."""

    def forward(self, x: Tensor) -> Tensor:
        return x.flatten(2)


class Convolutions(nn.Conv2d):
    """One convolution of P groups; where an image becomes one pixel, a product of what it meets."""

    def forward(self, x: Tensor) -> Tensor:
        weight, bias = self.weight, self.bias
        sizes, stride, padding = weight.shape[-2:], self.stride, _pair(self.padding)
        one = [
            (side + 2 * pad - size) // step == 0
            for side, pad, size, step in zip(x.shape[-2:], padding, sizes, stride, strict=True)
        ]
        if not all(one):
            parts = None if bias is None else bias.flatten()
            y = F.conv2d(
                _groups(x), weight.flatten(0, 1), parts, stride, padding, groups=len(weight)
            )
            return _copies(y, len(weight))
        for axis, (pad, size) in enumerate(zip(padding, sizes, strict=True), -2):
            seen = min(x.shape[axis], size - pad)  # the rest of the kernel meets zeros
            x, weight = x.narrow(axis, 0, seen), weight.narrow(axis, pad, seen)
        y = weight.flatten(2) @ x.flatten(2).mT
        y = y if bias is None else y + bias[:, :, None]
        return y.mT[..., None, None]


class Norms(nn.GroupNorm):
    """P times as many groups."""

    def forward(self, x: Tensor) -> Tensor:
        n, groups = len(self.weight), len(self.weight) * self.num_groups
        y = F.group_norm(_groups(x), groups, self.weight.flatten(), self.bias.flatten(), self.eps)
        return _copies(y, n)


class Pools(nn.MaxPool2d):
    """As ``_Pooled``."""

    def forward(self, x: Tensor) -> Tensor:
        window = self.kernel_size, self.stride, self.padding
        y: Tensor = _Pooled.apply(_groups(x), *window)  # type: ignore[no-untyped-call]  # torch's
        return _copies(y, len(x))


class _Pooled(torch.autograd.Function):
    """Channels go last on the way there, and not on the way back: so torch is fastest."""

    @staticmethod
    def forward(context: Any, x: Tensor, *window: int) -> Tensor:
        size, stride, padding = window
        near = x.contiguous(memory_format=torch.channels_last)
        y, places = F.max_pool2d(near, size, stride, padding, return_indices=True)
        context.save_for_backward(x, places.contiguous())
        context.window = window
        return y.contiguous()

    @staticmethod
    def backward(context: Any, slopes: Tensor) -> tuple[Tensor, None, None, None]:
        x, places = context.saved_tensors
        made = torch.ops.aten.max_pool2d_with_indices_backward(
            slopes, x, *([each, each] for each in context.window), [1, 1], False, places
        )
        return made, None, None, None


def _pair(padding: str | tuple[int, ...]) -> tuple[int, ...]:
    assert not isinstance(padding, str)
    return padding


def _groups(x: Tensor) -> Tensor:
    return x.transpose(0, 1).flatten(1, 2)


def _copies(x: Tensor, n: int) -> Tensor:
    return x.reshape(len(x), n, -1, *x.shape[2:]).transpose(0, 1)


_STACKED: dict[type[nn.Module], type[nn.Module]] = {
    nn.Linear: Linears, nn.Flatten: Flattens, nn.Conv2d: Convolutions, nn.GroupNorm: Norms,
    nn.MaxPool2d: Pools,
}  # fmt: skip
_AS_THEY_ARE = {nn.Sequential, nn.Identity, nn.ReLU, Mean, BasicBlock}
