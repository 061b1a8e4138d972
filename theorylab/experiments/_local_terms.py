"""What Proofs 2 to 5 of dfedsgpsm compare, from the iterates of Algorithm 1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._played import Played
from theorylab.experiments._rounding import EPS as EPS
from theorylab.experiments._rounding import farthest, gradient_off, loss_off, squared_room
from theorylab.problems import Problem

Floats = NDArray[np.float64]
Cell = tuple[Floats, dict[str, float], str, float]  # values (R,), constants, label, rounding


@dataclass(frozen=True)
class Weighted:
    """sum_k sum_{s<=k} alpha^{k-s} of K vectors, and the weights b_s of that sum."""

    alpha: float
    steps: int

    @property
    def weights(self) -> Floats:
        """b_s = sum_{k=s}^K alpha^{k-s}, added literally, s = 1..K."""
        K = self.steps
        return np.array(
            [sum(self.alpha ** (k - s) for k in range(s, K + 1)) for s in range(1, K + 1)]
        )

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    def of(self, parts: list[Floats]) -> Floats:
        return np.asarray(np.tensordot(self.weights, np.stack(parts), axes=1))


def squares(a: Floats) -> Floats:
    return np.asarray((a * a).sum(axis=-1))


def room(size: Floats, error: float) -> float:
    """``squared_room`` of the largest of some squared lengths."""
    return squared_room(float(size.max()), error)


def reach(*parts: Floats) -> float:
    """Rounding of sums of models: 64 operations on the largest number, and a gradient's d products;
    d of them in a norm.
    """
    largest, d = max(float(np.abs(a).max()) for a in parts), int(parts[0].shape[-1])
    return (64 + 2 * d) * EPS * largest * math.sqrt(d)


def common(problem: Problem, xbar: Floats) -> Floats:
    """xbar (R, d) as everyone's point (R, n, d)."""
    return np.repeat(xbar[:, None], problem.clients, axis=1)


def global_gradient(problem: Problem, z: Floats) -> Floats:
    """grad f at every client's own point, (R, n, d)."""
    own = [problem.mean_gradient(np.ascontiguousarray(z[:, i])) for i in range(z.shape[1])]
    return np.stack(own, axis=1)


def step_rows(p: Played) -> Iterator[Cell]:
    """||x_{i,k+1} - x_{i,k}||^2 (Lemma 2)."""
    for k in range(len(p.used)):
        size = squares(p.xs[k + 1] - p.xs[k])
        slack = room(size, reach(p.xs[k], p.xs[k + 1]))
        for i in range(size.shape[1]):
            yield size[:, i], {"local_step": k}, f"t={p.t}, i={i}, k={k}", slack


def drift_rows(p: Played, problem: Problem, step: float) -> Iterator[Cell]:
    """(1/n) sum_i ||x_{i,k} - x_i||^2 (Lemma 3), with (1/n) sum_i E||grad f(z_i)||^2.

    step: eta/(1 - alpha), what all later steps together make of a gradient.
    """
    z = p.x / p.w[:, :, None]
    at_z = float(squares(global_gradient(problem, z)).mean())
    error, largest = slope_error(problem, p), farthest(p.xs)
    for k, x in enumerate(p.xs):
        size = squares(x - p.x).mean(axis=1)
        slack = room(size, (k + 1) * (reach(largest) + step * error))
        yield size, {"local_step": k, "z_gradient": at_z}, f"t={p.t}, k={k}", slack


def update(p: Played, eta: float, weighted: Weighted) -> Floats:
    """||eta sum_k sum_{s<=k} alpha^{k-s} g_s||, (R, n): the display under (6)."""
    return np.asarray(np.sqrt(squares(eta * weighted.of(p.used))))


def update_rows(p: Played, eta: float, weighted: Weighted) -> Iterator[Cell]:
    size = update(p, eta, weighted) ** 2
    for i in range(size.shape[1]):
        yield size[:, i], {}, f"t={p.t}, i={i}", room(size, 0.0)


def r1_rows(p: Played, problem: Problem, weighted: Weighted) -> Iterator[Cell]:
    """||1/(n a~) sum_i sum_k sum_s alpha^{k-s} (grad f_i(z-breve) - grad f(xbar))||^2."""
    here = problem.mean_gradient(p.x.mean(axis=1))
    mean = weighted.of([problem.gradient(z).mean(axis=1) for z in p.lifted]) / weighted.total
    gap = squares(mean - here)
    yield gap, {"t": p.t}, f"t={p.t}", room(gap, slope_error(problem, p))


def jensen_rows(p: Played, problem: Problem, weighted: Weighted, own: bool) -> Iterator[Cell]:
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
    slack = room(gap, slope_error(problem, p))
    yield gap, {"t": p.t, "point_gap": float(way.mean())}, f"t={p.t}", slack


def slope_error(problem: Problem, p: Played) -> float:
    """Rounding of a difference of gradients, one of them a mean over the clients, and of the other
    side's points or gradients, which is at most as much again.

    ``gradient_off`` is at least 18 EPS of the gradient: n EPS of it, for a mean, is n/18 of that.
    """
    everyone = farthest((*p.lifted, p.x)).max(axis=1, keepdims=True)
    off = gradient_off(problem, np.repeat(everyone, problem.clients, axis=1))
    return (4 + problem.clients / 8) * float(off.max())


def descent_rows(p: Played, problem: Problem, scale: float) -> Iterator[Cell]:
    """||grad f(xbar)||^2, and E f before and after the round; scale: a~ eta."""
    here, there = p.x.mean(axis=1), p.after.mean(axis=1)
    now, later = (float(problem.mean_loss(x).mean()) for x in (here, there))
    size = squares(problem.mean_gradient(here))
    # 2 (f_now - f_next) / (a~ eta) loses digits: n losses are averaged, at points that were rounded
    lost = math.sqrt(float(size.max())) * reach(p.x, p.after)
    for x, value in ((here, now), (there, later)):
        lost += float(loss_off(problem, common(problem, x)).mean(axis=1).max())
        lost += 2 * problem.clients * EPS * abs(value)
    slack = room(size, slope_error(problem, p)) + 2 * lost / scale
    yield size, {"t": p.t, "f_now": now, "f_next": later}, f"t={p.t}", slack


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
