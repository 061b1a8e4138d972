r"""Corollary 1's O(.) as alpha -> 1: the left side over the bracket must stay bounded.

Printed is its bracket, in ``cor1``. Where all clients take the same steps (alike losses, one start,
a network whose rows sum to 1 as well), without noise and SAM, xbar walks as one client does. Let
that loss be convex, a sum over coordinates, and eta = 1/(L K sqrt(T)) with T >= (K+1)^2/4, so that
L eta a~ <= 1, as a~ <= K(K+1)/2. In each coordinate no local step then passes the minimizer: by
induction x_m - x^t is at most eta a~ L |x^t - x*| in the direction of x*. So slopes shrink on the
way, and by convexity, with h = eta a~,

    f(x^{t+1}) >= f(x^t) - h ||grad f(x^t)||^2,     f(x^T) - f* <= ||x^0 - x*||^2/(2 h T).

The second one: a round goes at least h |grad f(x^{t+1})| far, so |x^t - x*|^2 is at least
|x^{t+1} - x*|^2 + 2 h (f(x^{t+1}) - f*); sum over t, as f(x^t) falls. With K <= a~ <= K(K+1)/2

    1/T sum_t ||grad f(x^t)||^2 >= (f(x^0) - f(x^T))/(h T)
        >= 2 L/((K+1) sqrt(T)) (f(x^0) - f* - L ||x^0 - x*||^2/(2 sqrt(T))).

The bracket's first term is L (1-alpha) (f(x^0) - f*)/sqrt(T); all others are O(1/T) at fixed alpha,
of order 1/(T (1-alpha)^2) at most. Along T = (1-alpha)^-8 (any power above 6) the lower bound over
the bracket is at least const/(1-alpha), whatever constant is hidden. (Fixed alpha may hide
1/(1-alpha) in the constant, but then the printed dependence on alpha says nothing.)

Judged as the growth per decade of 1/(1-alpha), at most 9/8 claimed; the argument gives 10.
Corrected: K L (f(xbar^0) - f*)/(a~ sqrt(T)) for the first term, as in ``cor1``; the ratio is then
at most 2, the factor that Theorem 1 has there.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements import Check, Floor, Order, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import a_tilde
from theorylab.statements.dfedsgpsm._causes import FIRST_TERM
from theorylab.statements.dfedsgpsm._symbols import one_walk, start_sq
from theorylab.symbols import (
    B,
    C,
    K,
    L,
    T,
    alpha,
    decay,
    delta,
    eta,
    f0,
    f_star,
    q,
    rho,
    sigma_g,
    sigma_l,
    x0_sq,
)

_momentum = alpha**2 / (1 - alpha) ** 2
_C2 = sigma_l**2 / K + sigma_g**2 + _momentum * (sigma_l**2 + B**2) + 1 / (T * K)
_REST = (
    sigma_l**2 / (sp.sqrt(T) * (1 - alpha))
    + _C2 / (T * delta)
    + L**2 * C**2 / (T * (1 - q**2)) * x0_sq
    + C**2 * (B**2 + sigma_l**2) / (T * (1 - alpha) ** 2 * (1 - q) ** 2)
    + 1 / T
)
_first = L * (f0 - f_star) / sp.sqrt(T)
PRINTED = (1 - alpha) * _first + _REST
CORRECTED = K / a_tilde * _first + _REST
HIDDEN = (L, B, sigma_l, sigma_g, f0, f_star, x0_sq)


def _start_sq(setting: Any) -> float:
    """||x^0 - x*||^2 of one client's log cosh, whose minimizer is its center; inf of another."""
    if setting.problem.name != "log-cosh":
        return float("inf")
    return float(((setting.start[0] - setting.problem.centers[0]) ** 2).sum())


def _one_walk(setting: Any) -> float:
    """1 where all clients take the same steps on log cosh: alike, on a doubly stochastic P."""
    problem, network = setting.problem, setting.topology
    if problem.name != "log-cosh" or network.name not in ("complete", "directed-ring"):
        return 0.0
    points, centers = setting.start, problem.centers
    alike = bool((points == points[0]).all() and (centers == centers[0]).all())
    return float(alike and network.weights == "uniform")


DESCENT = Floor(
    lower=2 * L / ((K + 1) * sp.sqrt(T)) * (f0 - f_star - L * start_sq / (2 * sp.sqrt(T))),
    along=T,
    assumes=(
        *(sp.Eq(each, at) for each, at in ((one_walk, 1), (rho, 0), (sigma_l, 0), (decay, 1))),
        sp.Ge(T, (K + 1) ** 2 / 4),
    ),
    follow={alpha: 1 - T ** sp.Rational(-1, 8), eta: 1 / (L * K * sp.sqrt(T))},
)
_BOUNDED = {"bounded": sp.Rational(9, 8)}

STATEMENT = Statement(
    id="dfedsgpsm.cor1_growth",
    source=Source("dfedsgpsm", "Corollary 1", "its bracket as alpha -> 1"),
    algorithm="dfedsgpsm",
    quantity="mean_squared_gradient",
    versions={
        "printed": Version(
            terms=_BOUNDED,
            assumes=(),
            order=Order(PRINTED, HIDDEN, floors=(DESCENT,)),
            constants={start_sq: _start_sq, one_walk: _one_walk},
            causes=(FIRST_TERM,),
            checks=(
                Check("three-clients", cases.COR1_GROWTH_THREE_TO_ONE, "VIOLATED"),
                Check("momentum-to-one", cases.COR1_GROWTH_TO_ONE, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms=_BOUNDED,
            assumes=(),
            order=Order(CORRECTED, HIDDEN),
            note="K/a~ for 1-alpha in the first term",
            mends=(FIRST_TERM,),
            checks=(
                Check("three-clients", cases.COR1_GROWTH_THREE_TO_ONE),
                Check("momentum-to-one", cases.COR1_GROWTH_TO_ONE),
            ),
        ),
    },
)
