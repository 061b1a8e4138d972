r"""Corollary 1, text: linear speedup.

Printed, after "when the total number of communication rounds K satisfies K >= max(18 C^2 L^2
N^3/(1-q)^2, (2 L^2+2)^2/(N L^4), N L^2)": DePRL "achieves a linear speedup for convergence, i.e.,
we can proportionally decrease K as N increases while keeping the same convergence rate" (so the
abstract and the introduction as well).

Judged along N with K = c/N, where 1/sqrt(NK) does not change: the left side over Corollary 1's
bracket grows by at most 10^(1/20) per decade of N (as ``cor1_rate``), by exact moments. The claim
follows the condition on K, so `printed` asks for it at every N.

`printed` is true where it says something: in a window of N that ends soon. C = 2(1+p^-N)/(1-p^N)
and 1-q ~ p^N/N make the number of rounds grow as 72 L^2 N^5 p^(-4N), so for a given c the window
ends at N of about log(c)/(4 log(1/p)): at N = 6 for c = 2e11 on a ring with p = 1/2.

Beyond, it is empty. The experiments have 128 workers: at L = 1 Corollary 1 asks for 10^256.7 rounds
on their ring (p = 1/3, Metropolis weights), for 10^1091.3 on their complete graph (p = 1/128), and
on a random graph for 10^689.4 at twice the chance of an edge from which on such graphs are
connected, more with more edges, as p is one over the largest degree plus 1. Nobody can run as many,
nor shrink them as N grows: that is what the VACUOUS check says, at L = .05.

Control. Where the rounds are enough at the first N alone, and fall then as c/N, the ratio grows
without limit, but the corollary does not speak of that: at N = 32 it asks for 10^45.3 rounds on the
ring of the control, where 10^4.4 are left. The noise of the representations sums up in the modes
lambda of P: without curvature, and once K >> N^2,
    (1/N) sum_i E||phi_i - phibar||^2
      = beta^2 sigma^2 (1/N) sum_{lambda != 1} |lambda|^2/(1-|lambda|^2),
a mean of the order N, as |lambda_j| = cos(pi j/N); beta^2 = N/K = N^2/c, so N^3/c against 2/sqrt c.

Corrected: K >= N^3 S^4 and N L^2 max(1, 4 S^2) at every N, S = C_2 q_2/(1-q_2). Then the corrected
``cor1`` has N/K (sigma q_2/sqrt(1-q_2^2) + varsigma q_2/(1-q_2))^2 C_2^2 <= (sigma + varsigma)^2
/sqrt(NK). S = 0 on the complete graph: K may fall as c/N down to N L^2.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Order, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._causes import OUT_OF_REACH
from theorylab.statements.deprl._corollary1 import BRACKET, CHOSEN, HIDDEN, ROUNDS
from theorylab.statements.deprl._symbols import C2, L, q2, unit
from theorylab.statements.deprl._theorem1 import ALL_STEPS, MEASURE, MIXING, SHARED
from theorylab.symbols import T, n

_TERMS = {"a twentieth of a decade": sp.Integer(10) ** sp.Rational(1, 20)}
_ORDER = Order(BRACKET, HIDDEN)
_S = C2 * q2 / (1 - q2)
_FEWER = tuple(
    Assumption(f"corrected: K >= {text} at every N", rule=rounds <= T)
    for text, rounds in (
        ("N^3 S^4", n**3 * _S**4),
        ("N L^2", n * (unit * L) ** 2),
        ("4 N L^2 S^2", 4 * n * (unit * L * _S) ** 2),
    )
)

STATEMENT = Statement(
    id="deprl.cor1_speedup",
    source=Source("deprl", "Corollary 1, text", "linear speedup: K falls as N grows"),
    algorithm="deprl",
    quantity=MEASURE,
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(*SHARED, ALL_STEPS, *CHOSEN, *ROUNDS),
            order=_ORDER,
            note="the rounds are enough at every N, which ends at an N of order log K",
            causes=(OUT_OF_REACH,),
            checks=(
                Check("three-to-six", cases.SPEEDUP_WINDOW),
                Check("128-workers", cases.SPEEDUP_128, "VACUOUS"),
                Check("directed-ring", cases.SPEEDUP_RING, "ASSUMPTION_FAILS", control=True),
                Check("complete", cases.SPEEDUP_COMPLETE, "ASSUMPTION_FAILS", control=True),
            ),
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=(*SHARED, ALL_STEPS, *CHOSEN, *MIXING, *_FEWER),
            order=_ORDER,
            note="the rounds keep above N^3/(1-q_2)^4",
            mends=(OUT_OF_REACH,),
            checks=(
                Check("complete", cases.SPEEDUP_COMPLETE),
                Check("many-rounds-on-a-ring", cases.SPEEDUP_LONG),
            ),
        ),
    },
)
