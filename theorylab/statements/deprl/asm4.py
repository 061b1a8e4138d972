r"""Assumption 4: bounded variance of both gradient estimators.

Printed: E||g_theta(phi_i, theta_i) - grad_phi F_i(phi_i, theta_i)||^2 <= sigma^2 and
E||g_theta(phi_i, theta_i) - grad_theta F_i(phi_i, theta_i)||^2 <= sigma^2.

The first takes the gradient by phi from an estimator of the one by theta: it is not defined unless
both have the same number of coordinates, and with Assumption 3 it bounds
||grad_theta F_i - grad_phi F_i|| everywhere. `printed` is that letter; functions of phi + theta
meet it (so it is not unsatisfiable), but no sin-sin and no quadratic with one minimum does, and
nothing in which phi is a representation and theta a head. `corrected` has g_phi; `printed/theta`
is the second inequality.

Judged at a drawn point, one draw of the noise a run; "state" noise is below its sigma there.
"""

from __future__ import annotations

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._symbols import sigma, sigma_letter


def _noise(column: str, g: str, of: str) -> Quantity:
    return Quantity(f"noise_{column}", "rows", (2, -2), rf"E\|g_\{g} - \nabla_\{of} F_i\|^2")


_ASSUMES = (Assumption("Assumption 4", finite=(sigma,)),)
_TERMS = {"variance": sigma**2}

STATEMENT = Statement(
    id="deprl.asm4",
    source=Source("deprl", "Assumption 4", "bounded variance"),
    experiment="deprl-heads",
    quantity=_noise("letter", "theta", "phi"),
    versions={
        "printed": Version(
            terms={"variance": sigma_letter**2},
            assumes=(Assumption("Assumption 4, to the letter", finite=(sigma_letter,)),),
            checks=(
                Check("sin-sin", cases.PROBED, "ASSUMPTION_FAILS"),
                Check("coupled-quadratic", cases.PROBED_COUPLED, "ASSUMPTION_FAILS"),
            ),
            note="g_theta - grad_phi, as it stands",
        ),
        "printed/theta": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            checks=(Check("sin-sin", cases.PROBED),),
            quantity=_noise("v", "theta", "theta"),
            note="the second inequality",
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=_ASSUMES,
            checks=(Check("sin-sin", cases.PROBED),),
            quantity=_noise("u", "phi", "phi"),
            note="g_phi - grad_phi",
        ),
    },
)
