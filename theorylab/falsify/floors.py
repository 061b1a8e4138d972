"""What is lacking for a refutation of an order in the limit: relations that its floors ask for.

A window proves nothing against such a claim, a floor of its order does, and says under which
relations it is proved. So many relations that do not hold are a distance that a search can walk.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from theorylab.statements import Floor, Version
from theorylab.symbols import name_of


def unmet(version: Version, constants: Mapping[str, float]) -> int:
    """The fewest relations that a floor of the version's order lacks, and one more where its lower
    bound is 0; 0 without an order or without floors.

    Args:
        constants: by name; what is not there, as what the sweep moves, is not counted.
    """
    floors = () if version.order is None else version.order.floors
    return min((_lacking(floor, constants) for floor in floors), default=0)


def _lacking(floor: Floor, constants: Mapping[str, float]) -> int:
    known = {s: constants[name_of(s)] for s in floor.free if name_of(s) in constants}
    values = {s: sp.Rational(value) for s, value in known.items() if s not in floor.follow}
    rules = (rule.xreplace(values) for rule in floor.assumes)
    failed = sum(rule == sp.false for rule in rules)
    return int(failed + (floor.lower.xreplace(values) == 0))
