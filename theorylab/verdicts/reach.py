"""Claims about more rounds than anybody can run."""

from __future__ import annotations

import math
from collections.abc import Iterable

import mpmath
import sympy as sp

from theorylab import symbols
from theorylab.statements import Assumption, evaluate
from theorylab.verdicts.evidence import Constants, settled, value_on_side

MOST_ROUNDS = 10**18  # a round a nanosecond for thirty years


def out_of_reach(assumes: Iterable[Assumption], *tables: Constants) -> dict[str, str]:
    """Names of the assumptions that ask for more rounds than ``MOST_ROUNDS``, each with a sentence.

    An assumption whose number of rounds is not defined here, or only bounded from above, is not
    among them.

    Args:
        tables: the constants; along a sweep one table a value, and the least number of rounds has
            to be out of reach.
    """
    found = {}
    for assumption in assumes:
        powers = [_power(assumption.asks, constants) for constants in tables]
        told = [power for power in powers if power is not None]
        if told and len(told) == len(powers):
            found[assumption.name] = (
                f"the claim is empty here: {assumption.name} asks for 10^{min(told):.1f} rounds, "
                f"and nobody can run 10^{math.log10(MOST_ROUNDS):.0f}"
            )
    return found


def _power(asks: sp.Expr | None, constants: Constants) -> float | None:
    """log10 of a number of rounds that is out of reach; None of another one."""
    if asks is None or not _defined(asks, constants):
        return None
    if settled(Assumption("within reach", asks <= MOST_ROUNDS), constants).holds is not False:
        return None
    values = {s: value_on_side(s, constants[s]) for s in symbols.symbols_of(asks)}
    return float(mpmath.log10(evaluate(asks, values)))


def _defined(expr: sp.Expr, constants: Constants) -> bool:
    return all(s in constants and constants[s].finite for s in symbols.symbols_of(expr))
