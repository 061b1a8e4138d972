r"""Assumption 3: phi_i, psi_i and F_i are differentiable.

Printed (Section 4.1): "For all i in [n] and zeta_i, phi_i(y_i; lambda_i, zeta_i) and
psi_i(...) are differentiable with respect to y_i and lambda_i, and F_i(x_i, lambda_i) is
differentiable with respect to x_i and lambda_i."

Eq. (4a), (4b) divide by omega_i, so this can be read for omega_i > 0 only; that is where push-sum
weights stay. It asks f_i for second derivatives. Checked on quadratics, where the mean iteration T
is affine in z and its difference quotient is its derivative: T(z + e_k) - T(z) is row k of A-bar,
up to rounding. This also ties A-bar to the iteration it is the Jacobian of.
"""

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._instances import NOISY, STO_D, STO_U, place
from theorylab.statements.pdbo._rounding import gamma
from theorylab.statements.pdbo._symbols import hgp_size, size_R

STATEMENT = Statement(
    id="pdbo.asm3",
    source=Source("pdbo", "Assumption 3", "the iteration is differentiable"),
    experiment="pdbo-stationary",
    quantity=Quantity("slope", "rows", (0, 0), r"\|T(z+e) - T(z) - e\bar A\|_\infty"),
    versions={
        "printed": Version(
            terms={"rounding": gamma(8 * (hgp_size + 8)) * size_R},
            assumes=(),
            checks=(
                Check("4b", place(NOISY, STO_D)),
                Check("4a", place(NOISY, STO_U, "4a", 0.05)),
            ),
        )
    },
)
