r"""Corollary 1's O(.): the left side over 1/sqrt(NK) + 1/(K sqrt N) + 1/(tau sqrt(NK)) is bounded.

Printed: "The convergence rate of DePRL is O(1/sqrt(NK) + 1/(K sqrt N) + 1/(tau sqrt(NK)))", with
alpha = 1/(tau sqrt K), beta = sqrt(N/K). An O(.) has no constant; it says that the ratio does not
grow along K, N or tau.
Judged: the factor by which it grows per decade, at the far end of the sweep, is at most 10^(1/20),
an exponent of .05. L is inside the O(.), as sigma, varsigma and f(0) - f* are: no growth along them
is claimed, and along N they have to stay as they are. A window proves nothing about a limit, so a
growth tells against the claim only where the limit is proved.

Readings. `printed` takes Figure 1's tau steps (by line 10 with tau = 1 nothing converges, see
``cor1``) and P_ij > 0 on N_i, which has i in it. `printed/no-self-loops`: Assumption 1 alone. On a
ring of four without self-loops where no loss depends on phi the left side is at least its distance,
which is sigma^2 (K-1)/(2K) at every K (proved in ``cor1_consensus``), and the bracket is O(1/sqrt
K), so the ratio grows as sqrt(K) without limit. `corrected` asks that P^m tends to J.

The printed number of rounds is 1.5e7 on the ring of four and 9.6e6 on the pair; the K that are
fitted lie above it. It keeps K above N^3/(1-q)^2; along N, K follows N^8 on a ring, where
N^3/(1-q_2)^2 is of the order N^7 (far below the printed number, as the printed q is far above
q_2). Along tau, K is fixed and the ratio rises from 2.9 to 5.6, where it stays: the bracket loses
its last term, the left side does not.
"""

import sympy as sp

from theorylab.statements import Check, Order, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._causes import NO_LOOPS
from theorylab.statements.deprl._corollary1 import BRACKET, CHOSEN, HIDDEN, WALK, WALK_FACTS
from theorylab.statements.deprl._theorem1 import ALL_STEPS, MEASURE, MIXING, SELF_LOOPS, SHARED

_TERMS = {"a twentieth of a decade": sp.Integer(10) ** sp.Rational(1, 20)}

STATEMENT = Statement(
    id="deprl.cor1_rate",
    source=Source("deprl", "Corollary 1", "rate O(1/sqrt(NK) + 1/(K sqrt N) + 1/(tau sqrt(NK)))"),
    algorithm="deprl",
    quantity=MEASURE,
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(*SHARED, SELF_LOOPS, ALL_STEPS, *CHOSEN),
            order=Order(BRACKET, HIDDEN),
            note="theta(k+1) after all tau steps; P_ij > 0 on N_i",
            mends=(NO_LOOPS,),
            checks=(
                Check("rounds", cases.RATE_ROUNDS, "HOLDS"),
                Check("ring-without-self-loops", cases.RATE_RING_OF_FOUR, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/no-self-loops": Version(
            terms=_TERMS,
            assumes=(*SHARED, ALL_STEPS, *CHOSEN),
            order=Order(BRACKET, HIDDEN, floors=(WALK,)),
            constants=WALK_FACTS,
            note="the same, and P_ii = 0 is allowed",
            causes=(NO_LOOPS,),
            checks=(
                Check(
                    "ring-without-self-loops",
                    cases.RATE_RING_OF_FOUR,
                    "VIOLATED",
                    carries="the limit sigma^2/2 is proved",
                ),
                Check("rounds", cases.RATE_ROUNDS, "HOLDS"),
            ),
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=(*SHARED, ALL_STEPS, *MIXING, *CHOSEN),
            order=Order(BRACKET, HIDDEN),
            note="P^m tends to J",
            mends=(NO_LOOPS,),
            checks=(
                Check("ring-without-self-loops", cases.RATE_RING_OF_FOUR, "ASSUMPTION_FAILS"),
                Check("rounds", cases.RATE_ROUNDS, "HOLDS"),
                Check("clients", cases.RATE_CLIENTS, "HOLDS"),
                Check("tau", cases.RATE_TAU, "HOLDS", quick=False),
            ),
        ),
    },
)
