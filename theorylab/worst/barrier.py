"""Linear matrix inequalities by a barrier method: small, dense, with every iterate strictly inside.

minimise c y subject to F_b(y) = F_b0 + sum_k y_k F_bk positive semidefinite for every block b.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_GROWTH = 12.0  # of the weight of the objective from one centre to the next
_MOST = 400  # Newton steps


@dataclass(frozen=True)
class Block:
    """F0 (N, N) and F (k, N, N) of the unknowns ``on`` (k,); all symmetric. Of a diagonal block the
    diagonals alone: F0 (N,) and F (k, N)."""

    F0: Floats
    F: Floats
    on: NDArray[np.int64]

    def at(self, y: Floats) -> Floats:
        """F(y)."""
        made: Floats = self.F0 + np.tensordot(y[self.on], self.F, 1)
        return made


class BarrierError(ArithmeticError):
    """The method stopped before its end: the data are out of scale."""


def scalars(F0: Floats, F: Floats) -> Block:
    """The numbers F0 + F' y >= 0 as a block: F0 (N,), F (K, N)."""
    return Block(F0, F, np.arange(len(F)))


def strictly_inside(
    definite: Sequence[Block], others: Sequence[Block], y: Floats, least: float
) -> Floats | None:
    """A point where every F_b(y) of ``definite`` has no eigenvalue below ``least``, or None.

    y: strictly feasible for ``others``, which may make the set of points bounded; nothing is said
    where it is not.
    """
    size = len(y)
    blocks = [*others, Block(np.ones((1, 1)), -np.ones((1, 1, 1)), np.array([size]))]
    for b in definite:
        F = np.concatenate([b.F, -np.eye(len(b.F0))[None]])
        blocks.append(Block(b.F0, F, np.append(b.on, size)))
    lowest = min(float(np.linalg.eigvalsh(b.at(y)).min()) for b in definite)
    point, objective = np.append(y, min(0.0, lowest) - 1.0), np.append(np.zeros(size), -1.0)

    def decided(there: Floats, left: float) -> bool:
        return bool(there[size] > least or there[size] + left < least)

    try:
        point = minimise(objective, blocks, point, gap=least / 10, until=decided)
    except (BarrierError, np.linalg.LinAlgError):
        return None
    return point[:size] if point[size] > least else None


def minimise(
    c: Floats,
    blocks: Sequence[Block],
    y: Floats,
    *,
    gap: float,
    until: Callable[[Floats, float], bool] | None = None,
) -> Floats:
    """A strictly feasible point whose value is within ``gap`` (|value| + gap) of the least.

    y: strictly feasible. until: told of each centre and a bound on its distance from the least
    value, ends the method early.

    Raises BarrierError where y is not strictly feasible, or Newton's steps run out.
    """
    order = sum(len(block.F0) for block in blocks)
    weight = order / (1 + abs(float(c @ y)))
    for _ in range(_MOST):
        y, centred = _centred(weight * c, blocks, y)
        left = order / weight if centred else np.inf
        if until is not None and until(y, left):
            return y
        if centred and left <= gap * (abs(float(c @ y)) + gap):
            return y
        weight *= _GROWTH
    raise BarrierError("the barrier method did not end")


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a step without end is no step
def _centred(c: Floats, blocks: Sequence[Block], y: Floats) -> tuple[Floats, bool]:
    """Newton's steps towards the minimum of c y - sum log det F_b(y)."""
    level = _level(c, blocks, y)
    if level is None:
        raise BarrierError("the point is not strictly feasible")
    for _ in range(60):
        slope, H = c.copy(), np.zeros((len(y), len(y)))
        for block in blocks:
            if block.F0.ndim == 1:
                flat = block.F / block.at(y)
                slope[block.on] -= flat.sum(1)
            else:
                root = np.linalg.inv(np.linalg.cholesky(block.at(y)))
                scaled = root @ block.F @ root.T
                slope[block.on] -= np.trace(scaled, axis1=1, axis2=2)
                flat = scaled.reshape(len(scaled), -1)
            H[np.ix_(block.on, block.on)] += flat @ flat.T
        H.flat[:: len(y) + 1] *= 1 + 1e-14
        try:
            step = -np.linalg.solve(H, slope)
        except np.linalg.LinAlgError:
            return y, False
        fall = -float(slope @ step)
        if not np.isfinite(fall) or fall < 1e-7:
            return y, fall >= 0
        size = 1.0 if fall < 0.25 else 1 / (1 + np.sqrt(fall))
        for _ in range(40):
            there = _level(c, blocks, y + size * step)
            if there is not None and there <= level - 0.01 * size * fall + 1e-9 * abs(level):
                break
            size /= 2
        else:
            return y, fall < 1e-3
        # The damped step is safe; a longer one is often better.
        while size < 1:
            longer = min(1.0, 2 * size)
            there_longer = _level(c, blocks, y + longer * step)
            if there_longer is None or there_longer >= there:
                break
            size, there = longer, there_longer
        y, level = y + size * step, there
    return y, False


def _level(c: Floats, blocks: Sequence[Block], y: Floats) -> float | None:
    """c y - sum log det F_b(y); None outside."""
    total = float(c @ y)
    for block in blocks:
        there = block.at(y)
        if there.ndim == 1:
            if not there.min(initial=1.0) > 0:
                return None
            total -= float(np.log(there).sum())
            continue
        try:
            root = np.linalg.cholesky(there)
        except np.linalg.LinAlgError:
            return None
        total -= 2 * float(np.log(np.diag(root)).sum())
    return total if np.isfinite(total) else None
