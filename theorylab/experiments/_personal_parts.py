"""Losses in (u, v_i) and one matrix: what DePRL's, DFedAlt's and DFedSalt's statements run on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theorylab.problems import Problem, problem
from theorylab.topologies import Topology, topology


def personal_parts(
    where: str,
    problem_options: Mapping[str, Any],
    topology_options: Mapping[str, Any],
    clients: int,
    matrix: str,
    others: Mapping[str, type[Problem]] | None = None,
) -> tuple[Problem, Topology]:
    """The problem and the network of an instance.

    Args:
        where: what messages start with. matrix: the paper's letter for its one matrix.
        problem_options, topology_options: a name each, and the options that go with it.
        others: problems by name that are not registered.

    Raises:
        ValueError: one line, on a missing name, a problem without a shared or a personal part, or a
            network that changes from round to round.
    """
    for kind, options in (("problem", problem_options), ("topology", topology_options)):
        if "name" not in options:
            raise ValueError(f"{where}: {kind} has no name; need {{'name': ...}}")
    rest, network = dict(problem_options), dict(topology_options)
    name = rest.pop("name")
    own = (others or {}).get(name)
    made = problem(name, clients, **rest) if own is None else own(clients, **rest)
    graph = topology(network.pop("name"), clients, **network)
    if not 0 < made.shared < made.dim:
        raise ValueError(
            f"{where}: {made.name} has no personal part; need a problem with shared and personal "
            "coordinates"
        )
    if graph.period != 1:
        raise ValueError(f"{where}: {graph.name} changes from round to round; need one {matrix}")
    return made, graph
