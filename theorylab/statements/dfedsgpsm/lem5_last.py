r"""Proof 5, last step: "utilizing 0 < a~ < K/(1-alpha), we obtain the final result".

It replaces 2 (f(xbar^0) - f*) / (T a~ eta) by 2 (1-alpha) (f(xbar^0) - f*) / (T eta K), that is

    1/a~ <= (1-alpha)/K,

which is true at alpha = 0 alone. The ratio K/((1-alpha) a~) is 1/(1-alpha) at K = 1.

Corrected: 1/a~ <= 1/K, as every inner sum is at least 1 (equal at alpha = 0).
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm._causes import FIRST_TERM
from theorylab.symbols import K, alpha

_ASSUMES = (
    Assumption("Algorithm 1, line 10: alpha >= 0", rule=alpha >= 0),
    Assumption("Algorithm 1, line 10: alpha < 1", rule=alpha < 1),
)

STATEMENT = Statement(
    id="dfedsgpsm.lem5_last",
    source=Source("dfedsgpsm", "Proof 5, last step", "1/a~ against (1-alpha)/K"),
    experiment="momentum-sums",
    quantity=Quantity("inverse", "rows", (0, 0), r"1/\tilde\alpha"),
    versions={
        "printed": Version(
            terms={"replacement": (1 - alpha) / K},
            assumes=_ASSUMES,
            causes=(FIRST_TERM,),
            checks=(
                Check("momentum", {"alphas": [0.5, 0.9, 0.99]}, "VIOLATED"),
                Check("no-momentum", {"alphas": [0.0], "steps": [1, 2, 4, 64]}),
            ),
        ),
        "corrected": Version(
            terms={"replacement": 1 / K},
            assumes=_ASSUMES,
            note="1/K, which holds for every alpha",
            mends=(FIRST_TERM,),
            checks=(
                Check("momentum", {"alphas": [0.5, 0.9, 0.99], "steps": [1, 2, 4, 64]}),
                Check("no-momentum", {"alphas": [0.0], "steps": [1, 2, 4, 64]}),
            ),
        ),
    },
)
