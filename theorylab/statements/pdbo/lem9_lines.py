r"""What an edge's factor is bounded by in the proofs of Lemmas 7 and 9.

Printed: (delta / dbar - 1)^2 <= 1 + (1/dbar - 1)^2 <= 1/dbar^2 in Lemma 7 and in Lemma 9's X_B
(`printed`, and `printed/square` for the last step), but {1 + (1/dbar - 2)^2} in Lemma 9's X_A
(`printed/two`, Appendix C.4).

The first is true: the factor is -1 or 1/dbar - 1. So is the second, as dbar <= 1. With a 2,
1 + (1/dbar - 2)^2 = (1/dbar - 1)^2 + 4 - 2/dbar.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import TWO_FOR_ONE
from theorylab.statements.pdbo._symbols import edge_chance

_SWING = Quantity("swing", "rows", (0, 0), r"\max(\delta/\bar\delta-1)^2")
_CHANCE = (Assumption("a chance: dbar <= 1", rule=edge_chance <= 1),)
_HALF = {"network": {"name": "sto-d", "low": 0.4, "high": 0.8}, "rounds": [1]}
_RARE = {"network": {"name": "sto-d", "low": 0.05, "high": 0.45}, "rounds": [1]}

STATEMENT = Statement(
    id="pdbo.lem9_lines",
    source=Source("pdbo", "Lemmas 7, 9, proofs", "how far an edge's factor is from 1"),
    experiment="edge-estimates",
    quantity=_SWING,
    versions={
        "printed": Version(
            terms={"away": (1 / edge_chance - 1) ** 2, "absent": sp.Integer(1)},
            assumes=_CHANCE,
            note="Lemma 7, and X_B of Lemma 9",
            mends=(TWO_FOR_ONE,),
            checks=(Check("paper", _HALF), Check("rare", _RARE)),
        ),
        "printed/square": Version(
            terms={"square": edge_chance**-2},
            assumes=_CHANCE,
            note="the last step of both",
            checks=(Check("paper", _HALF), Check("rare", _RARE)),
        ),
        "printed/two": Version(
            terms={"away": (1 / edge_chance - 2) ** 2, "absent": sp.Integer(1)},
            assumes=_CHANCE,
            causes=(TWO_FOR_ONE,),
            note="X_A of Lemma 9",
            checks=(Check("rare", _RARE, "VIOLATED"),),
        ),
    },
)
