r"""Section 6.2 on PDBO-MTL&DA, measured: the best of all where there is no server.

Printed: "PDBO-MTL&DA outperformed on all fully-decentralized settings, that are, FixU, StoU, and
StoD". On StoD the rivals are all that Table 1 has there; on FixU they are SGP and FedEM alone. On
FixU it is open who is ahead of PDBO-MTL&DA and FedEM. FedEM takes its own best step size, and
PDBO that of the uniform ensemble. StoU is not run.
``_accuracy`` says what is run here, and what a verdict means.
"""

from __future__ import annotations

from theorylab.statements._accuracy import LEAD, ahead, pairs
from theorylab.statements._base import Source, Statement
from theorylab.statements.pdbo._accuracy import TABLE_1, concepts

_CLAIM = ["PDBO-MTL&DA"], ["SGP", "Local", "PDBO-DA", "PDBO-MTL"]

_FIX_U = ["SGP", "FedEM"]
_FIX_U_OPEN = ["PDBO-MTL&DA on FedEM"]

STATEMENT = Statement(
    id="pdbo.tab1_both",
    source=Source("pdbo", "Table 1, Section 6.2", "PDBO-MTL&DA is the best without a server"),
    experiment="pdbo-accuracy",
    quantity=LEAD,
    versions={
        "printed": ahead(
            [
                *pairs("concepts, StoD", concepts("sto-d"), *_CLAIM, ["PDBO-MTL&DA on PDBO-MTL"]),
                *pairs("concepts, FixU", concepts("fix-u"), _CLAIM[0], _FIX_U, _FIX_U_OPEN),
            ],
            TABLE_1,
        )
    },
)
