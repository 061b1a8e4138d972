r"""Table 3 and what Section 5.2 says of it.

Printed: "DFedPGP achieves the best compared with the other baselines"; "FedRep is the best PFL
method encountering the computation heterogeneous challenge in CFL". The text says that the table is
about Dirichlet-0.3, and the table has a row Pat, too.

DFedPGP is best in both rows. FedRep is best in CFL in the row Dir, of which the sentence speaks;
in the row Pat FedPer is.
"""

from __future__ import annotations

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, best, claim, said
from theorylab.statements.dfedpgp._tables import CFL, OURS, TABLE_3


def _best_in_cfl(column: str) -> dict[str, object]:
    others = [f"{row} | {column}" for row in CFL if row != "FedRep"]
    return claim(f"FedRep is best in CFL, {column}", f"FedRep | {column}", ">=", ["max", *others])


STATEMENT = Statement(
    id="dfedpgp.tab3",
    source=Source("dfedpgp", "Table 3, Section 5.2", "accuracies with clients of different speed"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(TABLE_3, [best(OURS, "Dir"), best(OURS, "Pat"), _best_in_cfl("Dir")]),
    },
)
