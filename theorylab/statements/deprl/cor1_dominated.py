r"""Corollary 1, text: which of the three orders decides.

Printed: "Since 1/(K sqrt N) and 1/(tau sqrt(NK)) are dominated by 1/sqrt(NK), DePRL ... achieves a
linear speedup".

A claim about the printed orders: each of the two over 1/sqrt(NK) grows along none of K, N and tau.
True: the quotients are 1/sqrt K, which falls, and 1/tau, which K and N are not in.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._symbols import tau
from theorylab.statements.deprl._theorem1 import ALL_STEPS, MEASURE, SHARED
from theorylab.symbols import T, n

_MAIN = 1 / sp.sqrt(n * T)


def _along(parameter: str) -> cases.Data:
    """What the runs do is no part of the claim, so few rounds will do."""
    return {
        **cases.RATE_ROUNDS,
        "problem": cases.DRAWN,
        "topology": {"name": "complete"},
        "rounds": 10**3,
        "sweep": {"parameter": parameter, "values": [2, 4, 8, 16], "set": cases.CHOSEN},
    }


def _version(left: sp.Expr, note: str) -> Version:
    return Version(
        terms={"no growth": sp.Integer(10) ** sp.Rational(1, 20)},
        assumes=(*SHARED, ALL_STEPS),
        order=Order(_MAIN, left=left),
        note=note,
        checks=(
            Check("rounds", cases.RATE_ROUNDS),
            Check("clients", _along("clients")),
            Check("tau", _along("algorithm.tau")),
        ),
    )


STATEMENT = Statement(
    id="deprl.cor1_dominated",
    source=Source("deprl", "Corollary 1, text", "two of its orders are dominated by the third"),
    algorithm="deprl",
    quantity=MEASURE,
    versions={
        "printed": _version(1 / (T * sp.sqrt(n)), "1/(K sqrt N)"),
        "printed/tau": _version(_MAIN / tau, "1/(tau sqrt(NK))"),
    },
)
