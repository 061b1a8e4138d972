"""Values and gradients of copies of one network: three ways through it.

Imports torch, so it is itself imported only where a network is built.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap

from theorylab.problems._network_modules import for_one
from theorylab.problems._network_stacks import Named, Perceptron, stacked

_ALONE = 2**16  # numbers that a pass of a copy keeps; from there on vmap costs more than calls
ARGUMENTS = {"u": (0,), "v": (1,), "both": (0, 1)}  # of a task: body, head, inputs, ...
Forward = Callable[[Named, Any], Tensor]


class Passes:
    """On the host copies go together where every layer has a form for stacks (all but LSTMs), and
    the copy of an LSTM goes alone, unless it is tiny; otherwise ``vmap`` maps.

    kept: numbers that a forward pass keeps, for each sample.
    """

    def __init__(self, module: nn.Module, host: bool, kept: int) -> None:
        self._module, self._host, self._kept = module, host, kept
        self._stack = stacked(module) if host else None
        self.perceptron = Perceptron.of(module) if host else None
        self._of_one = for_one(module)

    def __call__(self, what: str, body: Named, head: Named, *data: Tensor) -> Any:
        """At parameters (P, ...); data: inputs (P, b, ...), labels (P, b), weights (P, b).

        Returns (P,), or gradients by name, in one mapping or one each for body and head.
        """
        if self._stack:
            forward = functools.partial(functional_call, self._stack)
            return self._outright(what, forward, body, head, *data)
        if len(data[0]) == 1 and self.alone(data[0].shape[1]):
            return self._outright(what, self._single, body, head, *data)
        return vmap(self._task(what))(body, head, *data)

    def alone(self, samples: int) -> bool:
        """Whether a copy goes alone: vmap is slower for large LSTMs."""
        return self._host and self._stack is None and samples * self._kept >= _ALONE

    def _task(self, what: str) -> Callable[..., Any]:
        """Of one copy, for vmap."""
        forward = functools.partial(functional_call, self._module)
        value = functools.partial(_right if what == "right" else _loss, forward)
        # Only these arguments are differentiated: with "v" nothing below the head is kept.
        return grad(value, argnums=ARGUMENTS[what]) if what in ARGUMENTS else value

    def _outright(
        self, what: str, forward: Forward, body: Named, head: Named, *data: Tensor
    ) -> Any:
        """Of all copies together, without vmap."""
        if what not in ARGUMENTS:
            value = _right if what == "right" else _loss
            return value(forward, body, head, *data)
        parts = [body, head]
        leaves = [(k, name) for k in ARGUMENTS[what] for name in parts[k]]
        for k, name in leaves:
            parts[k][name] = parts[k][name].detach().requires_grad_()
        with torch.enable_grad():
            loss = _loss(forward, parts[0], parts[1], *data).sum()
        slopes = torch.autograd.grad(loss, [parts[k][name] for k, name in leaves])
        return [{name: g for (_, name), g in zip(leaves, slopes, strict=True)}]

    def _single(self, named: Named, inputs: Tensor) -> Tensor:
        """The forward pass of the one copy that is there."""
        own = {name: each.squeeze(0) for name, each in named.items()}
        logits: Tensor = functional_call(self._of_one, own, (inputs.squeeze(0),))
        return logits[None]


def _loss(
    forward: Forward, body: Named, head: Named, inputs: Tensor, labels: Tensor, weights: Tensor
) -> Tensor:
    """Of a copy with samples (b, ...), or of copies with (P, b, ...)."""
    logits = forward(body | head, inputs)
    return -(logits.log_softmax(-1).gather(-1, labels[..., None])[..., 0] * weights).sum(-1)


def _right(
    forward: Forward, body: Named, head: Named, inputs: Tensor, labels: Tensor, weights: Tensor
) -> Tensor:
    logits = forward(body | head, inputs)
    return ((logits.argmax(-1) == labels) * weights).sum(-1)
