"""What stands inside the O(.) of Theorems 1 and 2, as printed and as corrected.

The claim of a version is that its left side over its bracket does not grow, so the bracket is part
of the measured quantity and is shown with it.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedalt._symbols import (
    F_star,
    F_start,
    K_u,
    K_v,
    L_u,
    L_v,
    L_vu,
    delta,
    lam,
    sigma_u,
    sigma_v,
)
from theorylab.symbols import T, n, rho

_S = sigma_u**2 + delta**2
_GAP = (1 - lam) ** 2
_ROOT = sp.sqrt(T)
_START = (F_start - F_star) / _ROOT + sigma_v**2 * (L_v + 1) / (L_v**2 * _ROOT)


def _theorem2(K: sp.Symbol, L: sp.Symbol, last: sp.Expr) -> sp.Expr:
    sigma = rho**2 / K + _S / L**2
    return _START + L_u / T + sigma * L_vu**2 / (_ROOT * _GAP) + sigma * L_u / (last * T * _GAP)


_SLOW = sigma_v**2 / (K_v * L_v) + sigma_u**2 / (n * K_u * L_u)
_APART = (1 + L_vu**2 / (L_u * L_v)) * (1 + (lam / (1 - lam)) ** 2) / (L_u * T)
ORDERS: dict[str, sp.Expr] = {
    "thm1": _START + L_vu**2 * _S / (L_u**2 * _ROOT) + _S / (L_u * T * _GAP),  # (3)
    "thm2": _theorem2(K_v, L_v, sp.Integer(1)),  # (4)
    "thm2-appendix": _theorem2(K_u, L_u, K_u**2),  # (35), (36)
    "corrected": (F_start - F_star + _SLOW) / _ROOT
    + _APART * (delta**2 + sigma_u**2 / K_u + (L_u * rho) ** 2)
    + L_u * rho**2,
}


def growth_over(bracket: str, sam: bool) -> Quantity:
    """The growth along a sweep of the theorems' left side over this bracket; without SAM rho is 0.

    The bracket's name is the experiment's option.
    """
    order = ORDERS[bracket] if sam else ORDERS[bracket].subs(rho, 0)
    terms = " + ".join(sp.latex(term) for term in sp.Add.make_args(order))
    return Quantity(
        "growth",
        "rows",
        (0, 0),
        r"\text{growth per decade of }\frac1T\sum_t E\left[\frac{\Delta_{\bar u}^t}{L_u}"
        rf"+\frac{{\Delta_v^t}}{{L_v}}\right]\Big/ \left({terms}\right)",
    )
