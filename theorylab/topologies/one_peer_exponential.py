"""One-peer exponential graph: at round t, i -> i + 2^(t mod ceil(log2 n)) mod n."""

from __future__ import annotations

import numpy as np

from theorylab.topologies._edges import Ints
from theorylab.topologies._numbers import count
from theorylab.topologies._weighted import Weighted


class OnePeerExponential(Weighted, name="one-peer-exponential"):
    """One receiver a round, twice as far away each time (Assran et al. 2019; Ying et al. 2021).

    Period ceil(log2 n), at least 1. With uniform weights and n a power of two, the product over
    one period is 11^T / n exactly. Options as in ``Weighted``.
    """

    def __init__(
        self, clients: int, *, weights: str | None = None, self_loops: bool = True
    ) -> None:
        clients = count(clients, f"{self.name}: clients", least=1)
        # bit_length is ceil(log2 n) in integers: no rounding of a logarithm near a power of two.
        period = max(1, (clients - 1).bit_length())
        self._weighted(clients, weights, self_loops, period=period)

    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        here = np.arange(self.clients)
        return here, (here + 2**t) % self.clients
