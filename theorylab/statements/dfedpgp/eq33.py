r"""(33): Theorem 1's bracket from (32), "assume C^2 << (1-q)^2 T, then unfold AA".

Printed: at eta_u = c_u/(L_u K_u sqrt T), eta_v = c_v/(L_v K_v sqrt T) the sum of (32), divided by
the coefficients of E Delta_u^t and E Delta_v^t, is O of (33), the bracket of (3). The condition
stands in the appendix alone; Theorem 1 is printed without it. "<<" is read as a hundredth. Judged
as the growth of (32)'s right side over (33), per decade of T: at most 9/8. (C, q):

`printed`: of the network. True as T grows: AA is 8 c_u^2 C^2 (K_u+1)/(L_u^2 T ((1-q)^2 K_u
- 8 c_u^2 C^2 (K_u+1)/T)), whose last bracket is at least 9/10 of (1-q)^2 K_u for c_u <= 3/4.
`printed/sgp`: the closed formulas of the lemma that Theorem 1 refers to, [2, Lemma 3]. On a ring of
100 they ask for more than 10^120 rounds.
`printed/eq14`: (14), as the proof has them. With K_u = 5 a ring of 100 has C/(1-q) = 10^358.7: the
condition asks for 10^719 rounds, and Corollary 1's eta_u is then 10^-360, which no float64 holds.

The condition is not all that is needed: L_vu^2 AA/2 has to stay below eta_u K_u/2, which asks for
sqrt T >> C^2/(1-q)^2 where L_vu is as large as L_u.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements import Assumption, Check, Order, Source, Statement, Version
from theorylab.statements.dfedpgp import _instances as cases
from theorylab.statements.dfedpgp._causes import OUT_OF_REACH
from theorylab.statements.dfedpgp._orders import BOUNDED, CHOSEN, PRINTED
from theorylab.statements.dfedpgp._symbols import asked
from theorylab.statements.dfedpgp._theorem1 import DEBIASED, NETWORK, NETWORK_S, POSITIVE
from theorylab.statements.dfedpgp._theorem1 import PRINTED as EQ32
from theorylab.symbols import C, T, q

_PAIRS = {"sgp": {C: "C_sgp", q: "q_sgp"}, "eq14": {C: "C_dfedpgp", q: "q_dfedpgp"}}
_FAR_BELOW = "Proof of Theorem 1: C^2 << (1-q)^2 T, a hundredth"


def _unfolded(checks: tuple[Check, ...], pair: str = "", **told: Any) -> Version:
    """(32) over (33), with the closed formulas of ``pair`` or what the network has."""
    least = 100 * asked if pair else 100 * (C / (1 - q)) ** 2
    names: dict[sp.Symbol, str] = _PAIRS[pair] if pair else NETWORK_S
    return Version(
        terms=BOUNDED,
        assumes=(
            *CHOSEN,
            *(() if pair else NETWORK),
            Assumption(_FAR_BELOW, rule=least <= T, asks=least if pair else None),
            *(() if pair else POSITIVE),
        ),
        order=Order(PRINTED, left=sp.Add(*EQ32.values())),
        constants={**names, **({asked: f"dfedpgp_asked_{pair}"} if pair else {})},
        checks=checks,
        **told,
    )


STATEMENT = Statement(
    id="dfedpgp.eq33",
    source=Source("dfedpgp", "Eq. (33), (14)", "(32) unfolded, C^2 << (1-q)^2 T"),
    algorithm="dfedpgp",
    quantity=DEBIASED,
    versions={
        "printed": _unfolded(
            (
                Check("rounds", cases.IN_T),
                Check("too-few-rounds", cases.IN_T_EARLY, "ASSUMPTION_FAILS"),
                Check("no-self-loops", cases.IN_T_UNMIXED, "ASSUMPTION_FAILS"),
            ),
            note="C and q of the network",
            mends=(OUT_OF_REACH,),
        ),
        "printed/sgp": _unfolded(
            (
                Check("ring-of-three", cases.IN_T_EARLY, "ASSUMPTION_FAILS"),
                Check("ring-of-16", cases.IN_T_OF_16, "VACUOUS"),
                Check("ring-of-100", cases.IN_T_OF_100, "VACUOUS", quick=False),
            ),
            pair="sgp",
            note="C and q of [2, Lemma 3]",
            causes=(OUT_OF_REACH,),
        ),
        "printed/eq14": _unfolded(
            (
                Check("ring-of-three", cases.IN_T_EARLY, "ASSUMPTION_FAILS"),
                Check("ring-of-2-twenty-steps", cases.IN_T_OF_2, "VACUOUS"),
                Check("ring-of-100-five-steps", cases.IN_T_OF_100_FIVE, "VACUOUS", quick=False),
            ),
            pair="eq14",
            note="C and q of (14)",
            causes=(OUT_OF_REACH,),
        ),
    },
)
