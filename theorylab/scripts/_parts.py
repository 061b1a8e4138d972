"""What lines of runs share: packed assignments, indented lines, and what noise there is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from theorylab.metrics import metric
from theorylab.problems import Problem
from theorylab.scripts.base import Facts, UnscriptedError
from theorylab.scripts.text import literal, wrapped
from theorylab.verdicts.measured import number_table

LAWS = (
    "gaussian",
    "rademacher",
    "skewed",
    "two-point",
    "coordinate",
)  # isotropic, whatever the point
SIGNS = ("rademacher", "state")  # a fair sign a coordinate
MOST_SIGNS = 14  # 2^14 outcomes
MOST_PICKS = 2**15  # outcomes of samples, of a few coordinates each
LONGEST_LOOP = 300_000  # rounds that a script plays one after the other


def packed(numbers: Mapping[str, Any]) -> list[str]:
    """One assignment of several numbers."""
    if not numbers:
        return []
    names, values = ", ".join(numbers), ", ".join(map(literal, numbers.values()))
    return (
        wrapped(f"{names} = {values}")
        if len(names) + len(values) < 96
        else [f"{name} = {literal(value)}" for name, value in numbers.items()]
    )


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def repeated(times: str, lines: Sequence[str], index: str = "k") -> list[str]:
    """The lines in a loop."""
    return [f"for {index} in range({times}):", *indented(lines)]


@dataclass(frozen=True)
class Noise:
    """kind: of ``NoiseField``. sigma: (low, high, root of E|xi|^2) of each part of a model. length:
    of "state"."""

    kind: str
    sigma: tuple[tuple[int, int, float], ...]
    length: float = 1.0

    def scale(self, part: int) -> float:
        """The root of the variance of one coordinate."""
        low, high, sigma = self.sigma[part]
        return sigma / math.sqrt(high - low)


def noise_of(problem: Problem) -> Noise | None:
    """None where there is no noise; UnscriptedError where it is none of the built-in fields."""
    if not problem.stochastic:
        return None
    found: Any = problem
    field = getattr(found, "field", None)
    if field is not None and hasattr(field, "parts"):
        return Noise(field.kind, tuple(map(tuple, field.parts)), field.length)
    if hasattr(found, "noise_variance"):
        return Noise("gaussian", ((0, problem.dim, math.sqrt(found.noise_variance)),))
    raise UnscriptedError(f"the noise of {problem.name} is not written out")


def check_exact(facts: Facts) -> None:
    """UnscriptedError where the measured side rests on sampled runs."""
    result, quantity = facts.result, facts.quantity
    several = result.runs > 1
    told = f"{result.runs} runs were sampled, and their law is not listed"
    if several or "confidence" in result.interval or "betting" in result.interval:
        raise UnscriptedError(told)
    if (
        facts.setting.problem.stochastic
        and quantity.pathwise
        and "realisation" not in result.interval
    ):
        raise UnscriptedError(told)


def numbers_of(facts: Facts, *names: str) -> dict[str, float]:
    """Constants that the measured side is made with, by name."""
    setting, instance = facts.setting, facts.parsed
    wanted = {*names, *metric(facts.column).numbers}
    table = number_table(facts.statement.algorithm, instance, setting, wanted)
    missing = [name for name in sorted(wanted) if name not in table]
    if missing:
        raise UnscriptedError(f"nothing defines {', '.join(missing)}")
    return {name: float(table[name].value) for name in sorted(wanted)}
