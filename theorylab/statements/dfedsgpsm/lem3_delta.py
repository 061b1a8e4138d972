r"""Proof 3 and Theorem 1: delta > 0.

Printed: "According to Property 2.1 by Taheri et al. (2020), we obtain that there exists delta > 0
such that ||w_i^t|| > delta"; Theorem 1: "delta represents the minimum sum of any row elements in
the matrix prod_{i=1}^t G(i) for all t >= 0".

Readings. w^t = P(t-1) .. P(0) 1, so delta is the infimum of all w_i^t; > is then meant as >=.
"There exists" is judged by a number: with p the least positive entry and window B (Assumption 1),

    1 / min_i w_i^t <= p^{-(n-1) B}     for all t.

True. Self-loops keep what a client has, and within B rounds somebody who has not heard of client j
hears of j, so any (n-1) B rounds multiply to a matrix with all entries at least p^{(n-1) B}.
Columns sum to 1, so w_i^t >= p^{(n-1) B} n from there on, and w_i^t >= p^t before.

How little that is: on a chain i -> i+1 whose clients all send back to client 0, too, weights halve
from client to client, and 1/delta grows like 2^n / n, along which the check ``ladders`` goes.
Theorem 1 has 1/delta.

Networks drawn anew in every round, as those of Appendix A, have no such delta. What Assumption 1
asks for every l cannot hold of them: any B rounds in which nobody sends to client i have a positive
chance, so they come sooner or later, and w_i at least halves in each of these rounds. So the
infimum over all t is 0 with probability 1, and what a run of T rounds has is delta of that run.
"""

from __future__ import annotations

from typing import Any

from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.statements.dfedsgpsm._symbols import all_rounds_window, least_share
from theorylab.symbols import n, self_loops


def _ladder(clients: int) -> dict[str, Any]:
    """i -> i + 1, and everybody -> 0."""
    up = [[i, i + 1] for i in range(clients - 1)]
    back = [[i, 0] for i in range(1, clients)]
    return {"topology": {"name": "edge-list", "edges": up + back}}


_SIZES = (4, 8, 16, 24)
_LADDERS = {
    **_ladder(4),
    "clients": 4,
    "rounds": 200,
    "sweep": {"parameter": "clients", "values": [*_SIZES], "each": [_ladder(n) for n in _SIZES]},
}

STATEMENT = Statement(
    id="dfedsgpsm.lem3_delta",
    source=Source("dfedsgpsm", "Proof 3, delta; Theorem 1", "push-sum weights stay above delta"),
    experiment="network-matrices",
    quantity=Quantity("light", "rows", (0, 0), r"1/\min_i w_i^t"),
    versions={
        "printed": Version(
            terms={"1/delta": least_share ** (-(n - 1) * all_rounds_window)},
            assumes=(
                Assumption(
                    "Assumption 1 (bounded strongly connected), every l",
                    finite=(all_rounds_window,),
                ),
                Assumption("Section 3.3: every client keeps a self-loop", rule=self_loops >= 1),
            ),
            constants={least_share: "p"},
            checks=(
                Check("ladders", _LADDERS),
                Check("peers", {"topology": {"name": "one-peer-exponential"}, "clients": 6}),
                Check(
                    "drawn",
                    {"topology": {"name": "random-out", "degree": 2, "seed": 1}, "clients": 6},
                    "ASSUMPTION_FAILS",
                ),
            ),
        ),
    },
)
