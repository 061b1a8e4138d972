r"""Algorithm 2's estimates of pbar and dbar, and their ratio in HGP.

Printed (Section 4.2: "In practice, we can estimate them through T rounds of SGP
communication"; Algorithm 2, lines 7, 12, 14, 15; Appendix F: "The estimation bias incurred by this
simple modification is corrected according to the expected sending weight [...] and receiving
frequency [...] estimated through inner SGP iterations").

`printed`: the averages p-hat_ij and d-hat_{j->i} of T rounds have the means pbar and dbar. True.
`implied`: what HGP's unbiasedness (Eq. (12)) would take with them, E[p-hat / d-hat] = pbar / dbar:
given d-hat, an edge is worth p-hat / d-hat, and E[delta p-hat / d-hat] = dbar E[p-hat / d-hat]. It
is not: 1 / d-hat is convex. Measured given d-hat > 0, else it is 0/0 ("unseen" says how often).

Corrected: with d = dbar_{j->i} and T independent rounds,

    | E[p-hat / d-hat; d-hat > 0] / (pbar / dbar) - 1 | <= 1 / ((T+1) d) + 8 / ((T+1) (T+2) d^2),

however the two edges depend on each other. Proof. Rounds are alike, so E[sum_t p_t / sum_t delta_t;
> 0] = T E[p_1 / (delta_1 + X); > 0] with X ~ Bin(T - 1, d), independent of round 1: with p1 = E[p_1
delta_1], p0 = E[p_1 (1 - delta_1)], p1 + p0 = pbar, the left side plus 1 is (d T / pbar) (p1 E[1 /
(1 + X)] + p0 E[1/X; X > 0]), an average of two numbers. Number one: d T E[1 / (1 + X)] = 1 - (1 -
d)^T. Number two: for X >= 1, 1/X = 1/(X+1) + 1/((X+1)(X+2)) + 2/(X (X+1)(X+2)), where X + 3 <= 4 X,
and E[1 / ((X+1) .. (X+k))] <= 1 / (T (T+1) .. (T+k-1) d^k); so it is at most 1 + 1/((T+1) d) + 8 /
((T+1)(T+2) d^2), and, as E[1/X; X > 0] >= E[1/(X+1)] - P(X = 0), at least 1 - (1-d)^T - T d
(1-d)^(T-1) = 1 - P(Bin(T, d) <= 1). By Markov's inequality for 1 / ((X+1)(X+2)), X ~ Bin(T, d),
that chance is at most 6 / ((T+1)(T+2) d^2). The leading term is right but for a factor 1 - d.
"""

import sympy as sp

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.pdbo._causes import RATIO
from theorylab.statements.pdbo._symbols import edge_chance
from theorylab.symbols import T, roundoff

_RATIO = Quantity(
    "ratio", "rows", (0, 0), r"|E[\hat p/\hat\delta;\hat\delta>0]\,\bar\delta/\bar p - 1|"
)
_PARTS = Quantity("parts", "rows", (0, 0), r"\max(|E\hat p/\bar p-1|,|E\hat\delta/\bar\delta-1|)")
# As the experiment's own allowance, for at most 2^16 patterns.
_ROUNDING = {"rounding": 64 * roundoff * (2**16 + T)}
_SOME = (Assumption("rounds are drawn", rule=T >= 1),)
STO_D = {"network": {"name": "sto-d", "seed": 2}, "rounds": [1, 2, 5, 50, 600]}
STO_U = {"network": {"name": "sto-u", "seed": 2}, "rounds": [1, 2, 5, 50, 600]}
PAPER = {"network": {"name": "sto-d", "seed": 2, "low": 0.4, "high": 0.8}, "rounds": [600]}
RARE = {"network": {"name": "sto-d", "low": 0.05, "high": 0.1}, "rounds": [5, 50, 600]}

STATEMENT = Statement(
    id="pdbo.alg2_estimates",
    source=Source("pdbo", "Algorithm 2, lines 7 to 15", "pbar and dbar estimated in T rounds"),
    experiment="edge-estimates",
    quantity=_RATIO,
    versions={
        "printed": Version(
            terms=_ROUNDING,
            assumes=_SOME,
            quantity=_PARTS,
            note="each average has the mean that it estimates",
            mends=(RATIO,),
            checks=(Check("sto-d", STO_D), Check("sto-u", STO_U), Check("rare", RARE)),
        ),
        "implied": Version(
            terms=_ROUNDING,
            assumes=_SOME,
            causes=(RATIO,),
            note="their ratio, which HGP uses, has the mean pbar / dbar",
            checks=(
                Check("paper", PAPER, "VIOLATED", carries="T = 600, dbar in [.4, .8]"),
                Check("sto-d", STO_D, "VIOLATED", carries="T from 1 to 600"),
                Check("rare", RARE, "VIOLATED", carries="dbar in [.05, .1], T from 5 to 600"),
            ),
        ),
        "corrected": Version(
            terms={
                "1/T": 1 / ((T + 1) * edge_chance),
                "1/T^2": sp.Integer(8) / ((T + 1) * (T + 2) * edge_chance**2),
            },
            assumes=_SOME,
            note="biased by about 1 / (T dbar)",
            mends=(RATIO,),
            checks=(Check("sto-d", STO_D), Check("sto-u", STO_U), Check("rare", RARE)),
        ),
    },
)
