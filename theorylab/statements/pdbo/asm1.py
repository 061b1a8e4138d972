r"""Assumption 1: the inner losses are strongly convex.

Printed (Section 3): "For every i in [n], and for all lambda_i and xi_i in X, f_i(.,
lambda_i; xi_i) is strongly convex." No modulus is named, and none common to all xi_i is asked for;
mu is the smallest of those at hand. Checked: the largest 1 / (smallest Hessian eigenvalue of a
sample) is at most 1 / mu, and mu > 0. The networks of the paper's own experiments (Section 6) do
not satisfy it.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._instances import NOISY, OPPOSED, STO_D, place
from theorylab.symbols import L, mu, roundoff

CONVEX = Assumption("Assumption 1 (strong convexity)", rule=mu > 0)

STATEMENT = Statement(
    id="pdbo.asm1",
    source=Source("pdbo", "Assumption 1", "every sampled inner loss is strongly convex"),
    experiment="pdbo-stationary",
    quantity=Quantity(
        "flatness", "rows", (-1, 2), r"1 / \min_{i,\xi} \lambda_{\min}(\nabla^2 f_i(\cdot;\xi))"
    ),
    versions={
        "printed": Version(
            # LAPACK's eigenvalues are off by a small multiple of u L.
            terms={"1/mu": 1 / mu, "rounding": 64 * roundoff * L / mu**2},
            assumes=(CONVEX,),
            checks=(
                Check("noisy", place(NOISY, STO_D)),
                Check("opposed", place(OPPOSED, {"name": "sto-u"})),
            ),
        )
    },
)
