"""The networks as torch modules, and the law that their first parameters are drawn from.

Imports torch, so it is itself imported only where a network is built. Modules live on the device
"meta": they hold shapes and a forward pass, never numbers. The numbers are points of a problem,
and ``torch.func.functional_call`` brings the two together. Every forward pass takes (b, ...).
"""

from __future__ import annotations

import itertools
import math
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 (its usual name)


class LSTMLayer(nn.Module):
    """One layer of torch.nn.LSTM (its parameters, its gate order i, f, g, o), in plain operations.

    torch.nn.LSTM has no batching rule, so it cannot be mapped over models.
    """

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.weight_ih = nn.Parameter(torch.empty(4 * hidden, inputs))
        self.weight_hh = nn.Parameter(torch.empty(4 * hidden, hidden))
        self.bias_ih = nn.Parameter(torch.empty(4 * hidden))
        self.bias_hh = nn.Parameter(torch.empty(4 * hidden))

    def forward(self, x: Tensor) -> Tensor:
        """x (b, T, inputs) to the hidden states (b, T, hidden), from states 0."""
        outside = F.linear(x, self.weight_ih, self.bias_ih + self.bias_hh)
        h = outside.new_zeros(x.shape[0], self.hidden)
        c, states = h, []
        for inside in outside.unbind(1):
            i, f, g, o = (inside + F.linear(h, self.weight_hh)).chunk(4, dim=-1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            states.append(h)
        return torch.stack(states, dim=1)


class FusedLSTMLayer(LSTMLayer):
    """The same by torch's own kernel, for one model."""

    def forward(self, x: Tensor) -> Tensor:
        first = x.new_zeros(1, x.shape[0], self.hidden)
        own: list[Tensor] = [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]
        states: Tensor = torch.lstm(x, [first, first], own, True, 1, 0.0, True, False, True)[0]
        return states


def for_one(module: nn.Module) -> nn.Module:
    """The module for a pass of one model: the same parameters, by torch's own kernels."""
    layers = dict(module.named_children())
    for name, layer in layers.items():
        if isinstance(layer, LSTMLayer):
            with torch.device("meta"):
                layers[name] = FusedLSTMLayer(layer.weight_ih.shape[1], layer.hidden)
    return nn.Sequential(OrderedDict(layers))


class LastState(nn.Module):
    """(b, T, hidden) to (b, hidden): what a sequence leaves behind."""

    def forward(self, x: Tensor) -> Tensor:
        return x[:, -1]


class BasicBlock(nn.Module):
    """relu(shortcut(x) + GN(conv(relu(GN(conv(x)))))), 3x3 convolutions without bias."""

    def __init__(self, inputs: int, outputs: int, stride: int, groups: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm1 = nn.GroupNorm(groups, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm2 = nn.GroupNorm(groups, outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.GroupNorm(groups, outputs)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


class Mean(nn.Module):
    """Global average pooling, (..., c, height, width) to (..., c)."""

    def forward(self, x: Tensor) -> Tensor:
        return x.mean(dim=(-2, -1))


def dense(inputs: int, hidden: Sequence[int], classes: int) -> list[nn.Module]:
    """Linear layers with ReLU between them; the last has ``classes`` outputs."""
    widths = [inputs, *hidden]
    made: list[nn.Module] = []
    for before, after in itertools.pairwise(widths):
        made += [nn.Linear(before, after), nn.ReLU()]
    return [*made, nn.Linear(widths[-1], classes)]


def mlp(inputs: int, hidden: Sequence[int], classes: int) -> nn.Module:
    """Linear layers on the flattened input."""
    with torch.device("meta"):
        return nn.Sequential(nn.Flatten(), *dense(inputs, hidden, classes))


def cnn(
    shape: tuple[int, ...],
    channels: Sequence[int],
    kernel: int,
    padding: int,
    hidden: Sequence[int],
    classes: int,
) -> nn.Module:
    """Convolutions, each with ReLU and a 2x2 max-pool of stride 2, then linear layers."""
    before, height, width = shape
    made: list[nn.Module] = []
    with torch.device("meta"):
        for after in channels:
            made += [nn.Conv2d(before, after, kernel, padding=padding), nn.ReLU(), nn.MaxPool2d(2)]
            height, width = ((side + 2 * padding - kernel + 1) // 2 for side in (height, width))
            before = after
        made += [nn.Flatten(), *dense(before * height * width, hidden, classes)]
        return nn.Sequential(*made)


def resnet18(channels: int, width: int, groups: int, stem: str, classes: int) -> nn.Module:
    """Two basic blocks each at width, 2 width, 4 width and 8 width; GroupNorm throughout."""
    with torch.device("meta"):
        made: list[nn.Module]
        if stem == "cifar":
            made = [nn.Conv2d(channels, width, 3, 1, 1, bias=False)]
        else:
            made = [nn.Conv2d(channels, width, 7, 2, 3, bias=False)]
        made += [nn.GroupNorm(groups, width), nn.ReLU()]
        if stem == "imagenet":
            made.append(nn.MaxPool2d(3, 2, 1))
        before = width
        for stage in range(4):
            after = width << stage
            made.append(BasicBlock(before, after, 2 if stage else 1, groups))
            made.append(BasicBlock(after, after, 1, groups))
            before = after
        return nn.Sequential(*made, Mean(), nn.Linear(before, classes))


def lstm(vocabulary: int, embedding: int, hidden: int, layers: int, classes: int) -> nn.Module:
    """Tokens (b, T) to an embedding, LSTM layers, and a linear layer on the last hidden state."""
    with torch.device("meta"):
        deep = [LSTMLayer(hidden if k else embedding, hidden) for k in range(layers)]
        return nn.Sequential(
            nn.Embedding(vocabulary, embedding), *deep, LastState(), nn.Linear(hidden, classes)
        )


class Layout(NamedTuple):
    """Where each parameter lies in a point.

    shapes: name to (start, end, shape). blocks: ends of the layers. shared: where the head begins.
    offset, bound, spread (d,): a first coordinate is offset + U(-1, 1) bound + N(0, 1) spread.
    heads: how many linear layers the network ends with, one behind the other.
    """

    shapes: dict[str, tuple[int, int, torch.Size]]
    blocks: tuple[int, ...]
    shared: int
    offset: NDArray[np.float64]
    bound: NDArray[np.float64]
    spread: NDArray[np.float64]
    heads: int


def layout(module: nn.Module, head_layers: int) -> Layout:
    """The parameters of ``module`` in order, each layer's weights before its biases.

    The law is PyTorch's default: U(-1/sqrt k, 1/sqrt k) with k the fan-in of a linear layer or a
    convolution (weights and biases) or the hidden size of an LSTM; N(0, 1) for an embedding; 1 and
    0 for GroupNorm.
    """
    shapes, blocks, kinds = {}, [], []
    laws: list[NDArray[np.float64]] = []
    end = 0
    for name, layer in module.named_modules():
        own = list(layer.named_parameters(prefix=name, recurse=False))
        for full, parameter in own:
            start, end = end, end + parameter.numel()
            shapes[full] = (start, end, parameter.shape)
            law = np.array(_law(layer, full.rpartition(".")[2]))
            laws.append(np.repeat(law[:, None], parameter.numel(), axis=1))
        if own:
            blocks.append(end)
            kinds.append(type(layer))
    behind = list(itertools.takewhile(lambda kind: kind is nn.Linear, reversed(kinds)))
    shared = blocks[-head_layers - 1] if head_layers < len(blocks) else 0
    offset, bound, spread = np.concatenate(laws, axis=1)
    return Layout(shapes, tuple(blocks), shared, offset, bound, spread, len(behind))


def _law(layer: nn.Module, parameter: str) -> tuple[float, float, float]:
    """(offset, bound, spread) of a layer's parameter."""
    if isinstance(layer, nn.GroupNorm):
        return (1.0 if parameter == "weight" else 0.0), 0.0, 0.0
    if isinstance(layer, nn.Embedding):
        return 0.0, 0.0, 1.0
    if isinstance(layer, LSTMLayer):
        return 0.0, 1 / math.sqrt(layer.hidden), 0.0
    if isinstance(layer, nn.Linear | nn.Conv2d):
        return 0.0, 1 / math.sqrt(layer.weight[0].numel()), 0.0
    raise TypeError(f"network: no law for the parameters of {type(layer).__name__}")


def kept_numbers(module: nn.Module, shape: tuple[int, ...], tokens: bool) -> int:
    """How many numbers a forward pass keeps for the backward pass, for each sample."""
    kept = [0, 0]
    for samples in (1, 2):  # the difference: parameters that are kept too cancel

        def pack(tensor: Tensor, samples: int = samples) -> Tensor:
            kept[samples - 1] += tensor.numel()
            return tensor

        kind = torch.int64 if tokens else torch.float32
        example = torch.zeros(samples, *shape, dtype=kind, device="meta")
        with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept):
            module(example)
    return max(kept[1] - kept[0], 1)
