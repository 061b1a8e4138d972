r"""Means and variances of pdbo's estimators in Arb balls, on quadratics over small random networks.

    v <- alpha (v + B u) + (1 - alpha) B w,  u <- A u,  w <- beta (A w + c) + (1 - beta) (w + A u)

is linear in s = (v, u, w, 1), and rounds are independent (Assumption 5). So E s follows the means
of A and B, and E s s^T -> sum_q p_q T_q E s s^T T_q^T over the outcomes q of one round: nothing is
listed but one round's edges and minibatches.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import flint

from theorylab.experiments import HgpUnbiased
from theorylab.falsify._balls import ZERO, Ball, ball, square, total
from theorylab.falsify._enclose import SIDE, Enclosure, UncoveredError, options_of
from theorylab.falsify._hgp_point_balls import Matrix, Stationary, check_network, largest
from theorylab.verdicts import Result

MOST_OUTCOMES = 2**12
COLUMNS = (
    *("bias", "bias_w", "bias_w_line157", "bias_A", "bias_B", "bias_B_a31"),
    "variance",
)
WEIGHTS = {  # alpha and beta where the equation has no w, or nothing else
    **dict.fromkeys(("eq9", "eq10", "eq11", "eq12", "alg3", "alg3-received", "alg4"), (1.0, 0.0)),
    "eq13": (0.0, 1.0),
}


@dataclass(frozen=True)
class Outcome:
    """Of one round: its chance, A-hat, B-hat, and the part of A-hat that is psi's."""

    chance: Ball
    A: Matrix
    B: Matrix
    own: Matrix


