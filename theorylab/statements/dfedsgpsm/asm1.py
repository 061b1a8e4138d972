r"""Assumption 1: bounded strong connectivity.

Printed: there is a window size B >= 1 such that the union of G(l), ..., G(l + B - 1) is strongly
connected for every l = 0, 1, 2, ...

Judged at every l of the rounds looked at, for the smallest window that does, if any: the union has
one strongly connected component. A static or periodic topology is settled by one period. A window
that is named too small is VIOLATED, which says nothing against "there is one": that check is a
control.
Satisfiable: any strongly connected static graph, B = 1.
"""

import sympy as sp

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases

STATEMENT = Statement(
    id="dfedsgpsm.asm1",
    source=Source("dfedsgpsm", "Assumption 1", "bounded strong connectivity"),
    experiment="network-matrices",
    quantity=Quantity(
        "components",
        "rows",
        (0, 0),
        r"\#\text{strong components of }\textstyle\bigcup_{k=l}^{l+B-1}G(k)",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"one": sp.Integer(1)},
            assumes=(),
            checks=(
                Check("one-peer-window-3", cases.ASM1_ONE_PEER),
                Check(
                    "one-peer-window-2",
                    {**cases.ASM1_ONE_PEER, "width": 2},
                    "VIOLATED",
                    control=True,
                ),
                Check("ring", {**cases.ASM1_ONE_PEER, "topology": {"name": "directed-ring"}}),
            ),
        ),
    },
)
