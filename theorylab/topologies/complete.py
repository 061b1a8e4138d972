"""Complete graph: everyone sends to everyone."""

from __future__ import annotations

import numpy as np

from theorylab.topologies._edges import Ints
from theorylab.topologies._weighted import Weighted


class Complete(Weighted, name="complete"):
    """P = 11^T / n with uniform weights and self-loops: consensus in one round. Stores n^2."""

    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        everyone = np.arange(self.clients)
        return np.repeat(everyone, self.clients), np.tile(everyone, self.clients)
