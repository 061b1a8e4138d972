r"""Table 6 and what Appendix C.3 says of it.

Printed: "in the Pathological-10 setting, DFedPGP achieves 49.16%, at least 1.81% and 7.08%
improvement from the CFL methods and DFL methods"; "in the Dirichlet-0.3 setting, almost all the
partial model personalized methods (i.e. FedPer, FedRep, DFedPGP except FedBABU) face a severe
performance degradation compared with the full model personalized methods (i.e. FedAvg, DFedAvgM,
OSGP)".

True. (The abstract's "state-of-the-art accuracy in both data and computation heterogeneity
scenarios" is judged by Table 1, ``tab1``.)
"""

from __future__ import annotations

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, claim, said
from theorylab.statements.dfedpgp._tables import CFL, DFL, OURS, TABLE_6


def _ahead_of(rows: tuple[str, ...], kind: str, by: str) -> dict[str, object]:
    others = ["max", *(f"{row} | Pat10" for row in rows)]
    return claim(f"{by}% from the {kind}", ["-", f"{OURS} | Pat10", others], ">=", by)


_FULL = ("FedAvg", "DFedAvgM", "OSGP")

STATEMENT = Statement(
    id="dfedpgp.tab6",
    source=Source("dfedpgp", "Table 6, Appendix C.3", "accuracies on Tiny-ImageNet"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(
            TABLE_6,
            [
                claim("DFedPGP achieves 49.16%", f"{OURS} | Pat10", "=", "49.16"),
                _ahead_of(CFL, "CFL methods", "1.81"),
                _ahead_of(DFL, "DFL methods", "7.08"),
                *(
                    claim(
                        f"{row} is below the full ones",
                        f"{row} | Dir.3",
                        "<=",
                        ["min", *(f"{full} | Dir.3" for full in _FULL)],
                    )
                    for row in ("FedPer", "FedRep", OURS)
                ),
            ],
        ),
    },
)
