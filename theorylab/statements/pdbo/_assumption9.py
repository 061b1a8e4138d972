"""Assumptions 8 and 9, and why stochastic gradient push can satisfy neither.

Both ask for ||d_y phi_i||_2 <= eta_A / (2 kappa) with eta_A < 1 (Assumption 9 of every sample's
h_i) at every y_i, kappa = sum_{i,j} pbar_ji / dbar_{i -> j}. Eq. (4a) and (4b), which Section 2
gives as SGP, have y_i = (z_i, omega_i) and send omega_i as it is: d_y phi_i has the entry d
omega_i' / d omega_i = 1, a norm is at least any entry, so ||d_y phi_i||_2 >= 1. But dbar <= 1 and
sum_i pbar_ji = 1 give kappa >= n (line 480), and eta_A / (2 kappa) < 1/2. Nothing of the instance
was used.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Assumption, Witness
from theorylab.statements.pdbo._symbols import eta_A, kappa, omega_entry, phi_slope
from theorylab.symbols import n

BELOW_ONE = Assumption("eta_A < 1", rule=eta_A < 1)


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
            Assumption("2 kappa >= n (line 480 has kappa >= n)", rule=2 * kappa >= n),
        ),
    )
