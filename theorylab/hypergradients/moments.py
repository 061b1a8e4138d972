"""Exact mean and covariance of HGP and VR-HGP, and when their second moment stays bounded.

One round maps s_i = (v_i, u_i, w_i) to Gamma_i sum_j c_ij s_j + Lambda_i s_i + const_i with random
c, independent from round to round. So with Cbar = E c, T = Gamma Cbar + Lambda and M = E s s^T,

    E s'   = T E s + const
    Cov s' = T Cov s T^T + [Gamma_i (sum_jl Cov(c_ij, c_kl) M_jl) Gamma_k^T]_ik
             + diag_i E[dF_i E[(x_i, s_i) (x_i, s_i)^T] dF_i^T],     x_i = sum_j c_ij s_j,

dF_i the minibatch's part of (Gamma_i, Lambda_i), independent from client to client. That is the
Kronecker recursion E[T (x) T] without writing out its n^2 D^2 rows. No sampling. A round costs
O(n^3 D^2) and (n D)^2 numbers, the covariance of c being sparse.

u moves by A alone, so E|u|^2 stays bounded for every start iff rho(E[A (x) A]) <= 1 (and no
Jordan block there); HGP's and VR-HGP's variance converge iff it is < 1. rho(E A) < 1, all that
Assumption 4 asks for in the mean, is not enough: the rows of debiased coefficients do not sum to 1
in any one round, so as the step size goes to 0 rho(E[A (x) A]) tends to rho(E[c (x) c]) > 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import ArpackError, LinearOperator

from theorylab.arpack import eigs
from theorylab.hypergradients._bilevel import Floats, Sample
from theorylab.hypergradients.linear import Linear, blocks, radius_of
from theorylab.hypergradients.recursion import CoefficientLaw, Reading, resolved
from theorylab.problems._options import count

DENSE = 24  # n dy up to which E[A (x) A] is written out: (n dy)^4 numbers


@dataclass(frozen=True)
class Moments:
    """Of the estimate after m = 0 .. M terms. mean (M + 1, n, dlam); variance (M + 1,), its trace.

    w (M + 1, n, dx): the mean of w^(m). ``rmse(truth)`` is sqrt E|estimate - truth|^2 at each m.
    """

    mean: Floats
    variance: Floats
    w: Floats

    def rmse(self, truth: Floats) -> Floats:
        """(M + 1,) for truth (n, dlam)."""
        gap = (self.mean - truth).reshape(len(self.mean), -1)
        largest = np.abs(gap).max(axis=1, keepdims=True)  # squares of 1e200 leave float64
        scaled = gap / np.where(largest > 0, largest, 1.0)
        bias = largest[:, 0] * np.sqrt((scaled * scaled).sum(axis=1))
        return np.asarray(np.hypot(np.sqrt(self.variance), bias))


@dataclass(frozen=True)
class Round:
    """One round: s_i -> gamma_i sum_j c_ij s_j + own_i s_i, (n, D, D) each.

    noise: (weight (n,), the sampled gamma and own less their means), as in ``Bilevel.outcomes``.
    """

    gamma: Floats
    own: Floats
    noise: tuple[tuple[Floats, Floats, Floats], ...] = ()


def moments(
    at: Linear,
    law: CoefficientLaw,
    terms: int,
    *,
    reading: str | Reading = "eq12",
    alpha: float | None = None,
    beta: float | None = None,
) -> Moments:
    """Of ``hgp(at, ..., reading=reading)``, at run 0's point, minibatches included.

    ``law`` must be the coefficients of the reading's ``weights``. The readings' "return v^(m)" is
    left to the caller: entry m is v^(m) (+ c^lambda). On the full y = (z, omega) the estimate's
    moments are those on z (``linear``); there only for comparison.

    Raises:
        ValueError: a problem whose minibatches have no ``outcomes``, Eq. (9)'s power, or a moment
            that leaves float64.
    """
    rule, alpha, beta = resolved(reading, alpha, beta)
    if rule.power:
        raise ValueError("moments: Eq. (9)'s power is not covered; need a reading without it")
    rounds, mean, const, shift = recursion(at, rule, alpha, beta)
    h = at.problem.hyper
    spread = np.zeros(2 * mean.shape)
    means, variances = [mean], [0.0]
    for m in range(terms):
        for k, one in enumerate(rounds):
            with np.errstate(over="ignore", invalid="ignore"):
                second = spread + np.einsum("ja,lb->jalb", mean, mean)
                spread = _carried(law.mean, one, spread) + kick(law, one, second)
                mean = carried(law.mean, one, mean[:, :, None])[:, :, 0]
            if k == len(rounds) - 1:
                mean = mean + const
        variance = np.einsum("iaia->", spread[:, :h, :, :h])
        if not (np.isfinite(variance) and np.isfinite(mean).all()):
            raise ValueError(
                f"moments: the second moment left float64 at m = {m + 1}; rho(E[A (x) A]) is "
                f"{second_moment_radius(at, law):.6g}, need < 1"
            )
        means.append(mean)
        variances.append(float(variance))
    v, _, w = np.split(np.array(means), [h, (h + mean.shape[1]) // 2], axis=2)
    return Moments(v + shift, np.array(variances), w)


def recursion(
    at: Linear, rule: Reading, alpha: float, beta: float, *, noise: bool = True
) -> tuple[list[Round], Floats, Floats, Floats]:
    """(the rounds of one term, the first (v, u, w) (n, D), what a term adds to it, what is added
    to the last v (n, dlam)): s <- rounds(s) + const. noise: minibatches are in the rounds."""
    c_y, c_lam = (at.problem.numbers(part)[0] for part in at.seeds())
    const = np.concatenate([0 * c_lam, 0 * c_y, beta * c_y], axis=1)
    v0, w0 = c_lam if rule.v0 == "c" else 0 * c_lam, c_y if rule.w0 == "c" else 0 * c_y
    first = np.concatenate([v0, c_y, w0], axis=1)
    return _rounds(at, alpha, beta, rule, noise), first, const, c_lam if rule.add else 0 * c_lam


def second_moment_radius(at: Linear, law: CoefficientLaw, beta: float = 1.0) -> float:
    """rho(E[A (x) A]); with ``beta`` that of (1 - beta) I + beta A, which moves VR-HGP's w.

    Minibatches included; on z, or on y where ``at.full``. LAPACK up to 24 numbers, above that
    ARPACK on S -> E[A S A^T].

    Raises:
        ValueError: as ``moments``, or where ARPACK does not converge.
    """
    J, _, psi, _ = _blocks(at)
    n, d = J.shape[:2]

    def put(J: Floats, psi: Floats) -> tuple[Floats, Floats]:
        return beta * J, beta * psi

    gamma, own = put(J, psi)
    noise = _noise(at, lambda parts: put(parts[0], parts[2]))
    one = Round(gamma, own + (1 - beta) * np.eye(d), noise)

    def moved(flat: Floats) -> Floats:
        S = flat.reshape(n, d, n, d)
        return np.asarray((_carried(law.mean, one, S) + kick(law, one, S)).ravel())

    size = (n * d) ** 2
    if n * d <= DENSE:
        lifted = np.stack([moved(column) for column in np.eye(size)], axis=1)
        return radius_of(lifted)
    operator = LinearOperator((size, size), matvec=moved, dtype=np.float64)
    try:
        found = eigs(operator, k=1, v0=np.eye(n * d).ravel(), return_eigenvectors=False)
    except ArpackError as error:
        raise ValueError(f"second_moment_radius: no answer from ARPACK: {error}") from None
    return float(np.abs(found[0]))


def carried(mean: Floats, one: Round, S: Floats) -> Floats:
    """T S for S (n, D, k)."""
    mixed = (mean @ S.reshape(len(S), -1)).reshape(S.shape)
    return np.asarray(np.matmul(one.gamma, mixed) + np.matmul(one.own, S))


def _carried(mean: Floats, one: Round, S: Floats) -> Floats:
    """T S T^T for S (n, D, n, D)."""
    n, D = S.shape[:2]
    half = carried(mean, one, S.reshape(n, D, n * D)).reshape(n * D, n * D)
    other = np.ascontiguousarray(half.T).reshape(n, D, n * D)
    return np.asarray(carried(mean, one, other).reshape(n * D, n * D).T.reshape(S.shape))


def kick(law: CoefficientLaw, one: Round, second: Floats) -> Floats:
    """What this round's edges and minibatches add to the covariance, for M (n, D, n, D)."""
    n, here = len(second), np.arange(len(second))
    raw = law.kicked(second)  # (n, n, D, D)
    out = np.matmul(one.gamma[:, None], raw) @ np.swapaxes(one.gamma, 1, 2)
    if one.noise:
        mixed = np.tensordot(law.mean, second, axes=(1, 0))  # E x_i s_l^T
        xx = raw[here, here] + np.einsum("il,ialb->iab", law.mean, mixed)
        xs = mixed[here, :, here, :]
        sx = np.einsum("ij,iajb->iab", law.mean, second)
        ss = second[here, :, here, :]
        for weight, gamma, own in one.noise:
            gamma_t, own_t = np.swapaxes(gamma, 1, 2), np.swapaxes(own, 1, 2)
            part = gamma @ (xx @ gamma_t + xs @ own_t) + own @ (sx @ gamma_t + ss @ own_t)
            out[here, here] += weight[:, None, None] * part
    assert out.shape[:2] == (n, n)
    return np.ascontiguousarray(out.transpose(0, 2, 1, 3))


