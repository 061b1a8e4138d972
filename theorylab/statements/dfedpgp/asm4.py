r"""Assumption 4: partial gradient diversity.

Printed: ||grad_u F_i(u_i, v_i) - grad_u F(u_i, V)||^2 <= sigma_g^2 for all u_i, V (one u_i in
both, every client a v_i of its own: V is any).

Satisfiable, by a coupling of bounded range: sin-sin, linear models on bounded features (logistic,
softmax: the data part of grad_u F_i is bounded whatever v_i is); and by quadratics without coupling
and with equal Hessians in u. A remark, and a control: of the quadratics that are coupled, m > 1, no
instance satisfies it. Let H_uv of client i be C_i != 0, and e with C_i e != 0: moving v_i by s e
alone moves grad_u F_i - grad_u F by s (1 - 1/m) C_i e, without bound. (For m = 1 it is 0.) The
paper does not speak of quadratics: a class of losses is no reading.

The paper's own models do not satisfy it either: a linear head v on features phi(u) with cross
entropy has grad_u F_i = J_phi(u)^T v^T (p - y); scaling the head of a misclassified sample scales
it, so that the supremum over V is infinite as soon as the others stay where they are.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version, Witness
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._symbols import L_uv, quadratic, sigma_g
from theorylab.symbols import n

_FINITE = Assumption("Assumption 4", finite=(sigma_g,))

STATEMENT = Statement(
    id="dfedpgp.asm4",
    source=Source("dfedpgp", "Assumption 4", "partial gradient diversity"),
    experiment="drawn-points",
    quantity=Quantity(
        "diversity",
        "rows",
        (2, -2),
        r"\|\nabla_uF_i(u,v_i)-\nabla_uF(u,V)\|^2",
        pathwise=True,
    ),
    versions={
        "printed": Version(
            terms={"diversity": sigma_g**2},
            assumes=(_FINITE,),
            checks=(
                Check("sin-sin", cases.PROBED, "HOLDS"),
                Check("coupled-quadratic", cases.PROBED_COUPLED, "ASSUMPTION_FAILS"),
            ),
        ),
        "control": Version(
            terms={"diversity": sigma_g**2},
            assumes=(_FINITE,),
            unsatisfiable=Witness(
                breaks="Assumption 4",
                facts=(
                    Assumption("the F_i are quadratics", rule=sp.Eq(quadratic, 1)),
                    Assumption("u and v are coupled", rule=L_uv > 0),
                    Assumption("more than one client", rule=n > 1),
                ),
                within="coupled quadratics, m > 1",
            ),
            note="a remark: the class of coupled quadratics, m > 1",
            checks=(
                Check("coupled-quadratic", cases.PROBED_COUPLED, "UNSATISFIABLE", control=True),
                Check("sin-sin", cases.PROBED, "INCONCLUSIVE", control=True),
                Check("one-client", cases.PROBED_ALONE, "INCONCLUSIVE", control=True),
            ),
        ),
    },
)
