r"""Assumption 3: partial gradient diversity.

Printed: there is a delta >= 0 with (1/m) sum_i ||grad_u F_i(u_i, v_i) - grad_u F(u_i, V)||^2 <=
delta^2 for all u_i, V, where F(u, V) = (1/m) sum_j F_j(u, v_j).

Readings. `printed` lets every summand have its own u_i, as the index says; `printed/one-u` has one
u, as Pillutla et al. do. The proofs use the first, at the clients' own u_i^t. Judged up to 1e-8 of
the constant, which quadratics attain.

Satisfiable: m = 1; one Hessian block for all and no coupling; bounded coupling (sin-sin). By no
quadratic else: with m > 1 and H_uv != 0, grad_u F_i moves without limit in v_i; with different
H_uu it does in u. So it excludes least squares with a shared representation, where u and v_i
multiply. Finite for losses whose grad_u has a bounded range apart from a part common to all.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedalt import _instances as cases
from theorylab.statements.dfedalt._assumptions import DIVERSITY, SHARE
from theorylab.statements.dfedalt._symbols import delta, delta_one

_TEXT = r"\frac1m\sum_i\|\nabla_u F_i(u_i,v_i)-\nabla_u F(u_i,V)\|^2"

STATEMENT = Statement(
    id="dfedalt.asm3",
    source=Source("dfedalt", "Assumption 3", "partial gradient diversity"),
    experiment="drawn-points",
    quantity=Quantity("mean_diversity_own", "rows", (2, -2), _TEXT, pathwise=True),
    versions={
        "printed": Version(
            terms={"diversity": delta**2, "rounding": SHARE * delta**2},
            assumes=(DIVERSITY,),
            note="a u_i for every summand",
            checks=(
                Check("sin-sin", cases.PROBED),
                Check("quadratic", cases.PROBED_QUADRATIC),
                Check("coupled-quadratic", cases.PROBED_COUPLED, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/one-u": Version(
            terms={"diversity": delta_one**2, "rounding": SHARE * delta_one**2},
            assumes=(Assumption("Assumption 3, one u", finite=(delta_one,)),),
            quantity=Quantity(
                "mean_diversity", "rows", (2, -2), _TEXT.replace("u_i", "u"), pathwise=True
            ),
            note="one u for all clients",
            checks=(
                Check("sin-sin", cases.PROBED),
                Check("quadratic", cases.PROBED_QUADRATIC),
                Check("coupled-quadratic", cases.PROBED_COUPLED, "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
