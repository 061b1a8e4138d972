r"""Section 6.2 on the tenth percentile of the clients, measured.

Printed: "All our approaches improved accuracy at the 10% percentile from global model approaches
(SGP and FedProx) in all communication settings". Table 1 has FedProx on FC alone. ``_accuracy``
says what is run, and what a verdict means.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._accuracy import LEAD_LOW, ahead, pairs
from theorylab.statements.pdbo._accuracy import TABLE_1, concepts
from theorylab.statements.pdbo._tables import OURS

_OPEN = ["PDBO-DA on SGP"]

STATEMENT = Statement(
    id="pdbo.tab1_low",
    source=Source("pdbo", "Table 1, Section 6.2", "leads at the 10 % percentile of clients"),
    experiment="pdbo-accuracy",
    quantity=LEAD_LOW,
    versions={
        "printed": ahead(
            [
                *pairs(
                    "concepts, FC",
                    concepts("complete"),
                    OURS,
                    ["SGP", "FedProx"],
                    [*_OPEN, "PDBO-DA on FedProx"],
                ),
                *pairs("concepts, FixU", concepts("fix-u"), OURS, ["SGP"], _OPEN),
                *pairs("concepts, StoU", concepts("sto-u"), OURS, ["SGP"], _OPEN),
                *pairs("concepts, StoD", concepts("sto-d"), OURS, ["SGP"], _OPEN),
            ],
            TABLE_1,
        )
    },
)
