r"""A counterexample once more: the script that a reader gets, played in interval arithmetic.

``scripts.script`` writes both sides of the result in plain NumPy, by code that runs no part of the
engine, and ``scripts.play`` runs its lines on Arb balls (python-flint): every operation encloses
its exact result, so both sides come out as intervals that certainly hold them. Twice the precision,
and twice again, where the first leaves a comparison or the side of the bound open.

A re-check stands only if the enclosure lies beyond the bound and meets what the engine measured
within its rounding, and the script's bound is the judge's. An f* or x* that is known between two
ends is played as all that lies between them, whatever float the script has for it. For what has no
script, or none that balls decide, ``how`` says why, and what the counterexample rests on instead.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorylab.exact import digits_of
from theorylab.runs.confidence import ERROR_BELOW
from theorylab.scripts import UnscriptedError, script
from theorylab.scripts._agreement import ROOM, meets
from theorylab.scripts._outcomes import LIKELY
from theorylab.scripts._user_script import has_own
from theorylab.scripts.arrays_of_balls import ball
from theorylab.scripts.balls import Ball, UndecidedError, UnenclosedError, Work, smaller
from theorylab.scripts.base import NAMES, Facts
from theorylab.scripts.exactly import between, enclosures
from theorylab.scripts.play import played
from theorylab.scripts.sweeps import swept
from theorylab.statements import Check, Quantity, Statement
from theorylab.verdicts import Result, judge_check

BITS = (128, 512, 2048)
_DIGITS = 15  # of a float that is the decimal which it prints
NARROW = 1e-6  # of an enclosure, relative to the larger side


@dataclass(frozen=True)
class Recheck:
    """``holds``: the enclosure of the measured side lies beyond the bound; None: not done, why."""

    holds: bool | None
    low: float | None
    high: float | None
    how: str

    def as_json(self) -> dict[str, Any]:
        return {"holds": self.holds, "low": self.low, "high": self.high, "how": self.how}


def recheck(statement: Statement, version: str, result: Result, seed: int = 0) -> Recheck:
    """Enclose both sides of a result by its script, and compare them.

    seed: that the result was measured with.
    """
    quantity = statement.quantity_of(statement.versions[version])
    result = result.model_copy(update={"version": version})
    if result.interval.startswith("the script "):  # what decided it is done once more
        check = Check(result.check, {k: v for k, v in result.instance.items() if k not in NAMES})
        again = judge_check(statement, version, check, seed=seed)
        return Recheck(again.verdict == result.verdict, *again.ci, again.interval)
    try:
        unseen = not quantity.pathwise and (result.runs > 1 or _sampled(result))
        why = f"{result.runs} runs were sampled, and their law is not listed"
        if unseen and not _from_below(result):
            raise UnenclosedError(why)
        text = script(statement, result, seed, long=True)
        if unseen and LIKELY not in text:
            raise UnenclosedError(why)
        return _decided(statement, result, text)
    except (UnscriptedError, UnenclosedError) as reason:
        return Recheck(None, None, None, f"{reason}; it stands on {_basis(quantity, result)}")


def _sampled(result: Result) -> bool:
    """Whether the limits say what chance can do: an enclosure of the mean of runs says nothing."""
    return "betting" in result.interval or "confidence" in result.interval


def _from_below(result: Result) -> bool:
    """Whether the likeliest outcomes alone are beyond the bound: no run is below 0, so that their
    sum, which the script has, is no more than the mean."""
    below = re.search(r"floor 0[,;].*; from below", result.interval) is not None
    return below and result.relation == "<="


def _basis(quantity: Quantity, result: Result) -> str:
    """What a counterexample that is not re-checked rests on."""
    if quantity.pathwise:
        return f"a realisation in float64 ({result.interval})"
    if result.runs > 1:
        return (
            f"{result.runs} runs drawn anew once it was found, and a lower limit that is too high "
            f"with a chance of at most {ERROR_BELOW:g} ({result.interval})"
        )
    return f"float64 ({result.interval})"


def _decided(statement: Statement, result: Result, text: str) -> Recheck:
    """At the first precision that decides; UnenclosedError where none does."""
    if result.measured is None or result.bound is None:
        raise UnenclosedError("a side has no float value")
    ends = enclosures(statement, result, text)

    def reading(value: float) -> Any:
        return between(*ends[value]) if value in ends else ball(value)

    for bits, intervals in ((BITS[0], True), *((bits, False) for bits in BITS)):
        if (bits, intervals) == (BITS[0], False) and not Work.taken:
            continue  # it would be the same once more
        try:
            names = played(text, bits, reading=reading, intervals=intervals)
            measured, bound = ball(names["measured"]), ball(names["bound"])
            judged = _slower(statement, result, names, measured)
            found = _compared(measured, judged, bound, result, bits)
            if found.holds and Work.asked and has_own(Facts(statement, result)):
                _as_written(text, result, found, bits)
        except UndecidedError as reason:
            last = reason
        else:
            return found
    raise last


def _as_written(text: str, result: Result, found: Recheck, bits: int) -> None:
    """UnenclosedError where a sign or a comparison of a user's text hangs on what a float is off
    the decimal that was written."""
    try:
        low, high = ball(played(text, bits, reading=_decimal)["measured"]).ends
    except UndecidedError:
        low, high = -math.inf, math.inf
    if not meets(low, high, result) or not math.isfinite(high - low):
        raise UnenclosedError(
            f"a comparison hangs on rounding: the numbers as they are written give "
            f"[{low!r}, {high!r}], and their floats [{found.low!r}, {found.high!r}]"
        )


def _decimal(value: float) -> Any:
    short = math.isfinite(value) and digits_of(value) <= _DIGITS
    return ball(Fraction(repr(value)) if short else value)


def _slower(statement: Statement, result: Result, names: dict[str, Any], fitted: Ball) -> Ball:
    """What is judged: of an order the growth along the last step of the sweep, where that is less
    than the fitted one; of any other claim what is measured."""
    order = statement.versions[result.version].order
    if order is None:
        return fitted
    _, subject = swept(statement, result)
    before, after = (ball(value) for value in subject.sweep.values[-2:])
    if order.rate is None:
        before, after = before.log() / ball(10).log(), after.log() / ball(10).log()
    first, second = (ball(ratio).log() for ratio in names["ratios"][-2:])
    slower: Ball = smaller(fitted, ((second - first) / abs(after - before)).exp())
    return slower


def _compared(measured: Ball, judged: Ball, bound: Ball, result: Result, bits: int) -> Recheck:
    """UndecidedError where the balls are too wide to decide."""
    assert result.measured is not None
    assert result.bound is not None
    low, high = judged.ends
    (least, most), (lower, upper) = measured.ends, bound.ends
    scale = max(abs(low), abs(high), abs(result.bound))
    if not high - low <= NARROW * scale:
        raise UndecidedError(f"the enclosure is too wide: [{low!r}, {high!r}]")
    how = f"the script in Arb balls of {bits} bits"
    how += ", and its rounds in intervals of float64" * Work.taken
    room = ROOM * abs(result.bound)
    if not (lower <= result.bound + room and upper >= result.bound - room):
        told = f"[{lower!r}, {upper!r}] and the judge's {result.bound!r}"
        return Recheck(False, low, high, f"{how}: its bound is another one, {told}")
    if not meets(least, most, result):
        told = f"[{least!r}, {most!r}] and the engine's {result.measured!r}"
        return Recheck(False, low, high, f"{how}: its measured side is another one, {told}")
    limits = lower, upper, result.bound - room, result.bound + room
    above, below = low > max(limits), high < min(limits)
    if not above and not below:
        raise UndecidedError(f"the side of the bound is open: [{low!r}, {high!r}]")
    return Recheck(above if result.relation == "<=" else below, low, high, how)
