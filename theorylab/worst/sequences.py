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
from theorylab.worst.certificate import (
    Bound,
    NotCertifiedError,
    accepted,
    forms_of,
    tables_of,
)
from theorylab.worst.flow import Flow
from theorylab.worst.question import content

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
    method = {
        "support": support,
        "least": str(networks.least),
        "eta": str(eta),
        "rounds": rounds,
        "splits": [[*place, str(at)] for *place, at in splits],
    }
    data = content(
        "sequences", n, {"mu": mu, "L": L}, start={"distance": 1, "spread": 1}, metric="distance",
        method=method, about=about,
    )  # fmt: skip
    pieces, claim = list[Any](), 0
    for ups in itertools.product((0, 1), repeat=len(splits)):
        cuts = [(*cut, up) for cut, up in zip(splits, ups, strict=True)]
        made = check_certificate.ranges(support, networks.least, rounds, cuts)
        pieces.append(_Pieced(data, made, rounds, eta).proof())
        claim = max(claim, sum(y for y, name, *_ in pieces[-1] if name != "pair"))
    bound = Fraction(math.ceil(Fraction(claim, BITS) * 10**6), 10**6)
    data |= {"denominator": BITS, "multipliers": pieces, "claim": str(bound)}
    accepted(data)
    return Bound(data, bound)


class _Pieced:
    """The program of one piece: distance, spread, then the free multipliers of every client."""

    def __init__(self, data: dict[str, Any], made: list[Any], T: int, eta: Fraction) -> None:
        piece, flow = check_certificate.piece(data, made, T, eta), Flow(T)
        self.n, self.flow, width = piece.n, flow, len(flow.free)
        self.size = 2 + self.n * width
        names = [("pair", i, *at) for i in range(self.n) for at in flow.pairs]
        distance, spread, *each = tables_of(piece, [("distance",), ("spread",), *names])
        tables = [distance, spread]
        for i in range(self.n):
            own = each[i * len(flow.pairs) : (i + 1) * len(flow.pairs)]
            tables += flow.forms(dict(zip(flow.pairs, own, strict=True)))
        metric = tables_of(piece, [None])
        self.blocks = []
        for _ in check_certificate.vertices(piece, made, eta):
            F = forms_of(piece, np.array(tables))
            self.blocks.append(Block(-forms_of(piece, metric)[0], F, np.arange(self.size)))
        derived = np.zeros((self.n * T, self.size))
        derived[:, 2:] = np.kron(np.eye(self.n), flow.derived)
        rows = np.concatenate([np.eye(self.size), derived])
        self.signs = scalars(np.zeros(len(rows)), rows.T)

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
        y = np.tile([0.5 if b else 2.0 for _, b in self.flow.free], self.n)
        return np.concatenate([[100.0, 100.0], y])

    def _told(self, y: Floats) -> list[Any]:
        first, second, *exact = (round(float(v) * BITS) for v in y)
        made, width = [[first, "distance"], [second, "spread"]], len(self.flow.free)
        for i in range(self.n):
            made += self.flow.told(exact[i * width : (i + 1) * width], i, BITS)
        return made
