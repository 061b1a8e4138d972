r"""(25), first inequality: T_{2,u} by the squares of the local gradients.

Printed (times 2/L_u): ||ubar^{t+1} - ubar^t||^2 <= eta_u^2/m sum_i sum_{k<K_u} ||grad_u F_i(z_i^{t,
k}, v_i^{t+1}; xi_i)||^2.

For independent noise alone it would be right, which is why (32) survives with a minibatch a step.

Corrected: K_u eta_u^2/m (...), Cauchy-Schwarz over k and Jensen over i (columns of P sum to 1, so
ubar moves by the mean of the updates).
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt._causes import LOST_SQUARE
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import K_u, eta_u, gradient_sum

STATEMENT = Statement(
    id="dfedpgp.eq25",
    source=Source("dfedpgp", "Eq. (25), first inequality", "the square of a round's update"),
    algorithm="dfedpgp",
    quantity=Quantity("dfedpgp.square", "rows", (0, 2), r"E\|\bar u^{t+1}-\bar u^t\|^2"),
    versions={
        "printed": Version(
            terms={"squares": eta_u**2 * gradient_sum},
            assumes=(),
            causes=(LOST_SQUARE,),
            checks=(
                Check("long-walk", cases.LONG_WALK, "VIOLATED"),
                Check("one-step", cases.changed(cases.ROUNDS, steps_u=1)),
            ),
        ),
        "corrected": Version(
            terms={"squares": K_u * eta_u**2 * gradient_sum},
            assumes=(),
            note="K_u times the sum of squares",
            mends=(LOST_SQUARE,),
            checks=(
                Check("nearly-attained", cases.changed(cases.LONG_WALK, eta_u=1e-3)),
                Check("three-clients", cases.ROUNDS),
                Check("signs", cases.SIGNS),
            ),
        ),
    },
)
