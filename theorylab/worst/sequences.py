"""Push-sum on every sequence of column-stochastic networks of a class: an upper bound, proved.

The program is that of ``check_certificate``, whose pieces and points are used here: multipliers of
inequalities, the same at all vertices of a piece. A vertex enters when it is violated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.worst import check_certificate
from theorylab.worst.barrier import Block, minimise, scalars, strictly_inside
from theorylab.worst.bound import Bound, forms_of, tables_of
from theorylab.worst.rounding import NotCertifiedError

Floats = NDArray[np.float64]
BITS = 2**30  # denominators of multipliers
_FIRST, _MORE, _PASSES = 12, 8, 40  # vertices at the start, and that enter at a time
_GAP = 5e-3  # relative, of the bound of a piece
_MARGIN = 1e-6  # how positive every form has to be, so that rounding leaves it so


@dataclass(frozen=True)
class ColumnStochastic:
    """All matrices with columns that sum to 1, entries of at least ``least`` on ``support`` (n, n)
    of zeros and ones, and 0 elsewhere; entry (i, j) is what i receives from j."""

    support: Sequence[Sequence[int]]
    least: Fraction


def every_sequence(
    networks: ColumnStochastic,
    rounds: int,
    *,
    eta: Fraction,
    mu: Fraction,
    L: Fraction,
    splits: Sequence[tuple[int, int, int, Fraction]] = (),
    about: dict[str, Any] | None = None,
) -> Bound:
    """An upper bound on |mean z^T - x*|^2 of push-sum, T = ``rounds``, over every sequence.

    From |x^0 - x*| <= 1, with gradients at x* whose mean square is at most 1, f_i with curvatures
    between mu and L. splits: (t, i, j, at) cuts the range of P(t)_ij at ``at``; each doubles the
    work, and the bound is less loose.

    Raises NotCertifiedError where a piece has no bound; ValueError on a class that is none.
    """
    support, n = [[int(entry) for entry in row] for row in networks.support], len(networks.support)
    content = {
        "version": 2,
        "kind": "sequences",
        "clients": n,
        "class": {"mu": str(mu), "L": str(L), "B": None, "heterogeneity": None, "noise": None},
        "start": {"distance": "1", "spread": "1"},
        "metric": "distance",
        "method": {
            "support": support,
            "least": str(networks.least),
            "eta": str(eta),
            "rounds": rounds,
            "splits": [[t, i, j, str(at)] for t, i, j, at in splits],
        },
        "claim": "0",
        "denominator": BITS,
        "multipliers": [],
        "proof": None,
        "about": about or {},
    }
    pieces, claim = list[Any](), 0
    for ups in itertools.product((0, 1), repeat=len(splits)):
        cuts = [(*cut, up) for cut, up in zip(splits, ups, strict=True)]
        made = check_certificate.ranges(support, networks.least, rounds, cuts)
        pieces.append(_Pieced(content, made, rounds, eta).proof())
        claim = max(claim, sum(y for y, name, *_ in pieces[-1] if name != "pair"))
    bound = Fraction(math.ceil(Fraction(claim, BITS) * 10**6), 10**6)
    content |= {"multipliers": pieces, "claim": str(bound)}
    try:
        check_certificate.proved(content)
    except ValueError as error:
        raise NotCertifiedError(f"the rounded certificate fails: {error}") from None
    return Bound(content, bound)


class _Pieced:
    """The program of one piece: distance, spread, then the free multipliers of every client.

    Multipliers of (a, b), a in 1 .. T, are free; those of (0, b) are what leaves no values.
    """

    def __init__(self, content: dict[str, Any], made: list[Any], T: int, eta: Fraction) -> None:
        piece = check_certificate.piece(content, made, T, eta)
        self.n, self.T = piece.n, T
        self.free = [(a, b) for a in range(1, T + 1) for b in range(T + 1) if b != a]
        self.size = 2 + self.n * len(self.free)
        tables = tables_of(piece, [("distance",), ("spread",), *self._pairs()])
        metric = tables_of(piece, [None])
        self.blocks = []
        for _ in check_certificate.vertices(piece, made, eta):
            F = forms_of(piece, self._combined(tables))
            self.blocks.append(Block(-forms_of(piece, metric)[0], F, np.arange(self.size)))
        rows = [*np.eye(self.size), *self._derived().reshape(-1, self.size)]
        self.signs = scalars(np.zeros(len(rows)), np.array(rows).T)

    def _pairs(self) -> list[tuple[Any, ...]]:
        each = [*self.free, *((0, b) for b in range(1, self.T + 1))]
        return [("pair", i, a, b) for i in range(self.n) for a, b in each]

    def _combined(self, tables: Floats) -> Floats:
        """Tables of the unknowns: a free pair changes the derived ones with it."""
        pairs = {name[1:]: table for name, table in zip(self._pairs(), tables[2:], strict=True)}
        each = [
            pairs[i, a, b] + pairs[i, 0, a] - (pairs[i, 0, b] if b else 0)
            for i in range(self.n)
            for a, b in self.free
        ]
        return np.array([*tables[:2], *each])

    def _derived(self) -> Floats:
        """Multipliers of (0, b) of every client, b = 1 .. T, by those that are free."""
        n, T, width = self.n, self.T, len(self.free)
        made = np.zeros((n, T, self.size))
        for i in range(n):
            for k, (a, b) in enumerate(self.free):
                made[i, a - 1, 2 + i * width + k] += 1
                if b:
                    made[i, b - 1, 2 + i * width + k] -= 1
        return made

    def proof(self) -> list[Any]:
        """Rounded multipliers that hold at every vertex."""
        draw = np.random.Generator(np.random.Philox(3))
        first = min(_FIRST, len(self.blocks))
        used = [int(k) for k in draw.choice(len(self.blocks), first, replace=False)]
        objective = np.zeros(self.size)
        objective[:2] = 1.0
        y = self._start()
        for _ in range(_PASSES):
            blocks = [self._margin(self.blocks[k]) for k in used]
            inside = strictly_inside(blocks, [self.signs], y, 1e-9)
            if inside is None:
                raise NotCertifiedError("no multipliers hold at all vertices of a piece; cut it")
            y = minimise(objective, [*blocks, self.signs], inside, gap=_GAP)
            lowest = np.array([np.linalg.eigvalsh(block.at(y))[0] for block in self.blocks])
            worst = [int(k) for k in np.argsort(lowest)[:_MORE] if lowest[k] < _MARGIN / 2]
            if not set(worst) - set(used):
                return self._told(y)
            used += [k for k in worst if k not in used]
        raise NotCertifiedError("vertices of a piece go on being violated")

    def _margin(self, block: Block) -> Block:
        return Block(block.F0 - _MARGIN * np.eye(len(block.F0)), block.F, block.on)

    def _start(self) -> Floats:
        y = np.full(self.size, 0.5)
        y[:2] = 100.0
        width = len(self.free)
        for i in range(self.n):
            for k, (_, b) in enumerate(self.free):
                y[2 + i * width + k] = 0.5 if b else 2.0
        return y

    def _told(self, y: Floats) -> list[Any]:
        exact = [round(float(v) * BITS) for v in y]
        width, made = len(self.free), [[exact[0], "distance"], [exact[1], "spread"]]
        for i in range(self.n):
            level = [0] * (self.T + 1)
            for (a, b), share in zip(self.free, exact[2 + i * width :], strict=False):
                made.append([share, "pair", i, a, b])
                level[a] += share
                level[b] -= share
            made += [[v, "pair", i, 0, b] for b, v in enumerate(level) if b]
        return made
