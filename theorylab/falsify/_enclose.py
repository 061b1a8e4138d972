"""What an interval re-check measures, and why one may not be there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from theorylab.exact import floated
from theorylab.falsify._balls import Ball
from theorylab.runs import Setting
from theorylab.scripts import place_numbers
from theorylab.verdicts import Result
from theorylab.verdicts.instance import built, parsed

OF_BOUND = 1e-12  # relative: 50 digits, shown as a float
OF_RUN = 1e-9  # a bound with a constant from the run, of some thousand roundings in float64
SIDE = "no interval arithmetic for this measured side"
NOISE = "no interval arithmetic for this algorithm with noise"
_NOT_OPTIONS = ("constants", "experiment_name")


class UncoveredError(ValueError):
    """There is no interval arithmetic for a counterexample; the text says why."""


@dataclass(frozen=True)
class Enclosure:
    """measured: a ball around the measured side. work: gradient entries that it takes. room: what
    the bound may be off by, relative. how: what is computed."""

    measured: Callable[[], Ball]
    work: int
    room: float = OF_RUN
    how: str = "Algorithm 1 written out again"


def options_of(result: Result) -> dict[str, Any]:
    """Of the experiment that a result is about."""
    options: dict[str, Any] = floated(result.instance)[0]
    return {k: v for k, v in options.items() if k not in _NOT_OPTIONS}


def built_of(algorithm_name: str, result: Result) -> Setting:
    """What the algorithm runs on in a result."""
    data = {k: v for k, v in result.instance.items() if k != "algorithm_name"}
    return built("recheck", parsed("recheck", data), algorithm_name)


def place_of(result: Result, name: str) -> dict[str, int]:
    """The numbers in the label of the place; UncoveredError where ``name`` is not among them."""
    found = place_numbers(result.place)
    if name not in found:
        raise UncoveredError(f"no interval arithmetic for the place {result.place!r}")
    return found


def written(losses: Any, problem: Any) -> Any:
    """``losses``; UncoveredError where there are none."""
    if losses is None:
        raise UncoveredError(f"no interval arithmetic for {problem.name} losses")
    return losses
