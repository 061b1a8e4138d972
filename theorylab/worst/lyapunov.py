"""One-step Lyapunov inequalities as a program of matrix inequalities, in floats.

V(eta) = eta' P eta falls by the factor rho in every round: S = rho V - V+ - sum lambda (sector of a
query) is positive semidefinite on (eta, gradients). The sector of a query is (g - mu x)(L x - g) >=
0, for differences x, g of two runs, or of a run and a fixed point. Beside it:

* period: one P a phase, and S from each phase to the next. A class of networks: the same P and one
  S at every vertex, for V+ is convex in the network.
* values ("bregman"): V has the gradients, too, and tau h(x), h = f - f(x*) - <f'(x*), x - x*>; S
  is on (eta, g, g+), with the interpolation inequalities of h among x, x+ and x*.
* spread and noise: y is measured from the consensus at x*; gradients there, w_i, sum to 0, and
  noise e_q is orthogonal to what was before it. S has them as further vectors; the entry of two
  orthogonal vectors counts for nothing, and is 0. V+ <= rho V + gamma mean |w_i|^2 + sum nu |e|^2.

The forms are those of ``check_certificate.Fall``, so that a proof is about the program that was
solved. Gradients are divided by L here, so that all curvatures are in [mu / L, 1].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.worst.barrier import Block, scalars
from theorylab.worst.certificate import forms_of, tables_of
from theorylab.worst.check_certificate import Fall, Rounds

Floats = NDArray[np.float64]
PAIRS = ((2, 0), (2, 1), (1, 2), (0, 1))  # of (x*, x, x+): free multipliers; see ``derived``


@dataclass(frozen=True)
class _Forms:
    """Of one round, over N vectors. here, there: rows (side, N) that V is a form of, before and
    after it. pair: of places (a, b), (q, N, N). spread: (N, N). noise: (q, N, N). apart: (N, N),
    which are orthogonal. mean: the row (N,) of the mean model."""

    here: Floats
    there: Floats
    pair: dict[tuple[int, int], Floats]
    spread: Floats
    noise: Floats
    apart: NDArray[np.bool_]
    mean: Floats


class Program:
    """The program of a certificate ``data`` without a proof.

    span, coordinates: of a state, as in the certificate; the first ``state`` coordinates matter.
    bregman, spread, noise: whether V has values, and whether gradients at x*, and noise, are there.
    """

    def __init__(
        self, data: dict[str, Any], span: Any, coordinates: Any, state: int,
        *, bregman: bool = False, spread: bool = False, noise: bool = False,
    ) -> None:  # fmt: skip
        self.rounds, self.state = Rounds(data["method"], data["clients"]), state
        self.bregman, self.spread, self.noise = bregman, spread, noise
        self.owners, self.clients = self.rounds.owners, self.rounds.n
        kinds = {"values": bregman, "spread": spread, "noise": noise}
        data = data | {"proof": {name: on or None for name, on in kinds.items()}}
        U, E = (
            [{k: v for k, v in enumerate(row) if v} for row in some] for some in (span, coordinates)
        )
        self.forms = [
            [self._forms(Fall(data, self.rounds, k, P, U, E), len(E)) for P in some]
            for k, some in enumerate(self.rounds.phases)
        ]

    @property
    def side(self) -> int:
        """Rows of a P."""
        return self.state + (len(self.owners) if self.bregman else 0)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many unknowns: entries of every P, multipliers, tau, sigma, gamma, nu."""
        q, phases = len(self.owners), len(self.forms)
        multipliers = q * (len(PAIRS) if self.bregman else 1) * sum(map(len, self.forms))
        values, triangle = q * self.bregman, self.side * (self.side + 1) // 2
        rest = int(self.spread), q * self.noise
        return (phases * triangle, multipliers, values, values, *rest)

    def split(self, y: Floats) -> list[Floats]:
        """The unknowns, kind by kind; each P as the upper triangle."""
        return np.split(y, np.cumsum(self.sizes)[:-1])

    def blocks(self, rho: float) -> list[Block]:
        """S of every phase and vertex, V less the metric's square, and what is not negative."""
        made, vertex = [], 0
        for k, some in enumerate(self.forms):
            for forms in some:
                made.append(self._fall(rho, k, vertex, forms))
                vertex += 1
        made += [self._above(k, some[0]) for k, some in enumerate(self.forms)]
        return [*made, self._signs(rho)]

    def _starts(self) -> list[int]:
        return [0, *(int(k) for k in np.cumsum(self.sizes))]

    def _triangle(self, k: int) -> NDArray[np.int64]:
        size = self.side * (self.side + 1) // 2
        return np.arange(k * size, (k + 1) * size)

    def _forms(self, F: Fall, width: int) -> _Forms:
        n, L = self.clients, float(F.L)
        stars = [*range(1, n)] if self.spread else []
        kept = [*stars, *range(n, n + self.state), *range(n + width, F.size)]
        scale = np.array([1.0 if n <= k < n + width else L for k in kept])
        rows = np.zeros((len(F.vectors), F.size))
        for at, row in zip(rows, F.vectors, strict=True):
            for k, v in row.items():
                at[k] = float(v)
        rows = rows[:, kept] * scale

        def vectors(combinations: Sequence[Any]) -> Floats:
            made = [sum((float(v) * rows[k] for k, v in c.items()), 0 * rows[0])
                    for c in combinations]  # fmt: skip
            return np.array(made).reshape(len(made), len(kept))

        def state(combinations: Sequence[Any]) -> Floats:  # and gradients, divided by L
            gradients = vectors(combinations[width:]) / L
            return np.concatenate([vectors(combinations[: self.state]), gradients])

        places = [
            (a, b) for a in range(2 + self.bregman) for b in range(2 + self.bregman) if a != b
        ]
        names = [("pair", j, *at) for at in places for j in range(len(self.owners))]
        each = forms_of(F, tables_of(F, names))[:, kept][:, :, kept] * np.outer(scale, scale) / L
        pair = dict(zip(places, np.split(each, len(places)), strict=True))
        w, e = (vectors(some) / L for some in (F.w, F.e))
        apart = np.zeros((F.size, F.size), dtype=bool)
        for i, j in F.orthogonal:
            apart[i, j] = apart[j, i] = True
        if not self.bregman:  # the sum of both inequalities, times L - mu: a product of two factors
            gaps = np.array([float(high - low) / L for low, high in F.curves])[:, None, None]
            pair = {(1, 0): gaps * (pair[1, 0] + pair[0, 1])}
        return _Forms(
            state(F.now), state(F.then), pair, w.T @ w / n, e[:, :, None] * e[:, None, :],
            apart[np.ix_(kept, kept)], vectors([F.center])[0],
        )  # fmt: skip

    def _fall(self, rho: float, k: int, vertex: int, of: _Forms) -> Block:
        q, first, pair = len(self.owners), self._starts(), of.pair
        on, forms = [self._triangle(k)], [rho * _products(of.here)]
        on.append(self._triangle((k + 1) % len(self.forms)))
        forms.append(-_products(of.there))
        if self.bregman:
            for j, (a, b) in enumerate(PAIRS):
                on.append(first[1] + np.arange(q) + j * q)
                change = {(0, 2): int(2 in (a, b)) * (1 if a == 2 else -1)}
                change[1, 0] = (b == 1) - (a == 1)
                forms.append(pair[a, b] + sum(s * pair[c] for c, s in change.items()))
            on.append(first[2] + np.arange(q))
            forms.append(pair[0, 2] + rho * pair[1, 0])
        else:
            on.append(first[1] + vertex * q + np.arange(q))
            forms.append(pair[1, 0])
        if self.spread:
            on.append(np.array([first[4]]))
            forms.append(of.spread[None])
        if self.noise:
            on.append(first[5] + np.arange(q))
            forms.append(of.noise)
        F = np.concatenate(forms) * ~of.apart
        merged, places = np.unique(np.concatenate(on), return_inverse=True)
        total = np.zeros((len(merged), *F.shape[1:]))
        np.add.at(total, places, F)
        return Block(np.zeros(F.shape[1:]), total, merged)

    def _above(self, k: int, of: _Forms) -> Block:
        """V - |metric|^2, with the inequalities between x and x* where V has values."""
        begin = (self.clients - 1) * self.spread
        own = slice(begin, begin + self.side)
        on, forms = [self._triangle(k)], [_products(of.here[:, own])]
        if self.bregman:
            first, q = self._starts(), len(self.owners)
            up, down = (of.pair[at][:, own, own] for at in ((1, 0), (0, 1)))
            on += [first[2] + np.arange(q), first[3] + np.arange(q)]
            forms += [up, up + down]
        return Block(
            -np.outer(of.mean[own], of.mean[own]), np.concatenate(forms), np.concatenate(on)
        )

    def _signs(self, rho: float) -> Block:
        """All multipliers, those derived from the others among them, are not negative."""
        first, total, q = self._starts(), sum(self.sizes), len(self.owners)
        rows = list(np.eye(total)[first[1] :])
        if self.bregman:
            for j in range(q):
                to_later, to_here = np.zeros(total), np.zeros(total)
                to_later[first[2] + j], to_here[first[2] + j] = 1.0, rho
                for kind, (a, b) in enumerate(PAIRS):
                    place = first[1] + kind * q + j
                    to_later[place] = (a == 2) - float(b == 2)
                    to_here[place] = (b == 1) - float(a == 1)
                rows += [to_later, to_here]
        return scalars(np.zeros(len(rows)), np.array(rows).T)


