"""Static exponential graph: i -> i + 2^k mod n for every 2^k < n."""

from __future__ import annotations

import numpy as np

from theorylab.topologies._edges import Ints
from theorylab.topologies._weighted import Weighted


class DirectedExponential(Weighted, name="directed-exponential"):
    """Every client sends to the clients 1, 2, 4, ... ahead (Assran et al. 2019; Ying et al. 2021).

    With uniform weights and n a power of two, |lambda_2| = 1 - 2 / (log2(n) + 1).
    """

    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        hops = 2 ** np.arange((self.clients - 1).bit_length())  # all 2^k < n
        here = np.repeat(np.arange(self.clients), len(hops))
        return here, (here + np.tile(hops, self.clients)) % self.clients
