r"""(17): the gradient of F at a client's own z by that at ubar.

Printed: E||grad_u F(z_i^t, V^{t+1})||^2 <= L_u^2 E||ubar^t - z_i^t||^2 + E Delta_u^t.

Lemma 3 is proved with it.

Corrected: 2 (...), which two clients at 1 and 0 with F = u^2/2 attain.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import LOST_TWO
from theorylab.statements.dfedpgp._symbols import L_u, gradient, own_apart

_ASSUMES = (Assumption("Assumption 2 (smoothness)", finite=(L_u,)),)
_TERMS = {"disagreement": L_u**2 * own_apart, "gradient at the average": gradient}

STATEMENT = Statement(
    id="dfedpgp.eq17",
    source=Source("dfedpgp", "Eq. (17), proof of Lemma 3", "the gradient of F at z_i"),
    algorithm="dfedpgp",
    quantity=Quantity("dfedpgp.gradient_at_z", "rows", (2, -2), r"E\|\nabla_uF(z_i^t,V^{t+1})\|^2"),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            causes=(LOST_TWO,),
            checks=(
                Check("nearly-halfway", cases.HALFWAY, "VIOLATED"),
                Check("from-zero", cases.PULLED_ASIDE, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms={name: 2 * term for name, term in _TERMS.items()},
            assumes=_ASSUMES,
            note="twice as much",
            mends=(LOST_TWO,),
            checks=(
                Check("nearly-halfway", cases.HALFWAY),
                Check("from-zero", cases.PULLED_ASIDE),
                Check("three-clients", cases.ROUNDS),
                Check("signs", cases.SIGNS),
            ),
        ),
    },
)
