"""What Theorem 1, Corollary 1 and Lemma 3 share: terms, assumptions, measured sides."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from theorylab.statements import Assumption, Cause, Check, Quantity, Version
from theorylab.statements.dfedalt._causes import ONE_MINIBATCH
from theorylab.statements.dfedpgp._causes import HEADS_AT_U, VANISHING_NOISE
from theorylab.statements.dfedpgp._symbols import (
    K_u,
    K_v,
    L_u,
    L_v,
    L_vu,
    eta_u,
    eta_v,
    f_best,
    f_first,
    f_start,
    fresh,
    independent,
    sigma_g,
    sigma_u,
    sigma_v,
    start_spread,
    unit,
)
from theorylab.symbols import C, T, delta, n, q, window

# Formula (24)'s AA, and the two brackets of (32).
_spread = 8 * K_u**2 * eta_u**2 * C**2 * (K_u + 1)
AA = _spread / ((1 - q) ** 2 * K_u - L_u**2 * _spread)
DENOMINATOR = Assumption(
    "Proof of Lemma 3: (1-q)^2 K_u > 8 K_u^2 L_u^2 eta_u^2 C^2 (K_u+1)",
    rule=(1 - q) ** 2 * K_u > L_u**2 * _spread,
)
_inside = 1 + 32 * K_u * L_u**2 * eta_u**2 / delta**2 * (L_u**2 * AA + 1) + L_u**2 * AA
BODY_DRIFT = K_u * L_u**2 * eta_u / 2 * AA + sp.Rational(5, 2) * K_u * L_u * eta_u**2 * _inside
COUPLING = L_vu**2 * unit / 2 * AA
_drift = BODY_DRIFT + COUPLING
HEAD_NOISE = 4 * eta_v**2 * K_v**2 * L_v**2 * unit * (1 + L_v * unit) * sigma_v**2
COEFFICIENT_U = eta_u * K_u / 2 - _drift
COEFFICIENT_V = eta_v * K_v - 8 * eta_v**2 * K_v**2 * L_v - 8 * eta_v**2 * K_v**2 / unit
_least = sp.Min(COEFFICIENT_U * L_u, COEFFICIENT_V * L_v)
# (32) times 1/T and summed: both coefficients go to the right through the smaller one.
PRINTED = {
    "optimisation": (f_first - f_best) / (T * _least),
    "v noise": HEAD_NOISE / _least,
    "u noise and diversity": _drift * (sigma_u**2 + sigma_g**2) / _least,
}
POSITIVE = (
    DENOMINATOR,
    Assumption("(32): the coefficient of Delta_u is negative", rule=COEFFICIENT_U > 0),
    Assumption("(32): the coefficient of Delta_v is negative", rule=COEFFICIENT_V > 0),
)

# Corrected. omega = L_u eta_u kappa: how much a round's local steps amplify the first gradient.
omega = delta * ((1 + eta_u * L_u / delta) ** K_u - 1)
inner = (1 + eta_u * L_u / delta) ** (K_u - 1) - 1
beta = omega * C * q / (1 - q)
SPREAD = L_u * C * sp.sqrt(start_spread / (T * (1 - q**2)))
NOISE = sigma_u + sigma_g
far = (1 + inner) / (1 - beta) - 1  # r of the docstring; near = r'
near = beta / (1 - beta)
P_FAR = (1 + inner) / (1 - beta) * SPREAD + far * NOISE
P_NEAR = (SPREAD + beta * NOISE) / (1 - beta)
_ratio = eta_v * K_v / (eta_u * K_u) * (L_vu / L_u) ** 2
ZETA = 1 - far - _ratio * near
CORRECTED = {
    "optimisation": 4 * (f_start - f_best) / T / ZETA,
    "u noise": 2 * L_u * eta_u**2 * K_u * sigma_u**2 / (1 - L_u * eta_u * K_u) / ZETA,
    "v noise": 2 * eta_v**2 * K_v * L_v * (1 + eta_v * L_v * (K_v - 1)) * sigma_v**2 / ZETA,
    "drift and consensus": 2 * eta_u * K_u * P_FAR**2 / (1 - far) / ZETA,
    "coupling": 2 * eta_v * K_v * (L_vu / L_u) ** 2 * P_NEAR**2 / (1 - near) / ZETA,
}

CORRECTED_INDEPENDENT = {**CORRECTED, "u noise": CORRECTED["u noise"] / n}

_half = r"\frac1T\sum_{t=1}^{T}\Big(\frac{E\|\nabla_uF(\bar u^t,V^{t+1})\|^2}{L_u}+\frac1{mL_v}"
STATIONARITY = Quantity(
    "dfedpgp.stationarity", "rows", (1, 0), _half + r"\sum_iE\|\nabla_vF_i(u_i^t,v_i^t)\|^2\Big)"
)
DEBIASED = Quantity(
    "dfedpgp.stationarity_debiased",
    "rows",
    (1, 0),
    _half + r"\sum_iE\|\nabla_vF_i(z_i^t,v_i^t)\|^2\Big)",
)
DESCENT = Quantity(
    "dfedpgp.weighted_stationarity",
    "rows",
    (1, 0),
    r"\frac1T\sum_{t<T}E\Big[2\eta_uK_u\|\nabla_uF(\bar u^t,V^{t+1})\|^2"
    r"+\frac{\eta_vK_v}m\sum_i\|\nabla_vF_i(\bar u^t,v_i^t)\|^2\Big]",
)

ONE_BATCH = Assumption("Algorithm 1, line 4: one minibatch a round", rule=sp.Eq(fresh, 0))
FRESH = Assumption("reading: a minibatch of its own for every local step", rule=sp.Eq(fresh, 1))
APART = Assumption(
    "corrected: the clients' minibatches are independent", rule=sp.Eq(independent, 1)
)
SMOOTH = Assumption("Assumption 2 (smoothness)", finite=(L_u, L_v, L_vu))
NETWORK = (
    Assumption("Assumption 1 (bounded connectivity)", finite=(window,)),
    Assumption("Theorem 1: delta > 0", rule=delta > 0),
    Assumption("Theorem 1: q < 1, C finite", rule=q < 1, finite=(C,)),
)
DIVERSITY = Assumption("Assumption 4 (partial gradient diversity)", finite=(sigma_g,))
SHARED = (
    *NETWORK,
    SMOOTH,
    Assumption("Assumption 3 (bounded variance)", finite=(sigma_u, sigma_v)),
    DIVERSITY,
    Assumption("Theorem 1: F has an infimum", finite=(f_best,)),
)
BODY_CAP = Assumption(
    "Theorem 1: eta_u < delta/(4 sqrt(2 L_u K_u))",
    rule=eta_u < delta * unit / (4 * sp.sqrt(2 * L_u * unit * K_u)),
)
PROOF_CAP = Assumption(
    "Proof of Lemma 3: eta_u < delta/(4 sqrt(2) K_u L_u)",
    rule=eta_u < delta / (4 * sp.sqrt(2) * K_u * L_u),
)
HEAD_CAP = Assumption("Lemma 1: eta_v <= 1/(2 K_v L_v)", rule=eta_v <= 1 / (2 * K_v * L_v))
START = Assumption("Proof of Lemma 3: u_i^0 = 0", rule=sp.Eq(start_spread, 0))
CONTRACTS = Assumption(
    "corrected: delta ((1 + eta_u L_u/delta)^{K_u} - 1) C q/(1-q) < 1", rule=beta < 1
)
NETWORK_S = {C: "C_row", q: "q_row"}  # of the network, client by client
CORRECTED_ASSUMES = (
    *SHARED,
    FRESH,
    Assumption("corrected: L_u eta_u K_u < 1", rule=L_u * eta_u * K_u < 1),
    Assumption("corrected: L_v eta_v K_v <= 1", rule=L_v * eta_v * K_v <= 1),
    CONTRACTS,
    Assumption("corrected: zeta > 0", rule=ZETA > 0),
    Assumption("corrected: beta/(1-beta) < 1", rule=near < 1),
)


def summed(
    batch: Assumption, cap: Assumption, checks: tuple[Check, ...], *, note: str,
    causes: tuple[Cause, ...], mends: tuple[Cause, ...] = (),
    quantity: Quantity = STATIONARITY, pair: Mapping[sp.Symbol, str] = NETWORK_S,
) -> Version:  # fmt: skip
    """(32) summed: a reading of its minibatches, of the cap on eta_u, of Delta_v, of (C, q)."""
    return Version(
        terms=PRINTED,
        assumes=(*SHARED, batch, cap, HEAD_CAP, *POSITIVE),
        constants=pair,
        quantity=quantity,
        note=note,
        causes=causes,
        mends=mends,
        checks=checks,
    )


def proven(checks: tuple[Check, ...], *, note: str, apart: bool = False) -> Version:
    """The corrected bound; ``apart``: of clients with independent minibatches."""
    return Version(
        terms=CORRECTED_INDEPENDENT if apart else CORRECTED,
        assumes=(*CORRECTED_ASSUMES, *((APART,) if apart else ())),
        quantity=DESCENT,
        note=note,
        mends=(ONE_MINIBATCH, HEADS_AT_U, VANISHING_NOISE),
        checks=checks,
    )
