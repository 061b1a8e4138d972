r"""Proof 5, the display before the sum over t: one round, rearranged.

Printed, for 0 < eta < 1/(KL) (and Lemma 3's cap):

    E||grad f(xbar^t)||^2
      <= 2 (E f(xbar^t) - E f(xbar^{t+1})) / (a~ eta) + L eta a~ sigma_l^2
       + 3 eta^2 L^2 / delta (C_1 + 64 K^2 B^2) + 6 L^2 C^2 q^{2t} 1/n sum_i ||x_i^0||^2
       + 6 L^2 eta^2 a~^2 C^2 (B^2 + sigma_l^2) / (1-q)^2 + 3 L^2 rho^2.

The display above it is the same inequality times a~ eta / 2. The loss differences are the measured
ones. ``uphill``, SAM with noise at t = 0 and exactly (two samples): the mean of line 9's gradient
is uphill there, so the first term is negative, and the others are small.

Readings. C and q: the smallest pair of the per-client inequality (`printed`), or the closed
formulas (`printed/sgp`), which ask for a smaller step before the terms with C fade, here on a ring
of three. `printed/line-9` asks Assumption 3 of line 9's gradient, given its point: nothing was
found that refutes it then.

Corrected: the same step in the proof of Theorem 1's corrected bound (``thm1``), before its sum.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import a_tilde
from theorylab.statements.dfedsgpsm._causes import UNBIASED
from theorylab.statements.dfedsgpsm._proof5 import (
    CAPS,
    CORRECTED_CAP,
    LINE_9,
    NOISE,
    PRINTED_CONSENSUS,
    PRINTED_DRIFT,
    PRINTED_NOISE,
    PRINTED_SHARPNESS,
    ROOTS_AT_T,
    SHARED,
    SMOOTH_SAMPLES,
    squared,
)
from theorylab.statements.dfedsgpsm._symbols import f_next, f_now, t
from theorylab.symbols import C, L, eta, q, x0_sq

_DESCENT = 2 * (f_now - f_next) / (a_tilde * eta)
_START = 6 * L**2 * C**2 * q ** (2 * t) * x0_sq
_PRINTED = {
    "descent": _DESCENT,
    "noise": PRINTED_NOISE,
    "client drift": PRINTED_DRIFT,
    "initial disagreement": _START,
    "consensus": PRINTED_CONSENSUS,
    "sharpness": PRINTED_SHARPNESS,
}
_ROW = {C: "C_row", q: "q_row"}

STATEMENT = Statement(
    id="dfedsgpsm.lem5_descent",
    source=Source("dfedsgpsm", "Proof 5, one round", "descent of one round"),
    algorithm="dfedsgpsm",
    quantity=Quantity("dfedsgpsm.descent", "rows", (2, -2), r"E\|\nabla f(\bar{x}^t)\|^2"),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=(*SHARED, *CAPS),
            constants=_ROW,
            causes=(UNBIASED,),
            checks=(
                Check("momentum-uphill", cases.LEM5_DESCENT_MOMENTUM, "VIOLATED"),
                Check("three-uphill", cases.LEM5_DESCENT_THREE, "VIOLATED"),
                Check("uphill", cases.UPHILL, "VIOLATED"),
                Check("six-clients", cases.CHORDS),
            ),
        ),
        "printed/sgp": Version(
            terms=_PRINTED,
            assumes=(*SHARED, *CAPS),
            constants={C: "C_sgp", q: "q_sgp"},
            note="C, q: the closed formulas of the lemma, as DFedPGP quotes it",
            causes=(UNBIASED,),
            checks=(
                Check("momentum-uphill", cases.LEM5_DESCENT_MOMENTUM, "VIOLATED"),
                Check("three-uphill", cases.LEM5_DESCENT_THREE, "VIOLATED"),
                Check("six-clients", cases.CHORDS),
            ),
        ),
        "printed/line-9": Version(
            terms=_PRINTED,
            assumes=(*SHARED, *CAPS, LINE_9),
            constants=_ROW,
            note="Assumption 3 for the gradient of line 9",
            mends=(UNBIASED,),
            checks=(
                Check("six-clients", cases.CHORDS),
                Check("momentum-uphill", cases.LEM5_DESCENT_MOMENTUM, "ASSUMPTION_FAILS"),
                Check("uphill", cases.UPHILL, "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms={
                "descent": _DESCENT,
                "noise": NOISE,
                **squared(ROOTS_AT_T),
            },
            assumes=(*SHARED, SMOOTH_SAMPLES, CORRECTED_CAP),
            note="one round of Theorem 1's corrected proof",
            mends=(UNBIASED,),
            checks=(
                Check("six-clients", cases.CHORDS),
                Check("momentum-uphill", cases.LEM5_DESCENT_MOMENTUM),
                Check("uphill", cases.UPHILL),
            ),
        ),
    },
)
