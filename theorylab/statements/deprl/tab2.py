r"""Table 2 and what "Generalization to New Workers" says of it.

Printed: "DePRL significantly outperforms all baselines in the generalization performance across all
communication graphs and varying levels of heterogeneity". True of all 36 columns and rows. The
least lead is 1.48, on CIFAR-100 with pi = .5 and FC, beside deviations of .1 and .2.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, claim, said
from theorylab.statements.deprl._tables import GRAPHS, TABLE_2

STATEMENT = Statement(
    id="deprl.tab2",
    source=Source("deprl", "Table 2, Generalization to New Workers", "accuracies on new workers"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(
            TABLE_2,
            [
                claim(f"DePRL over {b}, {row}, {g}", f"{row} | {g}:DePRL", ">=", f"{row} | {g}:{b}")
                for b in ("D-PSGD", "DisPFL")
                for row in TABLE_2
                for g in GRAPHS
            ],
        ),
    },
)
