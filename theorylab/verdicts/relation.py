"""Whether a relation holds: of the numbers that were asked for, and of those that a run has.

A user who writes eta = .1 and L = 10 means eta L = 1. The float64 next to .1 is larger than .1, so
a run has eta L > 1, and the spectrum of a matrix drawn for L = 10 ends some ulps beside 10. What
was asked for decides whether an assumption holds. Only one that the numbers of the run meet, too,
carries a violation: it is ``firm``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp

from theorylab import symbols
from theorylab.exact import Span, digits_of, span
from theorylab.known import COMPUTED, How, Known
from theorylab.statements import BITS, BRANCHES, adds, enclosed, evaluate, resolved, spelled

# A user computes what he sets equal in float64. Four times its rounding allows for another order.
_FLOAT64 = 51
_ROUNDED = Fraction(1, 2**36)  # of a number: the widest span that rounding a square of it leaves
_TYPED = 12  # digits: one float64 in 50 has at most 15, one in 50 000 at most these
_FARTHEST = 20000  # binary digits of a number that becomes a fraction
_NO_BALL = 1e-9  # relative: what 50 digits decide where no ball is known
_LAST = 1e-44  # relative: where they are all rounding, of at most 10^5 operations

_ABOVE = (sp.GreaterThan, sp.StrictGreaterThan)
_STRICT = (sp.StrictLessThan, sp.StrictGreaterThan)


@dataclass(frozen=True)
class Numbers:
    """What stands for a symbol: asked, and as a run has it; ``digits`` where float64 cannot hold it
    and no ball can either. ``rounded``: whether it may be the float64 next to what was meant."""

    asked: Span
    run: Span
    digits: Any = None
    rounded: bool = False

    @property
    def middle(self) -> Any:
        """For 50 digits."""
        if self.digits is not None:
            return self.digits
        low, high = self.asked
        return low if low == high else (low + high) / 2


@functools.lru_cache(maxsize=1 << 12, typed=True)  # the places of a check share constants
def numbers_of(known: Known, value: Any) -> Numbers:
    """What stands for a constant, of which ``value`` is the one of the needed side.

    What was computed is known up to its rounding. A proven bound is itself a valid constant.
    """
    if not isinstance(value, float | int):  # an mpf
        return _beyond_float64(value)
    exactly = Fraction(value), Fraction(value)
    if known.how is not How.EXACT:
        printed = span(value)
        return Numbers(printed if printed[0] == printed[1] else exactly, exactly)
    exactly = Fraction(known.value), Fraction(known.value)
    about, printed = known.enclosure, span(known.value)
    asked = known.asked or about or printed
    rounded = asked[0] < asked[1] or (asked == printed and digits_of(known.value) > _TYPED)
    if known.asked is None and about is None and printed[0] < printed[1]:
        room = COMPUTED * abs(exactly[0])
        asked = about = exactly[0] - room, exactly[0] + room
    return Numbers(asked, about or exactly, rounded=rounded)


def _beyond_float64(value: Any) -> Numbers:
    mantissa, exponent = value.man_exp
    if abs(exponent) > _FARTHEST:
        return Numbers((Fraction(0), Fraction(0)), (Fraction(0), Fraction(0)), value)
    exactly = int(mantissa) * Fraction(2) ** int(exponent) * int(mpmath.sign(value))
    return Numbers((exactly, exactly), (exactly, exactly))


@dataclass(frozen=True)
class Compared:
    """``holds`` is None where rounding hides it. ``margin``: the room, of the larger side.

    text: one clause with the numbers and their difference; of a relation that holds, how it is met
    where that is its edge, or "". firm: whether the numbers of the run meet it beyond rounding.
    """

    holds: bool | None
    margin: float
    text: str
    firm: bool = True


def compared(rule: sp.Basic, numbers: Mapping[sp.Symbol, Numbers]) -> Compared:
    """``_compared``, of which versions and places share what they ask; sums count every time."""
    anew = _compared.__wrapped__ if adds(rule) else _compared
    return anew(rule, tuple(numbers.items()))


@functools.lru_cache(maxsize=1 << 13)
def _compared(rule: sp.Basic, pairs: tuple[tuple[sp.Symbol, Numbers], ...]) -> Compared:
    """Decide ``rule``, <, <=, >, >= or Eq, of numbers with their spans.

    A rule <= or >= and an equality between numbers of which one was rounded are met within the
    rounding of float64. Raises TypeError on another rule, ValueError where a side has no number, or
    where float64 has no number that is near enough to one that was asked for.
    """
    if not isinstance(rule, (sp.Eq, sp.LessThan, sp.GreaterThan, *_STRICT)):
        raise TypeError(f"assumption: cannot compare {rule!r}; need <, <=, >, >= or Eq")
    numbers = dict(pairs)
    beyond = any(each.digits is not None for each in numbers.values())
    if beyond or not rule.has(*BRANCHES):
        return _of_one_branch(rule, rule, numbers)
    try:
        there = _resolved(rule, {symbol: each.asked for symbol, each in pairs})
        on_run = _resolved(rule, {symbol: each.run for symbol, each in pairs}, as_run=True)
    except NotImplementedError:
        return _of_one_branch(rule, rule, numbers)
    found = [_of_one_branch(way, rule, numbers) for way in there]
    run = [_of_one_branch(way, rule, numbers) for way in on_run if way not in there]
    firm = all(each.firm for each in found) and all(each.holds and each.firm for each in run)
    first = min(found, key=lambda each: each.margin)
    if len({each.holds for each in found}) > 1:
        text = f"{first.text}, and rounding hides on which side of a branch it is"
        return Compared(None, first.margin, text, firm=False)
    text = first.text or ("" if firm else f"{named(rule)} is met by less than rounding moves it")
    return Compared(first.holds, first.margin, text, firm)


def _resolved(rule: Any, spans: Mapping[sp.Symbol, Span], *, as_run: bool = False) -> list[Any]:
    """The rules without branches that ``rule`` may be; NotImplementedError where not known."""
    sides = [resolved(side, spans, as_run=as_run) for side in (rule.lhs, rule.rhs)]
    return [rule.func(left, right, evaluate=False) for left in sides[0] for right in sides[1]]


def _of_one_branch(rule: Any, shown: Any, numbers: Mapping[sp.Symbol, Numbers]) -> Compared:
    """``_compared`` of a rule without branches, which texts spell as ``shown``."""
    used = {s: each for s, each in numbers.items() if s in symbols.symbols_of(rule)}
    asked = {symbol: each.asked for symbol, each in used.items()}
    run = {symbol: each.run for symbol, each in used.items()}
    middles = {symbol: each.middle for symbol, each in used.items()}
    left, right = (evaluate(side, middles) for side in (rule.lhs, rule.rhs))
    scale = max(abs(left), abs(right)) or 1
    gap = left - right if isinstance(rule, _ABOVE) else right - left
    beyond = any(each.digits is not None for each in used.values())
    there = None if beyond else _gap(rule, asked)
    if there is None:
        return _by_digits(shown, gap, scale, left, right)
    sign, room = there
    if abs(gap) <= _NO_BALL * scale:  # the ball has the digits that were lost
        gap = mpmath.mpf(room)
    margin = 0.0 if sign == 0 else float(gap / scale)
    name = f"{named(shown.lhs)} and {named(shown.rhs)}"
    if isinstance(rule, sp.Eq):
        return _equal(rule, used, sign, margin, _apart(shown, left, right, gap), name)
    strict = isinstance(rule, _STRICT)
    same = run == asked and not rule.atoms(sp.Float)
    on_run = there if same else _gap(rule, run, as_run=True)
    firm = on_run is not None and on_run[0] in ((1,) if strict else (0, 1))
    if sign == -1:
        apart = _apart(shown, left, right, gap)
        if strict or not _in_float64(rule, used):
            return Compared(False, margin, apart)
        text = f"{apart}, which is the rounding of float64: it is met at its edge"
        return Compared(True, margin, text, firm=False)
    if sign == 1 and firm:
        return Compared(True, margin, "")
    if sign == 1:
        if strict and not firm and on_run is not None and _points(run):
            raise ValueError(_too_near(rule, used))
        text = f"{name} differ by {_short(abs(gap))}, less than rounding moves them"
        return Compared(True, margin, text, firm=False)
    if sign == 0 and strict:
        return Compared(False, 0.0, f"{name} are equal, {spelled(left)}, and the rule is strict")
    if sign == 0:
        return Compared(True, 0.0, f"{name} are equal: it is met at its edge", firm)
    hidden = f"{name} are {spelled(left)}, and rounding hides their difference"
    if strict:
        need = "a number further inside, or a fraction p/q, decides"
        return Compared(None, margin, f"{hidden}; {need}")
    return Compared(True, margin, f"{hidden}: it is met at its edge", firm)


def _in_float64(rule: Any, numbers: Mapping[sp.Symbol, Numbers]) -> bool:
    """Whether a number was rounded, and float64 sees no difference between the sides. Where a side
    has a root or a function, any was, however few digits it prints: no decimal meets it."""
    irrational = rule.atoms(sp.Function) or any(not p.exp.is_integer for p in rule.atoms(sp.Pow))
    if not irrational and not any(each.rounded for each in numbers.values()):
        return False
    asked = {symbol: each.asked for symbol, each in numbers.items()}
    left, right = (enclosed(side, asked, _FLOAT64) for side in (rule.lhs, rule.rhs))
    return left is not None and right is not None and bool(left.overlaps(right))


def _gap(
    rule: Any, spans: Mapping[sp.Symbol, Span], *, as_run: bool = False
) -> tuple[int | None, float] | None:
    """(the sign of the room that the rule leaves, the room); the sign is None where the spans leave
    it open. None where no ball is known."""
    less, more = (rule.rhs, rule.lhs) if isinstance(rule, _ABOVE) else (rule.lhs, rule.rhs)
    room: Any = None
    for bits in BITS:
        sides = [enclosed(side, spans, bits, as_run=as_run) for side in (less, more)]
        if sides[0] is None or sides[1] is None:
            return None
        room = sides[1] - sides[0]
        if room > 0 or room < 0:
            return (1 if room > 0 else -1), float(room.mid())
        if not _points(spans):  # more digits show no more
            return None if bits > BITS[0] else (_open(sides), float(room.mid()))
    return 0, 0.0


def _open(sides: list[Any]) -> int | None:
    """0 where both sides are one exact number, whatever the spans, else None."""
    return 0 if all(side.is_exact() for side in sides) and sides[0] == sides[1] else None


def _points(spans: Mapping[sp.Symbol, Span]) -> bool:
    return all(low == high for low, high in spans.values())


def _equal(rule: Any, numbers: Mapping[sp.Symbol, Numbers], sign: int | None, margin: float,
           apart: str, name: str) -> Compared:  # fmt: skip
    """Of an equality. Where a number was rounded, both sides are computed as float64 does; what is
    known less well than rounding leaves it may meet an equality or not."""
    margin = -abs(margin)
    if sign == 0:
        return Compared(True, 0.0, "")
    ends = [(named(s), *each.asked) for s, each in numbers.items()]
    wide = [s for s, low, high in ends if high - low > _ROUNDED * max(-low, high)]
    if sign is None and wide:
        text = f"{name} may be equal or not, as {wide[0]} is known between two ends alone"
        return Compared(None, margin, text, False)
    if (sign is None and any(n.rounded for n in numbers.values())) or _in_float64(rule, numbers):
        return Compared(True, margin, f"{name} are equal up to the rounding of float64")
    return Compared(False, margin, apart)


def _by_digits(rule: Any, gap: Any, scale: Any, left: Any, right: Any) -> Compared:
    """With 50 digits, where no ball is known; firm only far from an equality."""
    clear = abs(gap) > _NO_BALL * scale
    margin, text = float(gap / scale), _apart(rule, left, right, gap)
    if abs(gap) <= _LAST * scale:  # the last digits are rounding
        text = f"{named(rule.lhs)} and {named(rule.rhs)} are equal up to the last digits"
        if isinstance(rule, sp.Eq):
            return Compared(True, 0.0, text)
        strict = isinstance(rule, _STRICT)
        return Compared(None if strict else True, 0.0, text, firm=False)
    if isinstance(rule, sp.Eq):
        return Compared(False, -abs(margin), text)
    holds = bool(gap > 0)
    return Compared(holds, margin, "" if holds and clear else text, bool(clear))


def _apart(rule: Any, left: Any, right: Any, gap: Any) -> str:
    """As in "L*eta = 1.2 exceeds 1 by 0.2"."""
    if isinstance(rule, sp.Eq):
        verb = "differs from"
    else:
        verb = "is below" if isinstance(rule, _ABOVE) == (gap < 0) else "exceeds"
    sides = (_shown(rule.lhs, left), _shown(rule.rhs, right))
    return f"{sides[0]} {verb} {sides[1]} by {_short(abs(gap))}"


def _short(number: Any) -> str:
    """Two digits; as a power of ten where float64 has no such number."""
    return f"{float(number):.2g}" if 1e-300 < number < 1e300 else spelled(mpmath.mpf(number))


def _shown(side: sp.Expr, number: Any) -> str:
    text = spelled(number)
    return text if not side.free_symbols else f"{named(side)} = {text}"


def _too_near(rule: sp.Basic, numbers: Mapping[sp.Symbol, Numbers]) -> str:
    rounded = [s for s, each in numbers.items() if each.asked != each.run]
    name = symbols.name_of(rounded[0]) if rounded else "a number"
    near = f"{float(numbers[rounded[0]].run[0])!r}" if rounded else "another"
    return (
        f"{name} is so near to the edge of {named(rule)} that the float64 which is run, {near}, "
        "breaks it; need a number further inside"
    )


@functools.lru_cache(maxsize=4096)  # a bound takes longer to write than to evaluate
def named(side: sp.Basic) -> str:
    """The expression in the symbols' plain names."""
    return str(side.xreplace({s: sp.Symbol(symbols.name_of(s)) for s in side.free_symbols}))
