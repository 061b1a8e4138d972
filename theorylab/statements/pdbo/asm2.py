r"""Assumption 2: the graph of mean weights is strongly connected.

Printed (Section 3): "A graph with edge set {(i, j) | E_{delta_i}[p_ij(delta_i)] > 0, i, j
in [n]} is strongly connected." Checked: the number of ordered pairs of clients without a path is 0.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._symbols import cut_off

CONNECTED = Assumption("Assumption 2 (strongly connected in the mean)", rule=sp.Eq(cut_off, 0))
_PATH = {"name": "edge-list", "edges": [[0, 1], [1, 2]], "allow_disconnected": True}

STATEMENT = Statement(
    id="pdbo.asm2",
    source=Source("pdbo", "Assumption 2", "the graph of mean weights is strongly connected"),
    experiment="hgp-network",
    quantity=Quantity("cut_off", "rows", (0, 0), r"\#\{(i,j): i \not\leadsto j\}"),
    versions={
        "printed": Version(
            terms={"none": sp.Rational(1, 2)},  # a count below 1
            assumes=(CONNECTED,),
            checks=(
                Check("sto-d", {"network": {"name": "sto-d"}, "clients": 5}),
                Check("directed-ring", {"network": {"name": "directed-ring"}, "clients": 4}),
                Check("one-way-path", {"network": _PATH, "clients": 3}, "ASSUMPTION_FAILS"),
            ),
        )
    },
)
