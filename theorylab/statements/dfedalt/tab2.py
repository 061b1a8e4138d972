r"""Table 2 and what Section 5.2 says of it.

Printed: "DFedAlt achieves the fastest convergence speed among the comparison methods"; "the
difference between DFedAlt and DFedAvgM indicates that the convergence speed of alternate updating
is faster than uniform updating". True of all four columns. Rounds are counts.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, claim, said
from theorylab.statements.dfedalt._tables import TABLE_2

_CELLS = tuple(TABLE_2["DFedAlt"])

STATEMENT = Statement(
    id="dfedalt.tab2",
    source=Source("dfedalt", "Table 2, Section 5.2", "rounds to a target accuracy"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(
            TABLE_2,
            [
                *(
                    claim(f"fastest, {c}", f"DFedAlt | {c}", "<=", ["min", f"!DFedAlt | {c}"])
                    for c in _CELLS
                ),
                *(
                    claim(f"alternating, {c}", f"DFedAlt | {c}", "<=", f"DFedAvgM | {c}")
                    for c in _CELLS
                ),
            ],
            exact=True,
        ),
    },
)
