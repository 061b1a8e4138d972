"""Several networks among the same clients, by name: a method says over which it exchanges what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from scipy.sparse import csr_array

from theorylab.topologies._base import Topology, topology


class Networks(Topology, name="networks"):
    """Networks by name, such as the row-stochastic and the column-stochastic one of Push-Pull.

    ``net.mix(x, network="pull")`` exchanges over one of them. What goes wrong in a round goes wrong
    in all: who is down, and which message between two clients is lost or late. A constant of a
    network has the network's name behind its own, ``lambda2_pull``.

    Args:
        of: ``{"pull": {"name": "random-in", "degree": 2}, "push": "directed-ring"}``: to each
            network's name a topology, its name, or its name and options.

    Raises:
        ValueError: one line, on a name or a topology that is none; TypeError on another kind.
    """

    def __init__(self, clients: int, *, of: Mapping[str, Any] | None = None) -> None:
        if of is None:
            raise ValueError("networks: of is missing; need {name: topology}")
        if not isinstance(of, Mapping):
            raise TypeError(f"networks: of is {of!r}; need {{name: topology}}")
        if not of:
            raise ValueError("networks: of is empty; need at least one network")
        made = {name: _one(name, part, clients) for name, part in of.items()}
        periods = [network.period for network in made.values()]
        drawn = any(period is None for period in periods)
        self.networks = made
        self.column_stochastic = all(each.column_stochastic for each in made.values())
        options = {"of": {name: _described(network) for name, network in made.items()}}
        super().__init__(clients, period=None, options=options)
        if not drawn:
            self.period = math.lcm(*(period for period in periods if period is not None))

    def matrix(self, t: int, run: int = 0) -> csr_array:
        """Raises ValueError: which of them is not said."""
        raise ValueError(
            f"networks: there are {', '.join(self.networks)}; need one of them by its name"
        )

    def _build(self, t: int, run: int) -> csr_array:
        return self.matrix(t, run)


def _one(name: Any, part: Any, clients: int) -> Topology:
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"networks: {name!r} is no name; need letters, digits and _")
    if isinstance(part, Topology):
        made = part
    else:
        given = {"name": part} if isinstance(part, str) else part
        if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
            raise ValueError(
                f"networks: {name} is {part!r}; need a topology's name, or "
                '{"name": ..., option: value, ...}'
            )
        options: dict[str, Any] = {"clients": clients, **given}
        try:
            made = topology(**options)
        except (ValueError, TypeError) as error:
            raise type(error)(f"networks: {name}: {error}") from None
    if made.networks:
        raise ValueError(f"networks: {name} has networks of its own; need one network")
    if made.clients != clients:
        raise ValueError(f"networks: {name} has {made.clients} clients; need {clients}")
    return made


def _described(network: Topology) -> dict[str, Any]:
    return {key: value for key, value in network.describe().items() if key != "clients"}
