"""Named axes, and the points of a grid, a list or a sample over them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt, model_validator

from theorylab.arithmetic import satisfied
from theorylab.campaigns.text import canonical, check_plain

MOST_CELLS = 10_000_000  # a day at 10 ms a cell
MOST_SAMPLED = 1_000_000  # a sample is drawn at once
Point = dict[str, Any]


class Axis(BaseModel):
    """What one axis takes: ``values``, or a range.

    Args:
        values: numbers, texts, or objects; each once.
        low, high: ends of a range. count: points of it in a grid. scale: between its ends.
        whole: points are rounded to integers.
        path: the option that the axis sets, where its name is not that.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    values: list[Any] | None = Field(default=None, min_length=1, max_length=MOST_CELLS)
    low: StrictInt | StrictFloat | None = None
    high: StrictInt | StrictFloat | None = None
    count: StrictInt = Field(default=0, ge=0, le=MOST_CELLS)
    scale: Literal["linear", "log"] = "linear"
    whole: bool = False
    path: str = ""

    @model_validator(mode="before")
    @classmethod
    def _listed(cls, data: Any) -> Any:
        if isinstance(data, range | tuple | np.ndarray):
            data = data.tolist() if isinstance(data, np.ndarray) else [*data]
        return {"values": data} if isinstance(data, list) else data

    @model_validator(mode="after")
    def _one_of_both(self) -> Axis:
        if (self.values is None) == (self.low is None or self.high is None):
            raise ValueError("need values, or low and high")
        if self.values is not None:
            check_plain(self.values)
            seen = set()
            for text in map(canonical, self.values):
                if text in seen:
                    raise ValueError(f"{text} comes twice; need each value once")
                seen.add(text)
        elif not self._low < self._high or (self.scale == "log" and self._low <= 0):
            raise ValueError(f"low {self.low}, high {self.high}; need low < high, and > 0 in log")
        return self

    @property
    def _low(self) -> float:
        return 0.0 if self.low is None else self.low

    @property
    def _high(self) -> float:
        return 0.0 if self.high is None else self.high

    def at(self, share: float) -> Any:
        """The point at ``share`` in [0, 1] of the axis."""
        if self.values is not None:
            return self.values[min(int(share * len(self.values)), len(self.values) - 1)]
        low, high = self._low, self._high
        if share in (0, 1):  # the ends are what was asked for, to the last bit
            found = high if share else low
        elif self.scale == "log":
            found = math.exp(math.log(low) + share * (math.log(high) - math.log(low)))
        else:
            found = low + share * (high - low)
        found = min(max(found, low), high)  # exp(log(x)) may be off by a bit
        return round(found) if self.whole else float(found)

    def listed(self, name: str) -> list[Any]:
        """All points in a grid. Raises ValueError where a range does not say how many."""
        if self.values is not None:
            return self.values
        if self.count < 1:
            raise ValueError(
                f"plan: axis {name!r}: count is missing; need how many points a grid has"
            )
        made = [self.at(i / max(1, self.count - 1)) for i in range(self.count)]
        return list(dict.fromkeys(made)) if self.whole else made


class Sample(BaseModel):
    """How many points are drawn, and how: ``scipy.stats.qmc.LatinHypercube``, or independently."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    count: StrictInt = Field(ge=1, le=MOST_SAMPLED)
    kind: Literal["random", "latin-hypercube"] = "latin-hypercube"
    seed: StrictInt = Field(default=0, ge=0, lt=2**63)

    def shares(self, axes: int) -> Any:
        """(count, axes) numbers in [0, 1)."""
        draws = np.random.Generator(np.random.PCG64(self.seed))
        if self.kind == "random":
            return draws.random((self.count, axes))
        from scipy.stats import qmc

        return qmc.LatinHypercube(axes, seed=draws).random(self.count)


class Points:
    """All points, in their order; an index stands for one, so that none is held.

    Raises ValueError, one line, where there are none or too many.
    """

    def __init__(
        self,
        axes: Mapping[str, Axis],
        rows: list[Point] | None,
        sample: Sample | None,
        where: list[str],
    ) -> None:
        self.axes, self.rows, self.where = axes, rows, where
        if rows is not None:
            self.all = len(rows)
        elif sample is not None:
            self.all = sample.count
        else:
            self.all = math.prod(
                len(axis.values or ()) or axis.count or 1 for axis in axes.values()
            )
        if self.all > MOST_CELLS:
            raise ValueError(f"plan: {self.all} cells came; need at most {MOST_CELLS}")
        self.shares = None if sample is None else sample.shares(len(axes))
        self.lists: list[list[Any]] = []
        if rows is None and sample is None:  # whole numbers of a range may fall together
            self.lists = [axis.listed(name) for name, axis in axes.items()]
            self.all = math.prod(map(len, self.lists))

    def __iter__(self) -> Iterator[Point]:
        """Those that every filter keeps; what comes twice in a list or a sample comes once."""
        seen: set[bytes] | None = None if self.lists else set()
        for index in range(self.all):
            point = self.at(index)
            if seen is not None:
                text = json.dumps(point, sort_keys=True).encode()
                if text in seen:
                    continue
                seen.add(text)
            if all(satisfied(text, point) for text in self.where):
                yield point

    def at(self, index: int) -> Point:
        if self.rows is not None:
            return dict(self.rows[index])
        if self.shares is not None:
            shares = self.shares[index]
            return {
                n: axis.at(float(x)) for (n, axis), x in zip(self.axes.items(), shares, strict=True)
            }
        chosen = []
        for values in reversed(self.lists):  # the last axis moves first
            index, place = divmod(index, len(values))
            chosen.append(values[place])
        return dict(zip(self.axes, reversed(chosen), strict=True))

    def count(self) -> int:
        """How many cells there are. Raises ValueError where there is none."""
        simple = self.lists and not self.where
        found = self.all if simple else sum(1 for _ in self)
        if not found:
            told = f" that {' and '.join(self.where)} keeps" if self.where else ""
            raise ValueError(f"plan: there is no cell{told}; need at least one")
        return found
