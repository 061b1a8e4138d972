"""The terms that the displays of Proof 5 share, as printed and as they can be proved."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from theorylab.statements import Assumption
from theorylab.statements.dfedsgpsm._algorithm1 import (
    INPUTS,
    a_tilde,
    square_sum,
    step_weight,
    weight_sum,
)
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import (
    B,
    C,
    K,
    L,
    L_sample,
    T,
    alpha,
    delta,
    eta,
    f_star,
    noise_clients,
    q,
    rho,
    sigma_g,
    sigma_l,
    window,
    x0_spread,
)

s = sp.Symbol("s", integer=True, positive=True)

C1 = (
    8 * K * sigma_l**2
    + 64 * K**2 * sigma_g**2
    + 32 * K**2 * alpha**2 / (1 - alpha) ** 2 * (sigma_l**2 + B**2)
    + 64 * K * L**2 * rho**2
)
G = sp.sqrt(B**2 + sigma_l**2) + L_sample * rho  # every line 9's gradient has sqrt(E|g|^2) <= G

PRINTED_DRIFT = 3 * eta**2 * L**2 / delta * (C1 + 64 * K**2 * B**2)
PRINTED_CONSENSUS = 6 * L**2 * eta**2 * a_tilde**2 * C**2 * (B**2 + sigma_l**2) / (1 - q) ** 2
PRINTED_NOISE = L * eta * a_tilde * sigma_l**2
PRINTED_SHARPNESS = 3 * L**2 * rho**2

NOISE = (
    L * eta * square_sum(K) / a_tilde * sigma_l**2
    / (noise_clients * (1 - L * eta * a_tilde))
)  # fmt: skip
# sqrt(R) <= the sum of these: how far the gradients of a round are taken from grad f(xbar), in L2
_drift = sp.sqrt(sp.Sum(step_weight(s) * weight_sum(s - 1) ** 2, (s, 1, K)) / a_tilde)
ROOTS = {
    "client drift": L * eta * G / delta * _drift,
    "initial disagreement": L * C * sp.sqrt(x0_spread / (T * (1 - q**2))),
    "consensus": L * eta * a_tilde * C * G * q / (1 - q),
    "sharpness": L_sample * rho,
}
ROOTS_AT_T = {**ROOTS, "initial disagreement": L * C * q**t * sp.sqrt(x0_spread)}


def squared(roots: Mapping[str, sp.Expr]) -> dict[str, sp.Expr]:
    """(r_1 + .. + r_m)^2 as r_1 (r_1 + .. + r_m) + ..: what each root adds to the square."""
    return {name: root * sp.Add(*roots.values()) for name, root in roots.items()}


SHARED = (
    *INPUTS,
    Assumption("Assumption 1 (bounded strongly connected)", finite=(window,)),
    Assumption("Assumption 2 (L-smoothness)", finite=(L,)),
    Assumption("Assumption 3 (bounded gradient noise)", finite=(sigma_l,)),
    Assumption("Assumption 5 (bounded gradient)", finite=(B,)),
    Assumption("Theorem 1: delta > 0", rule=delta > 0),
    Assumption("Theorem 1: q < 1, C finite", rule=q < 1, finite=(C,)),
)
CAPS = (
    Assumption("Assumption 4 (bounded heterogeneity)", finite=(sigma_g,)),
    Assumption("Lemma 3: eta_l < delta / (8 L K)", rule=eta < delta / (8 * L * K)),
    Assumption("Proof 5: eta_l < 1 / (K L)", rule=eta < 1 / (K * L)),
)
SMOOTH_SAMPLES = Assumption(
    "corrected: every F_i(.; xi) is smooth (for rho > 0)", finite=(L_sample,)
)
LINE_9 = Assumption(  # one minibatch for lines 7 and 9: with SAM line 9's point knows its noise
    "reading: Assumption 3 for line 9's gradient, given its point (rho = 0 or no noise)",
    rule=sp.Eq(rho * sigma_l, 0),
)
CORRECTED_CAP = Assumption("corrected: eta_l < 1 / (L a~)", rule=eta < 1 / (L * a_tilde))
FINITE_MINIMUM = Assumption("Theorem 1: f* > -infinity", finite=(f_star,))
