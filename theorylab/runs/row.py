"""A measured left-hand side at one place, and the law over which it is reduced."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.known import Known
from theorylab.runs.rounding import squared_room

Floats = NDArray[Any]


@dataclass(frozen=True)
class Expected:
    """A random symbol of a right side: ``then`` of the expectation of ``values``, (R,) or (R, m).

    ``Expected(squares, math.sqrt)`` is sqrt(E||.||^2).
    """

    values: Floats
    then: Callable[[Any], float | Known] = float


@dataclass(frozen=True)
class Given(Expected):
    """A symbol that is a function of the state before its round: at round 0 it is a number."""


@dataclass(frozen=True)
class Row:
    """The left-hand side at one place.

    Args:
        values: (R,), one a run; (1,) where the observation is exact; with ``weights`` (K,), the
            outcomes of a finite law. A metric whose claim is about the mean of a vector gives
            (R, m), and ``reduction``.
        at: constants that differ from row to row, by the declared names of their symbols; a plain
            number is exact, an array (R,) or an ``Expected`` one a run: ``reduced`` takes its
            expectation.
        label: the place in words, "i=3, M=10".
        weights: the chances of the outcomes, (K,), >= 0 with sum 1 up to rounding.
        rounding: absolute error of the values, with a reason where it is computed; None: a
            relative 1e-9, and the ``size_room`` of ``size``. estimated: no class says it, but it is
            what float64 may do to the numbers of the run.
        size: the largest number that was added on the way to the values, which tells what rounding
            leaves where terms cancel, or a small one is added to a large one.
        least, most: of an exact value, what it is at least, or at most, where that is further away
            than rounding.
        off: of values that are squared norms: how far rounding puts the vectors off, in norm. The
            ``squared_room`` of the reduced value is then added to ``rounding``.
        reduction: over the law: "mean", or "norm of the mean".
        likely: of a sample: values and chances (K,) of the likeliest outcomes, and a rounding.
        floor, ceiling: bounds on every value, of a sample: limits of its mean rest on them. Without
            ``floor`` it is assumed that none is below 0, as long as none is.
        signed: the values are of either sign, and have no floor but one that is given.
        sides: (R, k) or (R, k, m), of an identity between means: what its k sides are in each run.
            ``reduced`` makes the ``relative_error`` of it.
        relative_error: of an identity, the values' largest as a share of what the two sides are;
            see ``relative_error``. The ratio to a bound that is rounding says nothing of its size.

    Raises:
        ValueError: on an empty row, a NaN, weights that are no law, or a negative relative error.

    >>> Row(np.array([0.5, 0.25]), {"t": 3}, "t=3").at["t"]
    3
    """

    values: Floats
    at: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    weights: Floats | None = None
    rounding: float | None = None
    least: float | None = None
    most: float | None = None
    relative_error: float | None = None
    off: float | None = None
    reduction: str = "mean"
    sides: Floats | None = None
    signed: bool = False
    likely: tuple[Floats, Floats, float] | None = None
    floor: float | None = None
    ceiling: float = math.inf
    size: float | None = None
    estimated: bool = False

    def __post_init__(self) -> None:
        values = np.asarray(self.values, np.float64)
        if values.ndim not in (1, 2) or not len(values) or np.isnan(values).any():
            raise ValueError(
                f"row {self.label!r}: values have shape {values.shape}"
                f"{' and hold nan' if np.isnan(values).any() else ''}; need (R,) numbers"
            )
        object.__setattr__(self, "values", values)
        if self.signed and self.floor in (None, 0.0):
            object.__setattr__(self, "floor", -math.inf)
        if not (self.floor or 0.0) <= self.ceiling:
            both = f"floor is {self.floor or 0.0!r}, ceiling {self.ceiling!r}"
            raise ValueError(f"row {self.label!r}: {both}; need a floor below the ceiling")
        if self.rounding is not None and not self.rounding >= 0:
            raise ValueError(f"row {self.label!r}: rounding is {self.rounding!r}; need >= 0")
        told = (self.rounding, self.off)
        if self.size is not None and not (0 <= self.size < math.inf and told == (None, None)):
            raise ValueError(
                f"row {self.label!r}: size is {self.size!r}; need a number >= 0, and no rounding"
            )
        if self.relative_error is not None and not 0 <= self.relative_error < math.inf:
            raise ValueError(
                f"row {self.label!r}: relative_error is {self.relative_error!r}; need a number >= 0"
            )
        if self.weights is None:
            return
        weights = np.asarray(self.weights, np.float64)
        # A sum of K chances, each right to a few units, is right to about K units.
        room = 8 * len(values) * 2.0**-53
        if weights.shape != values.shape or not (weights >= 0).all():
            raise ValueError(f"row {self.label!r}: weights do not fit; need {values.shape}, >= 0")
        if not abs(weights.sum() - 1) <= room:
            raise ValueError(f"row {self.label!r}: weights sum to {float(weights.sum())!r}; need 1")
        object.__setattr__(self, "weights", weights)

    def of_run(self, run: int) -> Row:
        """What of the row is of one run, (1,): of a batch whose runs have nothing in common."""

        def of(value: Any) -> Any:
            if isinstance(value, Expected):
                return replace(value, values=value.values[run : run + 1])
            return value[run : run + 1] if differs_by_run(value) else value

        sides = None if self.sides is None else of(self.sides)
        at = {name: of(value) for name, value in self.at.items()}
        return replace(self, values=of(self.values), at=at, sides=sides)


def relative_error(gaps: Any, *sides: Any) -> float | None:
    """The largest of ``gaps`` over the largest entry of all ``sides``; None where that is 0.

    Of an identity left = right: gaps are |left - right|, the sides left and right (one is enough
    where the other is what it should be). One size serves all runs and places of a row: where a
    single pair of sides happens to be near 0, its own size would make rounding look like a failure.
    """
    size = max(float(np.abs(side).max(initial=0.0)) for side in sides)
    share = float(np.abs(gaps).max(initial=0.0)) / size if 0 < size < math.inf else math.inf
    return share if share < math.inf else None


@dataclass(frozen=True)
class Observation:
    """The rows of one column.

    Args:
        rows: one a place.
        exact: every row's values are the quantity itself, (1,), or a finite law with weights;
            False: one sample a run.
        axis: the name in ``Row.at`` against which measured and bound are drawn; "" for none.

    Raises:
        ValueError: on no row, several values of an exact one, or a row without the axis.

    >>> halves = tuple(Row(np.array([0.5**t]), {"t": t}) for t in range(2))
    >>> Observation(halves, exact=True, axis="t").rows[1].at
    {'t': 1}
    """

    rows: tuple[Row, ...]
    exact: bool
    axis: str = ""

    def __post_init__(self) -> None:
        if not self.rows:
            raise ValueError("observation: no row; need at least one place")
        if self.exact and any(len(r.values) > 1 and r.weights is None for r in self.rows):
            raise ValueError("observation: exact, but a row has several values and no weights")
        if self.axis and any(self.axis not in row.at for row in self.rows):
            raise ValueError(f"observation: axis is {self.axis!r}, but a row has no such constant")


PATHS = 8  # of the runs, where each is a place of its own


def reduced(
    parts: Sequence[tuple[Sequence[Row], Floats | None]],
    keep: bool = False,
    off: float = 0.0,
    paths: bool = False,
) -> tuple[Row, ...]:
    """The rows of a metric with expectations for what is one number a run.

    Args:
        parts: (rows, chances of the runs (R,)), chunk by chunk of a finite law, the same places in
            each; one part without chances where nothing is random, or runs are a sample.
        keep: keep one value a run, as quantiles and claims about every path need them.
        off: relative error of the chances.
        paths: the claim is about every path. Where its right side differs from path to path, each
            of the first ``PATHS`` runs is a place of its own, with its own right side.

    Raises:
        ValueError: where the chunks have not the same places, or a quantile's right side is random.
    """
    if len({len(rows) for rows, _ in parts}) != 1:
        raise ValueError("metric: chunks of a law have different places; need the same ones")
    found: list[Row] = []
    for place in zip(*(rows for rows, _ in parts), strict=True):
        here = [(row, chances) for row, (_, chances) in zip(place, parts, strict=True)]
        differs = (keep or paths) and any((x != x[:1]).any() for x in _each_run(place).values())
        if differs and not paths:
            raise ValueError(
                f"metric: the right side at {place[0].label!r} is random; need one number where a "
                "quantile is claimed"
            )
        found += _paths(here) if differs else [_row(here, keep or paths, off)]
    return tuple(found)


def _each_run(place: Sequence[Row]) -> dict[str, Any]:
    """The symbols with one number a run, (R,), over all chunks."""
    return {
        name: np.concatenate([row.at[name] for row in place])
        for name, value in place[0].at.items()
        if differs_by_run(value) and not isinstance(value, Expected)
    }


def _paths(parts: Sequence[tuple[Row, Floats | None]]) -> Iterable[Row]:
    """The first runs that have a chance, each with its own right side."""
    common = {name: _symbol(name, parts) for name in parts[0][0].at}
    runs = [(row, r) for row, c in parts for r in range(len(row.values)) if c is None or c[r] > 0]
    for number, (row, r) in enumerate(runs[:PATHS]):
        own = {name: float(row.at[name][r]) for name in _each_run([row])}
        yield replace(
            row,
            values=row.values[r : r + 1],
            at=common | own,
            label=f"{row.label}, run {number}",
            rounding=_room(row, abs(float(row.values[r]))),
            off=None,
        )


def _row(parts: list[tuple[Row, Floats | None]], keep: bool, off: float) -> Row:
    first, chances = parts[0]
    known = {name: _symbol(name, parts) for name in first.at}
    if chances is None and (keep or len(first.values) > 1):  # one sample a run
        room = _room(first, float(np.max(np.abs(first.values))))
        return replace(first, at=known, rounding=room, off=None)
    if keep:
        every = np.concatenate([row.values for row, _ in parts])
        rooms = [_room(row, float(np.max(np.abs(every)))) for row, _ in parts]
        return replace(
            first,
            values=every,
            at=known,
            weights=np.concatenate([chances for _, chances in parts if chances is not None]),
            rounding=None if rooms[0] is None else max(room or 0.0 for room in rooms),
            off=None,
        )
    value = _expectation((row.values, weights) for row, weights in parts)
    if first.reduction == "norm of the mean":
        value = float(np.linalg.norm(value))
    rooms = [_room(row, abs(float(value))) for row, _ in parts]
    room = None if rooms[0] is None else max(r or 0.0 for r in rooms) + off * abs(float(value))
    shares = [row.relative_error for row, _ in parts if row.relative_error is not None]
    if first.sides is not None:
        means = _expectation((row.sides, weights) for row, weights in parts)
        sizes = np.abs(means) if means.ndim == 1 else np.linalg.norm(means, axis=1)
        share = relative_error(np.asarray(value), sizes)
        shares += [] if share is None else [share]
    return replace(
        first,
        values=np.array([float(value)]),
        at=known,
        rounding=room,
        off=None,
        reduction="mean",
        sides=None,
        relative_error=max(shares, default=None),
    )


def is_random(value: Any, first: bool) -> bool:
    """Whether what stands in ``Row.at`` depends on draws; ``first``: of a row of round 0.

    Runs that happen to agree prove nothing: rare noise may be absent from all of them.
    """
    return not first if isinstance(value, Given) else differs_by_run(value)


def differs_by_run(value: Any) -> bool:
    """Whether what stands in ``Row.at`` has one number, or vector, a run."""
    return isinstance(value, Expected) or (not isinstance(value, Known) and np.ndim(value) > 0)


def _symbol(name: str, parts: Sequence[tuple[Row, Floats | None]]) -> Any:
    value = parts[0][0].at[name]
    if isinstance(value, Expected):
        return value.then(_expectation((row.at[name].values, chances) for row, chances in parts))
    if not differs_by_run(value):
        return value
    return _expectation((row.at[name], chances) for row, chances in parts)


def _room(row: Row, value: float) -> float | None:
    if row.off is None:
        return row.rounding
    return squared_room(value, row.off) + (row.rounding or 0.0)


def _expectation(parts: Iterable[tuple[Any, Floats | None]]) -> Any:
    """The mean over the law, chunk by chunk; of what is one number in every run, that number."""
    total: Any = 0.0
    for values, chances in parts:
        values = np.asarray(values, np.float64)
        if chances is None:
            return values.mean(axis=0) if values.ndim > 1 else float(values.mean())
        weighted = values * chances.reshape(-1, *[1] * (values.ndim - 1))
        total = total + weighted.sum(axis=0)  # not by BLAS: the order of the sum is fixed
    return total if np.ndim(total) else float(total)
