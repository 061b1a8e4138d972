"""Equalities that a claim assumes are kept while others move: an option that one ties follows.

A tuned step is a function of constants, eta = 4/(sqrt L + sqrt mu)^2. A move of the loss alone
breaks it, so that without this every instance but the checks would lie outside. The equality is
solved for an option of the instance, which is set to the solution that is nearest to what it was.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence

import sympy as sp

from theorylab.falsify.moves import Instance, Path, replaced
from theorylab.known import Known
from theorylab.symbols import name_of

_TURNS = 3  # of all equalities: the option of one may stand in another
_DIGITS = 30
_SAME = 1e-15  # of a number: half an ulp of it, which is what an equality leaves


def tied(
    rules: Sequence[sp.Basic | None],
    instance: Mapping[str, object],
    options: Mapping[sp.Symbol, Path],
    constants: Mapping[sp.Symbol, Known],
) -> Instance | None:
    """The instance with every equality kept; None where that changes nothing, or none can be.

    Args:
        rules: of the assumptions. options: where the instance has the symbols that may move.
    """
    values = {s: known.value for s, known in constants.items() if known.finite}
    ties = [rule for rule in rules if isinstance(rule, sp.Eq) and rule.free_symbols <= set(values)]
    made, moved = dict(instance), False
    for _ in range(_TURNS):
        settled = True
        for rule in ties:
            follower = _follower(rule, options)
            value = None if follower is None else _solution(rule, follower, values)
            if follower is None or value is None:
                continue
            if abs(value - values[follower]) > _SAME * abs(value):
                made = replaced(made, options[follower], value)
                values[follower], settled, moved = value, False, True
        if settled:
            break
    return made if moved else None


def _follower(rule: sp.Eq, options: Mapping[sp.Symbol, Path]) -> sp.Symbol | None:
    """The option that follows: one that stands alone on a side, else the first by its name."""
    sides = [side for side in (rule.lhs, rule.rhs) if side in options]
    inside = sorted((s for s in rule.free_symbols if s in options), key=name_of)
    return next(iter([*sides, *inside]), None)


def _solution(rule: sp.Eq, symbol: sp.Symbol, values: Mapping[sp.Symbol, float]) -> float | None:
    """Above 0, as an option that was there is, and nearest to what it was by its logarithm."""
    found = []
    for root in _roots(rule, symbol):
        here = {s: sp.Rational(repr(float(values[s]))) for s in root.free_symbols}
        value = sp.N(root.subs(here), _DIGITS)
        if value.is_Float and 0 < value < sp.Float("1e300"):
            found.append(float(value))
    return min(found, key=lambda v: abs(math.log(v / values[symbol])), default=None)


@functools.lru_cache(maxsize=256)
def _roots(rule: sp.Eq, symbol: sp.Symbol) -> tuple[sp.Expr, ...]:
    for one, other in ((rule.lhs, rule.rhs), (rule.rhs, rule.lhs)):
        if one == symbol and symbol not in other.free_symbols:
            return (other,)
    try:
        return tuple(sp.solve(rule, symbol))
    except (NotImplementedError, ValueError, TypeError):  # no closed form
        return ()
