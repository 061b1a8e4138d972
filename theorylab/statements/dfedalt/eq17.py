r"""Equation (17): the term T_3,v, the disagreement by gradients at the average.

Printed, "according to Eq. (11)", both sides over L_vu^2/2:

    (1/m) sum_i E||ubar^t - u_i^t||^2 <= 36 eta_u^2 K_u^2/(1-lambda)^2 (sigma_u^2 + delta^2
                                                                        + 2 E Delta_u).

Readings. `printed`: (11)'s cap to the letter, starts as Algorithm 1 draws them. `printed/together`:
equal starts. `printed/cap`: equal starts, the root over 2 alone, one minibatch a step.

It fails where Lemma 5 does, of equal starts, too: Lemma 5's counterexample satisfies the cap's
letter in other units. Its two clients are thrown apart by eta_u L_u = 8.4 in 4 steps; at their
average, the maximum that they came from, F has no slope. The letter is a cap on eta_u^2 K_u L_u:
with losses 1e9 times as large, and steps as much smaller, that is 1e9 times less.

`printed/cap` is true: ``_disagreement``, by the differences, 3.43 of 36, without any gradient.
Corrected: ``lem5`` [corrected/no-gradient].
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import FRESH, GRAPH, PAPER, TOGETHER
from theorylab.statements.dfedalt._causes import NO_CAP, STARTS
from theorylab.statements.dfedalt._disagreement import DIFFERENCES_ASSUME, SPREAD
from theorylab.statements.dfedalt._readings import AT_ZERO, with_ones
from theorylab.statements.dfedalt._symbols import Delta_u, K_u, eta_u
from theorylab.statements.dfedalt._theorem1 import GAP, LETTER, S
from theorylab.statements.dfedalt.lem3 import CAP
from theorylab.statements.dfedalt.lem5 import STEADY

_FRONT = 36 * eta_u**2 * K_u**2 / GAP
PRINTED: dict[str, sp.Expr] = {"noise and diversity": _FRONT * S, "Delta_u": 2 * _FRONT * Delta_u}

STATEMENT = Statement(
    id="dfedalt.eq17",
    source=Source("dfedalt", "Equation (17)", "the term T_3,v"),
    algorithm="dfedalt",
    quantity=SPREAD,
    versions={
        "printed": with_ones(
            PRINTED,
            {"opposed": cases.OPPOSED},
            {"sin-sin": cases.SMALL_STEPS},
            note="eta_u <= (1-lambda)/(3 sqrt(2 K_u L_u)), u_i^0 as Algorithm 1 draws them",
            causes=(STARTS,),
            carries=AT_ZERO,
        ),
        "printed/together": with_ones(
            PRINTED,
            {"unstable": cases.UNSTABLE_UNITS},
            {"sin-sin": cases.SMALL_STEPS},
            assumes=(*LETTER, TOGETHER),
            note="the same, all u_i^0 equal",
            causes=(NO_CAP,),
            mends=(STARTS,),
            carries="the cap's root over K_u L_u, L_u = 1.05e9, eta_u L_u = 8.4",
        ),
        "printed/cap": Version(
            terms=PRINTED,
            assumes=(*PAPER, GRAPH, TOGETHER, FRESH, CAP),
            note="eta_u <= (1-lambda)/(3 sqrt(2) K_u L_u), equal starts",
            mends=(STARTS, NO_CAP),
            checks=(
                Check("sin-sin", cases.SMALL_STEPS),
                Check("slow-mode", cases.SLOW_MODE),
            ),
        ),
        "corrected": Version(
            terms=STEADY,
            assumes=DIFFERENCES_ASSUME,
            note="any start, lambda (1 + eta_u L_u)^K_u < 1",
            mends=(STARTS, NO_CAP),
            checks=(
                Check("sin-sin", cases.SMALL_STEPS),
                Check("slow-mode", cases.SLOW_MODE),
                Check("opposed", cases.OPPOSED),
                Check("starts-apart", cases.changed(cases.APART, eta_u=0.005)),
            ),
        ),
    },
)
