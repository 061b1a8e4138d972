"""What a comparison says: final values, paired differences, rounds and messages to a target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.commands.refusal import Refused
from theorylab.commands.run.view import RISING
from theorylab.commands.run.work import Outcome
from theorylab.runs.messages import messages_by_round, messages_to
from theorylab.runs.summary import paired, rounds_to, student


@dataclass(frozen=True)
class Member:
    """One of the runs that are compared. ``made``: it was run now.

    gradients: of all clients in a round (``gradients_a_round``); None: not counted.
    """

    label: str
    outcome: Outcome
    made: bool
    gradients: int | None = None


def unlike_work(members: Sequence[Member]) -> str | None:
    """One line if a round is not as much work for one run as for another; or None.

    Work is the gradients of a client, or the local steps where they are not counted.
    """
    counts = [m.gradients for m in members]
    clients = members[0].outcome.setting.topology.clients
    if None not in counts:
        what, each = "gradients a client and round", [f"{(c or 0) / clients:g}" for c in counts]
    else:
        what = "local steps a round"
        steps = [m.outcome.setting.document["algorithm"].get("local_steps") for m in members]
        each = [str(s) for s in steps if s is not None]
    if len(set(each)) < 2:
        return None
    parts = ", ".join(f"{m.label} {n}" for m, n in zip(members, each, strict=False))
    return (
        f"compare: rounds are unlike, {what}: {parts}; compare at equal gradient evaluations, or "
        "give all the same --set local_steps=K"
    )


def works(members: Sequence[Member]) -> dict[str, dict[str, NDArray[np.float64]]]:
    """What else than rounds curves may be drawn along: name -> label -> value at each round.

    Gradient evaluations and messages of all clients, the mean over the runs; a name is there where
    both are counted for every member. A member's rounds are those of its trace.
    """
    found: dict[str, dict[str, NDArray[np.float64]]] = {}
    if all(m.gradients is not None for m in members):
        found["gradient evaluations"] = {
            m.label: np.asarray(m.outcome.trace.at * float(m.gradients or 0), np.float64)
            for m in members
        }
    sent = {}
    for m in members:
        at, runs = m.outcome.trace.at, m.outcome.trace.runs
        counts = messages_by_round(m.outcome.setting, int(at.max(initial=0)), runs)
        if counts is None:
            return found
        sent[m.label] = counts.mean(axis=0)[at]
    return {**found, "messages": sent}


def compared(
    members: Sequence[Member], columns: Sequence[str], targets: Sequence[tuple[str, float]]
) -> dict[str, Any]:
    """What compare.json holds: final values, paired differences, rounds and messages to targets."""
    first = members[0]
    t = _common_round(members)
    finals = []
    for column in columns:
        at = _last(members, column, t)
        if at is None:
            continue
        for member in members:
            values = _values(member, column, at)
            mean, low, high = student(values, member.outcome.record.exact)
            row = {"column": column, "run": member.label, "round": at, "mean": mean,
                   "low": _finite(low), "high": _finite(high)}  # fmt: skip
            finals.append(row | _difference(first, member, column, at))
    reached = [_reached(member, column, aim) for column, aim in targets for member in members]
    return {
        "schema": 1,
        "problem": members[0].outcome.setting.document["problem"],
        "clients": members[0].outcome.setting.topology.clients,
        "round": t,
        "runs": [
            {"label": m.label, "status": m.outcome.record.status,
             "local_steps": m.outcome.setting.document["algorithm"].get("local_steps"),
             "gradients_a_round": m.gradients, "configuration": m.outcome.setting.document}
            for m in members
        ],
        "final": finals,
        "targets": reached,
    }  # fmt: skip


def _common_round(members: Sequence[Member]) -> int:
    """The last round that all recorded."""
    shared = set(members[0].outcome.trace.at.tolist())
    for member in members[1:]:
        shared &= set(member.outcome.trace.at.tolist())
    if not shared:
        names = ", ".join(m.label for m in members if not m.outcome.trace.at.size)
        raise Refused(f"compare: no round was recorded by all runs ({names}); need one")
    return int(max(shared))


def _last(members: Sequence[Member], column: str, most: int) -> int | None:
    """The last round up to ``most`` at which all runs have the column."""
    found: set[int] | None = None
    for member in members:
        trace = member.outcome.trace
        whole = np.isfinite(trace.columns[column]).all(axis=0) & (trace.at <= most)
        here = set(trace.at[whole].tolist())
        found = here if found is None else found & here
    return max(found) if found else None


def _values(member: Member, column: str, t: int) -> Any:
    trace = member.outcome.trace
    return trace.columns[column][:, int(np.flatnonzero(trace.at == t)[0])]


def _difference(first: Member, member: Member, column: str, t: int) -> dict[str, Any]:
    """The mean of the differences run by run, over the runs that both have."""
    none = {"difference": None, "difference_low": None, "difference_high": None, "pairs": 0}
    here, there = member.outcome, first.outcome
    if member is first or here.setting.configuration.seed != there.setting.configuration.seed:
        return none
    _, i, j = np.intersect1d(here.trace.runs, there.trace.runs, return_indices=True)
    if not len(i):
        return none
    exact = here.record.exact and there.record.exact
    found = paired(_values(member, column, t)[i], _values(first, column, t)[j], exact)
    return {
        "difference": found.mean,
        "difference_low": _finite(found.low),
        "difference_high": _finite(found.high),
        "pairs": len(i),
    }


def _reached(member: Member, column: str, aim: float) -> dict[str, Any]:
    """Rounds and messages until each run is at the target; null where it never is."""
    ended = member.outcome
    at, values = ended.trace.at, ended.trace.columns[column]
    rounds = rounds_to(values, at, aim, column in RISING)
    sent = messages_to(ended.setting, rounds)
    work = None if member.gradients is None else rounds * member.gradients
    return {
        "column": column,
        "target": aim,
        "run": member.label,
        "reached": int(np.isfinite(rounds).sum()),
        "of": len(rounds),
        "rounds": [_finite(x) for x in rounds],
        "rounds_median": _finite(float(np.median(rounds))),
        "gradients": None if work is None else [_finite(x) for x in work],
        "gradients_median": None if work is None else _finite(float(np.median(work))),
        "messages": None if sent is None else [_finite(x) for x in sent],
        "messages_median": None if sent is None else _finite(float(np.median(sent))),
    }


def _finite(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None
