"""What Proofs 2 to 5 of dfedsgpsm compare, from the iterates of Algorithm 1."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import LocalStep, State
from theorylab.known import UNIT
from theorylab.problems import Problem
from theorylab.runs import Given, Row, relative_error
from theorylab.runs.rounding import farthest, gradient_off, loss_off

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Played:
    """One round of R runs.

    x, w: before it. xs[k]: x_{i,k} for k = 0..K. z[s], lifted[s], plain[s], used[s], s = 0..K-1:
    lines 5, 8, 7 and 9 of local step s + 1. after: x^{t+1}.
    """

    t: int
    x: Floats
    w: Floats
    xs: list[Floats]
    z: list[Floats]
    lifted: list[Floats]
    plain: list[Floats]
    used: list[Floats]
    after: Floats

    @staticmethod
    def of(before: State, steps: Sequence[LocalStep], after: State) -> Played:
        return Played(
            before.t,
            before.x,
            before.w,
            [before.x, *(step.after for step in steps)],
            [step.point for step in steps],
            [step.lifted for step in steps],
            [step.plain for step in steps],
            [step.used for step in steps],
            after.x,
        )


@dataclass(frozen=True)
class Weighted:
    """sum_k sum_{s<=k} alpha^{k-s} of K vectors, and the weights b_s of that sum."""

    alpha: float
    steps: int

    @property
    def weights(self) -> Floats:
        """b_s = sum_{k=s}^K alpha^{k-s}, added literally, s = 1..K: each is one term more than the
        one after it."""
        powers = [self.alpha**k for k in range(self.steps)]
        return np.array([*itertools.accumulate(powers)][::-1])

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    def of(self, parts: list[Floats]) -> Floats:
        return np.asarray(np.tensordot(self.weights, np.stack(parts), axes=1))


def squares(a: Floats) -> Floats:
    return np.asarray((a * a).sum(axis=-1))


def reach(*parts: Floats) -> float:
    """Rounding of sums of models: 64 operations on the largest number, and a gradient's d products;
    d of them in a norm.
    """
    largest, d = max(float(np.abs(a).max()) for a in parts), int(parts[0].shape[-1])
    return (64 + 2 * d) * UNIT * largest * math.sqrt(d)


def common(problem: Problem, xbar: Floats) -> Floats:
    """xbar (R, d) as everyone's point (R, n, d)."""
    return np.repeat(xbar[:, None], problem.clients, axis=1)


def global_gradient(problem: Problem, z: Floats) -> Floats:
    """grad f at every client's own point, (R, n, d)."""
    own = [problem.mean_gradient(np.ascontiguousarray(z[:, i])) for i in range(z.shape[1])]
    return np.stack(own, axis=1)


def step_rows(p: Played) -> Iterator[Row]:
    """||x_{i,k+1} - x_{i,k}||^2 (Lemma 2)."""
    for k in range(len(p.used)):
        size = squares(p.xs[k + 1] - p.xs[k])
        off = reach(p.xs[k], p.xs[k + 1])
        for i in range(size.shape[1]):
            yield Row(size[:, i], {"local_step": k}, f"t={p.t}, i={i}, k={k}", off=off)


def drift_rows(p: Played, problem: Problem, step: float) -> Iterator[Row]:
    """(1/n) sum_i ||x_{i,k} - x_i||^2 (Lemma 3), with (1/n) sum_i ||grad f(z_i)||^2.

    step: eta/(1 - alpha), what all later steps together make of a gradient.
    """
    z = p.x / p.w[:, :, None]
    at_z = squares(global_gradient(problem, z)).mean(axis=1)
    error, largest = slope_error(problem, p), farthest(p.xs)
    for k, x in enumerate(p.xs):
        size = squares(x - p.x).mean(axis=1)
        off = (k + 1) * (reach(largest) + step * error) if k else 0.0  # x_{i,0} is x_i itself
        yield Row(size, {"local_step": k, "z_gradient": Given(at_z)}, f"t={p.t}, k={k}", off=off)


def update(p: Played, eta: float, weighted: Weighted) -> Floats:
    """||eta sum_k sum_{s<=k} alpha^{k-s} g_s||, (R, n): the display under (6)."""
    return np.asarray(np.sqrt(squares(eta * weighted.of(p.used))))


def update_rows(p: Played, eta: float, weighted: Weighted) -> Iterator[Row]:
    size = update(p, eta, weighted) ** 2
    for i in range(size.shape[1]):
        yield Row(size[:, i], {}, f"t={p.t}, i={i}", off=0.0)


def r1_rows(p: Played, problem: Problem, weighted: Weighted) -> Iterator[Row]:
    """||1/(n a~) sum_i sum_k sum_s alpha^{k-s} (grad f_i(z-breve) - grad f(xbar))||^2."""
    here = problem.mean_gradient(p.x.mean(axis=1))
    mean = weighted.of([problem.gradient(z).mean(axis=1) for z in p.lifted]) / weighted.total
    yield Row(squares(mean - here), {"t": p.t}, f"t={p.t}", off=slope_error(problem, p))


