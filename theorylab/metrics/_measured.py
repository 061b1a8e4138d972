"""Play a metric's runs by the algorithm's own ``step``, under a law, and take expectations."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import UNSEEDED, largest_entry, numbers
from theorylab.known import UNIT, Known
from theorylab.metrics._base import Metric
from theorylab.metrics._squares import Squares
from theorylab.own import is_own
from theorylab.runs import (
    Joined,
    NotAffineError,
    Observation,
    Row,
    Setting,
    algorithm_draws,
    check_draws,
    reduced,
)
from theorylab.runs.generators import undrawn
from theorylab.runs.laws import FEW, MOST, Chunk, enumeration
from theorylab.runs.listed import outcomes_for
from theorylab.runs.rounding import in_float64
from theorylab.runs.rounds import states
from theorylab.runs.row import Expected, differs_by_run, is_random

LAWS = ("auto", "exact", "moments", "enumerated", "sampled")
_RANDOM = "metric {}: its right side is random with noise; need none (sigma 0)"
_Kind = TypeVar("_Kind", bound=Metric)


def measured(
    kind: type[Metric],
    setting: Setting,
    known: Mapping[str, Known],
    *,
    law: str = "auto",
    runs: range = range(1),
    seed: int = 0,
    rounds: Sequence[int] = (),
    keep: bool = False,
    paths: bool = False,
) -> Observation:
    """The rows of a metric, over the edges of run 0.

    Args:
        known: the constants that ``kind.numbers`` names.
        law: "exact": nothing is random, one run is all. "moments": of metrics that are ``Squares``,
            where a round is affine with additive noise. "enumerated": every outcome of the noise.
            "sampled": ``runs`` of ``seed``. "auto": moments, exact, enumerated, sampled, the first
            of these that applies, where at most 2^14 outcomes are listed.
        rounds: those that are looked at; if empty all, and of ``Squares`` the last.
        keep: keep one value a run, for quantiles.
        paths: the claim is about every path; see ``reduced``.

    Raises:
        ValueError: one line, where the law does not apply, or a right side is random.
    """
    with undrawn(setting.algorithm):
        return _measured(kind, setting, known, law, runs, seed, rounds, keep, paths)


def _measured(
    kind: type[Metric],
    setting: Setting,
    known: Mapping[str, Known],
    law: str,
    runs: range,
    seed: int,
    rounds: Sequence[int],
    keep: bool,
    paths: bool,
) -> Observation:
    random = checked(kind, setting, law, rounds)
    if law == "moments" or (law == "auto" and not (keep or paths) and issubclass(kind, Squares)):
        try:
            return observation(kind, tuple(_moments(kind, setting, known, rounds)), True)
        except NotAffineError as error:
            if law == "moments":
                raise ValueError(f"law 'moments': {error}; need law 'sampled'") from None
    if issubclass(kind, Squares) and not rounds:  # as by moments
        rounds = [last_row(kind, setting)]
    if not random:
        three = (setting.problem, setting.topology, setting.algorithm)
        random = check_draws(*three, rounds=_end(setting, rounds), x0=setting.start, seed=seed)
        if random and kind.single:
            raise ValueError(_RANDOM.format(kind.name))
    if not random:
        rows = played(kind, setting, known, np.zeros(1, np.int64), seed, None, rounds)
        return observation(kind, reduced([(rows, None)], keep, paths=paths), True)
    if law == "exact":
        raise ValueError("law is 'exact', but the run is random; need enumerated or sampled")
    likely: Chunk | None = None
    if law in ("auto", "enumerated"):
        asked = law == "enumerated"
        try:
            listed = enumeration(setting, MOST if asked else FEW, rare=not asked)
        except ValueError:
            if asked:
                raise
        else:
            if listed.whole:
                parts = [
                    (played(kind, setting, known, c.numbers, UNSEEDED, c, rounds), c.weights)
                    for c in listed.chunks()
                ]
                return observation(kind, reduced(parts, keep, listed.off, paths), True)
            if not (keep or paths):
                likely = listed.likeliest(outcomes_for(setting))
    ids = np.arange(runs.start, runs.stop, dtype=np.int64)
    rows = played(kind, setting, known, ids, seed, None, rounds, sampled=not paths)
    rows = [row for row in rows if row.reduction == "mean"]  # no limits are known of others
    if not rows:
        raise ValueError(
            f"metric {kind.name}: every right side is random, or a norm of a mean is asked for; "
            "need law 'enumerated', or no noise"
        )
    made = reduced([(rows, None)], keep, paths=paths)
    if likely is not None:
        made = _with_outcomes(kind, setting, known, made, likely, rounds)
    return observation(kind, made, False)


def checked(kind: type[Metric], setting: Setting, law: str, rounds: Sequence[int]) -> bool:
    """Whether the problem or the method says that it draws; ValueError, one line, for a law, a
    metric or rounds that do not go with the setting."""
    random = setting.problem.stochastic or algorithm_draws(setting.algorithm)
    if setting.problem.drifts and is_own(kind) and not kind.of_rounds:
        raise ValueError(
            f"metric {kind.name}: {setting.problem.name} has losses of the round, and the metric "
            "is about one; need regret, or a metric of your own that asks problem.of_round(t)"
        )
    if law not in LAWS:
        raise ValueError(f"law is {law!r}; need one of {', '.join(LAWS)}")
    if kind.single and random:
        raise ValueError(_RANDOM.format(kind.name))
    if issubclass(kind, Squares):
        most = last_row(kind, setting)
        for T in rounds or [most]:
            if not 1 <= T <= most:
                raise ValueError(
                    f"metric {kind.name}: a row at T={T} came with {setting.rounds} rounds; need "
                    f"T >= 1, and {max(T, 1) + setting.rounds - most} rounds or more"
                )
    return random


def _with_outcomes(
    kind: type[Metric],
    setting: Setting,
    known: Mapping[str, Known],
    rows: tuple[Row, ...],
    likely: Chunk,
    rounds: Sequence[int],
) -> tuple[Row, ...]:
    """The rows of a sample, with their values in the likeliest outcomes. Nothing is added where an
    outcome leaves float64, or has other rows."""
    try:
        there = played(kind, setting, known, likely.numbers, UNSEEDED, likely, rounds, True)
    except ValueError:
        return rows
    there = [row for row in there if row.reduction == "mean"]
    if [row.label for row in there] != [row.label for row in rows]:
        return rows
    every = reduced([(there, None)])
    return tuple(
        replace(row, likely=(one.values, likely.weights, one.rounding or 0.0))
        for row, one in zip(rows, every, strict=True)
    )


def _moments(
    kind: type[Metric], setting: Setting, known: Mapping[str, Known], rounds: Sequence[int]
) -> list[Row]:
    if not issubclass(kind, Squares):
        raise NotAffineError(f"metric {kind.name} is no sum of squares")
    return _made(kind, setting, known).exactly(sorted(rounds) or [last_row(kind, setting)])


def last_row(kind: type[Squares], setting: Setting) -> int:
    """The largest T with a row, which stands in the round before T, or in round T."""
    return setting.rounds - (kind.first if kind.average else 1)


def observation(kind: type[Metric], rows: tuple[Row, ...], exact: bool) -> Observation:
    if not rows:
        raise ValueError(f"metric {kind.name}: no place was looked at; need a round of the run")
    return Observation(rows, exact, kind.axis)


def _made(kind: type[_Kind], setting: Setting, known: Mapping[str, Known]) -> _Kind:
    """The metric of these; ValueError, one line, where its ``__init__`` is another one."""
    try:
        inspect.signature(kind).bind(setting, known)
    except TypeError as error:
        raise ValueError(
            f"metric {kind.name}: __init__ cannot be called with (setting, known): {error}; need "
            "def __init__(self, setting, known)"
        ) from None
    return kind(setting, known)


def _end(setting: Setting, rounds: Sequence[int]) -> int:
    """How many rounds are played: none after the last that is asked for."""
    return min([setting.rounds, *([max(rounds) + 1] if rounds else [])])


def played(
    kind: type[Metric],
    setting: Setting,
    known: Mapping[str, Known],
    ids: NDArray[np.int64],
    seed: int,
    samples: Any,
    rounds: Sequence[int],
    sampled: bool = False,
    batch: Joined | None = None,
) -> list[Row]:
    """The rows of one batch of runs; of a sample those alone whose right side is no expectation."""
    fold, found, state, size = _made(kind, setting, known), list[Row](), None, 0.0
    where = f"metric {kind.name}"
    shorter, starts = replace(setting, rounds=_end(setting, rounds)), None
    if batch is not None:
        shorter, starts = replace(shorter, algorithm=batch.algorithm), batch.starts
    steps = states(shorter, ids, seed, samples, fold if kind.local else None, starts)
    # a 0 is what small numbers come to; an inf on the measured side would be above any bound
    with in_float64(where, below=False):
        for before, after in steps:
            if before is None:
                fold.start(after)
            elif not rounds or before.t in rounds:
                found += _told(where, fold.rows(before, after), len(ids), sampled, before.t == 0)
            else:
                fold.passed(before, after)
            state, size = after, max(size, largest_entry(after.x, after.v))
        assert state is not None
        if not rounds or state.t in rounds:
            found += _told(where, fold.last(state), len(ids), sampled, False)
    if any(np.isinf(row.values).any() for row in found):  # sums of infinities overflow no more
        raise ValueError(f"{where}: a row is infinite; need smaller steps, or fewer of them")
    if is_own(kind):
        return found
    return _with_floor(found, size, shorter)


def _with_floor(rows: list[Row], size: float, setting: Setting) -> list[Row]:
    """What rounding can do to rows of a user's metric that say nothing of it.

    A relative error is none where terms cancel: a distance to the optimum stops at the rounding of
    the models. Every round rounds n d sums of n terms; what is measured is taken for a sum or a
    product of numbers as large as the models, their squares, the loss, and its own largest row.
    """
    if not rows:
        return rows
    problem = setting.problem
    start = np.asarray(setting.start, np.float64).mean(axis=0)[None]
    loss = float(np.abs(numbers(problem.mean_loss(problem.points(start)))).max())
    largest = max(float(np.abs(row.values).max()) for row in rows)
    terms = setting.rounds + problem.clients + problem.dim + 16
    floor = terms * UNIT * (size + size**2 + loss + largest)
    return [
        row
        if row.rounding is not None or row.off is not None or row.size is not None
        else replace(row, rounding=1e-9 * float(np.abs(row.values).max()) + floor, estimated=True)
        for row in rows
    ]


def _told(where: str, rows: Iterable[Row], runs: int, sampled: bool, first: bool) -> Iterator[Row]:
    """The rows; of a sample those alone whose right side takes no expectation.

    Raises ValueError for what is no row, and where a row has not one number a run.
    """
    for row in rows:
        if not isinstance(row, Row):
            raise ValueError(f"{where}: rows gave {type(row).__name__}; need Row")
        given = {"values": row.values, **{k: v for k, v in row.at.items() if differs_by_run(v)}}
        for name, value in given.items():
            shape = np.shape(value.values if isinstance(value, Expected) else value)
            if shape[:1] != (runs,):
                raise ValueError(
                    f"{where}: {name} of row {row.label!r} has shape {shape}; need one a run, "
                    f"({runs}, ...)"
                )
        if not (sampled and any(is_random(value, first) for value in row.at.values())):
            yield row
