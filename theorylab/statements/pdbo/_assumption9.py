"""Assumptions 8 and 9, and why stochastic gradient push, Eq. (4a) or (4b), can satisfy neither.

Both ask for ||d_y phi_i||_2 <= eta_A / (2 kappa) with eta_A < 1 (Assumption 9 of every sample's
h_i) at every y_i, kappa = sum_{i,j} pbar_ji / dbar_{i -> j}. Eq. (4a) and (4b), which Section 2
gives as SGP, have y_i = (z_i, omega_i) and send omega_i as it is: d_y phi_i has the entry d
omega_i' / d omega_i = 1, a norm is at least any entry, so ||d_y phi_i||_2 >= 1. But dbar <= 1 and
sum_i pbar_ji = 1 give kappa >= n (Appendix C), and eta_A / (2 kappa) < 1/2. Nothing of the instance
was used but (4a), (4b). "The generalized version of SGP" (A.1) has any phi_i and psi_i, A.3 any
h_i and g_i, and bounded maps satisfy both assumptions (``GENERAL``), if with omega* = 0: such maps
do not hand the push-sum weights on.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Witness
from theorylab.statements.pdbo._instances import STO_D
from theorylab.statements.pdbo._symbols import (
    eta_A,
    eta_B,
    kappa,
    omega_entry,
    phi_A,
    phi_B,
    phi_slope,
)
from theorylab.symbols import n

SGP_MAPS = "SGP, Eq. (4a)/(4b)"  # what a witness speaks of
# y -> (amplitude / k) sin(k u^T y) v: at every y a Jacobian of norm at most ``amplitude``.
GENERAL = {"maps": "sine", "network": STO_D, "constants": {"eta_A": 0.9}}
BELOW_ONE = Assumption("eta_A < 1", rule=eta_A < 1)


SAMPLES = (
    BELOW_ONE,
    Assumption(
        "Assumption 9: 2 kappa ||d_y g||, ||d_y h|| <= eta_A", rule=2 * kappa * phi_A <= eta_A
    ),
    Assumption(
        "Assumption 9: 2 kappa ||d_lambda g||, ... <= eta_B", rule=2 * kappa * phi_B <= eta_B
    ),
)


def slope(number: int) -> Assumption:
    """||d_y phi_i||_2, ||d_y psi_i||_2 <= eta_A / (2 kappa), of Assumption 8 or 9."""
    return Assumption(
        f"Assumption {number}: ||d_y phi_i||, ||d_y psi_i|| <= eta_A / (2 kappa)",
        rule=phi_slope <= eta_A / (2 * kappa),
    )


def witness(number: int) -> Witness:
    return Witness(
        breaks=slope(number).name,
        facts=(
            Assumption("Eq. (4a), (4b): phi_i hands omega_i on", rule=sp.Eq(omega_entry, 1)),
            # kappa >= n; half of it is enough and leaves room for rounding.
            Assumption("2 kappa >= n (Appendix C has kappa >= n)", rule=2 * kappa >= n),
        ),
        within=SGP_MAPS,
    )
