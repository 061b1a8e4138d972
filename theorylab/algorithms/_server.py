"""What the centralised methods share: options, who takes part, the server's one model, local steps.

A server has one model (or one body). In every round it hands it to the clients that take part,
hears from those that are not down, and averages what it hears, as FedAvg does.

Which minibatch a local step sees, xi(round, step): the k-th step of a method's first use has step
number k, the k-th of its second use K + k, K the most steps any client is meant to do in the first
(not how many it gets done, so that a straggler changes nobody's draws), and so on. No two steps of
a round share a minibatch unless the method says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms._algorithm import Algorithm
from theorylab.algorithms._base import (
    Array,
    Context,
    State,
    checked,
    chosen,
    namespace,
    rules,
    start,
    steps_of,
)
from theorylab.algorithms._draw import participants
from theorylab.algorithms._local import working
from theorylab.algorithms._options import StepSize, step_size
from theorylab.algorithms._partial import split_start
from theorylab.problems import Problem

WEIGHTS = ("uniform", "samples")
Draw = Callable[[int, NDArray[np.int64], int, int], Any]


@dataclass(frozen=True)
class Centralised(Algorithm):
    """The options that the centralised methods share; FedAvg among them.

    Args:
        eta: local step size > 0: a number, a function of the round t, or a text in t such as
            "1/(10 + t)".
        decay: the step size of round t is eta(t) decay^t.
        alpha: local momentum, 0 <= alpha < 1, from 0 in every phase of every round.
        local_steps: K >= 1, or one a client. "Epochs" of the papers are steps here: with
            minibatches, K is epochs times minibatches an epoch.
        fraction: share of clients that take part, max(1, round(fraction n)) of them, drawn anew
            in every round, uniform over all such sets. Experiments of dfedpgp (Section 5.1) and
            dfedalt_dfedsalt (Section 5.1): .1 of 100.
        weights: "uniform", or "samples" (in proportion to the samples held).
        server_eta: > 0, the server's step towards the average.
    """

    eta: StepSize
    alpha: float = 0.0
    local_steps: int | Sequence[int] = 5
    fraction: float = 0.1
    weights: str = "uniform"
    server_eta: float = 1.0
    decay: float = 1.0
    draws: ClassVar[bool] = True

    def __post_init__(self) -> None:
        names = ("eta", "alpha", "local_steps", "fraction", "server_eta", "decay")
        checked(self.name, rules(self, *names))
        chosen(self.name, "weights", self.weights, WEIGHTS)

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """Everybody starts from the mean of x0 (R, n, d): the server has one model."""
        first = start(x0)
        x = one_model(first.x)
        return replace(first, x=x, z=x)

    def rate(self, t: int) -> float:
        """The local step size of round t."""
        return step_size(self, t)

    def taking_part(self, state: State, context: Context) -> tuple[Context, NDArray[np.float64]]:
        """(the round as the chosen clients see it, their weights a_i in the average (R, n)).

        In the first, ``effort`` is 0 for whoever is not chosen.
        """
        part, share = shares(self, state, context)
        effort = part if context.effort is None else part * context.effort
        return replace(context, effort=effort), share

    def serve(self, x: Array, half: Array, share: NDArray[np.float64]) -> Array:
        """x + server_eta (sum_i a_i half_i - x) for everybody."""
        return served(x, half, share, self.server_eta)


def shares(
    method: Any, state: State, context: Context
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(1 where a client takes part, its weight a_i in the average), both (R, n).

    A client that is down (effort 0) sends nothing; where nobody is left the server keeps its model.
    """
    n = context.problem.clients
    many = max(1, round(method.fraction * n))
    part = participants(context.seed, context.runs, n, state.t, many).astype(float)
    heard = part if context.effort is None else part * (context.effort > 0)
    if method.weights == "samples":
        heard = heard * sizes_of(context.problem, method.name)
    total = heard.sum(axis=1, keepdims=True)
    return part, np.divide(heard, total, out=np.zeros_like(heard), where=total > 0)