def _products(rows: Floats) -> Floats:
    """Of every entry a <= b of a symmetric matrix, what it adds to rows' P rows."""
    a, b = np.triu_indices(len(rows))
    made = rows[a][:, :, None] * rows[b][:, None, :]
    made = made + made.transpose(0, 2, 1)
    made[a == b] /= 2
    return made


@dataclass(frozen=True)
class Step:
    """A round in floats; gradients are divided by L. low, high (q,): the slopes of each query."""

    A: Floats
    B: Floats
    C: Floats
    D: Floats
    low: Floats
    high: Floats


def quadratic_rate(steps: Sequence[Sequence[Step]], owners: Sequence[int]) -> float:
    """A rate that some quadratics attain on one vertex of every phase: no smaller one is true."""
    n, worst = max(owners) + 1, 0.0
    choices = [np.full(n, share) for share in (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)]
    draw = np.random.Generator(np.random.Philox(2))
    choices += list(draw.integers(0, 2, (8, n)).astype(float)) if n > 1 else []
    most = max(map(len, steps))
    for vertex in range(most):
        for share in choices:
            whole = np.eye(len(steps[0][0].A))
            for some in steps:
                step = some[min(vertex, len(some) - 1)]
                h = step.low + share[list(owners)] * (step.high - step.low)
                inner = np.eye(len(h)) - step.D * h
                whole = (step.A + step.B @ (h[:, None] * np.linalg.solve(inner, step.C))) @ whole
            radius = float(np.abs(np.linalg.eigvals(whole)).max())
            worst = max(worst, radius ** (2 / len(steps)))
    return worst
