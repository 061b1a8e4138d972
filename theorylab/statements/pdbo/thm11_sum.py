r"""The last step of Theorem 11's proof: what the sum over rounds comes to.

Printed (Appendix C.7): "L_y G eta_B/(1-eta_A) (1-alpha) beta / (alpha - g) sum_{i<M}
(alpha^{M-i} - g^{M-i}) + exp(-O(M)) = eta_B/(1-eta_A) L_y G + exp(-O(M))", g = 1 - beta + beta
eta_A (with the summand of L_lambda, which is right). That is, the sum is 1 but for exp(-O(M)).

Corrected: the sum is at most 1 / (1 - eta_A). Proof. sum_{k>=1} (alpha^k - g^k)/(alpha - g) = 1 /
((1-alpha) (1-g)), 1 - g = beta (1 - eta_A), and partial sums of positive terms stay below their
limit. What becomes of the theorem is ``thm11``.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._bound import WEIGHTS
from theorylab.statements.pdbo._causes import LOST_REST
from theorylab.statements.pdbo._symbols import eta_A, summands
from theorylab.symbols import roundoff

_SUM = Quantity(
    "bias_sum", "rows", (0, 0), r"(1-\alpha)\beta\sum_{k=1}^M\frac{\alpha^k-g^k}{\alpha-g}"
)
_ASSUMES = (*WEIGHTS, Assumption("Assumption 8: eta_A < 1", rule=eta_A < 1))
TO_ONE = {"eta": [0.01, 0.1, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99], "last": 20000}
EQUAL = {"eta": [0.5], "alpha": 0.75, "beta": 0.5}  # alpha = g, where the printed quotient is 0/0

STATEMENT = Statement(
    id="pdbo.thm11_sum",
    source=Source("pdbo", "Theorem 11, proof", "what the sum over rounds comes to"),
    experiment="hgp-series",
    quantity=_SUM,
    versions={
        "printed": Version(
            terms={"one": sp.Integer(1)},
            assumes=_ASSUMES,
            causes=(LOST_REST,),
            checks=(Check("to-one", TO_ONE, "VIOLATED"),),
        ),
        "corrected": Version(
            terms={
                "its limit": 1 / (1 - eta_A),
                "rounding": summands * roundoff / (1 - eta_A),
            },
            assumes=_ASSUMES,
            mends=(LOST_REST,),
            checks=(Check("to-one", TO_ONE), Check("alpha-equal", EQUAL)),
        ),
    },
)
