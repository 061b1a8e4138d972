"""Which of the valid pairs (C, q) a bound takes: the one that makes it smallest.

A claim "with C and q of the network" is made for every valid pair. The curve of them is known
(``theorylab.constants.consensus_pairs``), so a place is judged by the smallest bound that the claim
gives there, and a violation says for how much of the curve it stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import mpmath
import sympy as sp

from theorylab import symbols
from theorylab.known import Curve, Known
from theorylab.statements import Version
from theorylab.symbols import C, q
from theorylab.verdicts.bound import bound_at
from theorylab.verdicts.case import Constants, Place
from theorylab.verdicts.evidence import settled

_MANY = 64  # places; so many share a coarser look at the curve
_COARSE = 8


def tightened(version: Version, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Every place with the valid pair that makes its bound smallest and breaks no assumption."""
    if curve_of_pairs(version, places[0].constants) is None:
        return places
    coarse = len(places) > _MANY
    return tuple(_tightened(version, place, coarse) for place in places)


def reach(version: Version, place: Place, low: float) -> str:
    """For which valid pairs ``low`` exceeds the bound; empty where the bound takes no pair.

    Of a pair that breaks an assumption the claim says nothing, whatever its bound.
    """
    curve = curve_of_pairs(version, place.constants)
    if curve is None:
        return ""
    given = place.constants[q].value
    rates = sorted(
        rate
        for rate in {*curve.rates(), given}
        if rate == given or _admits(version, place.constants, curve, rate)
    )
    first = last = rates.index(given)
    over = [low > bound_at(version.bound, _with(place.constants, curve, rate)) for rate in rates]
    while first > 0 and over[first - 1]:
        first -= 1
    while last < len(rates) - 1 and over[last + 1]:
        last += 1
    if first == 0 and last == len(rates) - 1:
        return "the least C of every rate q"
    least = "" if first == 0 else f"from q = {_digits(rates[first])} "
    return f"the least C of every rate {least}up to q = {_digits(rates[last])}"


def curve_of_pairs(version: Version, constants: Constants) -> Curve | None:
    """The curve that C and q of the bound lie on, both on one; None where the pair is fixed."""
    if version.fixed_pair or version.relation != "<=" or not {C, q} <= version.bound.free_symbols:
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


def _tightened(version: Version, place: Place, coarse: bool) -> Place:
    curve = curve_of_pairs(version, place.constants)
    if curve is None:
        return place
    rates = curve.rates()
    if coarse:
        rates = rates[:: max(1, len(rates) // _COARSE)]
    given = place.constants[q].value
    allowed = [r for r in {*rates, given} if _admits(version, place.constants, curve, r)]
    if not allowed:
        return place
    allowed.sort()

    def height(rate: float) -> Any:
        return bound_at(version.bound, _with(place.constants, curve, rate))

    heights = [height(rate) for rate in allowed]
    best = min(range(len(allowed)), key=lambda k: heights[k])
    rate = allowed[best]
    around = allowed[max(0, best - 1)], allowed[min(len(allowed) - 1, best + 1)]
    if not coarse and around[0] < around[1]:
        from scipy.optimize import minimize_scalar  # slow to import

        found = minimize_scalar(
            lambda x: float(mpmath.log(max(height(1 - math.exp(x)), mpmath.mpf("1e-99999")))),
            bounds=(math.log1p(-around[1]), math.log1p(-around[0])),
            method="bounded",
            options={"xatol": 1e-4},
        )
        refined = 1 - math.exp(float(found.x))
        if _admits(version, place.constants, curve, refined) and height(refined) < heights[best]:
            rate = refined
    if rate == given:
        return place
    return replace(place, constants=_with(place.constants, curve, rate))


def _admits(version: Version, constants: Constants, curve: Curve, rate: float) -> bool:
    if not math.isfinite(curve.C(rate)):
        return False
    there = _with(constants, curve, rate)
    about = (a for a in version.assumes if a.free & {C, q} and a.free <= set(there))
    return all(settled(a, there).holds is True for a in about)


def _with(constants: Constants, curve: Curve, rate: float) -> Mapping[sp.Symbol, Known]:
    source = f"of all valid pairs the one that makes the bound smallest; {constants[q].source}"
    return {
        **constants,
        C: replace(constants[C], value=curve.C(rate), source=source),
        q: replace(constants[q], value=rate, source=source),
    }


def _digits(rate: float) -> str:
    """As many digits as tell a rate from 1."""
    return f"{rate:.{max(3, 2 - math.floor(math.log10(1 - rate)))}f}"
