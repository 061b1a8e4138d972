r"""A norm in which HGP's random rounds contract in the mean square, and the variance that stays.

A-hat and B-hat are one round's, Abar and Bbar their means, all on z; |x|_X^2 = x^T X x.

Theorem. Let X > 0, q < 1, and E[A-hat^T X A-hat] <= q^2 X in the order of symmetric matrices. Let
|Bbar x| <= b |x|_X, E|(A-hat - Abar) x|_X^2 <= s_A^2 |x|_X^2 and E|(B-hat - Bbar) x|^2 <= s_B^2
|x|_X^2 for every fixed x. Then after M terms of Eq. (12) or Appendix B, with chance 1 - eps,

    |estimate - truth| <= b |c|_X q^M / (1 - q)
        + |c|_X sqrt( (1 / eps) [ s_B^2 sum |R_3|^2 + s_A^2 sum (|L_4| q^i + |L_5| |R_1|)^2 ] ),

R_3, L_4, L_5, R_1 as in pdbo's (25) to (28) with q for a. The edges of a round may be tied.

Proof. Rounds are independent, so x from the rounds before has E|A-hat x|_X^2 <= q^2 E|x|_X^2: in
the norm sqrt(E|.|_X^2) every A-hat has the factor q, and by Jensen Abar has it, too. With
|u^(i)| <= q^i |c|, induction and the triangle inequality give |w^(i)| <= (1 - q^(i+1)) / (1 - q)
|c| in that norm. Replace the draws of v^(M) by their means, the last round first: v^(M) - E v^(M)
is a sum of martingale differences. That of B-hat^(i) is alpha^k (B-hat - Bbar)(alpha u^(i) +
(1 - alpha) w^(i)), and that of A-hat^(i+1) is a polynomial in Bbar and Abar times (A-hat - Abar)
u^(i) and beta (A-hat - Abar) w^(i). Their norms are bounded as in Theorem 1, where the same
triangle inequalities have ||A||_2 <= a for every draw. Martingale differences are orthogonal, so
their squares add, and Chebyshev's inequality takes the place of Pinelis's. E v^(M) is Bbar
sum_{m < M} Abar^m c, and what it lacks is the first term. QED

Such an X exists iff rho(E[A (x) A]) < 1. If that holds, X = sum_k T^k(I) with T(X) = E[A-hat^T X
A-hat] converges, X >= I and T(X) = X - I. If there is one, E|A-hat ... A-hat x|_X^2 falls like
q^(2m) for every x, so that T has no eigenvalue of modulus 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, gmres

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients.linear import Linear, assembled
from theorylab.hypergradients.moments import (
    Round,
    kick,
    lone_rounds,
    second_moment_radius,
)
from theorylab.hypergradients.recursion import CoefficientLaw

_NO_X = "; need < 1: no bound by second moments exists"
LARGEST = 200  # n dx up to which X is solved for: matrices of that side, seconds


@dataclass(frozen=True)
class MeanSquare:
    """The theorem's constants at one point, floats: rate q, outer b, start |c|_X, kicks s_A, s_B.

    X (n dx, n dx). An X that is a little off costs tightness and no more: the constants are those
    of the X that is here.
    """

    X: Floats
    rate: float
    outer: float
    start: float
    kick_inner: float
    kick_outer: float


@dataclass(frozen=True)
class _Means:
    """A (N, N), B (H, N), c (N,): the means; rounds: of A-hat alone, and of B-hat alone."""

    A: Floats
    B: Floats
    c: Floats
    rounds: tuple[Round, Round]


def mean_square(at: Linear, law: CoefficientLaw) -> MeanSquare:
    """The constants at run 0's point, minibatches included.

    Raises:
        ValueError: in one line: rho(E[A (x) A]) >= 1 with its value, so that there is no X; n dx
            above 200; a problem whose minibatches have no ``outcomes``.

    >>> from theorylab.hypergradients import (
    ...     SGP, Linear, QuadraticBilevel, coefficient_law, edge_law, stationary)
    >>> from theorylab.topologies import topology
    >>> problem, graph, sgp = QuadraticBilevel.random(3, 2, 2), topology("complete", 3), SGP(0.3)
    >>> point = stationary(problem, edge_law(graph), sgp, 0 * problem.t)
    >>> at = Linear(problem, sgp, point.x[None], point.omega[None], 0 * problem.t[None])
    >>> found = mean_square(at, coefficient_law(graph))
    >>> found.rate < 1, found.kick_inner
    (True, 0.0)
    """
    means, (n, d) = _means(at, law), (at.problem.clients, at.problem.dim)
    side, square = n * d, (n, d, n, d)
    round_A, round_B = means.rounds

    def back(X: Floats) -> Floats:
        """E[(A-hat - Abar)^T X (A-hat - Abar)]."""
        return kicked_back(law, round_A, X.reshape(square)).reshape(side, side)

    X = _fixed(means.A.T, np.eye(side), back)
    X = (X + X.T) / 2
    noise_A = back(X)
    noise_B = kicked_back(law, round_B, np.eye(len(means.B)).reshape(n, -1, n, len(means.B) // n))
    try:
        rate, kick_inner, kick_outer, outer = (
            float(np.sqrt(max(eigh(S, X, eigvals_only=True)[-1], 0.0)))
            for S in (
                means.A.T @ X @ means.A + noise_A,
                noise_A,
                noise_B.reshape(side, side),
                means.B.T @ means.B,
            )
        )
    except (np.linalg.LinAlgError, ValueError):  # X is not positive definite, or not finite
        rate = np.inf
    if not rate < 1:
        radius = second_moment_radius(at, law)
        raise ValueError(
            f"rho(E[A (x) A]) is {radius:.6g}"
            + (", too near to 1 for X to be solved" if radius < 1 else _NO_X)
        )
    return MeanSquare(X, rate, outer, float(np.sqrt(means.c @ X @ means.c)), kick_inner, kick_outer)


def floor(
    at: Linear, law: CoefficientLaw, alpha: float, beta: float, contracts: MeanSquare
) -> float:
    """The deviation that no M removes: lim sqrt(E|v^(M) - E v^(M)|^2), as of "appendix-b".

    HGP sums B-hat u^(m), and of U = sum_m E[u^(m) u^(m)^T] the limit is tr K_B(U) + tr R K_A(U) R^T
    with R = Bbar (I - Abar)^{-1} and K(U) = E[(A-hat - Abar) U (A-hat - Abar)^T]. For alpha < 1 u
    dies out, and (v, w) has a stationary law.

    Args:
        contracts: of the same point. That there is one is why the sums converge.

    Raises:
        ValueError: alpha < 1 with beta = 0, where w never forgets.
    """
    if alpha < 1 and not beta > 0:
        raise ValueError(f"beta is {beta:g} with alpha {alpha:g}: w keeps its first draws for ever")
    means, (n, d), side = _means(at, law), (at.problem.clients, at.problem.dim), len(contracts.X)

    def kick_of(which: int, S: Floats) -> Floats:
        rows = (len(means.A), len(means.B))[which]
        return kick(law, means.rounds[which], S.reshape(n, d, n, d)).reshape(rows, rows)

    eye = np.eye(side)
    if alpha == 1:
        U = _fixed(means.A, np.outer(means.c, means.c), lambda S: kick_of(0, S))
        R = np.linalg.solve((eye - means.A).T, means.B.T).T
        variance = np.trace(kick_of(1, U)) + np.trace(R @ kick_of(0, U) @ R.T)
    else:
        w = np.linalg.solve(eye - means.A, means.c)
        G = beta * means.A + (1 - beta) * eye
        around = np.outer(w, w)
        C = _fixed(G, beta**2 * kick_of(0, around), lambda S: beta**2 * kick_of(0, S))
        rows = len(means.B)
        Z, noise = np.zeros((2, rows + side, rows + side))
        Z[:rows, :rows], Z[:rows, rows:] = alpha * np.eye(rows), (1 - alpha) * means.B
        Z[rows:, rows:] = G
        noise[:rows, :rows] = (1 - alpha) ** 2 * kick_of(1, C + around)
        noise[rows:, rows:] = beta**2 * kick_of(0, C + around)
        variance = np.trace(_summed(Z)(noise)[:rows, :rows])
    return float(np.sqrt(max(variance, 0.0)))


def kicked_back(law: CoefficientLaw, one: Round, X: Floats) -> Floats:
    """The adjoint of ``kick``: (n, d, n, d) of X (n, a, n, a)."""
    n, here = len(X), np.arange(len(X))
    gamma_t = np.swapaxes(one.gamma, 1, 2)
    met = gamma_t[:, None] @ X.transpose(0, 2, 1, 3) @ one.gamma
    d = met.shape[-1]
    out = (law.pairs.T @ met.reshape(n * n, d * d)).reshape(n, n, d, d)
    rows = law.pairs[here * n + here].toarray().reshape(n, n, n)
    squares = rows + law.mean[:, :, None] * law.mean[:, None, :]  # [i, j, l] is E c_ij c_il
    for weight, gamma, own in one.noise:
        mine = weight[:, None, None] * X[here, :, here, :]
        gamma_t, own_t = np.swapaxes(gamma, 1, 2), np.swapaxes(own, 1, 2)
        out = out + np.einsum("ijl,iab->jlab", squares, gamma_t @ mine @ gamma)
        out += np.einsum("lj,lab->jlab", law.mean, gamma_t @ mine @ own)
        out += np.einsum("jl,jab->jlab", law.mean, own_t @ mine @ gamma)
        out[here, here] += own_t @ mine @ own
    return np.ascontiguousarray(out.transpose(0, 2, 1, 3))


def _means(at: Linear, law: CoefficientLaw) -> _Means:
    n, d = at.problem.clients, at.problem.dim
    if n * d > LARGEST:
        raise ValueError(f"n dx is {n * d}; second moments are worked out up to {LARGEST}")
    rounds = lone_rounds(at)
    A, B = (assembled(one.gamma, one.own, law.mean) for one in rounds)
    c = at.problem.numbers(at.seeds()[0])[0].ravel()
    return _Means(A, B, c, rounds)


def _summed(M: Floats) -> Callable[[Floats], Floats]:
    """S -> sum_k M^k S (M^T)^k, rho(M) < 1, by doubling."""
    powers = [M]
    while np.abs(powers[-1]).max() > 1e-12 and len(powers) < 48:
        powers.append(powers[-1] @ powers[-1])

    def total(S: Floats) -> Floats:
        for each in powers:
            S = S + each @ S @ each.T
        return S

    return total


def _fixed(M: Floats, S: Floats, more: Callable[[Floats], Floats]) -> Floats:
    """Y = S + M Y M^T + more(Y), more linear. Krylov, on what is left of M's part."""
    total, side = _summed(M), len(M)
    first = total(S)

    def left(flat: Floats) -> Floats:
        return flat - total(more(flat.reshape(side, side))).ravel()

    system = LinearOperator((side**2, side**2), matvec=left, dtype=np.float64)
    found, _ = gmres(system, first.ravel(), x0=first.ravel(), rtol=1e-12, restart=60, maxiter=5)
    return np.asarray(found.reshape(side, side))
