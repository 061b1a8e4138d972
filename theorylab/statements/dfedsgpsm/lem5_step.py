r"""Proof 5: "Assuming that 0 < eta_l < 1/(KL). Then a~ eta_l - L eta_l^2 a~^2 > 0."

Judged as L eta a~ < 1, which is the same. As alpha -> 1 L eta a~ grows to (K+1)/2. Under Lemma 3's
cap as well, L eta a~ < a~/(8K) <= (K+1)/16: true for K <= 15, and false again from K = 16 on.

Corrected: eta <= (1-alpha)/(KL), as a~ <= K/(1-alpha) (``lem4_weight``). Without momentum that is
the printed cap. (The exact condition, eta < 1/(L a~), says the same as the conclusion.)
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm._causes import STEP_CAP
from theorylab.symbols import K, L, alpha, eta

_INPUTS = (
    Assumption("Algorithm 1, input: eta_l > 0", rule=eta > 0),
    Assumption("Algorithm 1, line 10: alpha >= 0", rule=alpha >= 0),
    Assumption("Algorithm 1, line 10: alpha < 1", rule=alpha < 1),
)
_ONE = {"one": sp.Integer(1)}
_MOMENTUM = {"steps": [1, 2, 3, 10, 100], "alphas": [0.0, 0.5, 0.9, 0.99], "share": 0.99}

STATEMENT = Statement(
    id="dfedsgpsm.lem5_step",
    source=Source("dfedsgpsm", "Proof 5, step size", "a~ eta - L eta^2 a~^2 > 0"),
    experiment="momentum-sums",
    quantity=Quantity("step", "rows", (0, 0), r"L\eta_l\tilde\alpha"),
    versions={
        "printed": Version(
            terms=_ONE,
            assumes=(*_INPUTS, Assumption("Proof 5: eta_l < 1/(KL)", rule=eta < 1 / (K * L))),
            causes=(STEP_CAP,),
            checks=(
                Check("momentum", _MOMENTUM, "VIOLATED"),
                Check("two-steps", {"steps": [2], "alphas": [0.1], "share": 0.99}, "VIOLATED"),
                Check("no-momentum", {"alphas": [0.0]}),
                Check("step-above-cap", {"share": 1.5}, "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms=_ONE,
            assumes=(
                *_INPUTS,
                Assumption("corrected: eta_l <= (1-alpha)/(KL)", rule=eta <= (1 - alpha) / (K * L)),
            ),
            note="the cap knows of momentum",
            mends=(STEP_CAP,),
            checks=(
                Check("small", {"share": 0.0099}),
                Check("at-the-cap", {"alphas": [0.875], "steps": [1, 4, 64], "share": 0.125}),
                Check("step-above-cap", _MOMENTUM, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
