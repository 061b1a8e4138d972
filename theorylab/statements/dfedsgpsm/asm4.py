r"""Assumption 4: bounded heterogeneity.

Printed: E||grad f_i(x) - grad f(x)||^2 <= sigma_g^2 for all x (and i); "this paper also assumes"
the average over i, (1/m) sum_i ||grad f_i(x) - grad f(x)||^2 <= sigma_g^2.

Readings. Nothing is random in the first, so E is void; the second follows from the first.
Satisfiable with different losses and bounded gradients (log cosh with other centers).
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.symbols import sigma_g

_FINITE = (Assumption("Assumption 4: sigma_g finite", finite=(sigma_g,)),)

STATEMENT = Statement(
    id="dfedsgpsm.asm4",
    source=Source("dfedsgpsm", "Assumption 4", "bounded heterogeneity"),
    experiment="drawn-points",
    quantity=Quantity("heterogeneity", "rows", (2, -2), r"\|\nabla f_i(x)-\nabla f(x)\|^2"),
    versions={
        "printed": Version(
            terms={"sigma_g^2": sigma_g**2},
            assumes=_FINITE,
            checks=(
                Check("log-cosh", cases.ASM4_SPREAD),
                Check("sin-sin", cases.ASM4_PERSONAL),
                Check("other-curvatures", cases.ASM4_CURVED, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/average": Version(
            terms={"sigma_g^2": sigma_g**2},
            assumes=_FINITE,
            quantity=Quantity(
                "mean_heterogeneity",
                "rows",
                (2, -2),
                r"\frac{1}{m}\sum_i\|\nabla f_i(x)-\nabla f(x)\|^2",
            ),
            note="the second sentence",
            checks=(Check("log-cosh", cases.ASM4_SPREAD),),
        ),
    },
)
