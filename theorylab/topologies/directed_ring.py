"""Directed ring: i -> i + 1 mod n."""

from __future__ import annotations

import numpy as np

from theorylab.topologies._edges import Ints
from theorylab.topologies._weighted import Weighted


class DirectedRing(Weighted, name="directed-ring"):
    """Every client sends to the next one. With uniform weights |lambda_2| = cos(pi / n)."""

    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        here = np.arange(self.clients)
        return here, (here + 1) % self.clients
