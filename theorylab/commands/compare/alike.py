"""Which compared runs are the same to the last bit, and the causes of it that could be checked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import numbers
from theorylab.commands.compare.content import Member
from theorylab.commands.run.task import built
from theorylab.runs import DivergedError, Trace

_MEMORY = ("alpha", "momentum")  # options by which local steps remember those before
_LOOKED = 3  # rounds that are run again with other such options: the first tells nothing of them
_OTHERS = ((0.0, _LOOKED), (0.5, _LOOKED))  # a memory that lasts makes them differ, however small
_MOST = 2000  # matrices that are looked at


def alike(members: Sequence[Member]) -> list[str]:
    """Sentences: who repeats the first run, and why as far as that was checked; none if nobody.

    Equality is that of every number that both recorded.
    """
    first, *others = members
    same = [other for other in others if _equal(first, other)]
    if not same:
        return []
    told = [f"{', '.join(m.label for m in same)}: every recorded number is that of {first.label}"]
    if all(_complete(member) for member in (first, *same)):
        setting = first.outcome.setting
        told.append(
            f"P(t) of {setting.topology.name} is 11^T/n in each of the rounds: whoever exchanges "
            f"over it hears all {setting.topology.clients} clients alike, by whichever method"
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
    """Whether each matrix of the run is 11^T/n, all of them looked at, and nothing was lost."""
    setting, trace = member.outcome.setting, member.outcome.trace
    if setting.document["faults"] is not None:
        return False
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
    """A sentence for each option of memory that the first rounds are the same without, and with
    another."""
    document = member.outcome.setting.document
    method: dict[str, Any] = document["algorithm"]
    told: list[str] = []
    for option in _MEMORY:
        if not method.get(option) or method.get("local_steps") != 1:
            continue
        traces = []
        for value, rounds in ((method[option], 1), (method[option], _LOOKED), *_OTHERS):
            again = json.loads(json.dumps(document)) | {"rounds": rounds, "every": 1}
            again["algorithm"][option] = value
            try:
                traces.append(built(again).simulate())
            except (ValueError, TypeError, DivergedError):
                return told
        first, last, *others = traces
        moves = last.final_x is not None and not _same_models(first, last)
        if moves and all(_same_models(last, other) for other in others):
            told.append(
                f"{member.label} takes local_steps = 1, and its first {_LOOKED} rounds are the "
                f"same with {option} = 0: its momentum starts anew in each round"
            )
    return told


def _same_models(one: Trace, two: Trace) -> bool:
    """Whether the last models of all runs are the same numbers."""
    pairs = ((one.final_x, two.final_x), (one.final_v, two.final_v))
    return all(a is None or b is None or np.array_equal(numbers(a), numbers(b)) for a, b in pairs)