class Estimator(Stationary):
    """What an ``HgpUnbiased`` is about. Build it at the precision that it is to have."""

    def __init__(self, found: HgpUnbiased) -> None:
        super().__init__(found.at)
        self.rule, self.together = found.rule, found.together
        self.M, self.wanted = found.terms - bool(found.letter), found.terms
        self.weights = WEIGHTS.get(found.reading, (found.alpha, found.beta))

    def outcomes(self) -> Iterator[Outcome]:
        """Every edge pattern with every minibatch of a round."""
        n, noise = self.n, ball(self.problem.noise)
        signs = (
            list(itertools.product((-1, 1), repeat=n)) if self.problem.stochastic else [(0,) * n]
        )
        for chance, P, there in self.edges:
            c = [[self._worth(P, there, i, j) for j in range(n)] for i in range(n)]
            for sign in signs:
                made = self.matrices(c, [1 + noise * s for s in sign])
                yield Outcome(chance / len(signs), *made)

    def _worth(self, P: Any, there: Any, i: int, j: int) -> Ball:
        """What i makes of j's message; see ``Reading.weights``."""
        kind = self.rule.weights
        if kind == "mean":
            return self.sent[i][j]
        if kind == "realised":
            return P[j][i]
        if not there[i][j]:
            return ZERO
        if kind == "received":
            return P[j][i]
        return self.sent[i][j] / (self.often[i][j] if kind == "debiased" else 1)

    def means(self) -> Outcome:
        """E A-hat, E B-hat and psi's part, of chance 1."""
        parts = [(q.chance, q.A, q.B, q.own) for q in self.outcomes()]
        chance = total(part[0] for part in parts)
        A, B, own = (_sum(part[0] * part[k] for part in parts) for k in (1, 2, 3))
        return Outcome(chance, A, B, own)

    def neumann(self, last: int) -> Matrix:
        """sum_{m <= last} A_bar^m c, 0 where ``last`` < 0."""
        found, term = 0 * self.c, self.c
        for _ in range(last + 1):
            found, term = found + term, self.A_bar * term
        return found

    def start(self) -> Matrix:
        """(v, u, w, 1) at first: w^(0) = c^y."""
        v = self.c_lam if self.rule.v0 == "c" else 0 * self.c_lam
        return flint.arb_mat([[x] for part in (v, self.c, self.c) for x in part.entries()] + [[1]])

    def into_v(self, B: Matrix) -> Matrix:
        """s -> s with v moved."""
        alpha, made, H = ball(self.weights[0]), self._eye(), self.n * self.h
        N = self.n * self.d
        for i in range(H):
            made[i, i] = alpha
            for j in range(N):
                made[i, H + j], made[i, H + N + j] = alpha * B[i, j], (1 - alpha) * B[i, j]
        return made

    def onward(self, A: Matrix, own: Matrix) -> Matrix:
        """s -> s with u and w moved; Algorithm 5 has u_j where others have w_j."""
        beta, made, H = ball(self.weights[1]), self._eye(), self.n * self.h
        N, swapped = self.n * self.d, self.rule.message == "u"
        for i, j in itertools.product(range(N), range(N)):
            others = A[i, j] - own[i, j]
            made[H + i, H + j] = A[i, j]
            made[H + N + i, H + j] = (1 - beta) * A[i, j] + (beta * others if swapped else 0)
            made[H + N + i, H + N + j] = beta * (own[i, j] if swapped else A[i, j]) + (
                1 - beta
            ) * ball(i == j)
        for i in range(N):
            made[H + N + i, H + 2 * N] = beta * self.c[i, 0]
        return made

    def _eye(self) -> Matrix:
        size = self.n * (self.h + 2 * self.d) + 1
        return flint.arb_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])

    def state(self) -> Matrix:
        """E (v^(M), u, w^(M-1), 1)."""
        s, mean = self.start(), self.means()
        for m in range(self.M):
            s = self.into_v(mean.B) * s
            if m + 1 < self.M:
                s = self.onward(mean.A, mean.own) * s
        return s

    def power(self) -> Matrix:
        """E v^(M) with Eq. (9)'s index read literally: sum_m E B E (A-hat)^m c."""
        found, outcomes = self.start(), list(self.outcomes())
        v = flint.arb_mat([[x] for x in found.entries()[: self.n * self.h]])
        B = _sum(q.chance * q.B for q in outcomes)
        for m in range(self.M):
            v = v + B * _sum(q.chance * (q.A**m * self.c) for q in outcomes)
        return v

    def variance(self) -> Ball:
        """tr Cov v^(M)."""
        outcomes = list(self.outcomes())
        one = self.start()
        S = one * one.transpose()
        for m in range(self.M):
            last = m + 1 == self.M
            heads = [(q.chance, self.into_v(q.B)) for q in outcomes]
            tails = [(q.chance, self.onward(q.A, q.own)) for q in outcomes]
            if self.together and not last:
                pairs = zip(heads, tails, strict=True)
                heads = [(chance, tail * head) for (chance, head), (_, tail) in pairs]
            S = _sum(chance * (T * S * T.transpose()) for chance, T in heads)
            if not (self.together or last):
                S = _sum(chance * (T * S * T.transpose()) for chance, T in tails)
        H, end = self.n * self.h, S.nrows() - 1
        return total(S[i, i] for i in range(H)) - square([S[i, end] for i in range(H)])

    def measured(self, column: str) -> Ball:
        """The largest entry of what a column compares, or the variance."""
        H, N = self.n * self.h, self.n * self.d
        if column == "variance":
            return self.variance()
        if column == "bias":
            v = self.power() if self.rule.power else self.state()
            target = self.B_bar * self.neumann(self.wanted - 1) + self.c_lam
            extra = self.c_lam if self.rule.add else 0 * self.c_lam
            return largest([v[i, 0] + extra[i, 0] - target[i, 0] for i in range(H)])
        if column in ("bias_w", "bias_w_line157"):
            target = self.neumann(self.wanted - (1 if column == "bias_w" else 2))
            s = self.state()
            return largest([s[H + N + i, 0] - target[i, 0] for i in range(N)])
        if column == "bias_A":
            return largest((self.means().A - self.A_bar).entries())
        B = self.means().B if column == "bias_B" else self._printed_B()
        return largest((B - self.B_bar).entries())

    def _printed_B(self) -> Matrix:
        """E B-hat with d_lambda phi_i in both places, as A.3.1's first display has it."""
        if self.after:  # phi_i does not read lambda
            return 0 * self.B_bar
        alone = [[ball(i == j) for j in range(self.n)] for i in range(self.n)]
        return self.B_bar + self.matrices(alone, [1] * self.n)[1]


def of_unbiased(column: str, result: Result, seed: int) -> Enclosure:
    """A bias or a variance of one of pdbo's estimators."""
    if column not in COLUMNS:
        raise UncoveredError(SIDE)
    found = HgpUnbiased(**options_of(result))
    check_network(found.at.network)
    many = len(found.chances)
    if many > MOST_OUTCOMES:
        raise UncoveredError(f"{many} outcomes of a round are too many for balls")
    return Enclosure(
        lambda: Estimator(found).measured(column),
        many * len(found.at.c_y) ** 2,
        how="the mean and covariance of (v, u, w) over all outcomes of a round written out again",
    )


def _sum(parts: Any) -> Matrix:
    first, *rest = parts
    for one in rest:
        first = first + one
    return first
