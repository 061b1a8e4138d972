r"""Section 6.2 on the ensembles, measured: above SGP, Local and PDBO-DA on the complete network.

Printed: "the ensemble-based approaches, FedEM, PDBO-MTL, and PDBO-MTL&DA performed the best on FC".
Each of the three is held against the one model of SGP and PDBO-DA, and against training alone:
three of the seven rivals of that column. FedAvg+, FedProx, Clustered-FL and pFedMe are not met.
``_accuracy`` says what is run here, and what a verdict means.
"""

from __future__ import annotations

from theorylab.statements._accuracy import LEAD, ahead, pairs
from theorylab.statements._base import Source, Statement
from theorylab.statements.pdbo._accuracy import TABLE_1, concepts

_ENSEMBLES, _RIVALS = ["FedEM", "PDBO-MTL", "PDBO-MTL&DA"], ["SGP", "Local", "PDBO-DA"]

STATEMENT = Statement(
    id="pdbo.tab1_fc",
    source=Source("pdbo", "Table 1, Section 6.2", "ensembles on FC: best of SGP, Local, PDBO-DA"),
    experiment="pdbo-accuracy",
    quantity=LEAD,
    versions={
        "printed": ahead(
            [
                *pairs("concepts, FC", concepts("complete"), _ENSEMBLES, _RIVALS),
            ],
            TABLE_1,
        )
    },
)
