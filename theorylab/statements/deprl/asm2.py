r"""Assumption 2: L-Lipschitz partial gradients.

Printed: ||grad_phi F_i(phi, theta) - grad_phi F_i(phi', theta')|| <= L (||phi - phi'|| +
||theta - theta'||), and the same for grad_theta, for all i and all points of Phi, Theta.

The least such L is max(||H_uu||, ||H_vv||, ||H_uv||), not the smoothness of F_i in (phi, theta),
which can be twice as large. ("Lipschitz" for both blocks.) Judged at drawn pairs, half of them
close. Satisfiable: quadratics, sin-sin.
"""

from __future__ import annotations

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._symbols import L

_COORDINATES = {"phi": "u", "theta": "v"}


def _slope(part: str) -> Quantity:
    return Quantity(
        f"slope_{_COORDINATES[part]}",
        "rows",
        (1, -2),
        rf"\|\nabla_\{part} F_i - \nabla_\{part} F_i'\|/(\|\phi-\phi'\|+\|\theta-\theta'\|)",
        pathwise=True,
    )


_ASSUMES = (Assumption("Assumption 2", finite=(L,)),)
_CHECKS = (Check("sin-sin", cases.PROBED), Check("coupled-quadratic", cases.PROBED_COUPLED))

STATEMENT = Statement(
    id="deprl.asm2",
    source=Source("deprl", "Assumption 2", "L-Lipschitz continuous partial gradients"),
    experiment="drawn-points",
    quantity=_slope("phi"),
    versions={
        "printed": Version(
            terms={"L": L}, assumes=_ASSUMES, checks=_CHECKS, note="the gradient by phi"
        ),
        "printed/theta": Version(
            terms={"L": L},
            assumes=_ASSUMES,
            checks=_CHECKS,
            quantity=_slope("theta"),
            note="the gradient by theta",
        ),
    },
)
