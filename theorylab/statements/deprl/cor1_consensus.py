r"""Introduction, contributions: consensus.

Printed: "our results guarantee that all workers reach a consensus on the shared global
representation, while learn a personalized local head".

The results are Theorem 1 and Corollary 1, whose M(k) has (1/N) sum_i ||phi_i - phibar||^2 in it.
Judged: with Corollary 1's step sizes its average over K rounds, in expectation, tends to 0 as K
grows: per decade of K, at the far end of the sweep, it falls by a factor 10^(1/20) at least (by
10 where it is O(N/K)).

`printed`: false on a ring of four without self-loops, which Assumption 1 and strong connection
allow. P has the eigenvalue -1, so the part along (1, -1, 1, -1) is never mixed away: where the loss
is flat it is a random walk, (1/N) beta^2 sigma^2 k after k rounds and (1/N) beta^2 sigma^2 K/2 on
average, and beta^2 K = N: sigma^2/2 at any K. `corrected`: P^m tends to J.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.deprl._instances import RATE_RING_OF_FOUR, RATE_ROUNDS
from theorylab.statements.deprl._theorem1 import ALL_STEPS, MIXING, SAME, SHARED

_TERMS = {"a twentieth of a decade down": sp.Integer(10) ** sp.Rational(-1, 20)}

STATEMENT = Statement(
    id="deprl.cor1_consensus",
    source=Source("deprl", "Introduction; Corollary 1", "all workers reach a consensus"),
    experiment="deprl-growth",
    quantity=Quantity(
        "growth_distance",
        "rows",
        (0, 0),
        r"\text{growth per decade of } K \text{ of } "
        r"\frac1K\sum_k\frac1N\sum_i E\|\phi_i(k)-\bar\phi(k)\|^2",
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(*SHARED, ALL_STEPS, SAME),
            checks=(
                Check("ring-without-self-loops", RATE_RING_OF_FOUR, "VIOLATED"),
                Check("pair", RATE_ROUNDS),
            ),
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=(*SHARED, ALL_STEPS, *MIXING, SAME),
            note="P^m tends to J",
            checks=(
                Check("ring-without-self-loops", RATE_RING_OF_FOUR, "ASSUMPTION_FAILS"),
                Check("pair", RATE_ROUNDS),
            ),
        ),
    },
)