def sizes_of(problem: Problem, name: str) -> NDArray[np.float64]:
    """How many training samples each client holds, (n,); ValueError where it holds none."""
    sizes = getattr(problem, "sizes", None)
    if sizes is None:
        raise ValueError(
            f"{name}: weights is 'samples', but {problem.name} has no samples; need 'uniform'"
        )
    return np.asarray(sizes, dtype=float)


def served(x: Array, half: Array, share: NDArray[np.float64], server_eta: float) -> Array:
    """The server's new model, handed to everybody: (R, n, d).

    The sum runs over the clients in order, so a batch has the bits of its runs.
    """
    xp = namespace(x)
    weight: Any = share.astype(np.float64)
    if type(x) is not np.ndarray:
        weight = xp.asarray(weight, device=x.device)
    weight = xp.astype(weight, x.dtype)[:, :, None]
    nobody = xp.asarray(share.sum(axis=1) == 0, device=x.device)[:, None]
    average = xp.sum(weight * half, axis=1)
    server = x[:, 0]
    moved = average if server_eta == 1 else server + server_eta * (average - server)
    new = xp.where(xp.broadcast_to(nobody, moved.shape), server, moved)
    # By a sum: NumPy's copy of a broadcast array is not C-contiguous.
    return new[:, None, :] + xp.zeros_like(x)


def split_server_start(name: str, x0: Array, problem: Problem | None) -> State:
    """u = the mean of the clients' bodies for everybody, v each client's own head.

    Raises ValueError where the problem has no personal part.
    """
    first = split_start(name, x0, problem)
    u = one_model(first.x)
    return replace(first, x=u, z=u)


def one_model(x: Array) -> Array:
    """The mean over clients of x (R, n, d), for everybody; equal models stay as they are."""
    xp = namespace(x)
    one = x[:, :1]
    mean = one + xp.mean(x - one, axis=1, keepdims=True)
    return contiguous(xp.asarray(xp.broadcast_to(mean, x.shape), copy=True))


def contiguous(x: Array) -> Array:
    """``x`` in C order; a copy only where it is not."""
    return np.ascontiguousarray(x) if type(x) is np.ndarray else x.contiguous()


def whole_steps(
    x: Array,
    context: Context,
    t: int,
    *,
    eta: float | Array,
    steps: int | Sequence[int],
    first: int = 0,
    alpha: float = 0.0,
    pull: float = 0.0,
    towards: Array | None = None,
    draw: Draw | None = None,
) -> Array:
    """K local steps of the whole model, with a proximal term on request; x (R, n, d) is kept.

    x <- x - eta m, m = alpha m + g + pull (x - towards), m from 0, g the stochastic gradient at x.

    Args:
        eta: a number, or one a coordinate (d,). first: step number of the first minibatch.
        pull, towards: lambda and the center (R, n, d) of lambda/2 |x - towards|^2.
        draw: draws the minibatches; None: the context.
    """
    problem, xp = context.problem, namespace(x)
    x = xp.asarray(x, copy=True)
    m: Array | None = None
    most, counts = steps_of(context, steps)
    for k in range(most):
        number = first + k
        if draw is None:
            sample = context.sample(t, number)
        else:
            sample = draw(context.seed, context.runs, t, number)
        g = problem.stochastic_gradient(x, sample)
        if towards is not None:
            g = g + pull * (x - towards)
        m = g if m is None or not alpha else alpha * m + g
        x -= working(eta * m, counts, k)
    return x


def where_working(new: Array, old: Array, works: NDArray[np.bool_] | None) -> Array:
    """``new`` (R, n, d) of the clients that work, ``works`` (R, n), ``old`` of the others."""
    if works is None:
        return new
    xp = namespace(new)
    mask: Any = works
    if type(new) is not np.ndarray:
        mask = xp.asarray(works, device=new.device)
    return xp.where(mask[:, :, None], new, old)


def optional(value: Any, otherwise: Any) -> Any:
    """An option that stands for another one where it is not given."""
    return otherwise if value is None else value
