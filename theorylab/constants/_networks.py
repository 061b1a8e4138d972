"""Constants of a run with several networks: each network's own, with its name behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scipy.sparse import csr_array

from theorylab.constants._pairs import PAIRS
from theorylab.constants.topology_constants import (
    enclosed_spectrum,
    graph_constants,
    topology_constants,
)
from theorylab.known import Known
from theorylab.topologies import Topology

# What P and its transpose have in common. The second is column-stochastic where rows sum to 1.
_SHARED = ("clients", "p", "self_loops", "doubly_stochastic", "lambda2", "spectral_gap", "sigma2",
           "window", "diameter")  # fmt: skip


class _Turned(Topology):
    """The transposes in reversed order: their product is the transpose of the product."""

    def __init__(self, network: Topology, rounds: int) -> None:
        self._network, self._rounds = network, rounds
        super().__init__(network.clients, period=network.period, options=network.describe())

    def _build(self, t: int, run: int) -> csr_array:
        P = self._network.matrix((self._rounds - 1 - t) % self._rounds, run)
        turned = csr_array(P.T)
        turned.sort_indices()
        return turned


def network_constants(
    topology: Topology, horizon: int, names: Iterable[str], dim: int = 1
) -> dict[str, Known]:
    """The constants of a topology among which may be those called ``names``.

    The spectrum of a static or periodic one is enclosed. Of several
    networks, ``lambda2_pull`` is lambda2 of the network "pull". Of one whose rows sum to
    1, not its columns, those that it has in common with its transposes.

    Raises ValueError as ``topology_constants``.
    """
    wanted = set(names)
    if not topology.networks:
        of = topology_constants if wanted & set(PAIRS) else graph_constants
        return of(topology, horizon, dim=dim) | enclosed_spectrum(topology, wanted)
    found: dict[str, Known] = {}
    for name, network in topology.networks.items():
        end = f"_{name}"
        mine = {each.removesuffix(end) for each in wanted if each.endswith(end)}
        if not mine:
            continue
        if network.column_stochastic:
            known = network_constants(network, horizon, mine, dim)
        else:
            turned = _Turned(network, network.period or horizon)
            every = graph_constants(turned, horizon, dim=dim) | enclosed_spectrum(turned, mine)
            known = {
                key: replace(every[key], source=f"of the transpose: {every[key].source}")
                for key in _SHARED
            }
        found |= {f"{key}{end}": value for key, value in known.items()}
    return found
