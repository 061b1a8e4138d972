r"""Assumption 3: unbiased gradient estimators.

Printed: E g_phi(phi_i, theta_i) = grad_phi F_i(phi_i, theta_i), the same for theta, for all points
(phi', theta' are quantified and not used). Nothing is said of the draws of different workers or
steps. Theorem 1's sigma^2/N needs them independent, and so do the uncorrelated noises of its proof;
(4) and (6), with minibatches of every worker's own data, are read that way.

Judged at drawn points by listing all signs of a noise that depends on the point. Satisfiable.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._symbols import unbiased
from theorylab.symbols import gradient_rounding, rho

_COORDINATES = {"phi": "u", "theta": "v"}


def _bias(part: str) -> Quantity:
    return Quantity(
        f"bias_{_COORDINATES[part]}",
        "rows",
        (1, -1),
        rf"\|E g_\{part} - \nabla_\{part} F_i\|",
        pathwise=True,
    )


_ASSUMES = (
    Assumption("Assumption 3", rule=sp.Eq(unbiased, 1)),
    Assumption("the point does not depend on the draw: no step of SAM", rule=sp.Eq(rho, 0)),
)
_CHECKS = (
    Check("signs", cases.PROBED),
    Check("at-the-point-of-SAM", {**cases.PROBED, "rho": 0.2}, "ASSUMPTION_FAILS"),
)

STATEMENT = Statement(
    id="deprl.asm3",
    source=Source("deprl", "Assumption 3", "unbiased local gradient estimators"),
    experiment="drawn-points",
    quantity=_bias("phi"),
    versions={
        "printed": Version(
            terms={"rounding": gradient_rounding},
            assumes=_ASSUMES,
            checks=_CHECKS,
            note="g_phi",
        ),
        "printed/theta": Version(
            terms={"rounding": gradient_rounding},
            assumes=_ASSUMES,
            checks=_CHECKS,
            quantity=_bias("theta"),
            note="g_theta",
        ),
    },
)
