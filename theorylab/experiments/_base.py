"""What a statement can be about other than one run of an algorithm, and how it is measured.

An experiment builds its objects from plain data, knows their constants, and measures the left-hand
side of a claim at *rows*: the places where the same inequality is claimed, such as every (i, M) of
a lemma or every T of a theorem. It knows no statement: what a row is compared with is for
``theorylab.verdicts`` to say.
"""

from __future__ import annotations

import difflib
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorylab.known import Known

Floats = NDArray[Any]


@dataclass(frozen=True)
class Row:
    """The left-hand side at one place.

    Args:
        values: (R,), one a run; (1,) where the observation is exact; with ``weights`` (K,), the
            outcomes of a finite law.
        at: constants that differ from row to row, by the declared names of their symbols; a plain
            number is exact.
        label: the place in words, "i=3, M=10".
        weights: the chances of the outcomes, (K,), >= 0 with sum 1 up to rounding.
        rounding: absolute error of the values, with a reason where it is computed; None: a
            relative 1e-9.
        least, most: of an exact value, what it is at least, or at most, where that is further away
            than rounding.
        relative_error: of an identity, the values' largest as a share of what the two sides are;
            see ``relative_error``. The ratio to a bound that is rounding says nothing of its size.

    Raises:
        ValueError: on an empty row, a NaN, weights that are no law, or a negative relative error.
    """

    values: Floats
    at: Mapping[str, Known | float] = field(default_factory=dict)
    label: str = ""
    weights: Floats | None = None
    rounding: float | None = None
    least: float | None = None
    most: float | None = None
    relative_error: float | None = None

    def __post_init__(self) -> None:
        values = np.asarray(self.values, np.float64)
        if values.ndim != 1 or not len(values) or np.isnan(values).any():
            raise ValueError(
                f"row {self.label!r}: values have shape {values.shape}"
                f"{' and hold nan' if np.isnan(values).any() else ''}; need (R,) numbers"
            )
        object.__setattr__(self, "values", values)
        if self.rounding is not None and not self.rounding >= 0:
            raise ValueError(f"row {self.label!r}: rounding is {self.rounding!r}; need >= 0")
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

    exact: every row's values are the quantity itself, (1,), or a finite law with weights; False:
    one sample a run. axis: the name in ``at`` against which measured and bound are drawn.
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


class Experiment(ABC):
    """Built from plain JSON-able options; a wrong one is a ValueError in one line.

    A user's file may define its own: a subclass with a ``name`` is found by that name.
    ``columns``: what ``observe`` can measure. ``claim_options``: options that say which claim is
    measured (the reading of an estimator, the bracket of a rate) and not on which instance; a
    search for counterexamples leaves them as a version's own checks have them.
    """

    name: ClassVar[str] = ""
    columns: ClassVar[tuple[str, ...]] = ()
    claim_options: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if not cls.name:
            return
        known = EXPERIMENTS.get(cls.name)
        # The same user's file, loaded again, defines the same class again.
        if known is not None and known.__qualname__ != cls.__qualname__:
            raise ValueError(f"experiment: {cls.name!r} is taken by {known.__name__}")
        EXPERIMENTS[cls.name] = cls

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The options, all of them: ``experiment(name, **describe())`` is the same experiment."""

    @abstractmethod
    def constants(self) -> dict[str, Known]:
        """Constants by the declared names of their symbols, each with how it is known."""

    @abstractmethod
    def observe(self, column: str, runs: range, seed: int) -> Observation:
        """The rows of ``column`` for these run ids; a function of (options, column, runs, seed)."""


EXPERIMENTS: dict[str, type[Experiment]] = {}


def experiment(name: str, **options: Any) -> Experiment:
    """The experiment of that name; ValueError in one line on an unknown name or a wrong option."""
    if name not in EXPERIMENTS:
        near = difflib.get_close_matches(str(name), EXPERIMENTS, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else f"need one of {', '.join(EXPERIMENTS)}"
        raise ValueError(f"experiment: no {name!r}; {hint}")
    kind = EXPERIMENTS[name]
    try:
        return kind(**options)
    except TypeError as error:
        if "unexpected keyword" in str(error) or "required" in str(error):
            raise ValueError(f"experiment {name}: {str(error).split('__init__() ')[-1]}") from None
        raise


def check_column(kind: Experiment, column: str) -> None:
    """Raise ValueError unless ``kind`` can measure ``column``."""
    if column not in kind.columns:
        raise ValueError(
            f"experiment {kind.name}: column is {column!r}; need one of {', '.join(kind.columns)}"
        )
