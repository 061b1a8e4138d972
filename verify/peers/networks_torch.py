"""The rounds of ``networks`` by torch: a loop of modules, ``torch.func.vmap``, and batches by hand.

A peer holds the parameters of all clients as it likes, and draws its rows by torch. All mix by one
dense product.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional as F  # noqa: N812 (its usual name)

from theorylab.problems._network_modules import BasicBlock, LastState, LSTMLayer, Mean

SEED = 1


class Peer:
    """``round(w, P, rows)`` plays one round on rows (K, n, b) of the training data.

    losses: a network of theorylab, for its module's shape and its data. x: (n, d), where it starts.
    numbers: eta, alpha, rho.
    """

    name = ""

    def __init__(self, losses: Any, x: Tensor, numbers: tuple[float, float, float]) -> None:
        self.eta, self.alpha, self.rho = numbers
        copies = losses._copies
        self.module, self.shapes = _fused(copies._passes._module), copies._layout.shapes
        self.inputs, self.labels = copies._inputs["train"], copies._labels["train"]
        if copies._scale is not None:
            self.inputs = self.inputs.to(x.dtype) * copies._scale
        self.starts, self.sizes = (torch.as_tensor(part) for part in (losses.starts, losses.sizes))
        self.batch, self.copies = losses.batch, x.shape[0]

    def drawn(self, generator: Any, steps: int) -> Tensor:
        u = torch.rand((steps, self.copies, self.batch), generator=generator)
        own = (u * self.sizes[:, None]).long().minimum(self.sizes[:, None] - 1)
        return own + self.starts[:, None]

    def round(self, w: Tensor, P: Tensor, rows: Tensor) -> None:
        raise NotImplementedError

    def models(self) -> Tensor:
        """(n, d), as ours."""
        raise NotImplementedError

    def run(self, matrices: Sequence[Tensor], steps: int) -> Tensor:
        generator, w = torch.Generator().manual_seed(SEED), torch.ones(self.copies)
        for P in matrices:
            self.round(w, P, self.drawn(generator, steps))
            w = P @ w
        return self.models()


class Loop(Peer):
    """A module a client, one client after another, by torch's backward pass."""

    name = "modules"

    def __init__(self, losses: Any, x: Tensor, numbers: tuple[float, float, float]) -> None:
        super().__init__(losses, x, numbers)
        self.x, self.clients = x.clone(), []
        for own in self.x:  # the parameters of a client are views of its row
            module = copy.deepcopy(self.module).to_empty(device="cpu")
            for place, parameter in zip(self.shapes.values(), module.parameters(), strict=True):
                low, high, shape = place
                parameter.data = own[low:high].view(shape)
            self.clients.append(module)

    def round(self, w: Tensor, P: Tensor, rows: Tensor) -> None:
        for i, module in enumerate(self.clients):
            self._steps(module, float(w[i]), rows[:, i])
        self.x.copy_(P @ self.x)

    def _steps(self, module: nn.Module, w: float, rows: Tensor) -> None:
        own = list(module.parameters())
        x = [each.detach().clone() for each in own]
        v = [torch.zeros_like(each) for each in own]
        for row in rows:
            data = self.inputs[row], self.labels[row]
            z = torch._foreach_div(x, w)
            _put(own, z)
            g = torch.autograd.grad(F.cross_entropy(module(data[0]), data[1]), own)
            size = torch.stack(torch._foreach_norm(g)).norm()
            torch._foreach_add_(z, torch._foreach_mul(g, self.rho / size))
            _put(own, z)
            g = torch.autograd.grad(F.cross_entropy(module(data[0]), data[1]), own)
            torch._foreach_mul_(v, self.alpha)
            torch._foreach_add_(v, g)
            torch._foreach_add_(x, v, alpha=-self.eta)
        _put(own, x)

    def models(self) -> Tensor:
        return self.x


class Stacked(Peer):
    """All clients at once, a tensor (n, ...) a parameter; subclasses say how gradients are made."""

    def __init__(self, losses: Any, x: Tensor, numbers: tuple[float, float, float]) -> None:
        super().__init__(losses, x, numbers)
        self.x = {
            name: x[:, low:high].reshape(-1, *shape).clone()
            for name, (low, high, shape) in self.shapes.items()
        }
        self.module = losses._copies._passes._module

    def gradient(self, z: dict[str, Tensor], inputs: Tensor, labels: Tensor) -> list[Tensor]:
        raise NotImplementedError

    def round(self, w: Tensor, P: Tensor, rows: Tensor) -> None:
        names, x = list(self.x), [each.clone() for each in self.x.values()]
        weights = [w.view(-1, *[1] * (each.dim() - 1)) for each in x]
        v = [torch.zeros_like(each) for each in x]
        for row in rows:
            data = self.inputs[row], self.labels[row]
            z = torch._foreach_div(x, weights)
            g = self.gradient(dict(zip(names, z, strict=True)), *data)
            squares = [each.flatten(1).square().sum(1) for each in g]
            size = self.rho / torch.stack(squares).sum(0).sqrt()
            scales = [size.view(each.shape) for each in weights]
            torch._foreach_addcmul_(z, g, [s.expand_as(e) for s, e in zip(scales, g, strict=True)])
            g = self.gradient(dict(zip(names, z, strict=True)), *data)
            torch._foreach_mul_(v, self.alpha)
            torch._foreach_add_(v, g)
            torch._foreach_add_(x, v, alpha=-self.eta)
        self.x = {
            name: (P @ each.flatten(1)).view_as(each) for name, each in zip(names, x, strict=True)
        }

    def models(self) -> Tensor:
        return torch.cat([each.flatten(1) for each in self.x.values()], 1)


