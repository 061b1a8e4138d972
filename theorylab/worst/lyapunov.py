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

Gradients are divided by L here, so that all curvatures are in [mu / L, 1].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.worst.barrier import Block, scalars

Floats = NDArray[np.float64]
PAIRS = ((2, 0), (2, 1), (1, 2), (0, 1))  # of (x*, x, x+): free multipliers; see ``derived``


@dataclass(frozen=True)
class Step:
    """A round in floats; gradients are divided by L. low, high (q,): the slopes of each query."""

    A: Floats
    B: Floats
    C: Floats
    D: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Program:
    """steps[k][v]: phase k, vertex v. owners: the client of every query. clients: n."""

    steps: tuple[tuple[Step, ...], ...]
    owners: tuple[int, ...]
    clients: int
    metric: Floats
    bregman: bool = False
    spread: bool = False
    noise: bool = False

    @property
    def state(self) -> int:
        return len(self.metric)

    @property
    def side(self) -> int:
        """Rows of a P."""
        return self.state + (len(self.owners) if self.bregman else 0)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many unknowns: entries of every P, multipliers, tau, sigma, gamma, nu."""
        q, phases = len(self.owners), len(self.steps)
        vertices = sum(map(len, self.steps))
        multipliers = q * (len(PAIRS) if self.bregman else 1) * vertices
        values = q * self.bregman
        triangle = self.side * (self.side + 1) // 2
        return (
            *(phases * triangle, multipliers, values, values, int(self.spread)),
            q * self.noise,
        )

    def split(self, y: Floats) -> list[Floats]:
        """The unknowns, kind by kind; each P as the upper triangle."""
        return np.split(y, np.cumsum(self.sizes)[:-1])

    def blocks(self, rho: float) -> list[Block]:
        """S of every phase and vertex, V less the metric's square, and what is not negative."""
        made, vertex = [], 0
        for k, some in enumerate(self.steps):
            for step in some:
                made.append(self._fall(rho, k, vertex, step))
                vertex += 1
        made += [self._above(k, self.steps[k][0]) for k in range(len(self.steps))]
        return [*made, self._signs(rho)]

    def _starts(self) -> list[int]:
        return [0, *(int(k) for k in np.cumsum(self.sizes))]

    def _triangle(self, k: int) -> NDArray[np.int64]:
        size = self.side * (self.side + 1) // 2
        return np.arange(k * size, (k + 1) * size)

    def _fall(self, rho: float, k: int, vertex: int, step: Step) -> Block:
        m, q, n = self.state, len(self.owners), self.clients
        parts = [m, q, (n - 1) * self.spread, q * self.noise, q * self.bregman]
        unit = np.split(np.eye(sum(parts)), np.cumsum(parts)[:-1])
        eta, g, w, e, later = unit
        given = g.copy()
        clients = np.concatenate([w, -w.sum(0)[None]]) if self.spread else w
        if self.spread:
            given += clients[list(self.owners)]
        if self.noise:
            given += e
        x = step.C @ eta + step.D @ given
        after = step.A @ eta + step.B @ given
        here, there = (eta, after)
        if self.bregman:
            here, there = np.concatenate([eta, g]), np.concatenate([after, later])
        following = (k + 1) % len(self.steps)
        first = self._starts()
        on, forms = [self._triangle(k)], [rho * _products(here)]
        on.append(self._triangle(following))
        forms.append(-_products(there))
        if self.bregman:
            x_later = step.C @ after + step.D @ later
            nothing = np.zeros_like(x)
            places = ((nothing, nothing), (x, g), (x_later, later))
            pair = {
                (a, b): _interpolation(places[a], places[b], step)
                for a in range(3)
                for b in range(3)
                if a != b
            }
            for j, (a, b) in enumerate(PAIRS):
                on.append(first[1] + np.arange(q) + j * q)
                change = {(0, 2): int(2 in (a, b)) * (1 if a == 2 else -1)}
                change[1, 0] = (b == 1) - (a == 1)
                forms.append(-pair[a, b] - sum(s * pair[c] for c, s in change.items()))
            on.append(first[2] + np.arange(q))
            forms.append(-pair[0, 2] - rho * pair[1, 0])
        else:
            on.append(first[1] + vertex * q + np.arange(q))
            forms.append(-_sectors(x, g, step.low, step.high))
        if self.spread:
            on.append(np.array([first[4]]))
            forms.append((clients.T @ clients / n)[None])
        if self.noise:
            on.append(first[5] + np.arange(q))
            forms.append(e[:, :, None] * e[:, None, :])
        F = np.concatenate(forms)
        if self.noise:
            F = F * ~orthogonal(step.D != 0, m, q, parts[2])
        merged, places_of = np.unique(np.concatenate(on), return_inverse=True)
        total = np.zeros((len(merged), *F.shape[1:]))
        np.add.at(total, places_of, F)
        return Block(np.zeros(F.shape[1:]), total, merged)

    def _above(self, k: int, step: Step) -> Block:
        """V - |metric|^2, with the inequalities between x and x* where V has values."""
        m, q = self.state, len(self.owners)
        whole = np.eye(self.side)
        on, forms = [self._triangle(k)], [_products(whole)]
        if self.bregman:
            eta, g = whole[:m], whole[m:]
            x, nothing = step.C @ eta + step.D @ g, np.zeros((q, self.side))
            up = _interpolation((x, g), (nothing, nothing), step)
            down = _interpolation((nothing, nothing), (x, g), step)
            first = self._starts()
            on += [first[2] + np.arange(q), first[3] + np.arange(q)]
            forms += [-up, -up - down]
        metric = np.concatenate([self.metric, np.zeros(self.side - m)])
        return Block(-np.outer(metric, metric), np.concatenate(forms), np.concatenate(on))

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


