"""Rounding that a run amplifies: a decision stands where runs from x^0 in other last digits decide
alike.

The rooms that values have are of methods whose errors do not grow. Where they do, as along an
unstable direction that the exact run never enters, or where the sign of a difference decides that
is 0 in decimals, a run in float64 says nothing of the exact one.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import numbers
from theorylab.runs import Setting
from theorylab.verdicts.case import Case, Constants, Place, Seen
from theorylab.verdicts.decide import Decision, decided
from theorylab.verdicts.measure import Running
from theorylab.verdicts.swept import Swept

Floats = NDArray[Any]
_ULP = 2.0**-52
_MOST_STEPS = 1 << 22  # a change of x^0 stays below 1e-9 of it
_SHARE = 1e-3  # of the largest entry of the models: what runs of one exact path never differ by


def sound(
    case: Case,
    subject: Any,
    constants: Constants,
    seen: Seen,
    found: Decision,
    runs: tuple[int, int, int],
) -> Decision:
    """``found``, but INCONCLUSIVE where it is a violation, or a lower bound that holds, and
    rounding decides it: runs from x^0 in other last digits decide otherwise, or end elsewhere.

    ``runs``: how many were made, of how many at most, and their seed.
    """
    places = seen.places
    rests = case.version.relation == ">=" and found.verdict.word.stands
    changes = _changed(subject) if rests or found.verdict.broken else []
    if not changes:
        return found
    away, ends = np.zeros(len(places)), _ends(subject)
    for other in changes:
        try:
            there = other.seen(case, dict(constants), *runs).places
        except ValueError as error:  # one of the two leaves float64
            return _open(found, f"runs from x^0 changed in its last digits end otherwise: {error}")
        if len(there) != len(places):
            return _open(found, "runs from x^0 changed in its last digits have other rows")
        moved = [abs(a.centre - b.centre) for a, b in zip(there, places, strict=True)]
        away = np.maximum(away, moved)
        ends += _ends(other)
    apart = max((_apart(ends[0], end) for end in ends[1:]), default=0.0)
    if apart > _SHARE:
        moves = f"its models by {apart:.2g} of their largest entry"
        return _open(found, moves)
    k = next((k for k, place in enumerate(places) if place is found.place), int(away.argmax()))
    wider = [_widened(place, float(off)) for place, off in zip(places, away, strict=True)]
    # where one place breaks a claim, the others ask for no second look
    parts = [wider] if rests else [[wider[k]], wider]
    if any(decided(case, (), part).verdict is found.verdict for part in parts):
        return found
    return _open(found, f"the left side from {places[k].centre:.6g} by {away[k]:.2g}")


def _open(found: Decision, moves: str) -> Decision:
    return found.undecided(
        f"{found.reason}, but rounding is amplified: a change of x^0 in its last digits moves "
        f"{moves}; an exact law, or fewer rounds, would decide"
    )


def _widened(place: Place, off: float) -> Place:
    interval = place.interval
    return replace(
        place, interval=replace(interval, low=interval.low - off, high=interval.high + off)
    )


def _changed(subject: Any) -> list[Any]:
    """The subject in other digits, twice; of a sweep at every value. None of an experiment, which
    has no x^0."""
    if isinstance(subject, Swept):
        each = [_changed(one) for one in subject.subjects]
        if not all(each):
            return []
        made = []
        for parts in zip(*each, strict=True):
            other = copy.copy(subject)
            other.subjects = list(parts)
            made.append(other)
        return made
    if not isinstance(getattr(subject, "content", None), Setting):
        return []
    moved: list[Any] = subject.moved(_other_digits(subject.content))
    return moved


def _other_digits(setting: Setting) -> list[tuple[Floats, float]]:
    """x^0 (n, d) and a factor of the step sizes, up and down by what T rounds round: T + n + d ulps
    at most of every entry.

    An entry of 0 stays, for a run may do there what it does nowhere else; where one is, the step
    sizes move, too, by a few ulps: what starts at 0 may be all that rounding enlarges.
    """
    problem, start = setting.problem, setting.start
    steps = min(setting.rounds + problem.clients + problem.dim, _MOST_STEPS)
    draws = np.random.Generator(np.random.Philox(37)).uniform(-1, 1, start.shape)
    change = start * _ULP * steps * np.copysign(0.5 + np.abs(draws) / 2, draws)
    few = 0.0 if start.all() else 4 * _ULP
    return [(start + change, 1 + few), (start - change, 1 - few)]


def _ends(subject: Any) -> list[tuple[Floats, float]]:
    """Shared and personal models after T rounds of the first runs, (R, .), and the largest entry
    on the way; none of what plays no runs."""
    trace = subject.trace if isinstance(subject, Running) else None
    if trace is None or trace.final_x is None:
        return []
    parts = [trace.final_x] if trace.final_v is None else [trace.final_x, trace.final_v]
    models = [np.asarray(numbers(part), np.float64).reshape(len(part), -1) for part in parts]
    return [(np.concatenate(models, axis=1), trace.size)]


def _apart(one: tuple[Floats, float], other: tuple[Floats, float]) -> float:
    """The largest difference of the runs that both have, as a share of their largest entry."""
    count = min(len(one[0]), len(other[0]))
    size = max(one[1], other[1], float(np.abs(one[0][:count]).max()))
    return float(np.abs(one[0][:count] - other[0][:count]).max()) / size if size else 0.0
