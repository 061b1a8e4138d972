r"""Proof 5, the display before the sum over t: one round, rearranged.

Printed, for 0 < eta < 1/(KL) (and Lemma 3's cap):

    E||grad f(xbar^t)||^2
      <= 2 (E f(xbar^t) - E f(xbar^{t+1})) / (a~ eta) + L eta a~ sigma_l^2
       + 3 eta^2 L^2 / delta (C_1 + 64 K^2 B^2) + 6 L^2 C^2 q^{2t} 1/n sum_i ||x_i^0||^2
       + 6 L^2 eta^2 a~^2 C^2 (B^2 + sigma_l^2) / (1-q)^2 + 3 L^2 rho^2.

The display above it is the same inequality times a~ eta / 2. The loss differences are the measured
ones. False by SAM with noise, at t = 0 and exactly (two samples): at the point of ``UPHILL`` the
mean of line 9's gradient is uphill, so the first term is negative, and the others are small.

Corrected: the same step in the proof of Theorem 1's corrected bound (``thm1``), before its sum.
"""

from __future__ import annotations

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedsgpsm._algorithm1 import a_tilde
from theorylab.statements.dfedsgpsm._proof5 import (
    CAPS,
    CHORDS,
    CONSENSUS,
    CORRECTED_CAP,
    DRIFT,
    NOISE,
    PRINTED_CONSENSUS,
    PRINTED_DRIFT,
    PRINTED_NOISE,
    PRINTED_SHARPNESS,
    SHARED,
    SHARPNESS,
    SMOOTH_SAMPLES,
    UPHILL,
)
from theorylab.statements.dfedsgpsm._symbols import f_next, f_now, t
from theorylab.symbols import C, L, eta, q, x0_sq

_DESCENT = 2 * (f_now - f_next) / (a_tilde * eta)
_START = 6 * L**2 * C**2 * q ** (2 * t) * x0_sq

STATEMENT = Statement(
    id="dfedsgpsm.lem5_descent",
    source=Source("dfedsgpsm", "Proof 5, one round", "descent of one round"),
    experiment="local-rounds",
    quantity=Quantity("descent", "rows", (2, -2), r"E\|\nabla f(\bar{x}^t)\|^2"),
    versions={
        "printed": Version(
            terms={
                "descent": _DESCENT,
                "noise": PRINTED_NOISE,
                "client drift": PRINTED_DRIFT,
                "initial disagreement": _START,
                "consensus": PRINTED_CONSENSUS,
                "sharpness": PRINTED_SHARPNESS,
            },
            assumes=(*SHARED, *CAPS),
            constants={C: "C_row", q: "q_row"},
            checks=(Check("six-clients", CHORDS), Check("uphill", UPHILL, "VIOLATED")),
        ),
        "corrected": Version(
            terms={
                "descent": _DESCENT,
                "noise": NOISE,
                "client drift": DRIFT,
                "initial disagreement": _START,
                "consensus": CONSENSUS,
                "sharpness": SHARPNESS,
            },
            assumes=(*SHARED, SMOOTH_SAMPLES, CORRECTED_CAP),
            note="one round of Theorem 1's corrected proof",
            checks=(Check("six-clients", CHORDS), Check("uphill", UPHILL)),
        ),
    },
)
