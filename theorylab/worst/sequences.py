"""Push-sum on every sequence of column-stochastic networks of a class: an upper bound, proved.

The program is that of ``check_sequences``, whose pieces and points are used here: multipliers of
inequalities, the same at all vertices of a piece. A vertex enters when it is violated.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.report.atomic import write_atomic
from theorylab.worst import check_sequences
from theorylab.worst.barrier import Block, minimise, scalars, strictly_inside
from theorylab.worst.check_sequences import Piece
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


@dataclass(frozen=True)
class Bound:
    """The squared distance of the mean is at most ``claim``; ``certificate`` proves it."""

    claim: Fraction
    certificate: dict[str, Any]

    def save(self, path: str | Path) -> None:
        """The certificate as JSON."""
        write_atomic(Path(path), json.dumps(self.certificate))


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
    proofs, claim = [], Fraction(0)
    for ups in itertools.product((0, 1), repeat=len(splits)):
        cuts = [(*cut, up) for cut, up in zip(splits, ups, strict=True)]
        made = check_sequences.ranges(support, networks.least, rounds, cuts)
        proof = _Pieced(Piece(made, n, rounds, eta, mu, L)).proof()
        claim = max(claim, Fraction(proof["distance"]) + Fraction(proof["spread"]))
        proofs.append(proof)
    certificate = {
        "version": 1,
        "kind": "sequences",
        "clients": n,
        "class": {"mu": str(mu), "L": str(L)},
        "eta": str(eta),
        "support": support,
        "least": str(networks.least),
        "rounds": rounds,
        "splits": [[t, i, j, str(at)] for t, i, j, at in splits],
        "proofs": proofs,
        "claim": str(Fraction(math.ceil(claim * 10**6), 10**6)),
        "about": about or {},
    }
    try:
        return Bound(check_sequences.proved(certificate), certificate)
    except ValueError as error:
        raise NotCertifiedError(f"the rounded certificate fails: {error}") from None


class _Pieced:
    """The program of one piece: distance, spread, then the free multipliers of every client.

    Multipliers of (a, b), a in 1 .. T, are free; those of (0, b) are what leaves no values.
    """

    def __init__(self, piece: Piece) -> None:
        self.piece = piece
        nodes = range(piece.T + 1)
        self.free = [(a, b) for a in nodes[1:] for b in nodes if b != a]
        self.vertices = list(piece.vertices())
        self.size = 2 + piece.n * len(self.free)
        F = np.array([self._forms(x) for x in self.vertices])
        mean = np.array(piece.mean, dtype=float)
        self.blocks = [Block(-np.outer(mean, mean), f, np.arange(self.size)) for f in F]
        rows = [*np.eye(self.size), *self._derived().reshape(-1, self.size)]
        self.signs = scalars(np.zeros(len(rows)), np.array(rows).T)

    def _derived(self) -> Floats:
        """Multipliers of (0, b) of every client, b = 1 .. T, by those that are free."""
        n, T, width = self.piece.n, self.piece.T, len(self.free)
        made = np.zeros((n, T, self.size))
        for i in range(n):
            for k, (a, b) in enumerate(self.free):
                made[i, a - 1, 2 + i * width + k] += 1
                if b:
                    made[i, b - 1, 2 + i * width + k] -= 1
        return made

    def _forms(self, x: Any) -> Floats:
        """The forms of all unknowns at a vertex, (K, N, N)."""
        piece, n = self.piece, self.piece.n
        stars = np.array(piece.stars, dtype=float)
        start = np.array(piece.start, dtype=float)
        made = [np.outer(start, start), stars.T @ stars / n]
        g = np.array(piece.g, dtype=float).reshape(piece.T, n, -1)
        zero = np.zeros_like(stars)[None]
        points, middle = (
            np.concatenate([zero, np.array(p, dtype=float)[: piece.T]]) for p in (x, piece.middle)
        )
        slopes = np.concatenate([stars[None], g])
        for i in range(n):
            form = {
                (a, b): self._pair(points[:, i], middle[:, i], slopes[:, i], a, b)
                for a in range(piece.T + 1)
                for b in range(piece.T + 1)
                if a != b
            }
            for a, b in self.free:
                made.append(form[a, b] + form[0, a] - (form[0, b] if b else 0))
        return np.array(made)

    def _pair(self, x: Floats, middle: Floats, slopes: Floats, a: int, b: int) -> Floats:
        """``Piece.pair`` in floats."""
        mu, gap = float(self.piece.mu), 2 * float(self.piece.L - self.piece.mu)
        d, at, g = x[a] - x[b], middle[a] - middle[b], slopes[a] - slopes[b]
        made = np.outer(slopes[b], d) + np.outer(g, g - 2 * mu * d) / gap
        made += (mu / 2 + mu**2 / gap) * np.outer(at, 2 * d - at)
        whole: Floats = (made + made.T) / 2
        return whole

    def proof(self) -> dict[str, Any]:
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
        for i in range(self.piece.n):
            for k, (_, b) in enumerate(self.free):
                y[2 + i * width + k] = 0.5 if b else 2.0
        return y

    def _told(self, y: Floats) -> dict[str, Any]:
        exact = [Fraction(round(float(v) * BITS), BITS) for v in y]
        width, pairs = len(self.free), []
        for i in range(self.piece.n):
            level = [Fraction(0)] * (self.piece.T + 1)
            for (a, b), share in zip(self.free, exact[2 + i * width :], strict=False):
                pairs.append([str(share), i, a, b])
                level[a] += share
                level[b] -= share
            pairs += [[str(v), i, 0, b] for b, v in enumerate(level) if b]
        return {"distance": str(exact[0]), "spread": str(exact[1]), "pairs": pairs}
