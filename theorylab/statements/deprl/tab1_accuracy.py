r"""The text "Testing Accuracy" on Table 1, measured: DePRL outperforms D-PSGD and DisPFL.

Printed: "DePRL always outperforms DisPFL"; "the superior performance of DePRL over D-PSGD and
DisPFL is consistent and robust over all communication graphs". The graph here is a random one.
``_rivals`` has the methods as they are run here, and ``statements._accuracy`` says what a verdict
means. The experiment counts steps, not epochs, so no instance of it is the paper's own setting.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._accuracy import LEAD, ahead, pairs
from theorylab.statements._rivals import DIRICHLET, PATHOLOGICAL, setting
from theorylab.statements.deprl import _instances as cases

_RIVALS = ["D-PSGD", "Dis-PFL"]
_OPEN = ["DePRL on Dis-PFL"]

STATEMENT = Statement(
    id="deprl.tab1_accuracy",
    source=Source("deprl", "Table 1, Testing Accuracy", "DePRL outperforms D-PSGD and DisPFL"),
    experiment="method-accuracy",
    quantity=LEAD,
    versions={
        "printed": ahead(
            [
                *pairs("dirichlet", setting(DIRICHLET), ["DePRL"], _RIVALS, _OPEN),
                *pairs("pathological", setting(PATHOLOGICAL), ["DePRL"], _RIVALS, _OPEN),
            ],
            cases.TAB1_ACCURACY_OWN,
        )
    },
)