def jensen_rows(p: Played, problem: Problem, weighted: Weighted, own: bool) -> Iterator[Row]:
    """The second inequality of R1: squared gaps of gradients, with those of points in ``at``.

    own: against grad f_i(xbar); else against grad f(xbar), as printed.
    """
    xbar = p.x.mean(axis=1)
    everywhere = common(problem, xbar)
    anchor = problem.gradient(everywhere) if own else common(problem, problem.mean_gradient(xbar))
    share = weighted.weights / weighted.total
    gaps = [squares(problem.gradient(z) - anchor).mean(axis=1) for z in p.lifted]
    ways = [squares(z - everywhere).mean(axis=1) for z in p.lifted]
    gap = np.tensordot(share, np.stack(gaps), axes=1)
    way = np.tensordot(share, np.stack(ways), axes=1)
    yield Row(gap, {"t": p.t, "point_gap": way}, f"t={p.t}", off=slope_error(problem, p))


def slope_error(problem: Problem, p: Played) -> float:
    """Rounding of a difference of gradients, one of them a mean over the clients, and of the other
    side's points or gradients, which is at most as much again.

    ``gradient_off`` is at least 18 UNIT of the gradient: n UNIT of it, for a mean, is n/18 of that.
    """
    everyone = farthest((*p.lifted, p.x)).max(axis=1, keepdims=True)
    off = gradient_off(problem, np.repeat(everyone, problem.clients, axis=1))
    return (4 + problem.clients / 8) * float(off.max())


def descent_rows(p: Played, problem: Problem, scale: float) -> Iterator[Row]:
    """||grad f(xbar)||^2, and f before and after the round; scale: a~ eta."""
    here, there = p.x.mean(axis=1), p.after.mean(axis=1)
    now, later = (problem.mean_loss(x) for x in (here, there))
    size = squares(problem.mean_gradient(here))
    # 2 (f_now - f_next) / (a~ eta) loses digits: n losses are averaged, at points that were rounded
    lost = math.sqrt(float(size.max())) * reach(p.x, p.after)
    for x, value in ((here, now), (there, later)):
        lost += float(loss_off(problem, common(problem, x)).mean(axis=1).max())
        lost += 2 * problem.clients * UNIT * float(np.abs(value).max())
    at = {"t": p.t, "f_now": now, "f_next": later}
    off = slope_error(problem, p)
    yield Row(size, at, f"t={p.t}", rounding=2 * lost / scale, off=off)


def identity_row(p: Played, gap: Floats, size: float, sides: float) -> Row:
    """An identity's largest gap a run; size: the largest of what its sides are sums of."""
    share = relative_error(gap, np.asarray(sides))
    at = {"magnitude": size}
    return Row(gap, at, f"t={p.t}", rounding=0.0, relative_error=share)


def residual(p: Played, eta: float, alpha: float) -> tuple[Floats, float, float]:
    """Eq. (5): largest |x_{k+1} - (x_k - eta g + alpha (x_k - x_{k-1}))| a run, x_{-1} = x_0.

    g is line 9's gradient. Also the largest sum of absolute summands, and the largest entry of
    x_{k+1} - x_k: what the identity is about.
    """
    worst, size, step = np.zeros(p.x.shape[0]), 0.0, 0.0
    for k, g in enumerate(p.used):
        x, before = p.xs[k], p.xs[max(k - 1, 0)]
        gap = np.abs(p.xs[k + 1] - (x - eta * g + alpha * (x - before)))
        worst = np.maximum(worst, gap.max(axis=(1, 2)))
        step = max(step, float(np.abs(p.xs[k + 1] - x).max()))
        # x_k carries the rounding of all the local steps before it
        parts = np.abs(x) + eta * sum(np.abs(u) for u in p.used[: k + 1]) / (1 - alpha)
        size = max(size, float((parts + np.abs(before) + eta * np.abs(g)).max()))
    return worst, size, step


def pulled(p: Played, P: Any) -> tuple[Floats, float, float]:
    """Eq. (3): largest |x_i^{t+1} - sum_{j in N_in(i)} x_j^{t+1/2} / d_j|, and the summands; also
    the largest entry of x_i^{t+1}.
    """
    edges = P.toarray() != 0
    degree = edges.sum(axis=0)
    half = p.xs[-1] / degree[None, :, None]
    total = np.zeros_like(half)
    for i in range(len(degree)):
        for j in np.flatnonzero(edges[i]):
            total[:, i] += half[:, j]
    size = float(np.einsum("ij,rjd->rid", edges.astype(float), np.abs(half)).max())
    return np.abs(p.after - total).max(axis=(1, 2)), size, float(np.abs(p.after).max())
