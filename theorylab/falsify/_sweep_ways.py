"""The counterexamples of orders in balls: the measured side at every value, over the bracket."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import flint
import mpmath

from theorylab.falsify._balls import Ball, dot, square, total
from theorylab.falsify._enclose import Enclosure
from theorylab.statements import DIGITS, Check, Statement
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
    """The factor per decade, or that of the sweep's last step where it is less.

    Args:
        enclosed: of an ordinary result, the measured side.
    """
    content = statement.versions[version]
    assert content.order is not None
    names = {key: value for key, value in result.instance.items() if key in _NAMES}
    instance = {key: value for key, value in result.instance.items() if key not in _NAMES}
    check = Check("recheck", instance)
    case = Case(statement, version, content, check, statement.quantity_of(content))
    subject = subject_of(case)
    assert isinstance(subject, Swept)
    places = subject.seen(case, subject.constants(case), 1, 1, 0).behind
    count, sides, brackets = subject.sweep.fitted, [], []
    for each, place in zip(subject.cases[-count:], places[-count:], strict=True):
        there = {"instance": {**names, **each.check.instance}, "place": place.label}
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
