"""What the numbers of a script and of its bound stand for: what was written, not its float64."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb, fmpq

from theorylab import symbols
from theorylab.exact import Span, behind, digits_of, floated, span
from theorylab.scripts.balls import Ball, UnenclosedError
from theorylab.verdicts import Result
from theorylab.verdicts.case import Constants
from theorylab.verdicts.evidence import value_on_side
from theorylab.verdicts.relation import numbers_of

_WIDE = Fraction(1, 2**44)  # of a number: what some hundred operations round
_UNITS = 2**8  # of its last bit: what is left where numbers cancel, as of .1 + .2 - .3, has few
_TYPED = 12  # digits: one float64 in 50 000 has at most these
_SIMPLE = 1000  # the largest denominator that a float64 shows by itself


class Written:
    """What the floats of a script and of its bound stand for.

    strict: numbers that were computed are known up to their rounding, whatever they print. shift:
    0, or a prime, of either sign, by whose remainders those move that are nothing but floats.
    drawn: the first of these.
    """

    def __init__(self, result: Result, constants: Constants, computed: set[float]) -> None:
        self.strict, self.shift, self.drawn = False, 0, ""
        self.typed: dict[float, Span] = {}
        for value in _floats(result.instance):
            self.typed[abs(value)] = _absolute(span(value))
        for value, ends in behind(result.instance).items():
            self.typed[abs(value)] = _absolute(ends)
        options = {*_named(floated(result.instance)[0])}
        self.given = {s for s, k in constants.items() if (symbols.name_of(s), k.value) in options}
        unsure = {s: k for s, k in constants.items() if s not in self.given and not is_asked(k)}
        self.computed = computed | {abs(known.value) for known in unsure.values()}
        self.first = ""  # of the numbers that are not known exactly

    def ends(self, value: float, computed: bool) -> Span:
        """Between which rationals the number is that a float >= 0 stands for."""
        exact = Fraction(value)
        if not (computed and self.strict):
            simple = exact.limit_denominator(_SIMPLE)
            if value in self.typed:
                return self.noted(self.typed[value], value)
            if digits_of(value) <= _TYPED:
                return Fraction(repr(value)), Fraction(repr(value))
            if float(simple) == value and simple.numerator < _SIMPLE**2:
                return simple, simple
        if computed:
            return self.noted((exact * (1 - _WIDE), exact * (1 + _WIDE)), value)
        self.drawn = self.drawn or repr(value)
        if prime := abs(self.shift):  # no number moves by nothing
            apart = Fraction(2 * (exact.numerator % prime) - prime, self.shift)
            exact += apart * max(exact * _WIDE, Fraction(_UNITS, exact.denominator))
        return exact, exact

    def noted(self, ends: Span, value: float) -> Span:
        if ends[0] < ends[1]:
            self.first = self.first or repr(value)
        return ends

    def __call__(self, value: float) -> Ball:
        """A literal of a script."""
        if not math.isfinite(value):
            return Ball(arb(value))
        return between(*self.ends(value, value in self.computed))

    def of(self, symbol: sp.Symbol, known: Any) -> Span:
        """A constant of the bound; UnenclosedError of one that float64 cannot hold."""
        numbers = numbers_of(known, value_on_side(symbol, known))
        if numbers.digits is not None:
            raise UnenclosedError(f"{symbols.name_of(symbol)} is beyond float64")
        if is_asked(known) or known.enclosure is not None:
            return self.noted(numbers.asked, known.value)
        low, high = self.ends(abs(known.value), symbol not in self.given)
        return (low, high) if known.value > 0 else (-high, -low)


def between(low: Fraction, high: Fraction) -> Ball:
    """All that lies between two fractions."""
    ends = [fmpq(end.numerator, end.denominator) for end in (low, high)]
    return Ball(ends[0] if low == high else arb(ends[0]).union(arb(ends[1])))


def is_asked(known: Any) -> bool:
    """Whether a constant is what its user gave, or a bound, which is valid as it is."""
    return known.asked is not None or known.value == 0 or str(known.how) != "exact"


def _absolute(ends: Span) -> Span:
    return ends if ends[0] >= 0 else (-ends[1], -ends[0])


def _named(data: Any) -> Iterator[tuple[str, Any]]:
    """Every option with its name."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            if isinstance(value, float):
                yield name, value
            yield from _named(value)


def _floats(data: Any) -> list[float]:
    if isinstance(data, Mapping):
        data = [*data.values()]
    if isinstance(data, list | tuple):
        return [value for each in data for value in _floats(each)]
    return [data] if isinstance(data, float) and math.isfinite(data) else []