def _blocks(at: Linear, sample: Sample = None) -> tuple[Floats, Floats, Floats, Floats]:
    """d_y phi, d_lam phi, d_y psi, d_lam psi, (n, dy or dlam, dy) as they act on a column u_i."""
    J, K, psi, psi_lam = blocks(at, sample)
    if not at.full:
        return J, K, psi, psi_lam
    n, d = J.shape[:2]
    first = at.sgp.variant == "4a"
    pulled = np.eye(d) - J if first else -psi
    drift = np.einsum("ia,iab->ib", at.x[0], pulled)  # below it, how far omega's part is pulled
    wide_J, wide_psi = np.zeros((n, d + 1, d + 1)), np.zeros((n, d + 1, d + 1))
    wide_J[:, :d, :d], wide_psi[:, :d, :d], wide_J[:, d, d] = J, psi, 1.0
    (wide_J if first else wide_psi)[:, d, :d] = drift
    zero = np.zeros((n, K.shape[1], 1))
    wide = (np.concatenate([part, zero], axis=2) for part in (K, psi_lam))
    K, psi_lam = wide
    return wide_J, K, wide_psi, psi_lam


def lone_rounds(at: Linear) -> tuple[Round, Round]:
    """u -> A-hat u and u -> B-hat u, each a round by itself."""
    centre = _blocks(at)

    def put_A(parts: tuple[Floats, ...]) -> tuple[Floats, Floats]:
        return parts[0], parts[2]

    def put_B(parts: tuple[Floats, ...]) -> tuple[Floats, Floats]:
        return parts[1], parts[3]

    A, B = (Round(*put(centre), _noise(at, put)) for put in (put_A, put_B))
    return A, B