def orthogonal(depends: NDArray[np.bool_], m: int, q: int, spread: int) -> NDArray[np.bool_]:
    """Which vectors of (eta, g, w, e) are orthogonal: noise, and all that does not come after it.

    depends[i, j]: the point of query i has the gradient of query j in it.
    """
    closure = depends.copy()
    for _ in range(q):
        closure = closure | (closure.astype(int) @ depends.astype(int) > 0)
    size, first = m + q + spread + q, m + q + spread
    made = np.zeros((size, size), dtype=bool)
    for j in range(q):
        row = np.ones(size, dtype=bool)
        row[m : m + q] = ~closure[:, j]
        row[first + j] = False
        made[first + j] |= row
    return made | made.T


def _products(rows: Floats) -> Floats:
    """Of every entry a <= b of a symmetric matrix, what it adds to rows' P rows."""
    a, b = np.triu_indices(len(rows))
    made = rows[a][:, :, None] * rows[b][:, None, :]
    made = made + made.transpose(0, 2, 1)
    made[a == b] /= 2
    return made


def _sectors(x: Floats, g: Floats, low: Floats, high: Floats) -> Floats:
    """(g - low x)(high x - g) of every query, (q, N, N)."""
    return _symmetric(g - low[:, None] * x, high[:, None] * x - g)


def _interpolation(a: tuple[Floats, Floats], b: tuple[Floats, Floats], step: Step) -> Floats:
    """f_a - f_b - <g_b, x_a - x_b> - ... >= 0 without the values, (q, N, N); L = 1."""
    x, g = a[0] - b[0], a[1] - b[1]
    mu = step.low[:, None, None]
    square = _symmetric(g, g) + mu * _symmetric(x, x) - 2 * mu * _symmetric(g, x)
    return -_symmetric(b[1], x) - square / (2 * (1 - mu))


def _symmetric(a: Floats, b: Floats) -> Floats:
    made = a[:, :, None] * b[:, None, :]
    return (made + made.transpose(0, 2, 1)) / 2


def quadratic_rate(program: Program) -> float:
    """A rate that some quadratics attain on one vertex of every phase: no smaller one is true."""
    steps, owners = program.steps, program.owners
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
