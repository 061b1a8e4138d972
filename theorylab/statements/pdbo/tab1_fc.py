r"""Section 6.2 on the ensembles, measured: above every other row of Table 1 on FC.

Printed: "the ensemble-based approaches, FedEM, PDBO-MTL, and PDBO-MTL&DA performed the best on FC".
Each of the three is held against all seven rivals of that column.
``_accuracy`` says what is run here, and what a verdict means.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._accuracy import LEAD, ahead, pairs
from theorylab.statements.pdbo._accuracy import TABLE_1, concepts

_ENSEMBLES = ["FedEM", "PDBO-MTL", "PDBO-MTL&DA"]
_RIVALS = ["SGP", "FedProx", "Local", "FedAvg+", "Clustered-FL", "pFedMe", "PDBO-DA"]
_OPEN = [f"{m} on {r}" for m in _ENSEMBLES for r in ("Local", "Clustered-FL")]

STATEMENT = Statement(
    id="pdbo.tab1_fc",
    source=Source("pdbo", "Table 1, Section 6.2", "the ensembles are the best on FC"),
    experiment="pdbo-accuracy",
    quantity=LEAD,
    versions={
        "printed": ahead(
            [
                *pairs("concepts, FC", concepts("complete"), _ENSEMBLES, _RIVALS, _OPEN),
            ],
            TABLE_1,
        )
    },
)
