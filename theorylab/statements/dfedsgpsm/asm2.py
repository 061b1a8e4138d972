r"""Assumption 2: L-smoothness.

Printed: ||grad f_i(x) - grad f_i(y)|| <= L ||x - y|| for all x, y and i ("non-convex function f_i":
convex ones are not excluded by the inequality, so they are instances; m is n).

Judged at drawn pairs, half of them close. L is the problem's own, exact or proven. Satisfiable.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.symbols import L

STATEMENT = Statement(
    id="dfedsgpsm.asm2",
    source=Source("dfedsgpsm", "Assumption 2", "smoothness"),
    experiment="drawn-points",
    quantity=Quantity(
        "slope", "rows", (1, -2), r"\|\nabla f_i(x)-\nabla f_i(y)\|/\|x-y\|", pathwise=True
    ),
    versions={
        "printed": Version(
            terms={"L": L},
            assumes=(Assumption("Assumption 2: L finite", finite=(L,)),),
            checks=(Check("log-cosh", cases.ASM2_SPREAD), Check("sin-sin", cases.ASM2_WAVY)),
        ),
    },
)
