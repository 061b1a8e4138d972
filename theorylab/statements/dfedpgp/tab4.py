r"""Table 4 and what Section 5.3 says of it.

Printed: "DFedPGP achieves the best in both"; "DFedAvgM-P and DfedPGP outperform their full
personalization versions DFedAvgM and OSGP"; "DfedPGP and OSGP outperform their undirected versions
DFedAvgM-P and DFedAvgM". True. What stands in Table 1, too, is the same there.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, best, claim, said
from theorylab.statements.dfedpgp._tables import OURS, TABLE_1, TABLE_4

_PAIRS = (
    *(("DFedAvgM-P", "DFedAvgM"), (OURS, "OSGP")),  # partial personalization
    *((OURS, "DFedAvgM-P"), ("OSGP", "DFedAvgM")),  # directed communication
)

STATEMENT = Statement(
    id="dfedpgp.tab4",
    source=Source("dfedpgp", "Table 4, Section 5.3", "accuracies of an ablation on CIFAR-10"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(
            TABLE_4,
            [
                *(best(OURS, column) for column in ("Dir", "Pat")),
                *(
                    claim(f"{a} outperforms {b}, {c}", f"{a} | {c}", ">=", f"{b} | {c}")
                    for a, b in _PAIRS
                    for c in ("Dir", "Pat")
                ),
                *(
                    claim(f"{row} as in Table 1, {c}", f"{row} | {c}", "=", TABLE_1[row][cell])
                    for row in ("DFedAvgM", "OSGP", OURS)
                    for c, cell in (("Dir", "10-Dir.3"), ("Pat", "10-Pat2"))
                ),
            ],
        ),
    },
)
