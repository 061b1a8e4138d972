r"""pdbo's Eq. (6) and (8) in Arb balls, on quadratics over small random networks.

The stationary point of the mean iteration, a linear system here, and the Jacobians there. Inputs
stand as rows: with c_ij what i makes of j's message, A has the blocks c_ij d_y phi_i, and d_y psi_i
on the diagonal; B the same with d_lambda. In (4a) phi has the step, in (4b) psi.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import flint

from theorylab.experiments import PdboStationary
from theorylab.falsify._balls import ZERO, Ball, ball, gap, square, total
from theorylab.falsify._enclose import SIDE, Enclosure, UncoveredError, options_of
from theorylab.topologies import StochasticDirected, StochasticUndirected
from theorylab.verdicts import Result

Matrix = Any  # flint.arb_mat


class Stationary:
    """Eq. (6)'s point of a quadratic problem on a network, with E P, dbar, A_bar and B_bar.

    Args:
        setting: with problem, network, sgp and lam. step: factor of the step size.
    """

    def __init__(self, setting: Any, step: Any = 1) -> None:
        self.problem, self.after = setting.problem, setting.sgp.variant == "4b"
        self.n, self.d, self.h = self.problem.clients, self.problem.dim, self.problem.hyper
        self.steps = [ball(each) * step for each in setting.sgp.steps(self.n)]
        self.lam = [[ball(x) for x in row] for row in setting.lam]
        self.edges = list(edges_of(setting.network))
        pairs = range(self.n)
        mean = [
            [total(chance * P[i][j] for chance, P, _ in self.edges) for j in pairs] for i in pairs
        ]
        self.often = [
            [total(chance for chance, _, there in self.edges if there[i][j]) for j in pairs]
            for i in pairs
        ]
        self.sent = [[mean[j][i] for j in pairs] for i in pairs]  # [i][j]: of i's mass, what j gets
        self._solve(mean)
        self.A_bar, self.B_bar, _ = self.matrices(self.sent, [1] * self.n)

    def _solve(self, mean: list[list[Ball]]) -> None:
        """omega* with sum n, x* of Eq. (6), c^y and c^lambda of Fbar."""
        n, d, h, p = self.n, self.d, self.h, self.problem
        system = flint.arb_mat([
            [(1 if i == j else 0) - mean[i][j] + flint.fmpq(1, n) for j in range(n)]
            for i in range(n)
        ])  # fmt: skip
        self.omega = system.solve(flint.arb_mat([[1]] * n)).entries()
        push = self._push()
        rows, right = [], []
        for i, a in itertools.product(range(n), range(d)):
            row = []
            for j, b in itertools.product(range(n), range(d)):
                # who moves before its message is sent moves with it
                share = (ball(i == j) if self.after else mean[i][j]) * self.steps[j] / self.omega[j]
                row.append(
                    ball(i == j and a == b)
                    - (mean[i][j] if a == b else ZERO)
                    + share * ball(p.H[j][a][b])
                )
            rows.append(row)
            moved = [(ball(i == j) if self.after else mean[i][j]) for j in range(n)]
            right.append([total(moved[j] * self.steps[j] * push[j][a] for j in range(n))])
        z = flint.arb_mat(rows).solve(flint.arb_mat(right)).entries()
        c, c_lam = [], []
        self.x: list[list[Ball]] = []
        for i in range(n):
            x = [value / self.omega[i] for value in z[i * d : (i + 1) * d]]
            self.x.append(x)
            S = [[ball(s) for s in row] for row in p.S[i]]
            for a in range(d):
                outer = x[a] - ball(p.t[i][a]) + total(S[a][k] * self.lam[i][k] for k in range(h))
                c.append([outer / (n * self.omega[i])])
            for k in range(h):
                pulled = total(S[a][k] * x[a] for a in range(d)) + ball(p.reg) * self.lam[i][k]
                c_lam.append([pulled / n])
        self.c, self.c_lam = flint.arb_mat(c), flint.arb_mat(c_lam)

    def _push(self) -> list[list[Ball]]:
        """b_i + G_i lambda_i."""
        p = self.problem
        return [
            [
                ball(p.b[i][a]) + total(ball(g) * x for g, x in zip(p.G[i][a], lam, strict=True))
                for a in range(self.d)
            ]
            for i, lam in enumerate(self.lam)
        ]

    def optimum(self) -> list[Ball]:
        """argmin of sum_i f_i, Eq. (1)."""
        both = range(self.d)
        H = [[total(ball(h[a][b]) for h in self.problem.H) for b in both] for a in both]
        right = [[total(column)] for column in zip(*self._push(), strict=True)]
        found: list[Ball] = flint.arb_mat(H).solve(flint.arb_mat(right)).entries()
        return found

    def matrices(self, c: list[list[Ball]], factors: list[Any]) -> tuple[Matrix, Matrix, Matrix]:
        """(A, B, psi's part of A) where client i's loss comes ``factors[i]``-fold."""
        n, d, p = self.n, self.d, self.problem
        size = n * d
        A, B, own = ([[ZERO] * size for _ in range(rows)] for rows in (size, n * self.h, size))
        for i in range(n):
            step = self.steps[i] * factors[i]
            pull = [[step / self.omega[i] * ball(x) for x in row] for row in p.H[i]]
            for j, a, b in itertools.product(range(n), range(d), range(d)):
                phi = ball(a == b) - (ZERO if self.after else pull[a][b])
                A[i * d + a][j * d + b] = c[i][j] * phi
                if i == j and self.after:
                    own[i * d + a][i * d + b] = -pull[a][b]
                    A[i * d + a][i * d + b] -= pull[a][b]
            for k, b in itertools.product(range(self.h), range(d)):
                crossed = step * ball(p.G[i][b][k])
                for j in range(n):
                    sent = ball(i == j) if self.after else c[i][j]
                    B[i * self.h + k][j * d + b] = sent * crossed
        return flint.arb_mat(A), flint.arb_mat(B), flint.arb_mat(own)


def of_stationary(column: str, result: Result, seed: int) -> Enclosure:
    """How far Eq. (6)'s point is from the optimum of Eq. (1), and from another such point."""
    if column not in ("distance", "second_point", "second_y"):
        raise UncoveredError(SIDE)
    setting = PdboStationary(**options_of(result)).setting
    check_network(setting.network)
    p = setting.problem

    def distance() -> Ball:
        here = Stationary(setting)
        if column == "distance":
            best = here.optimum()
            return largest([square(gap(x, best)).sqrt() for x in here.x])
        # sum omega = 2n weighs every step half: z = 2 omega x of the halved step
        other = Stationary(setting, flint.fmpq(1, 2))
        if column == "second_point":
            pairs = zip(here.x, other.x, strict=True)
            return largest([a - b for x, y in pairs for a, b in _both(x, y)])
        apart = [
            2 * omega * b - omega * a
            for omega, x, y in zip(here.omega, here.x, other.x, strict=True)
            for a, b in _both(x, y)
        ]
        return largest([*apart, *here.omega])

    work = 2 ** len(_free(setting.network)) * p.clients**2
    return Enclosure(distance, work, how="Eq. (6) solved again, as a linear system")


def _both(x: list[Ball], y: list[Ball]) -> Iterator[tuple[Ball, Ball]]:
    return zip(x, y, strict=True)


def largest(numbers: list[Ball]) -> Ball:
    """The largest absolute value."""
    found = abs(numbers[0])
    for one in numbers[1:]:
        found = found.max(abs(one))
    return found


def check_network(network: Any) -> None:
    """UncoveredError where a round's patterns are not listed here."""
    drawn = isinstance(network, StochasticDirected | StochasticUndirected)
    if not drawn and network.period != 1:
        raise UncoveredError(f"no interval arithmetic for {network.name} networks")


def _free(network: Any) -> list[tuple[int, int]]:
    """Edges that are there or not; of a pair that comes together, one."""
    if network.period == 1:
        return []
    return [
        (i, j)
        for i, j in itertools.permutations(range(network.clients), 2)
        if 0 < network.frequency[i, j] < 1 and (i < j or not network.symmetric)
    ]


def edges_of(network: Any) -> Iterator[tuple[Ball, list[list[Ball]], list[list[bool]]]]:
    """(chance, P, what is there) of every pattern; [i][j] is j -> i."""
    n = network.clients
    if network.period == 1:
        P = network.matrix(0).toarray()
        there = [[bool(P[i, j] > 0) or i == j for j in range(n)] for i in range(n)]
        yield flint.arb(1), [[ball(x) for x in row] for row in P], there
        return
    often, free = network.frequency, _free(network)
    for drawn in itertools.product((False, True), repeat=len(free)):
        there = [[bool(often[i, j] == 1) or i == j for j in range(n)] for i in range(n)]
        chance = flint.arb(1)
        for (i, j), here in zip(free, drawn, strict=True):
            chance *= ball(often[i, j]) if here else 1 - ball(often[i, j])
            there[i][j] = here
            if network.symmetric:
                there[j][i] = here
        sizes = [sum(there[i][j] for i in range(n)) for j in range(n)]
        even = network.weights == "uniform"
        P = [
            [flint.arb(flint.fmpq(int(there[i][j]), sizes[j] if even else n)) for j in range(n)]
            for i in range(n)
        ]
        if not even:
            for j in range(n):
                P[j][j] = flint.arb(flint.fmpq(n - sizes[j] + 1, n))
        yield chance, P, there
