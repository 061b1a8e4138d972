r"""Introduction, contributions: consensus.

Printed: "our results guarantee that all workers reach a consensus on the shared global
representation, while learn a personalized local head".

The results are Theorem 1 and Corollary 1, whose M(k) has (1/N) sum_i ||phi_i - phibar||^2 in it.
Judged: with Corollary 1's step sizes its average over K rounds, in expectation, tends to 0 as K
grows: per decade of K, at the far end of the sweep, it falls by a factor 10^(1/20) at least (by
10 where it is O(N/K)). A window proves nothing about a limit, so it tells against the claim only
where the limit is proved.

Readings. `printed`: P_ij > 0 on N_i, which has i in it. `printed/no-self-loops`: Assumption 1 and
strong connection alone, which allow a ring of four without self-loops. There P has the eigenvalues
1, 0, 0, -1, so the part along (1, -1, 1, -1) is never mixed away. Where no loss depends on phi,
phi_i(k+1) = sum_j P_ij (phi_j(k) - beta n_j(k)): the deviations are E(k) = -beta sum_{m=1..k} (P^m
- J) n(k-m). ||P^m - J||_F^2 = 1 for every m >= 1, hence E||E(k)||^2 = beta^2 sigma^2 k, and with
beta^2 = N/K

    1/K sum_{k<K} 1/N sum_i E||phi_i(k) - phibar(k)||^2 = sigma^2/K^2 sum_{k<K} k
                                                        = sigma^2 (K-1)/(2K) -> sigma^2/2.

f has an infimum, phi* is any point. `corrected`: P^m tends to J.
"""

import sympy as sp

from theorylab.statements import Check, Order, Quantity, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._causes import NO_LOOPS
from theorylab.statements.deprl._corollary1 import CHOSEN, HIDDEN, WALK, WALK_FACTS
from theorylab.statements.deprl._theorem1 import ALL_STEPS, MIXING, SELF_LOOPS, SHARED

_TERMS = {"a twentieth of a decade down": sp.Integer(10) ** sp.Rational(-1, 20)}

STATEMENT = Statement(
    id="deprl.cor1_consensus",
    source=Source("deprl", "Introduction; Corollary 1", "all workers reach a consensus"),
    algorithm="deprl",
    quantity=Quantity(
        "deprl.distance", "rows", (0, 2), r"\frac1K\sum_k\frac1N\sum_i E\|\phi_i(k)-\bar\phi(k)\|^2"
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(*SHARED, SELF_LOOPS, ALL_STEPS, *CHOSEN),
            order=Order(sp.Integer(1), HIDDEN),
            note="P_ij > 0 on N_i",
            mends=(NO_LOOPS,),
            checks=(
                Check("pair", cases.RATE_ROUNDS),
                Check("ring-without-self-loops", cases.RATE_RING_OF_FOUR, "ASSUMPTION_FAILS"),
            ),
        ),
        "printed/no-self-loops": Version(
            terms=_TERMS,
            assumes=(*SHARED, ALL_STEPS, *CHOSEN),
            order=Order(sp.Integer(1), HIDDEN, floors=(WALK,)),
            constants=WALK_FACTS,
            note="P_ii = 0 is allowed",
            causes=(NO_LOOPS,),
            checks=(
                Check(
                    "ring-without-self-loops",
                    cases.RATE_RING_OF_FOUR,
                    "VIOLATED",
                    carries="the limit sigma^2/2 is proved",
                ),
                Check("pair", cases.RATE_ROUNDS),
            ),
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=(*SHARED, ALL_STEPS, *MIXING, *CHOSEN),
            order=Order(sp.Integer(1), HIDDEN),
            note="P^m tends to J",
            mends=(NO_LOOPS,),
            checks=(
                Check("ring-without-self-loops", cases.RATE_RING_OF_FOUR, "ASSUMPTION_FAILS"),
                Check("pair", cases.RATE_ROUNDS),
            ),
        ),
    },
)
