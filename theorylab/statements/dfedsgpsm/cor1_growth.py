r"""Corollary 1's O(.) as alpha -> 1: the left side over the bracket must stay bounded.

It does not. K = 1: momentum starts from 0 in every round (line 3), so alpha has no effect at all.
With no noise, rho = 0 and eta = 1/(L sqrt(T)), gradient descent has sum_t ||grad f||^2 >= (f(x^0) -
f(x^T))/eta, so the left side is at least L (f0 - f(x^T))/sqrt(T), and f(x^T) -> f* for log cosh.
The bracket's first term is (1-alpha) times that; all others are O(1/T) at fixed alpha, of order
1/(T (1-alpha)^2) at most. Along T = (1-alpha)^-8 (any power above 6) the ratio is at least
const/(1-alpha): no hidden constant, however large, saves the corollary. (Fixed alpha may hide
1/(1-alpha) in the constant, but then the printed dependence on alpha says nothing.)

Judged as the growth per decade of 1/(1-alpha), at most 9/8 claimed; the argument gives 10. Growth
counts as none while the last ratio is at most 2, or gradient descent still far from the center.
Corrected: K L (f(xbar^0) - f*)/(a~ sqrt(T)) for the first term, as in ``cor1``; the ratio is then
at most 2, the factor that Theorem 1 has there.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements._severity import Severity

STATEMENT = Statement(
    id="dfedsgpsm.cor1_growth",
    source=Source("dfedsgpsm", "Corollary 1", "its bracket as alpha -> 1"),
    experiment="corollary-growth",
    quantity=Quantity(
        "growth", "rows", (0, 0), r"\text{growth of LHS}/[\cdot]\text{ per decade of }1/(1-\alpha)"
    ),
    versions={
        "printed": Version(
            terms={"bounded": sp.Rational(9, 8)},
            assumes=(),
            severity=Severity.WRONG_ORDER,
            rests_on="the factor 1-alpha that the O(.) shows",
            inherits="dfedsgpsm.thm1",
            checks=(Check("momentum-to-one", {}, "VIOLATED"),),
        ),
        "corrected": Version(
            terms={"factor of Theorem 1": sp.Integer(2)},
            assumes=(),
            quantity=Quantity("ratio_kept", "rows", (0, 0), r"\text{LHS}/[\cdot]"),
            note="K/a~ for 1-alpha in the first term",
            checks=(Check("momentum-to-one", {}),),
        ),
    },
)
