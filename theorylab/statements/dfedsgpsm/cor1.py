r"""Corollary 1: Theorem 1 with eta = O(1/(LK sqrt(T))) and rho = O(1/(L sqrt(T))).

Printed (Section 4):

    1/T sum_t E||grad f(xbar^t)||^2 = O( L (1-alpha) (f(xbar^0) - f*) / sqrt(T)
        + sigma_l^2 / (sqrt(T) (1-alpha)) + C_2/(T delta) + L^2 C^2/(T (1-q^2)) 1/n sum_i
        ||x_i^0||^2 + C^2 (B^2 + sigma_l^2) / (T (1-alpha)^2 (1-q)^2) + 1/T ),
    C_2 = sigma_l^2/K + sigma_g^2 + alpha^2/(1-alpha)^2 (sigma_l^2 + B^2) + 1/(TK).

The O(.) itself, which names no factor, is judged in ``cor1_rate`` (true along T, K, L and n) and
``cor1_growth`` (false as alpha -> 1). Here the inequality with the proof's factors. With c =
eta L K sqrt(T) and c_rho = rho L sqrt(T), which is a substitution and no assumption, Theorem 1
reads: the bracket with the factors 2/c, c, 3c^2 (8, 64, 32, 64 c_rho^2), 6, 6c^2, 3 c_rho^2, and
one term more, 192 c^2 B^2/(T delta).

Readings. `printed/factors` has C_2 as it is printed; `printed/theorem-1` keeps the last term, which
C_2 has lost (no instance was found where that alone shows). 1/T and 1/(TK) have no units:
rho = O(1/(L sqrt(T))) is no length, so c_rho carries the units of a gradient.

C and q are the smallest pair of the per-client inequality; `printed/sgp` is `printed/theorem-1`,
the larger of the two, with the closed formulas.

Corrected: Theorem 1's corrected bound, whose first term becomes 2 K L (f(xbar^0) - f*) /
(c a~ sqrt(T)); it has the rate 1/sqrt(T) as well, with 1 <= a~/K <= 1/(1-alpha).
"""

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import a_tilde, changed
from theorylab.statements.dfedsgpsm._causes import FIRST_TERM
from theorylab.statements.dfedsgpsm._proof5 import (
    CAPS,
    CORRECTED_CAP,
    FINITE_MINIMUM,
    NOISE,
    ROOTS,
    SHARED,
    SMOOTH_SAMPLES,
    squared,
)
from theorylab.symbols import (
    B,
    C,
    K,
    L,
    T,
    alpha,
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

_c = eta * L * K * sp.sqrt(T)
_c_rho = rho * L * sp.sqrt(T)
_C2 = (
    8 * sigma_l**2 / K
    + 64 * sigma_g**2
    + 32 * alpha**2 / (1 - alpha) ** 2 * (sigma_l**2 + B**2)
    + 64 * _c_rho**2 / (T * K)
)
_PRINTED = {
    "optimisation": 2 / _c * L * (1 - alpha) * (f0 - f_star) / sp.sqrt(T),
    "noise": _c * sigma_l**2 / (sp.sqrt(T) * (1 - alpha)),
    "client drift": 3 * _c**2 * _C2 / (T * delta),
    "initial disagreement": 6 * L**2 * C**2 / (T * (1 - q**2)) * x0_sq,
    "consensus": 6 * _c**2 * C**2 * (B**2 + sigma_l**2)
    / (T * (1 - alpha) ** 2 * (1 - q) ** 2),
    "sharpness": 3 * _c_rho**2 / T,
}  # fmt: skip
_FULL = {**_PRINTED, "lost in C_2": 192 * _c**2 * B**2 / (T * delta)}
_ROW = {C: "C_row", q: "q_row"}

STATEMENT = Statement(
    id="dfedsgpsm.cor1",
    source=Source("dfedsgpsm", "Corollary 1", "Theorem 1 with steps of order 1/(LK sqrt(T))"),
    algorithm="dfedsgpsm",
    quantity="mean_squared_gradient",
    trivial=B**2,  # Assumption 5 alone
    versions={
        "printed/factors": Version(
            terms=_PRINTED,
            assumes=(*SHARED, FINITE_MINIMUM, *CAPS[:2]),
            constants=_ROW,
            note="the proof's factors for the O(.), which itself is in cor1_rate and cor1_growth",
            causes=(FIRST_TERM,),
            checks=(
                Check("twenty-local-steps", cases.TWENTY_STEPS, "VIOLATED"),
                Check("worked-example", cases.WORKED_EXAMPLE, "VIOLATED"),
            ),
        ),
        "printed/theorem-1": Version(
            terms=_FULL,
            assumes=(*SHARED, FINITE_MINIMUM, *CAPS[:2]),
            constants=_ROW,
            note="the same with 64 K^2 B^2, which C_2 has lost: what Theorem 1 gives",
            causes=(FIRST_TERM,),
            checks=(
                Check("twenty-local-steps", cases.TWENTY_STEPS, "VIOLATED"),
                Check("worked-example", cases.WORKED_EXAMPLE, "VIOLATED"),
                Check("no-momentum", changed(cases.WORKED_EXAMPLE, alpha=0.0), quick=False),
                Check("digits", cases.DIGITS, quick=False),
            ),
        ),
        "printed/sgp": Version(
            terms=_FULL,
            assumes=(*SHARED, FINITE_MINIMUM, *CAPS[:2]),
            constants={C: "C_sgp", q: "q_sgp"},
            note="C, q: the closed formulas of the lemma, as DFedPGP quotes it",
            causes=(FIRST_TERM,),
            checks=(
                Check("twenty-local-steps", cases.TWENTY_ON_A_RING, "VIOLATED"),
                Check("ring-of-three", cases.RING_OF_THREE, "VIOLATED"),
                Check("worked-example", cases.WORKED_EXAMPLE, "VACUOUS"),
            ),
        ),
        "corrected": Version(
            terms={
                "optimisation": 2 / _c * L * K / a_tilde * (f0 - f_star) / sp.sqrt(T),
                "noise": NOISE,
                **squared(ROOTS),
            },
            assumes=(*SHARED, FINITE_MINIMUM, SMOOTH_SAMPLES, CORRECTED_CAP),
            note="Theorem 1's corrected bound",
            mends=(FIRST_TERM,),
            checks=(
                Check("twenty-local-steps", cases.TWENTY_STEPS),
                Check("worked-example", cases.WORKED_EXAMPLE),
                Check("digits", cases.DIGITS, quick=False),
            ),
        ),
    },
)
