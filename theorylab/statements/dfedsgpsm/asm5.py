r"""Assumption 5: bounded gradient.

Printed: ||grad f_i(x)|| <= B for any i (and, as it must be, every x).

Satisfiable together with Assumptions 1 to 4: log cosh with other centers. It excludes every loss
with a strongly convex part, so weight decay, and makes f_i Lipschitz; Assumption 4 then holds with
sigma_g = 2B and adds nothing. Quadratics fail it.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.symbols import B

STATEMENT = Statement(
    id="dfedsgpsm.asm5",
    source=Source("dfedsgpsm", "Assumption 5", "bounded gradient"),
    experiment="drawn-points",
    quantity=Quantity("gradient", "rows", (1, -1), r"\|\nabla f_i(x)\|"),
    versions={
        "printed": Version(
            terms={"B": B},
            assumes=(Assumption("Assumption 5: B finite", finite=(B,)),),
            checks=(
                Check("log-cosh", cases.ASM5_SPREAD),
                Check(
                    "quadratic",
                    {**cases.ASM5_SPREAD, "problem": {"name": "quadratic", "dim": 2}},
                    "ASSUMPTION_FAILS",
                ),
            ),
        ),
    },
)
