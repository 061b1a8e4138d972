"""Which of the valid pairs (C, q) a bound takes: the one that makes it smallest.

A claim "with C and q of the network" is made for every valid pair. The curve of them is known
(``theorylab.constants.consensus_pairs``), so a place is judged by the smallest bound that the claim
gives there, and a violation says for how much of the curve it stands.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import mpmath
import sympy as sp

from theorylab import symbols
from theorylab.known import Curve, Known
from theorylab.statements import Assumption, TooLongError, Version, adds
from theorylab.symbols import C, q
from theorylab.verdicts.bound import bound_at, values_of
from theorylab.verdicts.case import Constants, Place
from theorylab.verdicts.evidence import settled, value_on_side

_MANY = 64  # places; so many share a coarser look at the curve
_COARSE = 8
_LEAST = mpmath.mpf("1e-99999")  # of a bound whose logarithm is taken
_PAIR = {C, q}


class Tightest:
    """Places of a version with the valid pair that makes each bound smallest and breaks no
    assumption. Places with the same numbers have the same pair, and so have those of more runs."""

    def __init__(self, version: Version) -> None:
        self._version = version
        rules = [a.rule for a in version.assumes if a.rule is not None]
        self._adds = adds(version.bound) or any(adds(rule) for rule in rules)
        self._found: dict[Any, tuple[Curve, float | None]] = {}

    def __call__(self, places: tuple[Place, ...]) -> tuple[Place, ...]:
        if curve_of_pairs(self._version, places[0].constants) is None:
            return places
        coarse = len(places) > _MANY
        return tuple(self._tightened(place, coarse) for place in places)

    def _tightened(self, place: Place, coarse: bool) -> Place:
        curve = curve_of_pairs(self._version, place.constants)
        if curve is None:
            return place
        there = _Curve(self._version, place.constants, curve)
        key = (coarse, there.numbers)
        kept, rate = self._found.get(key, (None, None))
        if kept is not curve or self._adds:  # the terms of a sum count whenever they are added
            rate = _smallest(there, curve, place.constants[q].value, coarse)
            self._found[key] = curve, rate
        if rate is None or rate == place.constants[q].value:
            return place
        return replace(place, constants=there.at(rate))


def reach(version: Version, place: Place, low: float) -> str:
    """For which valid pairs ``low`` exceeds the bound; empty where the bound takes no pair.

    Of a pair that breaks an assumption the claim says nothing, whatever its bound.
    """
    curve = curve_of_pairs(version, place.constants)
    if curve is None:
        return ""
    there = _Curve(version, place.constants, curve)
    given = place.constants[q].value
    rates = sorted(r for r in {*curve.rates(), given} if r == given or there.admits(r))
    first = last = rates.index(given)
    over = [low > there.height(rate) for rate in rates]
    while first > 0 and over[first - 1]:
        first -= 1
    while last < len(rates) - 1 and over[last + 1]:
        last += 1
    if first == 0 and last == len(rates) - 1:
        return "this holds for the smallest valid C of every q"
    least = "" if first == 0 else f"from {_digits(rates[first])} "
    return f"this holds for the smallest valid C of each q {least}up to {_digits(rates[last])}"


def curve_of_pairs(version: Version, constants: Constants) -> Curve | None:
    """The curve that C and q of the bound lie on, both on one; None where the pair is fixed."""
    if (
        version.fixed_pair
        or version.relation != "<="
        or not symbols.symbols_of(version.bound) >= _PAIR
    ):
        return None
    factor, rate = constants.get(C), constants.get(q)
    if factor is None or rate is None or factor.pairs is not rate.pairs or not rate.finite:
        return None
    return factor.pairs


def limited(used: Iterable[sp.Symbol], constants: Constants) -> str:
    """The constants of ``used`` that hold in some rounds only, as in "C, q (rounds 0..30)"."""
    scopes: dict[str, list[str]] = {}
    for symbol in sorted(used, key=str):
        if symbol in constants and constants[symbol].within:
            scopes.setdefault(constants[symbol].within, []).append(symbols.name_of(symbol))
    return "; ".join(f"{', '.join(names)} ({scope})" for scope, names in scopes.items())


def _smallest(there: _Curve, curve: Curve, given: float, coarse: bool) -> float | None:
    """The q of the pair that makes the bound smallest; None where none is admitted."""
    rates = curve.rates()
    if coarse:
        rates = rates[:: max(1, len(rates) // _COARSE)]
    rates = sorted({*rates, given})
    heights = [there.height_or_inf(rate) for rate in rates]
    # An assumption takes longer than a bound: only those of rates beside the smallest are asked.
    admits = functools.cache(lambda k: there.admits(rates[k]))
    order = sorted(range(len(rates)), key=lambda k: heights[k])
    best = next(filter(admits, order), None)
    if best is None:
        return None
    rate = rates[best]
    around = (
        rates[next(filter(admits, range(best - 1, -1, -1)), best)],
        rates[next(filter(admits, range(best + 1, len(rates))), best)],
    )
    if not coarse and around[0] < around[1]:
        from scipy.optimize import minimize_scalar  # slow to import

        found = minimize_scalar(
            lambda x: float(mpmath.log(max(there.height(1 - math.exp(x)), _LEAST))),
            bounds=(math.log1p(-around[1]), math.log1p(-around[0])),
            method="bounded",
            options={"xatol": 1e-4},
        )
        refined = 1 - math.exp(float(found.x))
        if there.admits(refined) and there.height(refined) < heights[best]:
            rate = refined
    return rate


class _Curve:
    """The constants of a place with C and q along the curve of valid pairs.

    The values of the others, and which assumptions a pair may break, are looked up once.
    """

    def __init__(self, version: Version, constants: Constants, curve: Curve) -> None:
        self._bound, self._constants, self._curve = version.bound, constants, curve
        self._values = values_of(self._bound, constants)
        self._there: dict[float, Mapping[sp.Symbol, Known]] = {}
        self._about: list[Assumption] = [
            a for a in version.assumes if a.free & _PAIR and a.free <= set(constants)
        ]

    @property
    def numbers(self) -> tuple[tuple[sp.Symbol, Known], ...]:
        """Every constant that a height or an assumption of the pair takes, wherever it is from."""
        used = symbols.symbols_of(self._bound).union(*(a.free for a in self._about))
        known = ((symbol, self._constants[symbol]) for symbol in sorted(used, key=str))
        return tuple((symbol, replace(each, source="")) for symbol, each in known)

    def at(self, rate: float) -> Mapping[sp.Symbol, Known]:
        if rate not in self._there:
            self._there[rate] = self._new(rate)
        return self._there[rate]

    def _new(self, rate: float) -> Mapping[sp.Symbol, Known]:
        factor, given = self._constants[C], self._constants[q]
        source = f"of all valid pairs the one that makes the bound smallest; {given.source}"
        return {
            **self._constants,
            C: replace(factor, value=self._curve.C(rate), source=source),
            q: replace(given, value=rate, source=source),
        }

    def height(self, rate: float) -> Any:
        """The bound."""
        there = self.at(rate)
        moved = {symbol: value_on_side(symbol, there[symbol]) for symbol in _PAIR}
        return bound_at(self._bound, there, self._values | moved)

    def height_or_inf(self, rate: float) -> Any:
        """The bound; inf where it has no number, as where the pair breaks an assumption."""
        if not math.isfinite(self.at(rate)[C].value):
            return mpmath.inf
        try:
            return self.height(rate)
        except TooLongError:
            raise
        except ValueError:
            if self.admits(rate):
                raise
            return mpmath.inf

    def admits(self, rate: float) -> bool:
        """Whether the pair breaks no assumption."""
        there = self.at(rate)
        if not math.isfinite(there[C].value):
            return False
        return all(settled(a, there).holds is True for a in self._about)


def _digits(rate: float) -> str:
    """As many digits as tell a rate from 1."""
    return f"{rate:.{max(3, 2 - math.floor(math.log10(1 - rate)))}f}"
