r"""Section 6.2 on PDBO-MTL&DA, measured: the best of all where there is no server.

Printed: "PDBO-MTL&DA outperformed on all fully-decentralized settings, that are, FixU, StoU, and
StoD". The rivals are all that Table 1 has on each of the three.
``_accuracy`` says what is run here, and what a verdict means.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._accuracy import LEAD, ahead, pairs
from theorylab.statements.pdbo._accuracy import TABLE_1, concepts

_BEST, _RIVALS = ["PDBO-MTL&DA"], ["SGP", "Local", "PDBO-DA", "PDBO-MTL"]
_OPEN = ["PDBO-MTL&DA on Local", "PDBO-MTL&DA on PDBO-MTL"]
_ALL, _FIX_U_OPEN = [*_RIVALS, "FedEM"], ["PDBO-MTL&DA on FedEM", "PDBO-MTL&DA on PDBO-MTL"]

STATEMENT = Statement(
    id="pdbo.tab1_both",
    source=Source("pdbo", "Table 1, Section 6.2", "PDBO-MTL&DA is the best without a server"),
    experiment="pdbo-accuracy",
    quantity=LEAD,
    versions={
        "printed": ahead(
            [
                *pairs("concepts, FixU", concepts("fix-u"), _BEST, _ALL, _FIX_U_OPEN),
                *pairs("concepts, StoU", concepts("sto-u"), _BEST, _RIVALS, _OPEN),
                *pairs("concepts, StoD", concepts("sto-d"), _BEST, _RIVALS, _OPEN),
            ],
            TABLE_1,
        )
    },
)
