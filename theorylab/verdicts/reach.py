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


def out_of_reach(assumes: Iterable[Assumption], constants: Constants) -> dict[str, str]:
    """Names of the assumptions that ask for more rounds than ``MOST_ROUNDS``, each with a sentence.

    An assumption whose number of rounds is not defined here, or only bounded from above, is not
    among them.
    """
    found = {}
    for assumption in assumes:
        asks = assumption.asks
        if asks is None or not _defined(asks, constants):
            continue
        if settled(Assumption("within reach", asks <= MOST_ROUNDS), constants).holds is False:
            values = {s: value_on_side(s, constants[s]) for s in symbols.symbols_of(asks)}
            power = float(mpmath.log10(evaluate(asks, values)))
            found[assumption.name] = (
                f"the claim is empty here: {assumption.name} asks for 10^{power:.1f} rounds, and "
                f"nobody can run 10^{math.log10(MOST_ROUNDS):.0f}"
            )
    return found


def _defined(expr: sp.Expr, constants: Constants) -> bool:
    return all(s in constants and constants[s].finite for s in symbols.symbols_of(expr))
