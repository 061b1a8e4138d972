r"""Corollary 1 and Remark 2: the rate O(1/sqrt(T)) with eta ~ 1/(LK sqrt(T)), rho ~ 1/(L sqrt(T)).

Judged as the growth, per decade of the swept parameter, of the left side over
L (f(xbar^0) - f*)/sqrt(T), the order of the first term: at most 9/8 (1 in the limit; the rest is
for what is still transient over the decades looked at). The swept parameter is T (three decades),
or with T fixed K, L or n. A window proves nothing against a limit: a transient of thousands of
rounds refutes nothing.

The rate is right. The dependence on alpha (``cor1_growth``) is not.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.symbols import L, T, f0, f_star, sigma_g, sigma_l

BRACKET = L * (f0 - f_star) / sp.sqrt(T)

STATEMENT = Statement(
    id="dfedsgpsm.cor1_rate",
    source=Source("dfedsgpsm", "Corollary 1, Remark 2", "the rate 1/sqrt(T)"),
    algorithm="dfedsgpsm",
    quantity="mean_squared_gradient",
    versions={
        "printed": Version(
            terms={"bounded": sp.Rational(9, 8)},
            assumes=(),
            order=Order(BRACKET, fixed=(sigma_l, sigma_g)),
            checks=(
                Check("rounds", cases.COR1_RATE_IN_T),
                Check("rounds-noise", cases.COR1_RATE_NOISE, "INCONCLUSIVE", quick=False),
                Check("local-steps", cases.COR1_RATE_IN_K),
                Check("smoothness", cases.COR1_RATE_IN_L),
                Check("clients", cases.COR1_RATE_IN_N),
            ),
        ),
    },
)
