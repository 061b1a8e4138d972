r"""Table 1 and what "Testing Accuracy" says of it.

Printed: "D-PSGD performs worse in non-IID settings"; "DisPFL ... significantly improves the
performance of D-PSGD, DePRL always outperforms DisPFL"; "Compared to CIFAR-10, the data
heterogeneity across workers are further increased ... This observation makes our ... DePRL even
pronounced", read as a larger lead over DisPFL on CIFAR-100 than on CIFAR-10 with the same pi and
graph; "the superior performance of DePRL over D-PSGD and DisPFL is consistent and robust over all
communication graphs". True of all 36 columns and rows.

`printed/d-psgd`: "the state-of-the-art D-PSGD performs worse in non-IID settings", read along pi,
Dir(pi), which is more uneven the smaller pi is: D-PSGD's accuracy does not fall as pi grows. True.
"""

from __future__ import annotations

from theorylab.statements import Source, Statement
from theorylab.statements._tables import OFF, claim, said
from theorylab.statements.deprl._tables import GRAPHS, TABLE_1


def _lead(row: str, graph: str) -> list[object]:
    return ["-", f"{row} | {graph}:DePRL", f"{row} | {graph}:DisPFL"]


_PI = (".1", ".3", ".5")
_SETS = tuple(dict.fromkeys(row.partition(":")[0] for row in TABLE_1))

STATEMENT = Statement(
    id="deprl.tab1",
    source=Source("deprl", "Table 1, Testing Accuracy", "accuracies by graph and heterogeneity"),
    experiment="printed-table",
    quantity=OFF,
    versions={
        "printed": said(
            TABLE_1,
            [
                *(
                    claim(f"{a} over {b}, {row}, {g}", f"{row} | {g}:{a}", ">=", f"{row} | {g}:{b}")
                    for a, b in (("DisPFL", "D-PSGD"), ("DePRL", "DisPFL"), ("DePRL", "D-PSGD"))
                    for row in TABLE_1
                    for g in GRAPHS
                ),
                *(
                    claim(
                        f"pronounced on CIFAR-100, {pi}, {g}",
                        _lead(f"CIFAR-100:{pi}", g),
                        ">=",
                        _lead(f"CIFAR-10:{pi}", g),
                    )
                    for pi in _PI
                    for g in GRAPHS
                ),
            ],
        ),
        "printed/d-psgd": said(
            TABLE_1,
            [
                claim(
                    f"D-PSGD, {name}, {g}, pi = {low} and {high}",
                    f"{name}:{high} | {g}:D-PSGD",
                    ">=",
                    f"{name}:{low} | {g}:D-PSGD",
                )
                for name in _SETS
                for g in GRAPHS
                for low, high in ((".1", ".3"), (".3", ".5"))
            ],
            note="along pi",
        ),
    },
)
