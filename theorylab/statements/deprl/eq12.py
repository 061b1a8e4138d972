r"""Equation (12): the descent of f over one round.

Printed: E f(phibar(k+1), theta(k+1)) - E f(phibar(k), theta(k)) <= C_1 + C_2 + C_3 + C_4, with
C_1 = (1/N) sum_i E<grad_phi F_i(phibar(k), theta_i(k+1)), phibar(k+1) - phibar(k)>,
C_2 = (L/2) E||phibar(k+1) - phibar(k)||^2, C_3 = (1/N) sum_i E<grad_theta F_i(phibar(k),
theta_i(k)), theta_i(k+1) - theta_i(k)>, C_4 = (1/N) sum_i (L/2) E||theta_i(k+1) - theta_i(k)||^2.

True, and without the E, so that is what is judged, round by round: first theta moves at phibar(k),
then phibar at theta(k+1), and each half is the descent lemma in one block, whose gradient is
L-Lipschitz by Assumption 2. It holds under either reading of theta(k+1).
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._symbols import C1_term, C2_term, C3_term, C4_term, L

STATEMENT = Statement(
    id="deprl.eq12",
    source=Source("deprl", "Equation (12)", "descent of the global loss over a round"),
    algorithm="deprl",
    quantity=Quantity(
        "deprl.descent",
        "rows",
        (1, 0),
        r"f(\bar\phi(k+1),\{\theta_i(k+1)\})-f(\bar\phi(k),\{\theta_i(k)\})",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"C_1": C1_term, "C_2": C2_term, "C_3": C3_term, "C_4": C4_term},
            assumes=(Assumption("Assumption 2", finite=(L,)),),
            checks=(
                Check("sin-sin", cases.DESCENT),
                Check("coupled-quadratic", cases.DESCENT_COUPLED),
                Check("line-10", cases.changed(cases.DESCENT, head="printed")),
            ),
        ),
    },
)
