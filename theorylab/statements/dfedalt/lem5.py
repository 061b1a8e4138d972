r"""Lemma 5: how far apart the shared parts are in DFedAlt.

Printed (Assumptions 1-3, "for all ... k in {1, ..., K_u}", a letter that does not occur):

    (1/m) sum_i E||u_i^t - ubar^t||^2 <= 18 eta_u^2 K_u^2/(1-lambda)^2 (sigma_u^2 + delta^2
        + (1/m) sum_i E||grad_u F(u_i^t, V^{t+1})||^2).

Readings. `printed`: Algorithm 1's "randomly initialize each device's shared parameters u_i^0".
`printed/together`: all u_i^0 equal, as the proof needs, which drops W^t U^0. `printed/display`: the
proof's last display, which has lost the m of the one before it: ||U^t - P U^t||^2, the sum over i
without 1/m, against the same right side. `printed/cap`: equal starts and Theorem 1's step size.

The sum over i of the last display is off by m lambda^2/18 at most: ring, heterogeneity along its
slowest mode, eta_u K_u L_u << 1 - lambda. Equal starts alone do not save the lemma: Lemma 3 needs a
small step, and the gradient is that of round t where those of j < t are meant. Two clients whose
gradients differ by 2 delta, at a maximum of F = A u^2/2 + r (1 - cos u): eta L = 8.4 throws them
apart, and after four steps both are where F has no slope. (With quadratics this cannot be: per
eigenvalue h of a common H_uu, eta h < 2 bounds a step by eta K delta, and eta h >= 2 makes the
gradient's term at least 72 times the left side.) In the proof's first display the second line lacks
its square, E is lost in the second and third; zeta^j is never defined: read W(Z^j - U^j), Z^j after
the steps.

True with equal starts, one minibatch a step and the cap, without any gradient: see
``_disagreement``, "by the differences".

Corrected, by the steps and by the differences, for any start; G = max_{j<t} G_j, q = lambda
(1 + eta L_u)^K < 1 in the second, any step size in the first:

    D_t <= ( lambda^t sqrt(D_0) + lambda/(1-lambda)
             sqrt(3 (1 + eta L_u)^{2K} eta^2 (K^2 (delta^2 + G) + K sigma_u^2)) )^2,
    D_t <= ( q^t sqrt(D_0) + q/(1-q) sqrt(2 eta^2 (K^2 delta^2 + K sigma_u^2)) )^2.

lambda/(1-lambda) for 1/(1-lambda): nothing is apart after complete averaging. At t = 0 both sides
are equal; judged up to rounding.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import FRESH, GRAPH, PAPER, TOGETHER
from theorylab.statements.dfedalt._causes import LOST_M, NO_CAP, STARTS
from theorylab.statements.dfedalt._disagreement import (
    DIFFERENCES_ASSUME,
    PRINTED,
    SPREAD,
    STEPS_ASSUME,
    by_differences,
    by_steps,
)
from theorylab.statements.dfedalt._readings import random_starts
from theorylab.statements.dfedalt._symbols import G_past, K_u, delta, sigma_u
from theorylab.statements.dfedalt.lem3 import CAP

_NOISE = K_u * sigma_u**2
CORRECTED = by_steps(3, K_u**2 * (delta**2 + G_past) + _NOISE)
STEADY = by_differences(2, K_u**2 * delta**2 + _NOISE)

STATEMENT = Statement(
    id="dfedalt.lem5",
    source=Source("dfedalt", "Lemma 5", "disagreement of the shared parts"),
    algorithm="dfedalt",
    quantity=SPREAD,
    versions={
        "printed": random_starts(PRINTED, cases),
        "printed/together": Version(
            terms=PRINTED,
            assumes=(*PAPER, GRAPH, TOGETHER),
            note="all u_i^0 equal",
            causes=(NO_CAP,),
            mends=(STARTS, LOST_M),
            checks=(
                Check("unstable", cases.UNSTABLE, "VIOLATED", carries="eta_u L_u = 8.4"),
                Check("starts-apart", cases.APART, "ASSUMPTION_FAILS"),
                Check("sin-sin", cases.SINES),
                Check("signs", cases.TWO_ROUNDS),
                Check("slow-mode", cases.SLOW_MODE),
            ),
        ),
        "printed/display": Version(
            terms=PRINTED,
            assumes=(*PAPER, GRAPH, TOGETHER),
            quantity=Quantity("dfedalt.spread_sum", "rows", (0, 2), r"E\|U^t-\mathbf{P}U^t\|^2"),
            note="the sum over i, as the proof's last display",
            causes=(LOST_M,),
            mends=(STARTS,),
            checks=(Check("slow-mode", cases.SLOW_MODE, "VIOLATED"),),
        ),
        "printed/cap": Version(
            terms=PRINTED,
            assumes=(*PAPER, GRAPH, TOGETHER, FRESH, CAP),
            note="equal starts, eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u)",
            mends=(STARTS, NO_CAP, LOST_M),
            checks=(
                Check("sin-sin", cases.SMALL_STEPS),
                Check("signs", cases.LEM5_FINE),
                Check("slow-mode", cases.SLOW_MODE),
            ),
        ),
        "corrected": Version(
            terms=CORRECTED,
            assumes=STEPS_ASSUME,
            note="any start, any step size, the gradients before t",
            mends=(STARTS, NO_CAP, LOST_M),
            checks=(
                Check("starts-apart", cases.APART),
                Check("unstable", cases.UNSTABLE),
                Check("sin-sin", cases.SINES),
                Check("signs", cases.TWO_ROUNDS),
                Check("slow-mode", cases.SLOW_MODE),
            ),
        ),
        "corrected/no-gradient": Version(
            terms=STEADY,
            assumes=DIFFERENCES_ASSUME,
            note="any start, lambda (1 + eta_u L_u)^K_u < 1",
            mends=(STARTS, NO_CAP, LOST_M),
            checks=(
                Check("starts-apart", cases.changed(cases.APART, eta_u=0.005)),
                Check("sin-sin", cases.SMALL_STEPS),
                Check("signs", cases.TWO_ROUNDS),
                Check("slow-mode", cases.SLOW_MODE),
            ),
        ),
    },
)
