r"""Assumption 6: edges go both ways, or neither, in the mean.

Printed (Section 4.2): "If dbar_{j->i} > 0, then dbar_{i->j} > 0 and vice versa." Checked:
the number of ordered pairs with dbar_{j->i} > 0 = dbar_{i->j} is 0. Without it a message can be
sent whose answer never arrives, and pbar_ij / dbar_{j->i} divides by zero. It excludes directed
rings and exponential graphs; "directed" networks remain those whose two ways are drawn separately.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._symbols import one_way

BOTH_WAYS = Assumption("Assumption 6 (edges both ways in the mean)", rule=sp.Eq(one_way, 0))

STATEMENT = Statement(
    id="pdbo.asm6",
    source=Source("pdbo", "Assumption 6", "dbar_{j->i} > 0 iff dbar_{i->j} > 0"),
    experiment="hgp-network",
    quantity=Quantity(
        "one_way", "rows", (0, 0), r"\#\{(i,j): \bar\delta_{j\to i} > 0 = \bar\delta_{i\to j}\}"
    ),
    versions={
        "printed": Version(
            terms={"none": sp.Rational(1, 2)},  # a count below 1
            assumes=(BOTH_WAYS,),
            checks=(
                Check("sto-d", {"network": {"name": "sto-d"}, "clients": 5}),
                Check("complete", {"network": {"name": "complete"}, "clients": 4}),
                Check(
                    "directed-ring",
                    {"network": {"name": "directed-ring"}, "clients": 4},
                    "ASSUMPTION_FAILS",
                ),
            ),
        )
    },
)
