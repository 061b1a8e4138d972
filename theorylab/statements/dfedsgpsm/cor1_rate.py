r"""Corollary 1 and Remark 2: the rate O(1/sqrt(T)) with eta ~ 1/(LK sqrt(T)), rho ~ 1/(L sqrt(T)).

Judged as the growth, per decade of the swept parameter, of the left side over the claimed order: at
most 9/8 (1 in the limit; the rest is for what is still transient over the decades looked at). The
swept parameter is T (three decades), or with T fixed K, L or n, in which the bracket is constant or
grows as said in the check. A control that claims 1/T must fail. Growth counts only where the last
ratio is above what Theorem 1's corrected bound leaves to the O(.) at the first value, the network's
terms and rho's included: a transient of thousands of rounds refutes nothing.

The rate is right. The dependence on alpha (``cor1_growth``) is not.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from theorylab.statements._base import Check, Source, Statement, Version
from theorylab.statements._quantity import Quantity

_BASE: dict[str, Any] = {
    "algorithm": {
        "name": "dfedsgpsm", "eta": 0.1, "alpha": 0.5, "rho": 0.02, "local_steps": 2,
    },
    "problem": {"name": "log-cosh", "center": 2.0, "spread": 0.5, "seed": 1},
    "topology": {"name": "directed-ring"},
    "clients": 3,
    "rounds": 10,
    "measured": "squared_gradient",
    "over": "average",
}  # fmt: skip
_IN_T = {
    **_BASE,
    "sweep": "rounds",
    "values": [10, 32, 100, 316, 1000, 3162, 10000],
    "coupled": {"algorithm.eta": -0.5, "algorithm.rho": -0.5},
    "bracket": [[1.0, -0.5]],
}
# A control that must fail: the same runs, fewer decades, claimed to be O(1/T).
_CONTROL = {**_IN_T, "values": [10, 32, 100, 316, 1000], "bracket": [[1.0, -1.0]]}
_NOISE = {
    **_IN_T,
    "problem": {**_BASE["problem"], "sigma": 1.0},
    "values": [20, 63, 200, 632, 2000],
}
_IN_K = {
    **_BASE,
    "rounds": 200,
    "sweep": "algorithm.local_steps",
    "values": [1, 3, 10, 32, 100],
    "coupled": {"algorithm.eta": -1.0},
    "bracket": [[1.0, 0.0]],
}
_IN_L = {
    **_BASE,
    "rounds": 200,
    "sweep": "problem.scale",
    "problem": {"name": "log-cosh", "center": 2.0, "scale": 1.0},
    "values": [1, 10, 100, 1000],
    "coupled": {"algorithm.eta": -1.0},
    "bracket": [[1.0, 2.0]],  # f0 - f* is proportional to L here
}
_IN_N = {  # the same loss for every client: what the order has in it beside n must not move
    **_BASE,
    "problem": {"name": "log-cosh", "center": 2.0},
    "rounds": 200,
    "sweep": "clients",
    "values": [2, 4, 8, 16, 32],
    "bracket": [[1.0, 0.0]],
}

STATEMENT = Statement(
    id="dfedsgpsm.cor1_rate",
    source=Source("dfedsgpsm", "Corollary 1, Remark 2", "the rate 1/sqrt(T)"),
    experiment="rate",
    quantity=Quantity("growth", "rows", (0, 0), r"\text{growth of LHS}/T^{-1/2}\text{ per decade}"),
    versions={
        "printed": Version(
            terms={"bounded": sp.Rational(9, 8)},
            assumes=(),
            checks=(
                Check("rounds", _IN_T),
                # 16 runs, all that are looked at, leave the growth between .5 and 1.5: no verdict.
                Check("rounds-noise", _NOISE, "INCONCLUSIVE", quick=False),
                Check("local-steps", _IN_K),
                Check("smoothness", _IN_L),
                Check("clients", _IN_N),
                Check("control-1-over-T", _CONTROL, "VIOLATED", control=True),
            ),
        ),
    },
)
