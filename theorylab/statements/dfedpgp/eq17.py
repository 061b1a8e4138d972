r"""(17): the gradient of F at a client's own z by that at ubar.

Printed: E||grad_u F(z_i^t, V^{t+1})||^2 <= L_u^2 E||ubar^t - z_i^t||^2 + E Delta_u^t.

False: ||a + b||^2 is at most 2 ||a||^2 + 2 ||b||^2, and here a = grad F(z_i) - grad F(ubar), b =
grad F(ubar) point the same way whenever z_i is on the far side of ubar from the minimum. Two
clients at 1 and 0, F = u^2/2: 1 on the left, 1/4 + 1/4 on the right. Lemma 3 is proved with it.

Corrected: 2 (...), which that instance attains.
"""

from __future__ import annotations

from theorylab.statements._base import Assumption, Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements._severity import Severity
from theorylab.statements.dfedpgp import _places as made
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
            severity=Severity.WRONG_CONSTANT,
            rests_on="||a + b||^2 by ||a||^2 + ||b||^2; 2 times it is true",
            checks=(
                Check("halfway", made.HALFWAY, "VIOLATED"),
                Check("from-zero", made.PULLED_ASIDE, "VIOLATED"),
            ),
        ),
        "corrected": Version(
            terms={name: 2 * term for name, term in _TERMS.items()},
            assumes=_ASSUMES,
            note="twice as much",
            checks=(
                Check("nearly-halfway", {**made.HALFWAY, "x0": [[1.0, 0.0], [0.01, 0.0]]}),
                Check("from-zero", made.PULLED_ASIDE),
                Check("three-clients", made.ROUNDS),
                Check("signs", made.SIGNS),
            ),
        ),
    },
)
