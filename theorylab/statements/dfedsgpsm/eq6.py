r"""Inequality (6), in Proof 4: the lemma of stochastic gradient push as it is quoted.

Printed: "Based on Lemma 3 in Assran et al. (2019)",

    ||z_i^t - xbar^t||
      <= C q^t ||x_i^0|| + C sum_{j=0}^t q^{t-j} ||eta sum_k sum_{s<=k} alpha^{k-s} g_{i,s}^j||.

``one-moves``: on a ring of three only client 0 has a slope at 0. At t = 1 client 2 has heard of
nobody who moved: its model and its gradients are 0, and xbar has moved.

Readings. C and q: `printed` takes a pair with ||M(t, s)|| <= C q^{t-s} for all lags, row sums of
the debiased products; `printed/least-pair` a pair for what the proof of (6) meets, which is M(t, 0)
for all t and M(t, j) for j < t alone, as a round's update is mixed in the same round: lag 0 counts
at t = 0 only; `printed/sgp` the closed formulas. What averaging over the clients does, which
Proof 5 needs of Lemma 4, is judged at ``lem4``, implied.

Corrected: with U_l^j the update of client l in round j, and sum_l |M_il(t, j)| <= C q^{t-j},

    ||z_i^t - xbar^t|| <= C q^t max_l ||x_l^0 - xbar^0|| + C sum_{j<t} q^{t-j} max_l ||U_l^j||

(see ``lem4``). The sums on the right are measured with the q of the version.
"""

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm import _instances as cases
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.statements.dfedsgpsm._causes import OWN_MODEL
from theorylab.statements.dfedsgpsm._symbols import (
    largest_gap,
    largest_sum,
    own_start,
    own_sum,
    t,
)
from theorylab.symbols import C, q, window

_ASSUMES = (
    *INPUTS,
    Assumption("Lemma 4: strongly connected over time", finite=(window,)),
    Assumption("Lemma 4: q < 1, C finite", rule=q < 1, finite=(C,)),
)
_PRINTED = {"first model": C * q**t * own_start, "updates": C * own_sum}
_ROW = {C: "C_row", q: "q_row"}
_SGP = {C: "C_sgp", q: "q_sgp", own_sum: "own_sum_sgp"}


STATEMENT = Statement(
    id="dfedsgpsm.eq6",
    source=Source("dfedsgpsm", "Eq. (6), Proof 4", "consensus by a client's own updates"),
    algorithm="dfedsgpsm",
    quantity=Quantity(
        "dfedsgpsm.distance", "rows", (0, 1), r"\|z_i^t - \bar{x}^t\|", pathwise=True
    ),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            constants=_ROW,
            fixed_pair=True,
            note="C, q: smallest pair for the per-client inequality of the SGP lemma",
            causes=(OWN_MODEL,),
            checks=(
                Check("one-moves", cases.EQ6_ONE_MOVES, "VIOLATED"),
                Check("all-move", cases.EQ6_ALL_MOVE),
            ),
        ),
        "printed/sgp": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            constants=_SGP,
            fixed_pair=True,
            note="C, q: the closed formulas of the lemma, as DFedPGP quotes it",
            causes=(OWN_MODEL,),
            checks=(Check("one-moves", cases.EQ6_ONE_MOVES, "VIOLATED"),),
        ),
        "printed/least-pair": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            constants={C: "C_least", q: "q_least", own_sum: "own_sum_least"},
            fixed_pair=True,
            note="C, q: smallest pair for the products that the proof of (6) meets",
            causes=(OWN_MODEL,),
            checks=(
                Check("one-moves", cases.EQ6_ONE_MOVES, "VIOLATED"),
                Check("all-move", cases.EQ6_ALL_MOVE),
            ),
        ),
        "corrected": Version(
            terms={"first models": C * q**t * largest_gap, "updates": C * largest_sum},
            assumes=_ASSUMES,
            constants=_ROW,
            fixed_pair=True,
            note="the largest of all clients, first models from their mean",
            mends=(OWN_MODEL,),
            checks=(
                Check("one-moves", cases.EQ6_ONE_MOVES),
                Check("all-move", cases.EQ6_ALL_MOVE),
                Check("six-clients", cases.CHORDS),
            ),
        ),
    },
)
