"""What is told of a finding first, and what is smaller still.

First comes the smallest instance with several clients and with all on that the claim is about
(``feature``), as far as there is one; what is smaller without that comes second.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

from theorylab.falsify.feature import Features
from theorylab.falsify.hunt import FINAL_SEEDS
from theorylab.falsify.moves import Instance
from theorylab.falsify.scope import Scope
from theorylab.falsify.score import Judge, proven
from theorylab.falsify.short import shortened
from theorylab.falsify.shrink import shrunk, size
from theorylab.scripts.base import NAMES
from theorylab.verdicts import Result

_WRITTEN = 16  # numbers of a drawn instance that are written out
Allowed = Callable[[Instance], bool]


class Small(NamedTuple):
    """An instance that breaks the claim, its result, and the seed of that."""

    instance: Instance
    result: Result
    seed: int


def smallest(
    found: Small, judge: Judge, scope: Scope, allowed: Allowed, seconds: float
) -> tuple[Small, Small | None]:
    """(The smallest in which all is on that can be, the smallest of all or None where that is it).

    Args:
        judge: of the search. allowed: says of an instance whether it may be told. seconds: of the
            judge's clock that each of the two may take: a small example is the point.
    """
    features = Features(scope)

    def sure(seed: int) -> Judge:
        ends = judge.clock() + seconds
        return Judge(judge.statement, judge.version, FINAL_SEEDS, seed, ends, clock=judge.clock)

    asked = sure(found.seed)
    try:
        whole = _with_all_on(found, asked, features, allowed)
    except Exception as error:
        whole = _stands(found, error)
    have = features.on(whole.instance)
    told = _made_small(whole, asked, sure, lambda i: allowed(i) and features.on(i) >= have)
    asked.deadline = judge.clock() + seconds
    least = _made_small(told, asked, sure, allowed) if have else told
    lost = features.on(told.instance) - features.on(least.instance)
    return told, least if lost and size(least.instance) < size(told.instance) else None


def _with_all_on(found: Small, judge: Judge, features: Features, allowed: Allowed) -> Small:
    """The same with more on, move by move, for as long as it breaks the claim."""
    instance, result, seed = found
    going = True
    while going:
        going = False
        for made in features.with_more(instance):
            if judge.over:
                break
            again = judge(made)[1] if allowed(made) else None
            if again is not None and proven(again):
                instance, result, going = made, again, True
                break
    return Small(instance, result, seed)


def _made_small(
    found: Small, judge: Judge, sure: Callable[[int], Judge], allowed: Allowed
) -> Small:
    """The smallest ``allowed`` instance; of what is sampled with runs of its own, as the smallest
    of many that the same runs refute may owe it to them. Its few drawn numbers are written out."""
    statement, version = judge.statement, judge.version
    try:
        instance, result = shrunk(found.instance, found.result, judge, allowed)
    except Exception as error:
        return _stands(found, error)
    small = Small(instance, result, found.seed)
    one_is_enough = statement.quantity_of(statement.versions[version]).pathwise
    if result.runs > 1 and not one_is_enough and instance != found.instance:
        again = sure(found.seed + 1)(instance)[1]
        kept = again is not None and proven(again)
        small = Small(instance, again, found.seed + 1) if again and kept else found
    return _rounded(small, judge, allowed)


def _stands(found: Small, error: Exception) -> Small:
    """What was found: it stands, however large it is."""
    told = f"{type(error).__name__}: {error}"
    warnings.warn(f"falsify: it could not be made smaller ({told})", stacklevel=2)
    return found


def _rounded(small: Small, judge: Judge, allowed: Allowed) -> Small:
    """With few drawn numbers written out, in as few digits as it stands with."""
    result, digits = shortened(
        judge.statement, small.result, small.seed, seeds=FINAL_SEEDS, most=_WRITTEN
    )
    parts = result.instance.items()
    instance = {key: part for key, part in parts if key not in NAMES and part != {}}
    return Small(instance, result, small.seed) if digits and allowed(instance) else small
