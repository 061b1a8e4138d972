"""Two sources, each heard by half of the others alone, who talk to everybody: n = 2m + 2.

Client 0 sends to the even clients, client 1 to the odd ones, and all others to everybody.
"""

from __future__ import annotations

import numpy as np

from theorylab.topologies._edges import Ints
from theorylab.topologies._numbers import count
from theorylab.topologies._weighted import Weighted


class TwoSources(Weighted, name="two-sources"):
    """Row sums of its products say nothing of their 2-norms; the more clients, the less.

    With uniform weights P is doubly stochastic. With u = e_0 - e_1 and v = 1 on even clients, -1 on
    odd ones, P u = P v = v / (m+1), and whatever else there is averages at once: P^t - 11^T/n =
    (m+1)^{-t} v u^T / 2 for t > 0. Its rows sum to (m+1)^{-t} in absolute value, the columns of the
    sources to n/2 as much, and its 2-norm is sqrt(n/2) (m+1)^{-t}.

    Raises ValueError on a number of clients that is odd, or below 4. Options as in ``Weighted``.
    """

    def __init__(
        self, clients: int, *, weights: str | None = None, self_loops: bool = True
    ) -> None:
        clients = count(clients, f"{self.name}: clients", least=4)
        if clients % 2:
            raise ValueError(f"{self.name}: clients is {clients}; need an even number")
        self._weighted(clients, weights, self_loops)

    def _edges(self, t: int, run: int) -> tuple[Ints, Ints]:
        everyone = np.arange(self.clients)
        heard = [everyone[k::2] for k in (0, 1)]  # a source's own self-loop is left out later
        others = np.repeat(everyone[2:], self.clients)
        source = np.concatenate([np.full(len(one), k) for k, one in enumerate(heard)] + [others])
        return source, np.concatenate([*heard, np.tile(everyone, self.clients - 2)])
