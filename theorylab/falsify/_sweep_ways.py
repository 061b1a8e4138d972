"""The counterexamples along a sweep in balls: of orders every value, over the bracket."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flint
import mpmath

from theorylab.falsify._balls import Ball, dot, square, total
from theorylab.falsify._enclose import Enclosure, UncoveredError
from theorylab.statements import DIGITS, Check, Statement
from theorylab.symbols import name_of
from theorylab.verdicts import Result
from theorylab.verdicts.case import Case
from theorylab.verdicts.judge import subject_of
from theorylab.verdicts.swept import Swept, number_at

_NAMES = ("experiment_name", "algorithm_name")


def of_sweep(
    statement: Statement,
    version: str,
    result: Result,
    enclosed: Callable[[Result], Enclosure],
) -> Enclosure:
    """Of an order the factor per decade, or that of the sweep's last step where it is less; of
    another claim its place.

    Args:
        enclosed: of an ordinary result, the measured side.
    """
    content = statement.versions[version]
    names = {key: value for key, value in result.instance.items() if key in _NAMES}
    instance = {key: value for key, value in result.instance.items() if key not in _NAMES}
    check = Check("recheck", instance)
    case = Case(statement, version, content, check, statement.quantity_of(content))
    subject = subject_of(case)
    assert isinstance(subject, Swept)
    if content.order is None:
        labels = [f"{subject.sweep.name}={value:g}" for value in subject.sweep.values]
        here = result.place.partition(", ")[0]
        if labels.count(here) != 1:
            raise UncoveredError(f"no interval arithmetic for the place {result.place!r}")
        alone = subject.cases[labels.index(here)].check.instance
        return enclosed(result.model_copy(update={"instance": {**names, **alone}}))
    if content.order.rate is not None:
        raise UncoveredError("no interval arithmetic for a geometric rate")
    if content.order.left is not None:
        raise UncoveredError(
            "no interval arithmetic for a left side in symbols: nothing is measured"
        )
    places = subject.seen(case, subject.constants(case), 1, 1, 0).behind
    count, sides, brackets = subject.sweep.fitted, [], []
    for each, place in zip(subject.cases[-count:], places[-count:], strict=True):
        there: dict[str, Any] = {"instance": {**names, **each.check.instance}, "place": place.label}
        there["constants"] = {name_of(s): known.as_json() for s, known in place.constants.items()}
        sides.append(enclosed(result.model_copy(update=there)))
        with mpmath.workdps(DIGITS):
            brackets.append(str(number_at(content.order.bracket, place)))

    def growth() -> Ball:
        ratios = [
            side.measured() / flint.arb(bracket)
            for side, bracket in zip(sides, brackets, strict=True)
        ]
        return growth_of(subject.sweep.values[-count:], ratios)

    work = sum(side.work for side in sides)
    return Enclosure(growth, work, how=f"{sides[-1].how}, and fitted along the sweep")


def growth_of(values: Sequence[float], ratios: Sequence[Ball]) -> Ball:
    """10^s, s the least-squares slope of log10 ratio, or that of the last step where it is less."""
    sign = 1 if values[-1] > values[0] else -1
    at = [sign * flint.arb(value).log() for value in values]
    logs = [ratio.log() for ratio in ratios]
    middle = total(at) / len(at)
    away = [a - middle for a in at]
    fitted = dot(away, logs) / square(away)
    last = (logs[-1] - logs[-2]) / (at[-1] - at[-2])
    return (flint.arb(10).log() * fitted.min(last)).exp()
