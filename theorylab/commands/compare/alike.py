"""Which compared runs are the same to the last bit, and the causes of it that could be checked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from theorylab.commands.compare.content import Member
from theorylab.commands.run.task import built
from theorylab.runs import DivergedError

_MEMORY = ("alpha", "momentum")  # options by which local steps remember those before
_LOOKED = 3  # rounds that are run again without such an option
_MOST = 2000  # matrices that are looked at


def alike(members: Sequence[Member]) -> list[str]:
    """Sentences: who repeats the first run, and why as far as that was checked; none if nobody.

    Equality is that of every number of every column at every round that both recorded.
    """
    first, *others = members
    same = [other for other in others if _equal(first, other)]
    if not same:
        return []
    told = [
        f"{', '.join(m.label for m in same)}: every number of every round is that of {first.label}"
    ]
    if all(_complete(member) for member in (first, *same)):
        setting = first.outcome.setting
        told.append(
            f"Every client hears all {setting.topology.clients} alike in each of the rounds "
            f"(P(t) of {setting.topology.name} is 11^T/n), so that methods which differ in how "
            "they exchange do not differ here"
        )
    told += [line for member in (first, *same) for line in _forgotten(member)]
    if len(told) == 1:
        told.append("Neither the network nor an option of memory explains it")
    return told


def _equal(first: Member, other: Member) -> bool:
    one, two = first.outcome.trace, other.outcome.trace
    shared = one.columns.keys() & two.columns.keys()
    return (
        bool(shared)
        and np.array_equal(one.runs, two.runs)
        and np.array_equal(one.at, two.at)
        and all(np.array_equal(one.columns[c], two.columns[c], equal_nan=True) for c in shared)
    )


def _complete(member: Member) -> bool:
    """Whether each matrix of the run is 11^T/n, all of them looked at."""
    setting, trace = member.outcome.setting, member.outcome.trace
    network = setting.topology
    graphs = trace.runs.tolist() if setting.configuration.own_graphs else [0]
    cycle = network.cycle(_MOST)
    if cycle is None:
        rounds = range(int(trace.at.max(initial=0)))
        if len(rounds) * len(graphs) > _MOST:
            return False
        cycle = [network.matrix(t, run) for t in rounds for run in graphs]
    share = 1 / network.clients
    return all(P.nnz == network.clients**2 and bool(np.all(P.data == share)) for P in cycle)


def _forgotten(member: Member) -> list[str]:
    """A sentence for each option of memory without which the first rounds are the same."""
    document = member.outcome.setting.document
    method: dict[str, Any] = document["algorithm"]
    told: list[str] = []
    for option in _MEMORY:
        if not method.get(option) or method.get("local_steps") != 1:
            continue
        rounds = min(_LOOKED, document["rounds"])
        traces = []
        for value in (method[option], 0.0):
            again = json.loads(json.dumps(document))
            again["algorithm"][option] = value
            again["rounds"] = rounds
            try:
                traces.append(built(again).simulate().columns)
            except (ValueError, TypeError, DivergedError):
                return told
        with_it, without = traces
        if all(np.array_equal(with_it[c], without[c], equal_nan=True) for c in with_it):
            told.append(
                f"{member.label} takes local_steps = 1, and its first {rounds} rounds are the "
                f"same with {option} = 0: its momentum starts anew in each round"
            )
    return told
