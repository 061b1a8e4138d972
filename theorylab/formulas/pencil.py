"""Matrices C_0 + sum_k s_k C_k whose weights s_k lie in intervals, and the ends of their spectra.

A Hessian is written so: the weights are the terms in which x is not linear any more, such as the
curvature of a sample's loss. The greatest eigenvalue is convex in s, so it is largest at a corner;
where C_k is positive semidefinite the corner has the upper end of s_k. So no eigenvalue is lost to
entries that move together, as in a matrix of intervals.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.formulas.boxes import Box
from theorylab.formulas.slope import ordered
from theorylab.formulas.term import Term
from theorylab.known import EPS

Floats = NDArray[np.float64]
ATOM = "weight "  # of an input that stands for a weight
SUMS = ("add", "subtract", "negative", "sum", "index", "concatenate", "full", "transpose")
_MOST_CORNERS = 6  # weights whose matrix is indefinite: 2^6 corners


def parted(rows: Sequence[Term], model: Sequence[str] = ("x",)) -> tuple[list[Term], list[Term]]:
    """The rows with inputs in the place of weights, and these weights: what changes with the inputs
    in ``model``."""
    moves: set[int] = set()
    nodes = ordered(*rows)
    for node in nodes:
        mine = node.op == "input" and node.option in model
        if mine or any(id(a) in moves for a in node.args):
            moves.add(id(node))
    linear = {id(row) for row in rows}
    for node in reversed(nodes):
        if id(node) in linear and id(node) in moves and _is_linear(node, moves):
            linear |= {id(a) for a in node.args if id(a) in moves}
    atoms: list[Term] = []
    made: dict[int, Term] = {}
    for node in nodes:
        if id(node) in linear and id(node) in moves and not _is_linear(node, moves):
            made[id(node)] = Term("input", (), node.shape, f"{ATOM}{len(atoms)}")
            atoms.append(node)
        else:
            args = [made[id(a)] for a in node.args]
            made[id(node)] = Term(node.op, args, node.shape, node.option)
    return [made[id(row)] for row in rows], atoms


def _is_linear(node: Term, moves: set[int]) -> bool:
    """In those of its operands that change with x."""
    changing = [id(a) in moves for a in node.args]
    if node.op in SUMS:
        return True
    if node.op in ("multiply", "matmul"):
        return sum(changing) == 1
    return node.op == "divide" and changing == [True, False]


@dataclass(frozen=True)
class Pencil:
    """base: C_0 (n, d, d). parts: C_k (n, k, d, d). weights: s_k (n, k). All are intervals."""

    base: Box
    parts: Box
    weights: Box

    def block(self, rows: slice) -> Pencil:
        """Of some coordinates alone."""
        return Pencil(self.base[:, rows, rows], self.parts[:, :, rows, rows], self.weights)

    @property
    def mean(self) -> Pencil:
        """Of the mean over the clients, whose weights are all there are."""
        n, k, d = self.parts.shape[:3]
        whole = self.base.sum(0) / float(n)
        parts, weights = self.parts / float(n), self.weights
        return Pencil(
            Box(whole.low.reshape(1, d, d), whole.high.reshape(1, d, d)),
            Box(parts.low.reshape(1, n * k, d, d), parts.high.reshape(1, n * k, d, d)),
            Box(weights.low.reshape(1, -1), weights.high.reshape(1, -1)),
        )

    @property
    def size(self) -> Floats:
        """A bound of every entry's absolute value, (n, d, d)."""
        return (self.base + (self.parts * self.weights[:, :, None, None]).sum(1)).size

    @property
    def ends(self) -> tuple[float, float]:
        """(at most every eigenvalue, at least every one) of all clients' matrices."""
        both = [self._ends(i) for i in range(len(self.base.low))]
        return min(low for low, _ in both), max(high for _, high in both)

    def _ends(self, i: int) -> tuple[float, float]:
        used = self.parts.size[i].any((1, 2))
        base, parts, weights = self.base[i], self.parts[i][used], self.weights[i][used]
        if not np.isfinite(base.size).all() or not np.isfinite(parts.size).all():
            return -np.inf, np.inf
        off = ~np.eye(base.shape[-1], dtype=bool)
        if not base.size[off].any() and not parts.size[:, off].any():
            whole = base + (parts * weights[:, None, None]).sum(0) if used.any() else base
            return float(np.diagonal(whole.low).min()), float(np.diagonal(whole.high).max())
        middle = (parts.low + parts.high) / 2
        spectra = np.linalg.eigvalsh((middle + middle.swapaxes(1, 2)) / 2)
        room = 16 * len(off) * EPS * np.abs(middle).sum((1, 2))
        up, down = spectra[:, 0] >= -room, spectra[:, -1] <= room
        corners = np.where(up, weights.low, weights.high), np.where(up, weights.high, weights.low)
        open_ = ~up & ~down
        least, most = (
            _extreme(base, parts, weights, corner, open_, end)
            for corner, end in zip(corners, (0, -1), strict=True)
        )
        return least, most


def _extreme(
    base: Box, parts: Box, weights: Box, corner: Floats, open_: NDArray[np.bool_], end: int
) -> float:
    """The least (end 0) or the greatest (-1) eigenvalue at all corners that may have it."""
    sign = 1.0 if end else -1.0
    if not np.isfinite(corner[~open_]).all() or not np.isfinite(weights.size[open_]).all():
        return sign * np.inf
    places = np.flatnonzero(open_)
    few, rest = places[:_MOST_CORNERS], places[_MOST_CORNERS:]
    middle = [(b.low + b.high) / 2 for b in (base, parts, weights)]
    reach = (weights.high - weights.low)[rest] / 2 * parts.size[rest].sum((1, 2))
    worst = -np.inf
    for pick in itertools.product((weights.low, weights.high), repeat=len(few)):
        s = corner.copy()
        s[rest] = middle[2][rest]
        for place, side in zip(few, pick, strict=True):
            s[place] = side[place]
        H = middle[0] + np.tensordot(s, middle[1], 1)
        widths = (parts.high - parts.low).sum((1, 2))
        off = (base.high - base.low).sum() + (np.abs(s) * widths).sum()
        size = base.size.sum() + (np.abs(s) * parts.size.sum((1, 2))).sum()
        value = sign * float(np.linalg.eigvalsh((H + H.T) / 2)[end])
        # half of off is the distance from the middles; the rest is the rounding of these sums
        room = 32 * (len(H) + len(s)) * EPS * float(size)
        worst = max(worst, value + float(off) + room)
    return sign * (worst + float(reach.sum()) * (1 + 8 * EPS))
