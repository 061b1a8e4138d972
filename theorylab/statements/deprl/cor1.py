r"""Corollary 1: Theorem 1's bound at alpha = 1/(tau sqrt K), beta = sqrt(N/K), explicitly.

Printed: "The convergence rate of DePRL is O(1/sqrt(NK) + 1/(K sqrt N) + 1/(tau sqrt(NK))), when
K >= max(18 C^2 L^2 N^3/(1-q)^2, (2 L^2+2)^2/(N L^4), N L^2)". The O(.) is in ``cor1_rate``; here is
the inequality that (11) gives for these step sizes (``unit`` is the 1 in them, see ``_symbols``):

    4 (f(phibar(0), theta(0)) - f*)/sqrt(NK) + 2 L sigma^2/sqrt(NK)
      + 12 L^2 (tau-1)(6 tau+1) sigma^2/(tau^2 K sqrt N) + 2 L sigma^2/(tau sqrt(NK))
      + (1 + 1/L^2) (2/3 sigma^2 + 2 varsigma^2)/sqrt(NK).

The three numbers under K are sqrt(N/K) <= (1-q)/(3 sqrt 2 C L N), <= N/(2 + 2/L^2), <= 1/L. The
second is not (11)'s N/2: one of both has a factor 1 + 1/L^2 too many or too few. As it is the
larger number of rounds, it does no harm. alpha <= 1/L follows, so (11)'s cap on alpha does none.

Readings: as Theorem 1's, with P_ij > 0 on N_i. `printed` takes line 10, `printed/all-steps` Figure
1, and `printed/no-self-loops` allows P_ii = 0: the average left side tends to sigma^2/2 on a ring
of four where no loss depends on phi, however large K is, as beta^2 K = N does not go to 0
(``cor1_consensus``).

For the experiments' 128 workers it says nothing: at L = 1 it asks for 10^256.7 rounds on their
ring, 10^1091.3 on their complete graph, and 10^689.4 on a random one (``cor1_speedup``).
`printed/all-steps` has no VIOLATED check. A change of units (``thm1``) would refute it for L large
enough; that is not run, as it needs a nonlinear loss for more than 1e7 L^2 rounds.

Corrected. Theorem 1's corrected bound at the same step sizes. m alpha L <= 1 follows from
beta L <= 1, that is K >= N L^2; beta L S <= 1/2 with S = C_2 q_2/(1-q_2), that is K >= 4 N L^2 S^2,
keeps its denominator above 1/2. With u the printed 1 in alpha and beta:

    4 (f_0 - f*)/(u sqrt(NK)) + 2 u L sigma^2/sqrt(NK)
      + 2 u^2 L^2 m (m-1) sigma^2/(tau^3 K sqrt N) + 2 u L m sigma^2/(tau^2 sqrt(NK))
      + 4 (3 + 2 m/(tau sqrt N)) u^2 L^2 C_2^2 N/K
          (sigma q_2/sqrt(1-q_2^2) + varsigma q_2/(1-q_2))^2.

The last term is O(N/K): linear speedup, but only once K is of the order N^3 S^4, not from N L^2 on.
The printed K asks for more than that wherever (C, q) is the printed pair. The 1/(tau sqrt(NK))
stands with sigma^2, so more head steps help against noise only.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.statements.deprl import _instances as cases
from theorylab.statements.deprl._causes import LINE_10 as LOST_STEP
from theorylab.statements.deprl._causes import NO_LOOPS
from theorylab.statements.deprl._corollary1 import CHOSEN, ROUNDS, STEPS
from theorylab.statements.deprl._symbols import C2, L, kept, q2, tau, unit
from theorylab.statements.deprl._theorem1 import (
    ALL_STEPS,
    CORRECTED,
    LINE_10,
    MEASURE,
    MEASURE_EACH,
    MIXING,
    PRINTED,
    SELF_LOOPS,
    SHARED,
    SPREAD,
)
from theorylab.symbols import T, n

_PRINTED = {name: term.subs(STEPS) for name, term in PRINTED.items()}
_CORRECTED = {name: term.subs(STEPS) for name, term in CORRECTED.items() if name != "consensus"} | {
    "consensus": 4 * (3 + 2 * kept / (tau * sp.sqrt(n))) * (unit * L * C2 * SPREAD) ** 2 * n / T
}


_TRAVEL = C2 * q2 / (1 - q2)
_FEWER_ROUNDS = (
    *MIXING,
    Assumption("corrected: K >= N L^2", rule=n * (unit * L) ** 2 <= T),
    Assumption(
        "corrected: K >= 4 N (L C_2 q_2/(1-q_2))^2", rule=4 * n * (unit * L * _TRAVEL) ** 2 <= T
    ),
)

STATEMENT = Statement(
    id="deprl.cor1",
    source=Source("deprl", "Corollary 1", "Theorem 1 at the step sizes of the linear speedup"),
    algorithm="deprl",
    quantity=MEASURE,
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=(*SHARED, SELF_LOOPS, LINE_10, *CHOSEN, *ROUNDS),
            note="theta(k+1) = theta(k, tau-1), as line 10 has it",
            causes=(LOST_STEP,),
            mends=(NO_LOOPS,),
            checks=(
                Check("one-head-step", cases.COROLLARY_FROZEN, "VIOLATED", carries="tau = 1"),
                Check("two-steps", cases.changed(cases.COROLLARY, head="printed"), "HOLDS"),
                Check(
                    "ring-of-128",
                    cases.changed(cases.of_128({"name": "ring"}), head="printed"),
                    "VACUOUS",
                ),
            ),
        ),
        "printed/no-self-loops": Version(
            terms=_PRINTED,
            assumes=(*SHARED, ALL_STEPS, *CHOSEN, *ROUNDS),
            note="theta(k+1) after all tau steps, and P_ii = 0 is allowed",
            causes=(NO_LOOPS,),
            mends=(LOST_STEP,),
            checks=(
                Check("ring-without-self-loops", cases.COROLLARY_RING, "VIOLATED"),
                Check("five-decades", cases.COROLLARY, "HOLDS"),
            ),
        ),
        "printed/all-steps": Version(
            terms=_PRINTED,
            assumes=(*SHARED, ALL_STEPS, SELF_LOOPS, *CHOSEN, *ROUNDS),
            note="theta(k+1) after all tau steps, as Figure 1 has it",
            mends=(LOST_STEP, NO_LOOPS),
            checks=(
                Check("ring-without-self-loops", cases.COROLLARY_RING, "ASSUMPTION_FAILS"),
                Check("five-decades", cases.COROLLARY, "HOLDS"),
                Check("too-few-rounds", cases.COROLLARY_EARLY, "ASSUMPTION_FAILS"),
                Check("ring-of-128", cases.of_128({"name": "ring"}), "VACUOUS"),
                Check("random-of-128", cases.of_128(cases.RANDOM), "VACUOUS"),
                Check("complete-of-128", cases.of_128({"name": "complete"}), "VACUOUS"),
            ),
        ),
        "corrected": Version(
            terms=_CORRECTED,
            assumes=(*SHARED, *CHOSEN, *_FEWER_ROUNDS),
            quantity=MEASURE_EACH,
            note="Theorem 1's corrected bound at these step sizes, K >= N L^2 max(1, 4 S^2)",
            mends=(LOST_STEP, NO_LOOPS),
            checks=(
                Check("five-decades", cases.COROLLARY, "HOLDS"),
                Check("from-few-rounds-on", cases.COROLLARY_EARLY, "HOLDS"),
                Check("representation-noise", cases.COROLLARY_TIGHT, "HOLDS"),
                Check("large-L", cases.COROLLARY_LARGE_L, "HOLDS"),
                Check("one-head-step", cases.COROLLARY_FROZEN, "HOLDS"),
                Check("ring-without-self-loops", cases.COROLLARY_RING, "ASSUMPTION_FAILS"),
                Check("ring-of-128", cases.of_128({"name": "ring"}), "ASSUMPTION_FAILS"),
            ),
        ),
    },
)
