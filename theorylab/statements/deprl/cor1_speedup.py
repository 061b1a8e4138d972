r"""Corollary 1, text: linear speedup.

Printed: DePRL "achieves a linear speedup for convergence, i.e., we can proportionally decrease K as
N increases while keeping the same convergence rate" (so the abstract and the introduction as well).

Judged along N with K = c/N, where 1/sqrt(NK) does not change: the left side over Corollary 1's
bracket grows by at most 10^(1/20) per decade of N (as ``cor1_rate``), by exact moments.

Readings, by where Corollary 1 asks K >= max(18 C^2 L^2 N^3/(1-q)^2, ...):
 `printed`: at the network that one starts from; then N increases and K decreases, as it says.
    False on the directed ring with self-loops. The noise of the representations sums up in the
    modes lambda of P: without curvature, and once K >> N^2,
        (1/N) sum_i E||phi_i - phibar||^2
          = beta^2 sigma^2 (1/N) sum_{lambda != 1} |lambda|^2/(1-|lambda|^2),
    a mean of the order N, as |lambda_j| = cos(pi j/N). With beta^2 = N/K = N^2/c that is N^3/c,
    where the bracket stays at 2/sqrt(c): for every constant there are c and N at which the left
    side is above it. Workers that differ add varsigma^2 beta^2/|1-lambda|^2 in every mode.
 `printed/every-n`: at every N of the sweep. True where it was looked at, but it is no "decrease K
    as N increases": C = 2(1+p^-N)/(1-p^N) and 1-q ~ p^N/N make that number grow as N^5 p^(-4N), so
    for a given c it ends at N of about log(c)/(4 log(1/p)): here at N = 6 for c = 2e11.

Corrected: K >= N^3 S^4 and N L^2 max(1, 4 S^2) at every N, S = C_2 q_2/(1-q_2). Then the corrected
``cor1`` has N/K (sigma q_2/sqrt(1-q_2^2) + varsigma q_2/(1-q_2))^2 C_2^2 <= (sigma + varsigma)^2
/sqrt(NK). S = 0 on the complete graph: K may fall as c/N down to N L^2.
"""

from __future__ import annotations

import sympy as sp

from theorylab.statements._base import Assumption, Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.deprl._instances import RATE_CLIENTS
from theorylab.statements.deprl._symbols import rounds_every, rounds_first, rounds_mixing
from theorylab.statements.deprl._theorem1 import ALL_STEPS, MIXING, SAME, SHARED

# K = c/N. L = .05, for which Corollary 1 asks K >= 2.8e5 on three workers, p = 1/2.
_RING = {
    **RATE_CLIENTS,
    "problem": {**RATE_CLIENTS["problem"], "mu_u": 0.05, "L_u": 0.05, "mu_v": 0.05, "L_v": 0.05},
    "topology": {"name": "directed-ring"},
    "values": [3, 4, 6, 8, 12, 16, 24, 32],
    "rounds": 3 * 10**5,
    "follow": -1,
    "fit": 4,
}
_COMPLETE = {**_RING, "topology": {"name": "complete"}, "rounds": 3 * 10**7, "fit": 0}
_EVERY_N = {**_RING, "values": [3, 4, 5, 6], "rounds": 6 * 10**10, "fit": 0}
_LONG = {**_RING, "values": [3, 4, 6, 8, 10], "rounds": 4 * 10**9, "fit": 0}
_TERMS = {"a twentieth of a decade": sp.Integer(10) ** sp.Rational(1, 20)}

STATEMENT = Statement(
    id="deprl.cor1_speedup",
    source=Source("deprl", "Corollary 1, text", "linear speedup: K falls as N grows"),
    experiment="deprl-growth",
    quantity=Quantity(
        "growth",
        "rows",
        (0, 0),
        r"\text{growth per decade of } N \text{ of } \frac1K\sum_k E M(k) \Big/ \left("
        r"\frac1{\sqrt{NK}}+\frac1{K\sqrt N}+\frac1{\tau\sqrt{NK}}\right),\ K = c/N",
    ),
    versions={
        "printed": Version(
            terms=_TERMS,
            assumes=(
                *SHARED,
                ALL_STEPS,
                SAME,
                Assumption("Corollary 1: its K at the first N", rule=rounds_first >= 0),
            ),
            note="the rounds are enough at first; then N increases and K decreases",
            checks=(
                Check("directed-ring", _RING, "VIOLATED"),
                Check("complete", _COMPLETE),
            ),
        ),
        "printed/every-n": Version(
            terms=_TERMS,
            assumes=(
                *SHARED,
                ALL_STEPS,
                SAME,
                Assumption("Corollary 1: its K at every N", rule=rounds_every >= 0),
            ),
            note="the rounds are enough at every N, which ends at an N of order log K",
            checks=(
                Check("three-to-six", _EVERY_N),
                Check("directed-ring", _RING, "ASSUMPTION_FAILS"),
                Check("complete", _COMPLETE, "ASSUMPTION_FAILS"),
            ),
        ),
        "corrected": Version(
            terms=_TERMS,
            assumes=(
                *SHARED,
                ALL_STEPS,
                SAME,
                *MIXING,
                Assumption(
                    "corrected: K >= N^3 S^4, N L^2, 4 N L^2 S^2 at every N",
                    rule=rounds_mixing >= 0,
                ),
            ),
            note="the rounds keep above N^3/(1-q_2)^4",
            checks=(
                Check("complete", _COMPLETE),
                Check("many-rounds-on-a-ring", _LONG),
            ),
        ),
    },
)
