r"""What stands inside the O(.) of Theorems 1 and 2, as printed and as corrected.

An O(.) of a sum hides a constant a term, and the c of the steps c/(L K sqrt T) is one of them: what
is won is divided by it, what a step adds has it as a factor. With equal constants the ratio would
move from one of these to the other where another term takes over along a sweep, which is no growth.

*What the noise of the u-steps leaves.* Every A_i = L I and nothing coupled; x = eta_u L = c/(K_u
sqrt T), y = c/sqrt T = K_u x. W is doubly stochastic, so a round multiplies ubar - abar by
a = (1-x)^{K_u} and adds the mean noise of K_u steps, of variance v = eta_u^2 sigma_u^2/m
sum_{k<K_u} (1-x)^{2k} = eta_u^2 sigma_u^2 (1-a^2)/(m x (2-x)). Without SAM therefore

    E||ubar^t - abar||^2 >= v (1-a^{2t})/(1-a^2) >= eta_u sigma_u^2/(2 m L) (1-a^{2t}),
    1/T sum_{t<T} (1-a^{2t}) >= 1 - 1/(T (1-a^2)) >= 1 - 1/(c sqrt T)   for 2 y <= 1,

as a <= e^{-y} and 1 - e^{-2y} >= y there. Delta_u = L^2 ||ubar - abar||^2, so the left side is at
least l = c sigma_u^2/(2 m K_u L sqrt T) (1 - 1/(c sqrt T)). SAM moves ubar by at most rho
(``metrics.dfedalt_measure``), the root of the mean of Delta_u/L by at most s = sqrt(L) rho: the
left side is at least (sqrt l - s)^2 if sqrt l >= s, and l - 2 s sqrt l in any case.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Floor, Order, Quantity
from theorylab.statements.dfedalt._symbols import (
    F_star,
    F_start,
    K_u,
    K_v,
    L_u,
    L_v,
    L_vu,
    definition,
    delta,
    eta_u,
    eta_v,
    fresh,
    independent,
    lam,
    one_slope,
    radius,
    scale,
    sigma_u,
    sigma_v,
)
from theorylab.symbols import T, n, rho

_S = sigma_u**2 + delta**2
_GAP = (1 - lam) ** 2
_ROOT = sp.sqrt(T)
_DROP = (F_start - F_star) / (scale * _ROOT)
_HEADS = sigma_v**2 * (L_v + 1) / (L_v**2 * _ROOT)


def _theorem2(K: sp.Symbol, L: sp.Symbol, last: sp.Expr) -> sp.Expr:
    sigma = rho**2 / K + _S / L**2
    steps = L_u / T + sigma * L_vu**2 / (_ROOT * _GAP) + sigma * L_u / (last * T * _GAP)
    return _DROP + scale * (_HEADS + steps)


_SLOW = sigma_v**2 / (K_v * L_v) + sigma_u**2 / (n * K_u * L_u)
_APART = (1 + L_vu**2 / (L_u * L_v)) * (1 + (lam / (1 - lam)) ** 2) / (L_u * T)
_CROSS = L_vu**2 * _S / (L_u**2 * _ROOT)
ORDERS: dict[str, sp.Expr] = {
    "thm1": _DROP + scale * (_HEADS + _CROSS + _S / (L_u * T * _GAP)),  # (3)
    "thm2": _theorem2(K_v, L_v, sp.Integer(1)),  # (4)
    "thm2-appendix": _theorem2(K_u, L_u, K_u**2),  # (35), (36)
    "corrected": _DROP
    + scale * _SLOW / _ROOT
    + scale**2 * _APART * (delta**2 + sigma_u**2 / K_u + (L_u * rho) ** 2)
    + L_u * rho**2,
}
_left = scale * sigma_u**2 / (2 * n * K_u * L_u * _ROOT) * (1 - 1 / (scale * _ROOT))
_CHOSEN = {eta_u: scale / (L_u * K_u * _ROOT), eta_v: scale / (L_v * K_v * _ROOT)}
_RADIUS = {rho: radius / _ROOT}


def _noise(lower: sp.Expr, follow: dict[sp.Symbol, sp.Expr]) -> Floor:
    return Floor(
        lower=lower,
        along=T,
        assumes=(
            *(sp.Eq(flag, 1) for flag in (one_slope, definition, fresh, independent)),
            4 * scale**2 <= T,
            scale**2 * T >= 1,
        ),
        follow=follow,
    )


NOISE = _noise(_left, _CHOSEN)  # without SAM
NOISE_SAM = _noise(_left - 2 * rho * sp.sqrt(L_u * _left), {**_CHOSEN, **_RADIUS})
STEPS = tuple(
    Assumption(f"Theorem: eta_{p} = c/(L_{p} K_{p} sqrt T)", sp.Eq(made, scale))
    for p, made in (("u", eta_u * K_u * L_u * _ROOT), ("v", eta_v * K_v * L_v * _ROOT))
)
RADIUS = Assumption("Theorem: rho = rho_0/sqrt T", sp.Eq(rho * _ROOT, radius))
MEASURE = Quantity(
    "dfedalt.measure",
    "rows",
    (1, 0),
    r"\frac1T\sum_t E\left[\frac{\Delta_{\bar u}^t}{L_u}+\frac{\Delta_v^t}{L_v}\right]",
)


def order_of(bracket: str, sam: bool, *floors: Floor) -> Order:
    """The order of this bracket; without SAM rho is 0."""
    return Order(ORDERS[bracket] if sam else ORDERS[bracket].subs(rho, 0), floors=floors)
