r"""(20) to (22): the descent of F over a round, the v-step by (21), the u-step by (22).

Printed: F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^t) = [F(ubar^t, V^{t+1}) - F(ubar^t, V^t)]
+ [F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})]                                            (20)
    <= 1/m sum_i [<grad_v F_i(ubar^t, v_i^t), v_i^{t+1} - v_i^t> + L_v/2 ||v_i^{t+1} - v_i^t||^2]
    + <grad_u F(ubar^t, V^{t+1}), ubar^{t+1} - ubar^t> + L_u/2 ||ubar^{t+1} - ubar^t||^2.  (21, 22)

True, for every realisation (the paper writes E in places), so that is what is judged: each half is
the descent lemma in one block.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import L_u, L_v, linear_part, moved_u, moved_v

STATEMENT = Statement(
    id="dfedpgp.eq22",
    source=Source("dfedpgp", "Eq. (20)-(22), (27)", "descent of F over a round"),
    algorithm="dfedpgp",
    quantity=Quantity(
        "dfedpgp.descent",
        "rows",
        (1, 0),
        r"F(\bar u^{t+1},V^{t+1})-F(\bar u^t,V^t)",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={
                "linear": linear_part,
                "v-step": L_v / 2 * moved_v,
                "u-step": L_u / 2 * moved_u,
            },
            assumes=(Assumption("Assumption 2 (smoothness)", finite=(L_u, L_v)),),
            checks=(
                Check("three-clients", cases.ROUNDS),
                Check("signs", cases.SIGNS),
                Check("one-batch", cases.SIGNS_ONE_BATCH),
            ),
        ),
    },
)
