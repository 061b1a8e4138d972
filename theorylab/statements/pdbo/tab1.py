r"""Table 1 and what Section 6.2 says of it.

Printed: "the ensemble-based approaches, FedEM, PDBO-MTL, and PDBO-MTL&DA performed the best on FC,
and PDBO-MTL&DA outperformed on all fully-decentralized settings"; "PDBO-DA improved the average
accuracy from SGP in all communication settings, it was especially effective when combined with
PDBO-MTL"; "All our approaches improved accuracy at the 10% percentile from global model approaches
(SGP and FedProx) in all communication settings". And Table 4's EMNIST column is Table 1's StoD.

Readings of "especially effective when combined". `printed`: with PDBO-MTL it is above PDBO-DA
alone, in every setting. `printed/gain`: what DA adds to PDBO-MTL is more than what it adds to SGP.
"""

from __future__ import annotations

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, claim, said
from theorylab.statements.pdbo._causes import DA_GAIN
from theorylab.statements.pdbo._tables import (
    BOTH,
    DA,
    DECENTRALIZED,
    MTL,
    NETWORKS,
    OURS,
    TABLE_1,
)

_ENSEMBLES = ("FedEM", MTL, BOTH)
_OTHERS = [f"{row} | FC" for row in TABLE_1 if row not in _ENSEMBLES]
_BEST = [
    *(
        claim(f"{row} is among the best, FC", f"{row} | FC", ">=", ["max", *_OTHERS])
        for row in _ENSEMBLES
    ),
    *(
        claim(f"best, {network}", f"{BOTH} | {network}", ">=", ["max", f"!{BOTH} | {network}"])
        for network in DECENTRALIZED
    ),
]
_DA = [claim(f"DA on SGP, {c}", f"{DA} | {c}", ">=", f"SGP | {c}") for c in NETWORKS]
_COMBINED = [claim(f"combined, {c}", f"{BOTH} | {c}", ">=", f"{DA} | {c}") for c in NETWORKS]
_PERCENTILE = [
    claim(f"{row} on {other} at 10 %, {c}", f"{row} | {c}10", ">=", f"{other} | {c}10")
    for row in OURS
    for c in NETWORKS
    for other in ("SGP", "FedProx")
    if f"{c}10" in TABLE_1[other]
]


def _gain(row: str, without: str, column: str) -> list[object]:
    return ["-", f"{row} | {column}", f"{without} | {column}"]


_GAINS = [
    claim(f"DA's gain, {c}", _gain(BOTH, MTL, c), ">=", _gain(DA, "SGP", c)) for c in NETWORKS
]

STATEMENT = Statement(
    id="pdbo.tab1",
    source=Source("pdbo", "Table 1, Section 6.2", "accuracies on EMNIST, and what is read off"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(TABLE_1, [*_BEST, *_DA, *_COMBINED, *_PERCENTILE], mends=(DA_GAIN,)),
        "printed/gain": said(
            TABLE_1,
            _GAINS,
            note="DA adds more to PDBO-MTL than to SGP",
            causes=(DA_GAIN,),
        ),
    },
)
