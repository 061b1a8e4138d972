"""Losses in (u, v_i) and a network: what the statements of personalised papers run on."""

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
    matrix: str | None = None,
) -> tuple[Problem, Topology]:
    """The problem and the network of an instance.

    Args:
        where: what messages start with.
        problem_options, topology_options: a name each, and the options that go with it.
        matrix: the paper's letter for its one matrix; None if the network may change.

    Raises:
        ValueError: one line, on a missing name, a problem without a shared or a personal part, or,
            with a ``matrix``, a network that changes from round to round.
    """
    for kind, options in (("problem", problem_options), ("topology", topology_options)):
        if "name" not in options:
            raise ValueError(f"{where}: {kind} has no name; need {{'name': ...}}")
    rest, network = dict(problem_options), dict(topology_options)
    name = rest.pop("name")
    made = problem(name, clients, **rest)
    graph = topology(network.pop("name"), clients, **network)
    if not 0 < made.shared < made.dim:
        raise ValueError(
            f"{where}: {made.name} has no personal part; need a problem with shared and personal "
            "coordinates"
        )
    if matrix is not None and graph.period != 1:
        raise ValueError(f"{where}: {graph.name} changes from round to round; need one {matrix}")
    return made, graph


def increasing(where: str, what: str, given: Any) -> list[int]:
    """``given`` as a list; ValueError unless it holds increasing integers >= 1."""
    counts = list(given)
    if not counts or any(type(k) is not int or k < 1 for k in counts):
        raise ValueError(f"{where}: {what} is {given!r}; need integers >= 1")
    if sorted(set(counts)) != counts:
        raise ValueError(f"{where}: {what} is {given!r}; need them increasing")
    return counts
