r"""Section 5.2 on Table 2, measured: DFedAlt needs the fewest rounds to a target.

Printed: "DFedAlt achieves the fastest convergence speed among the comparison methods". The target
here is 80 % of the test samples.
``_rivals`` has the methods as they are run here, and ``statements._accuracy`` says what a verdict
means. The experiment counts steps, not epochs, so no instance of it is the paper's own setting.
"""

from theorylab.statements import Source, Statement
from theorylab.statements._accuracy import ROUNDS_SAVED, ahead, pairs
from theorylab.statements._rivals import CIFAR10, DIRICHLET, FEW, PATHOLOGICAL, setting
from theorylab.statements.dfedalt.tab1_accuracy import RIVALS

_OPEN = [f"DFedAlt on {r}" for r in ("Local", "DFedAvgM", "Dis-PFL")]
# On DFedAvgM the lower limit is a fraction of a round: float32 on another machine may undo it.
_FEW = [r for r in FEW if r != "DFedAvgM"]
_FEW_OPEN = [f"DFedAlt on {r}" for r in _FEW]

STATEMENT = Statement(
    id="dfedalt.tab2_rounds",
    source=Source("dfedalt", "Table 2, Section 5.2", "DFedAlt is the fastest to a target"),
    experiment="method-accuracy",
    quantity=ROUNDS_SAVED,
    versions={
        "printed": ahead(
            [
                *pairs("dirichlet", setting(DIRICHLET), ["DFedAlt"], [*RIVALS, "DFedSalt"], _OPEN),
                *pairs("pathological", setting(PATHOLOGICAL), ["DFedAlt"], _FEW, _FEW_OPEN),
            ],
            CIFAR10,
        )
    },
)
