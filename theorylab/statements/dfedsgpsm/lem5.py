r"""Lemma 5: the average squared gradient, with a~.

Printed (Appendix B): "Let Assumption 2-5 hold and C > 0, q in (0, 1) are the two non-negative
constants defined in Lemma 4, Then" and nothing more: the text has no conclusion. Reading: what
Proof 5 arrives at before its last replacement (``lem5_last``),

    1/T sum_t E||grad f(xbar^t)||^2
      <= 2 (f(xbar^0) - f*) / (T a~ eta) + L eta a~ sigma_l^2
       + 3 eta^2 L^2 / delta (C_1 + 64 K^2 B^2) + 6 L^2 C^2 / (T (1-q^2)) 1/n sum_i ||x_i^0||^2
       + 6 L^2 eta^2 a~^2 C^2 (B^2 + sigma_l^2) / (1-q)^2 + 3 L^2 rho^2,

for eta < delta/(8LK) (Lemma 3 is used) and eta < 1/(KL) (Proof 5). The display after it is
Theorem 1's, see ``thm1``.

Where it breaks. With a~ in place no deterministic run was found that refutes it: the slips 2, 3 and
6 listed at ``thm1`` are covered by other terms (C >= 1/delta - 1/n, and where L eta a~ >= 1 under
the cap, alpha >= 7/8 and the drift term alone exceeds B^2 and the first term, if negative). SAM
with noise refutes it. Line 395 replaces breve g by grad f_i(breve z) in an expectation of a product
with grad f(xbar), as if line 9's gradient were unbiased at a point that its own sample chose.
Counterexample, one client: f = log cosh(x - 2), two samples f' +- 3 cos(x / .3). SAM with radius .2
moves each sample to where its own noise is larger, so the mean step follows the slope of
f + rho E|F'|, which has wells of slope up to 2 where the noise is 0, and |f'| < 1. The run stays in
the one at .47: left side .80 at T = 3000, bound .33. With noise cos(x / l), l -> 0, rho / l fixed,
eta -> 0 and T eta -> oo every term of the bound goes to 0, and the left side does not.

Corrected: Theorem 1's corrected bound (proof there).
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements.dfedsgpsm._algorithm1 import DIGITS, WORKED_EXAMPLE, a_tilde
from theorylab.statements.dfedsgpsm._proof5 import (
    CAPS,
    CONSENSUS,
    CORRECTED_CAP,
    DRIFT,
    FINITE_MINIMUM,
    NOISE,
    PRINTED_CONSENSUS,
    PRINTED_DRIFT,
    PRINTED_NOISE,
    PRINTED_SHARPNESS,
    SHARED,
    SHARPNESS,
    SMOOTH_SAMPLES,
    WAVE,
)
from theorylab.symbols import B, C, L, T, eta, f0, f_star, q, x0_sq

_FIRST = 2 * (f0 - f_star) / (T * a_tilde * eta)
_START = 6 * L**2 * C**2 / (T * (1 - q**2)) * x0_sq

TRAPPED = {
    **WAVE,
    "rounds": 3000,
    "algorithm": {"eta": 7.5e-3, "alpha": 0.0, "rho": 0.2, "local_steps": 1},
}

STATEMENT = Statement(
    id="dfedsgpsm.lem5",
    source=Source("dfedsgpsm", "Lemma 5 and Proof 5", "average squared gradient, with a~"),
    algorithm="dfedsgpsm",
    quantity="mean_squared_gradient",
    trivial=B**2,  # Assumption 5 alone
    versions={
        "printed": Version(
            terms={
                "optimisation": _FIRST,
                "noise": PRINTED_NOISE,
                "client drift": PRINTED_DRIFT,
                "initial disagreement": _START,
                "consensus": PRINTED_CONSENSUS,
                "sharpness": PRINTED_SHARPNESS,
            },
            assumes=(*SHARED, FINITE_MINIMUM, *CAPS),
            constants={C: "C_row", q: "q_row"},
            note="the lemma prints no conclusion: the display before Proof 5's last",
            checks=(
                Check("worked-example", WORKED_EXAMPLE),
                Check("digits", DIGITS, quick=False),
                Check("sam-trap", TRAPPED, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms={
                "optimisation": _FIRST,
                "noise": NOISE,
                "client drift": DRIFT,
                "initial disagreement": _START,
                "consensus": CONSENSUS,
                "sharpness": SHARPNESS,
            },
            assumes=(*SHARED, FINITE_MINIMUM, SMOOTH_SAMPLES, CORRECTED_CAP),
            note="Theorem 1's corrected bound",
            checks=(
                Check("worked-example", WORKED_EXAMPLE),
                Check("digits", DIGITS, quick=False),
                Check("sam-trap", TRAPPED, "VACUOUS"),
            ),
        ),
    },
)