def _noise(
    at: Linear, put: Callable[[tuple[Floats, ...]], tuple[Floats, Floats]], wanted: bool = True
) -> tuple[tuple[Floats, Floats, Floats], ...]:
    """``put`` of every outcome's deviation of the blocks from their means."""
    if not (at.problem.stochastic and wanted):
        return ()
    centre = _blocks(at)
    found = []
    for weight, sample in at.problem.outcomes():
        parts = _blocks(at, sample)
        gap = tuple(part - middle for part, middle in zip(parts, centre, strict=True))
        found.append((weight, *put(gap)))
    if not found:
        raise ValueError(
            f"moments: {at.problem.name or type(at.problem).__name__} draws minibatches without "
            "outcomes(); need the full batch, or outcomes()"
        )
    return tuple(found)


def _rounds(at: Linear, alpha: float, beta: float, rule: Reading, noise: bool) -> list[Round]:
    """The round that draws B and the one that draws A; one round where they are together."""
    h, u_for_w = at.problem.hyper, rule.message == "u"

    def put_A(parts: tuple[Floats, ...]) -> tuple[Floats, Floats]:
        J, _, psi, _ = parts
        n, d = J.shape[:2]
        u, w = slice(h, h + d), slice(h + d, h + 2 * d)
        gamma, own = np.zeros((n, h + 2 * d, h + 2 * d)), np.zeros((n, h + 2 * d, h + 2 * d))
        gamma[:, u, u] = J
        gamma[:, w, u] = (1 - beta) * J
        gamma[:, w, u if u_for_w else w] += beta * J
        own[:, u, u] = psi
        own[:, w, u] = (1 - beta) * psi
        own[:, w, w] = beta * psi
        return gamma, own

    def put_B(parts: tuple[Floats, ...]) -> tuple[Floats, Floats]:
        _, K, _, psi_lam = parts
        n, _, d = K.shape
        v, u, w = slice(0, h), slice(h, h + d), slice(h + d, h + 2 * d)
        gamma, own = np.zeros((n, h + 2 * d, h + 2 * d)), np.zeros((n, h + 2 * d, h + 2 * d))
        gamma[:, v, u], gamma[:, v, w] = alpha * K, (1 - alpha) * K
        own[:, v, u], own[:, v, w] = alpha * psi_lam, (1 - alpha) * psi_lam
        return gamma, own

    def put_both(parts: tuple[Floats, ...]) -> tuple[Floats, Floats]:
        (gamma_A, own_A), (gamma_B, own_B) = put_A(parts), put_B(parts)
        return gamma_A + gamma_B, own_A + own_B

    centre = _blocks(at)
    d = centre[0].shape[1]
    old_v, old_u, old_w = (
        np.diag(np.repeat(row, (h, d, d)))
        for row in ((alpha, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    )
    after_A = np.eye(h + 2 * d) - old_u - beta * old_w
    after_A[:h, :h] = np.eye(h)
    if rule.rounds == "together":
        gamma, own = put_both(centre)
        return [Round(gamma, own + old_v + (1 - beta) * old_w, _noise(at, put_both, noise))]
    gamma_B, own_B = put_B(centre)
    gamma_A, own_A = put_A(centre)
    return [
        Round(gamma_B, own_B + old_v + old_u + old_w, _noise(at, put_B, noise)),
        Round(gamma_A, own_A + after_A, _noise(at, put_A, noise)),
    ]


ALPHAS = (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 1.0)
BETAS = (0.0, 0.05, 0.15, 0.4, 1.0)


@dataclass(frozen=True)
class Tuned:
    """The best (alpha, beta) of VR-HGP that was found, and its cost, the exact RMSE after M terms.
    No pair of the grid costs less.

    The bound's factor mu has infimum 0, approached as alpha -> 1, where the terms that the bound
    leaves out stay (pdbo, footnote 2). The RMSE leaves nothing out and has a minimum.
    """

    alpha: float
    beta: float
    cost: float


def least(
    cost: Callable[[float, float], float],
    alphas: Sequence[float] = ALPHAS,
    betas: Sequence[float] = BETAS,
) -> Tuned:
    """The least of ``cost(alpha, beta)`` over a grid in [0, 1]^2, then by Nelder-Mead from there.

    A local search: on a cost with several valleys narrower than the grid it may miss the lowest.
    """
    value, alpha, beta = min((cost(a, b), a, b) for a in alphas for b in betas)
    if not np.isfinite(value):
        return Tuned(alpha, beta, value)

    inwards = [1 if start < 0.5 else -1 for start in (alpha, beta)]
    simplex = np.array([alpha, beta]) + 0.02 * np.diag([0, *inwards])[:, 1:]
    options = {"maxfev": 60, "xatol": 1e-3, "fatol": 1e-6, "initial_simplex": simplex}
    from scipy.optimize import minimize  # slow to import

    found = minimize(
        lambda p: cost(float(p[0]), float(p[1])), simplex[0], method="Nelder-Mead",
        bounds=[(0.0, 1.0)] * 2, options=options,
    )  # fmt: skip
    return Tuned(float(found.x[0]), float(found.x[1]), float(found.fun))  # the start, or better


def tuned(at: Linear, law: CoefficientLaw, truth: Floats, terms: int) -> Tuned:
    """The pair with the least sqrt E|v^(M) + c^lambda - truth|^2 of Appendix B, truth (n, dlam).

    Pairs whose second moment leaves float64 count as infinitely bad.

    Raises:
        ValueError: where that is so for every pair of the grid, or as ``moments`` for its kind of
            problem.
    """

    count("tuned", "terms", terms)

    def error(alpha: float, beta: float) -> float:
        try:
            found = moments(at, law, terms, reading="appendix-b", alpha=alpha, beta=beta)
        except ValueError as refused:
            if "left float64" not in str(refused):
                raise
            return np.inf
        return float(found.rmse(truth)[-1])

    best = least(error)
    if not np.isfinite(best.cost):
        raise ValueError(f"tuned: the second moment left float64 for every pair at M = {terms}")
    return best