class Mapped(Stacked):
    """``vmap(grad(loss))`` of ``functional_call``."""

    name = "vmap"

    def gradient(self, z: dict[str, Tensor], inputs: Tensor, labels: Tensor) -> list[Tensor]:
        def loss(own: dict[str, Tensor], a: Tensor, y: Tensor) -> Tensor:
            return F.cross_entropy(functional_call(self.module, own, (a,)), y)

        return list(vmap(grad(loss))(z, inputs, labels).values())


class ByHand(Stacked):
    """Products of stacks and grouped convolutions, written out, by torch's backward pass."""

    name = "by hand"

    def gradient(self, z: dict[str, Tensor], inputs: Tensor, labels: Tensor) -> list[Tensor]:
        own = {name: each.requires_grad_() for name, each in z.items()}
        logits = self._through(self.module, own, "", inputs)
        losses = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum")
        made = list(torch.autograd.grad(losses / self.batch, list(own.values())))
        for each in z.values():
            each.requires_grad_(False)
        return made

    def _through(self, layer: nn.Module, own: dict[str, Tensor], at: str, x: Tensor) -> Tensor:
        """Images are (b, n c, height, width), all else (n, b, ...)."""
        n = self.copies
        if isinstance(layer, nn.Sequential):
            for name, each in layer.named_children():
                x = self._through(each, own, f"{at}{name}.", x)
            return x
        if isinstance(layer, nn.Linear):
            return torch.baddbmm(own[f"{at}bias"][:, None], x, own[f"{at}weight"].mT)
        if isinstance(layer, nn.Flatten):  # behind convolutions, or of inputs
            return x.flatten(2) if len(x) == n and x.dim() == 5 else _apart(x, n).flatten(2)
        if isinstance(layer, nn.Conv2d):
            if x.dim() == 5:
                x = x.transpose(0, 1).flatten(1, 2)
            weight = own[f"{at}weight"].flatten(0, 1)
            bias = own[f"{at}bias"].flatten() if layer.bias is not None else None
            return F.conv2d(x, weight, bias, layer.stride, layer.padding, groups=n)
        if isinstance(layer, nn.GroupNorm):
            weight, bias = (own[f"{at}{part}"].flatten() for part in ("weight", "bias"))
            return F.group_norm(x, n * layer.num_groups, weight, bias, layer.eps)
        if isinstance(layer, Mean):
            return _apart(x.mean((2, 3)), n)
        if isinstance(layer, BasicBlock):
            y = self._through(layer.conv1, own, f"{at}conv1.", x)
            y = self._through(layer.norm1, own, f"{at}norm1.", y).relu()
            y = self._through(layer.conv2, own, f"{at}conv2.", y)
            y = self._through(layer.norm2, own, f"{at}norm2.", y)
            return (y + self._through(layer.shortcut, own, f"{at}shortcut.", x)).relu()
        if isinstance(layer, nn.Embedding):
            return own[f"{at}weight"][torch.arange(n)[:, None, None], x]
        if isinstance(layer, LSTMLayer):
            return _states(x, *(own[f"{at}{name}"] for name, _ in layer.named_parameters()))
        if isinstance(layer, LastState):
            return x[:, :, -1]
        made: Tensor = layer(x)  # without parameters
        return made


PEERS: tuple[type[Peer], ...] = (Loop, Mapped, ByHand)


def _put(parameters: Sequence[Tensor], values: Sequence[Tensor]) -> None:
    torch._foreach_copy_([each.detach() for each in parameters], list(values))


def _apart(x: Tensor, n: int) -> Tensor:
    return x.view(len(x), n, -1, *x.shape[2:]).transpose(0, 1)


def _states(x: Tensor, weight: Tensor, recurrent: Tensor, bias: Tensor, other: Tensor) -> Tensor:
    """States (n, b, T, H) of x (n, b, T, inputs)."""
    n, b, T, _ = x.shape
    outside = torch.baddbmm((bias + other)[:, None], x.flatten(1, 2), weight.mT).view(n, b, T, -1)
    h = c = x.new_zeros(n, b, recurrent.shape[2])
    states = []
    for t in range(T):
        i, f, g, o = torch.baddbmm(outside[:, :, t], h, recurrent.mT).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        states.append(h)
    return torch.stack(states, 2)


def _fused(module: nn.Module) -> nn.Module:
    """The module with torch.nn.LSTM in place of layers in plain operations."""
    children = list(module.children())
    layers = [each for each in children if isinstance(each, LSTMLayer)]
    if not layers:
        return module
    size = layers[0].weight_ih.shape[1]
    with torch.device("meta"):
        theirs = nn.LSTM(size, layers[0].hidden, len(layers), batch_first=True)
    return nn.Sequential(children[0], _States(theirs), *children[-2:])


class _States(nn.Module):
    def __init__(self, lstm: nn.LSTM) -> None:
        super().__init__()
        self.lstm = lstm

    def forward(self, x: Tensor) -> Tensor:
        return self.lstm(x)[0]  # type: ignore[no-any-return]  # of a module
