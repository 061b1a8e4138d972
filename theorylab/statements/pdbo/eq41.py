r"""Eq. (41): the hypergradient of iterative differentiation.

Printed (Appendix H), for T rounds of Eq. (2):

    d^ITD_lambda Fbar(x^(T), lambda)
      := sum_{t=0}^{T-1} B^(t) prod_{s=t+1}^{T-1} A^(s) c^x + c^lambda.

`printed` has the products as Section 1 defines them, prod_{s=0}^m A^(s) = A^(m) ... A^(0). On a
static, doubly stochastic network with quadratic losses all A^(t) are equal, and it holds.

Corrected: the factors increase to the right. Proof. Inputs are rows, so d_lambda y^(t+1) = d_lambda
y^(t) A^(t) + B^(t), and unrolled d_lambda y^(T) = sum_t B^(t) A^(t+1) A^(t+2) ... A^(T-1), which is
Eq. (42) unrolled. c^x has to be c^y (the derivative in y; U has n d_y columns).

The right side is the derivative along the path taken, edges and minibatches fixed; measured is the
largest difference from it, against rounding: an identity.
"""

from __future__ import annotations

from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import FACTOR_ORDER
from theorylab.statements.pdbo._rounding import gamma
from theorylab.statements.pdbo._symbols import hyper_magnitude, summands

ROUNDING = {"rounding": gamma(summands) * hyper_magnitude}


def residual(column: str) -> Quantity:
    """Largest difference of ``column`` from the derivative along the path."""
    text = r"\|d^{\mathrm{ITD}}_\lambda\bar F - \mathrm d_\lambda \bar F(x^{(T)})\|_\infty"
    return Quantity(column, "rows", (1, 0), text, pathwise=True)


RANDOM: dict[str, object] = {"rounds": 6}
PAIR = {"rounds": 4, "clients": 2, "problem": {"dim": 1, "hyper": 1}}  # one number each
NOISY = {"rounds": 5, "sgp": {"step": 0.2, "variant": "4a"}, "problem": {"noise": 0.3}}
STATIC = {"rounds": 6, "network": {"name": "complete"}}

STATEMENT = Statement(
    id="pdbo.eq41",
    source=Source("pdbo", "Eq. (41)", "the hypergradient of iterative differentiation"),
    experiment="itd",
    quantity=residual("eq41"),
    versions={
        "printed": Version(
            terms=ROUNDING,
            assumes=(),
            causes=(FACTOR_ORDER,),
            note="to the letter, a misprint: products as Section 1 defines them",
            checks=(
                Check("random-edges", RANDOM, "VIOLATED"),
                Check("two-clients", PAIR, "VIOLATED"),
                Check("static-complete", STATIC),
            ),
        ),
        "corrected": Version(
            terms=ROUNDING,
            assumes=(),
            quantity=residual("eq42"),
            note="the obvious repair: later factors to the right, as Eq. (42) unrolls",
            mends=(FACTOR_ORDER,),
            checks=(
                Check("random-edges", RANDOM),
                Check("two-clients", PAIR),
                Check("minibatches", NOISY),
            ),
        ),
    },
)
