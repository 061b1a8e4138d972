r"""Inequality (6), in Proof 4: the lemma of stochastic gradient push as it is quoted.

Printed: "Based on Lemma 3 in Assran et al. (2019)",

    ||z_i^t - xbar^t||
      <= C q^t ||x_i^0|| + C sum_{j=0}^t q^{t-j} ||eta sum_k sum_{s<=k} alpha^{k-s} g_{i,s}^j||.

False: on the ring of three below only client 0 has a slope at 0. At t = 1 client 2 has heard of
nobody who moved: its model and its gradients are 0, so the right side is 0, but xbar has moved.
No C and q can save it.

Readings. `printed/average` averages both sides over the clients, as Proof 5 uses Lemma 4. That
asks for column sums of |M(t, j)| (see ``lem4``) where the lemma bounds row sums. False: with two
sources and two listeners (``_proof5.two_sources``) rows sum to 2^{-t} for t > 0 and to 3/2 at lag
0, so C = 3/2 and q <= 1/2; the column of a source sums to 2^{1-t}. If that source alone starts
away from 0 and eta -> 0, the left side is 2^{1-t}/4 and the right one at most (3/2) 2^{-t}/4.

Corrected: with U_l^j the update of client l in round j, and sum_l |M_il(t, j)| <= C q^{t-j},

    ||z_i^t - xbar^t|| <= C q^t max_l ||x_l^0|| + C sum_{j<t} q^{t-j} max_l ||U_l^j||

(see ``lem4``). The sums on the right are measured with the q of the version.
"""

from __future__ import annotations

from theorylab.statements._base import Assumption, Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity
from theorylab.statements.dfedsgpsm._algorithm1 import INPUTS
from theorylab.statements.dfedsgpsm._proof5 import CHORDS, two_sources
from theorylab.statements.dfedsgpsm._symbols import (
    largest_start,
    largest_sum,
    mean_start,
    mean_sum,
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

_ONE_MOVES = {
    "problem": {"name": "log-cosh", "centers": [[5.0], [0.0], [0.0]]},
    "topology": {"name": "directed-ring"},
    "clients": 3,
    "rounds": 4,
    "algorithm": {"eta": 1e-6, "alpha": 0.5, "rho": 0.0, "local_steps": 2},
}
_ALL_MOVE = {
    **_ONE_MOVES,
    "problem": {"name": "log-cosh", "centers": [[5.0], [6.0], [-7.0]]},
    "rounds": 20,
}
_ONE_SOURCE = {  # only client 0 starts away from 0; eta so small that nothing else is seen
    "problem": {"name": "log-cosh", "dim": 1},
    "topology": two_sources(1),
    "clients": 4,
    "rounds": 6,
    "algorithm": {"eta": 1e-9, "alpha": 0.5, "rho": 0.0, "local_steps": 2},
    "x0": [[1.0], [0.0], [0.0], [0.0]],
}

STATEMENT = Statement(
    id="dfedsgpsm.eq6",
    source=Source("dfedsgpsm", "Eq. (6), Proof 4", "consensus by a client's own updates"),
    experiment="local-rounds",
    quantity=Quantity("distance", "rows", (0, 1), r"\|z_i^t - \bar{x}^t\|", pathwise=True),
    versions={
        "printed": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            constants=_ROW,
            fixed_pair=True,
            note="C, q: smallest pair for the per-client inequality of the SGP lemma",
            checks=(Check("one-moves", _ONE_MOVES, "VIOLATED"), Check("all-move", _ALL_MOVE)),
        ),
        "printed/sgp": Version(
            terms=_PRINTED,
            assumes=_ASSUMES,
            constants=_SGP,
            fixed_pair=True,
            note="C, q: the closed formulas of Lemma 3 of Assran et al. (2019)",
            checks=(Check("one-moves", _ONE_MOVES, "VIOLATED"),),
        ),
        "printed/average": Version(
            terms={"first models": C * q**t * mean_start, "updates": C * mean_sum},
            assumes=_ASSUMES,
            quantity=Quantity(
                "distance_mean",
                "rows",
                (0, 1),
                r"\frac{1}{n}\sum_i \|z_i^t - \bar{x}^t\|",
                pathwise=True,
            ),
            constants=_ROW,
            fixed_pair=True,
            note="the mean over the clients of both sides",
            checks=(
                Check("one-source", _ONE_SOURCE, "VIOLATED"),
                Check("one-moves", _ONE_MOVES),
                Check("all-move", _ALL_MOVE),
            ),
        ),
        "corrected": Version(
            terms={"first models": C * q**t * largest_start, "updates": C * largest_sum},
            assumes=_ASSUMES,
            constants=_ROW,
            fixed_pair=True,
            note="the largest of all clients",
            checks=(
                Check("one-moves", _ONE_MOVES),
                Check("all-move", _ALL_MOVE),
                Check("six-clients", CHORDS),
                Check("one-source", _ONE_SOURCE),
            ),
        ),
    },
)
