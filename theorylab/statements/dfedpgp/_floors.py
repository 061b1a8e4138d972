r"""What DFedPGP's left side stays above where the printed bracket is too small.

Every F_i is L_u/2 ||u - a||^2 + L_v/2 ||v - b_i||^2 below, but for the last floor. A round
multiplies u - a by r = (1 - x/K_u)^{K_u}, x = eta_u K_u L_u, and 1 - x <= r <= e^{-x} for x <= 1.

*One minibatch a round* (``ONE_NOISE``), of independent clients, and rows of P that sum to 1, so
every mu_i is 1 in all rounds and z_i = u_i. All K_u steps of client i see one noise xi_i, so its
round is u_i - a -> r (u_i - a) - (1-r) xi_i/L_u. The columns of P sum to 1, too, so ubar - a goes
to r (ubar - a) - (1-r)/L_u times the mean of the xi_i, whose variance is sigma_u^2/m. Whatever the
start,

    E Delta_u^t/L_u >= sigma_u^2/(m L_u) (1-r)/(1+r) (1 - r^{2t}).

(1-r)/(1+r) >= tanh(x/2) >= x/2 (1 - x^2/12), and the average of r^{2t} over t = 1..T is at most
1/(T (e^{2x} - 1)) <= 1/(2xT). At x = c_u/sqrt T the left side is at least

    c_u sigma_u^2/(2 m L_u sqrt T) (1 - c_u^2/(12 T)) (1 - 1/(2 c_u sqrt T)).

*Flat heads* (``FLAT``), equal starts of u, now r = (1 - eta_v L_v)^{K_v}. No head is mixed.
With K_v minibatches a round the noise adds eta_v^2 sigma_v^2 (1-r^2)/(1 - (1 - eta_v L_v)^2) >=
eta_v sigma_v^2 (1-r^2)/(2 L_v) to E||v_i - b_i||^2; with one it adds sigma_v^2 (1-r)^2/L_v^2, which
is more. So as above

    left side >= c_v sigma_v^2/(2 L_v K_v sqrt T) (1 - 1/(2 c_v sqrt T)).

In both E F(ubar^1, V^1) <= F(ubar^0, V^0) + (x sigma_u)^2/(2 L_u) + (y sigma_v)^2/(2 L_v), y =
eta_v K_v L_v: r^2 <= 1, and the noise of a round has at most the variance of one, 1 - r <= x. (All
mu_i^0 are 1, and ubar^1 is an average of what round 0 makes of the u_i: their mean in the first,
and all u_i - a shrink alike in the second.)

*Vanishing steps* (``VANISHING``), eta K = w/T, no noise, equal starts. The rows of P sum to 1, so
every mu_i is 1 in all rounds, and all u_i stay equal and are one. With x = w L_u/T <= 1/2
r^{2t} >= (1-x)^{2T} >= e^{-2 w L_u (1+x)} >= e^{-3 w L_u}, and

    left side >= e^{-3 w_u L_u} Delta_u^0/L_u + e^{-3 w_v L_v} Delta_v^0/L_v.

F(ubar^1, V^1) <= F(ubar^0, V^0), as 0 <= r <= 1.

*Steps above 2/L_u* (``DIVERGING``), no noise, all u_i one as above: |r| = (eta_u L_u - 1)^{K_u},
and round T alone gives

    left side >= (eta_u L_u - 1)^{2 K_u T} Delta_u^0/(L_u T).

F(ubar^1, V^1) <= F(ubar^0, V^0) + r^2 Delta_u^0/(2 L_u), where eta_v <= 1/L_v.

*u_i for z_i* (``BIASED``), alike losses f = A/2 (u-a)^2 + B/2 (v-b)^2 + c sin(u) sin(v) without
noise, all clients at u = a, v = 0 at first, e = |c sin(a) - B b| next to 0, under Theorem 1's caps.
Let k = B - c^2/A, V = 2e/k, Z = cV/A, c V <= k. Then |z_i^t - a| <= Z and |v_i^t| <= V for ever:
 - a step of z_i is (1 - eta_u A/mu_i) (z_i - a) - eta_u/mu_i c cos(z_i) sin(v_i), of size at most
   (1 - eta_u A/mu_i) Z + eta_u/mu_i c V = Z, for eta_u A <= delta <= mu_i; z^{t+1} is an average of
   such numbers, with the weights P_ij mu_j/mu_i^{t+1};
 - a step of v_i is (1 - eta_v B) v_i + eta_v (B b - c sin(z_i) cos(v_i)), and the last bracket is
   at most e + c Z + c V^2/2, which is at most B V, since V (k - c V/2) >= e.
So at u_i = mu_i z_i |grad_v F_i| >= |c sin(mu_i a) - B b| - (B V + c mu_i Z + c V^2/2), where mu
of round t is P^t 1. It is looked at up to t = 200; after that all mu_i together are off those of
t = 200 by at most 2 m tau, tau the largest half of an l1 distance of two columns of P^200.
F(ubar^1, V^1) - F(ubar^0, V^0) <= A Z^2/2 + B |b| V + B V^2/2 + c V, which is below ``bias``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from theorylab.statements import Floor
from theorylab.statements._quadratics import one_slope, uncoupled
from theorylab.statements.dfedpgp._orders import PRINTED
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    K_v,
    L_u,
    L_v,
    balanced,
    bias,
    c_u,
    c_v,
    eta_u,
    eta_v,
    f_first,
    f_start,
    flatness,
    fresh,
    independent,
    isotropic,
    pace,
    sigma_u,
    sigma_v,
    slope_u,
    slope_v,
    start_spread,
    tame,
    way_u,
    way_v,
)
from theorylab.statements.dfedpgp._theorem1 import NETWORK_S
from theorylab.symbols import T, n

_ROOT = sp.sqrt(T)


def _noisy(loss: sp.Expr) -> sp.Expr:
    """The printed bracket where F(ubar^1, V^1) is at most ``loss``."""
    return PRINTED.xreplace({f_first: loss})


_first = f_start + L_u * (eta_u * K_u * sigma_u) ** 2 / 2 + L_v * (eta_v * K_v * sigma_v) ** 2 / 2
_QUIET = (sp.Eq(sigma_u, 0), sp.Eq(sigma_v, 0))
_BALANCED = tuple(sp.Eq(symbol, 1) for symbol in (isotropic, balanced))
_SHORT = (c_u**2 <= T, c_v**2 <= T)
ONE_NOISE = Floor(
    lower=c_u * sigma_u**2 / (2 * n * L_u * _ROOT) * (1 - c_u**2 / (12 * T))
    * (1 - 1 / (2 * c_u * _ROOT)),
    along=K_u,
    assumes=(*_BALANCED, sp.Eq(independent, 1), sp.Eq(fresh, 0), *_SHORT),
    follow={
        T: pace * K_u**2,
        eta_u: c_u / (L_u * K_u**2 * sp.sqrt(pace)),
        eta_v: c_v / (L_v * K_v * K_u * sp.sqrt(pace)),
    },
    upper=_noisy(_first),
)  # fmt: skip
FLAT = Floor(
    lower=c_v * sigma_v**2 / (2 * L_v * K_v * _ROOT) * (1 - 1 / (2 * c_v * _ROOT)),
    along=T,
    assumes=(sp.Eq(isotropic, 1), sp.Eq(start_spread, 0), *_SHORT),
    follow={
        L_v: sp.sqrt(flatness / T),
        eta_u: c_u / (L_u * K_u * _ROOT),
        eta_v: c_v / (K_v * sp.sqrt(flatness)),
    },
    upper=_noisy(_first),
)
BIASED = Floor(
    lower=bias,
    along=T,
    follow={eta_u: c_u / (L_u * K_u * _ROOT), eta_v: c_v / (L_v * K_v * _ROOT)},
    upper=_noisy(f_start + bias),
)
VANISHING = Floor(
    lower=slope_u * sp.exp(-3 * way_u * L_u) + slope_v * sp.exp(-3 * way_v * L_v),
    along=T,
    assumes=(
        *_BALANCED,
        *_QUIET,
        sp.Eq(start_spread, 0),
        *(2 * way * L <= T for way, L in ((way_u, L_u), (way_v, L_v))),
    ),
    follow={eta_u: way_u / (K_u * T), eta_v: way_v / (K_v * T)},
    upper=_noisy(f_start),
)
DIVERGING = Floor(
    lower=slope_u * (eta_u * L_u - 1) ** (2 * K_u * T) / T,
    along=T,
    assumes=(*_BALANCED, *_QUIET, sp.Eq(start_spread, 0), sp.Eq(tame, 1), eta_u * L_u >= 1),
    upper=_noisy(f_start + slope_u * (eta_u * L_u - 1) ** (2 * K_u) / 2),
)


def _isotropic(setting: Any) -> float:
    problem = setting.problem
    if not uncoupled(problem) or not (one_slope(problem.A) and one_slope(problem.B)):
        return 0.0
    centers = problem.centers[:, : problem.shared]
    return float((centers == centers[0]).all())


def _balanced(setting: Any) -> float:
    """1 if a static P has rows and columns that sum to 1, to the last bit of its weights."""
    if setting.topology.period != 1:
        return 0.0
    P = setting.topology.matrix(0, 0).toarray()
    return float(all(sum(map(Fraction, row)) == 1 for row in [*P.tolist(), *P.T.tolist()]))


def _slope(part: int) -> Callable[[Any], float]:
    """Delta_u/L_u or Delta_v/L_v of an isotropic quadratic at equal starts; 0 of another."""

    def slope_at_the_start(setting: Any) -> float:
        problem, start = setting.problem, setting.start
        if (
            not _isotropic(setting)
            or (start[:, : problem.shared] != start[0, : problem.shared]).any()
        ):
            return 0.0
        both = np.split(problem.gradient(start[None])[0], [problem.shared], axis=1)
        curvature = (problem.A, problem.B)[part][0, 0, 0]
        return float((both[part] ** 2).sum() / len(start) / curvature)

    return slope_at_the_start


def _tame(setting: Any) -> float:
    if not _isotropic(setting):
        return 0.0
    return float(setting.algorithm.options()["eta_v"] * setting.problem.B[0, 0, 0] <= 1)


def _rounds(setting: Any) -> int:
    return int(setting.rounds) - 1  # an average over t = 1 .. T looks at round T


def _way(part: str) -> Callable[[Any], float]:
    def steps_of_all_rounds(setting: Any) -> float:
        options = setting.algorithm.options()
        return float(options[f"eta_{part}"] * options[f"steps_{part}"] * _rounds(setting))

    return steps_of_all_rounds


def _pace(setting: Any) -> float:
    return float(_rounds(setting) / setting.algorithm.options()["steps_u"] ** 2)


def _flatness(setting: Any) -> float:
    return float(setting.problem.B[0, 0, 0] ** 2 * _rounds(setting)) if _isotropic(setting) else 1.0


_LOOKED = 200  # rounds
_DIGITS = 1e-12  # 200 products of m shares each round by about 200 m eps, and m is small


def _bias(setting: Any) -> float:
    """The last floor of the docstring; 0 where nothing is shown."""
    problem, start = setting.problem, setting.start
    plain = problem.name == "sin-sin" and problem.dim == 2 and problem.shared == 1
    if not plain or problem.stochastic or setting.topology.period != 1:
        return 0.0
    rows = np.hstack([start, problem.centers, problem.c[:, None], problem.phases])
    u, v, a, b, c, phase = (float(number) for number in rows[0])
    if (rows != rows[0]).any() or u != a or v or phase or c < 0:
        return 0.0
    A, B, m = float(problem.A[0, 0]), float(problem.B[0, 0]), len(start)
    off = abs(c * np.sin(a) - B * b) + 8 * 2.0**-53 * (c + abs(B * b))
    k = B - c**2 / A
    V = 2 * off / k if k > 0 else np.inf
    Z = c * V / A
    if not c * V <= k:
        return 0.0
    P, mu, least = setting.topology.matrix(0, 0).toarray(), np.ones(m), np.inf
    product = np.eye(m)
    for _ in range(_LOOKED):
        product = P @ product
        mu = product.sum(axis=1)
        lost = B * V + c * mu * Z + c * V**2 / 2 + _DIGITS * (c * (1 + m * abs(a)) + abs(B * b))
        left = np.maximum(np.abs(c * np.sin(mu * a) - B * b) - lost, 0.0)
        least = min(least, float((left**2).mean()))
    tau = np.abs(product[:, :, None] - product[:, None, :]).sum(axis=0).max() / 2 + _DIGITS
    # a square moves by at most 2 (c + |B b|) c (|a| + Z) times what its mu_i does
    least -= 4 * (c + abs(B * b)) * c * (abs(a) + Z) * tau
    found = max(least, 0.0) / (B + c) * (1 - 1e-9)
    moved = A * Z**2 / 2 + B * abs(b) * V + B * V**2 / 2 + c * V
    return found if moved <= found else 0.0


FACTS: dict[sp.Symbol, Any] = {
    **NETWORK_S,
    isotropic: _isotropic,
    balanced: _balanced,
    tame: _tame,
    slope_u: _slope(0),
    slope_v: _slope(1),
    way_u: _way("u"),
    way_v: _way("v"),
    pace: _pace,
    flatness: _flatness,
    bias: _bias,
}
