r"""Assumption 1: a doubly stochastic consensus matrix.

Printed: sum_j P_ij = sum_i P_ij = 1 for all i, j; below (7) P is nonnegative. The indices of the
second sum run over what the first has fixed, as must be.

Judged: every row and column sum, up to rounding (a network takes no negative weight). Satisfiable
(Metropolis weights). It does not make P^m tend to J, even on a connected graph: P_ij = 1/2 between
neighbours on a ring of four meets it, with eigenvalue -1. That P_ii > 0 is in Section 2 and (7);
the versions no-self-loops of ``thm1``, ``cor1`` and ``thm1_mixing`` show what it costs without.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._symbols import doubly
from theorylab.symbols import matrix_rounding

STATEMENT = Statement(
    id="deprl.asm1",
    source=Source("deprl", "Assumption 1", "doubly stochastic consensus matrix"),
    experiment="network-matrices",
    quantity=Quantity(
        "sums",
        "rows",
        (0, 0),
        r"\max(|1-\sum_j P_{i,j}|, |1-\sum_j P_{j,i}|)",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"rounding": matrix_rounding},
            assumes=(Assumption("Assumption 1", rule=sp.Eq(doubly, 1)),),
            checks=(
                Check("metropolis", cases.NETWORK, "HOLDS"),
                Check("ring-of-four", {**cases.NETWORK, "topology": cases.RING_OF_FOUR}, "HOLDS"),
                Check(
                    "column-stochastic",
                    {**cases.NETWORK, "topology": cases.UNEVEN},
                    "ASSUMPTION_FAILS",
                ),
            ),
        ),
    },
)
