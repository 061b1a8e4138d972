r"""Section 6.2 on PDBO-DA, measured: "PDBO-DA improved the average accuracy from SGP".

Printed: "Although PDBO-DA improved the average accuracy from SGP in all communication settings".
Table 1 has .7, .7, 1.2 and 1.1 points. ``_accuracy`` says what is run here, and what a verdict
means. Nothing in Section 6.2 is about wrong labels; there PDBO-DA could pick the clean classes.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._accuracy import LEAD, ahead, pairs
from theorylab.statements.pdbo._accuracy import TABLE_1, dirichlet, wrong_labels

_CLAIM = ["PDBO-DA"], ["SGP"]
_OPEN = ["PDBO-DA on SGP"]

STATEMENT = Statement(
    id="pdbo.tab1_da",
    source=Source("pdbo", "Table 1, Section 6.2", "PDBO-DA improves on SGP in every network"),
    experiment="pdbo-accuracy",
    quantity=LEAD,
    versions={
        "printed": ahead(
            [
                *pairs("dirichlet, FC", dirichlet("complete"), *_CLAIM, _OPEN),
                *pairs("dirichlet, FixU", dirichlet("fix-u"), *_CLAIM, _OPEN),
                *pairs("dirichlet, StoU", dirichlet("sto-u"), *_CLAIM, _OPEN),
                *pairs("dirichlet, StoD", dirichlet("sto-d"), *_CLAIM, _OPEN),
                *pairs("wrong labels, StoD", wrong_labels("sto-d"), *_CLAIM, _OPEN),
            ],
            TABLE_1,
        )
    },
)
