"""A finding whose drawn numbers are rounded to a few digits, where it still stands.

A script that writes out a drawn matrix has 17 digits of every entry, and they mean nothing. The
rounded numbers are another instance, so that instance is judged and re-checked like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from theorylab.exact import digits_of
from theorylab.falsify.recheck import recheck
from theorylab.problems import Quadratic
from theorylab.scripts import Facts
from theorylab.scripts.base import NAMES
from theorylab.scripts.text import MOST_NUMBERS
from theorylab.statements import Check, Statement
from theorylab.verdicts import Job, Result, judge_check
from theorylab.verdicts.sweep import is_swept

DIGITS = (2, 3, 4, 6)
_OF_A_RUN = {"problem", "algorithm_name"}  # in its instance, and in no experiment's
_LONG = 12  # digits: of more, a number was drawn or computed


def shortened(
    statement: Statement,
    result: Result,
    seed: int = 0,
    *,
    seeds: int | None = None,
    most: int = MOST_NUMBERS,
) -> tuple[Result, int]:
    """(the result on rounder numbers, how many digits they have), or (``result``, 0) without one.

    Args:
        seed: that the result was measured with. seeds: most runs of a sampled result, which
            without it is left as it is. most: numbers of an instance that is written out.
    """
    version, instance = result.version, result.instance
    if not result.outcome.broken or result.runs > (seeds or 1) or not {*instance} >= _OF_A_RUN:
        return result, 0
    if statement.versions[version].order is not None or is_swept(statement, version, instance):
        return result, 0
    whole = _written_out(statement, result)
    numbers = [*_floats(whole)]
    if len(numbers) > most or all(digits_of(x) <= _LONG for x in numbers):
        return result, 0
    for digits in DIGITS:
        try:
            check = Check(result.check, _rounded(whole, digits), control=result.control)
            found = judge_check(statement, version, check, seeds=seeds or Job.seeds, seed=seed)
        except ValueError:  # rounded it is no instance
            continue
        if found.outcome.broken:
            again = recheck(statement, version, found, seed)
            if again.holds is not False:
                return (found, digits) if again.holds or found.runs > 1 else (result, 0)
    return result, 0


def _written_out(statement: Statement, result: Result) -> dict[str, Any]:
    """The instance, with the numbers of a drawn quadratic."""
    made = {key: part for key, part in result.instance.items() if key not in NAMES}
    problem: Any = Facts(statement, result).setting.problem
    part = made["problem"]
    inner, drawn = (part["base"], problem.base) if "base" in part else (part, problem)
    if type(drawn) is not Quadratic or drawn.hessians.size > MOST_NUMBERS:
        return made
    kept = {key: inner[key] for key in ("name", "sigma", "clients") if key in inner}
    explicit = {**kept, "H": drawn.hessians.tolist(), "c": drawn.centers.tolist()}
    return {**made, "problem": {**part, "base": explicit} if "base" in part else explicit}


def _floats(data: Any) -> Iterator[float]:
    if isinstance(data, float):
        yield data
    elif isinstance(data, Mapping | list | tuple):
        for each in data.values() if isinstance(data, Mapping) else data:
            yield from _floats(each)


def _rounded(data: Any, digits: int) -> Any:
    """Every long number with so many digits."""
    if isinstance(data, float):
        return float(f"{data:.{digits}g}") if digits_of(data) > _LONG else data
    if isinstance(data, Mapping):
        return {key: _rounded(part, digits) for key, part in data.items()}
    return [_rounded(part, digits) for part in data] if isinstance(data, list | tuple) else data
