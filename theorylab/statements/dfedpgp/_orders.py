"""What stands inside the O(.) of Theorem 1 and Corollary 1, as printed and as corrected."""

import sympy as sp

from theorylab.statements import Assumption
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    K_v,
    L_u,
    L_uv,
    L_v,
    L_vu,
    c_u,
    c_v,
    eta_u,
    eta_v,
    f_best,
    f_first,
    f_start,
    sigma_g,
    sigma_u,
    sigma_v,
    start_spread,
    unit,
)
from theorylab.statements.dfedpgp._theorem1 import CONTRACTS, HEAD_CAP, PROOF_CAP, ZETA
from theorylab.symbols import C, T, delta, q

BOUNDED = {"bounded": sp.Rational(9, 8)}
_ROOT = sp.sqrt(T)
_BOTH = sigma_u**2 + sigma_g**2
_NET = (C / (1 - q)) ** 2

# (4) with (5); (3) is the same. chi^2 L_v/L_u is max(L_uv, L_vu)^2/L_u^2.
_slow = unit * (1 + L_v * unit) * sigma_v**2
_slow += (1 / (K_u * L_u) + unit * (sp.Max(L_uv, L_vu) / L_u) ** 2 * _NET) * _BOTH
LATE = _NET / L_u * _BOTH / T + (1 / delta**2 + _NET) / (K_u * L_u) * _BOTH / (T * _ROOT)
PRINTED = (f_first - f_best + _slow) / _ROOT + LATE

# ``cor1``'s, over sqrt T as its left side is, without its constants.
_start = (L_u * C) ** 2 * start_spread / (1 - q**2)
_network = (_BOTH * (1 / delta**2 + _NET) + _start) * (1 / L_u + L_vu**2 / (L_u**2 * L_v))
_noise = sigma_u**2 / (L_u * K_u) + sigma_v**2 / (L_v * K_v)
WITHOUT_NETWORK = (f_start - f_best + _noise) / T
CORRECTED = WITHOUT_NETWORK + _network / (T * _ROOT)

# Corollary 1's steps.
CHOSEN = tuple(
    Assumption(
        f"Corollary 1: eta_{part} = c_{part}/(L_{part} K_{part} sqrt T)",
        rule=sp.Eq(eta * L * K * _ROOT, c),
    )
    for part, eta, L, K, c in (("u", eta_u, L_u, K_u, c_u), ("v", eta_v, L_v, K_v, c_v))
)
_half = sp.Rational(1, 2)
BELOW = (PROOF_CAP, HEAD_CAP)
# With c_u, c_v <= 1/2 every term of cor1's bound is at most 31 times its own of ``CORRECTED``:
# 1/zeta <= 2, r and r' <= 1/2, beta <= 1/3, and with (e^x - 1)/x <= 1.3 for x <= 1/2
# r^2 <= 7.6 c_u^2/T (1/delta^2 + C^2/(1-q)^2).
FAR_BELOW = (
    Assumption("corrected: L_u eta_u K_u <= delta/2", rule=L_u * eta_u * K_u <= delta / 2),
    Assumption("corrected: L_v eta_v K_v <= 1/2", rule=L_v * eta_v * K_v <= _half),
    Assumption("corrected: c_u, c_v <= 1/2", rule=sp.Max(c_u, c_v) <= _half),
    CONTRACTS,
    Assumption("corrected: zeta >= 1/2", rule=_half <= ZETA),
)
