"""The instances that DFedPGP's statements are checked on: ``instances.toml`` has them.

Runs, rounds and local steps, points, and sweeps over decades. An average over t = 1 .. T looks at
round T, so T rounds of a row are T + 1 of the instance.
"""

from __future__ import annotations

import math
from typing import Any

from theorylab.statements._entries import entry_of
from theorylab.statements._quadratics import Data as Data
from theorylab.statements._quadratics import changed as changed
from theorylab.statements._quadratics import scalars as scalars


def __getattr__(name: str) -> Any:
    return entry_of(__package__, name)


def rows_at(*counts: int) -> Data:
    """Rows at several T, each of which may look at round T, too."""
    return {"rounds": counts[-1] + 1, "at": [*counts]}


def corollary(instance: Data, T: int, c_u: float = 1.0, c_v: float = 0.125) -> Data:
    """T rounds at Corollary 1's eta = c/(L K sqrt T), of clients with one curvature."""
    steps = {}
    for part, table, c in (("u", "A", c_u), ("v", "B", c_v)):
        L, K = instance["problem"][table][0][0][0], instance["algorithm"][f"steps_{part}"]
        steps[f"eta_{part}"] = c / (L * K * math.sqrt(T))
    return {**changed(instance, **steps), **rows_at(T)}
