"""What is judged in place of an instance that was refused: the nearest one that may not be refused.

A run that leaves float64 inside the assumptions is evidence, too. What it measures before its
numbers overflow is as sound as any other measurement. A run of half as many rounds is an instance
of its own: the claim for that many rounds, its assumptions and its constants are looked up anew, so
that nothing is claimed that the statement does not claim. Halving ends within a factor of two of
the last finite round. There, what grows by a factor a round is above the square root of the largest
float64, which is beyond any bound worth printing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from theorylab.falsify.instances import Instance, copied, with_rounds
from theorylab.falsify.score import FAILURES
from theorylab.verdicts.sweep import KEY as SWEEP

Judged = TypeVar("Judged")
# What runs, metrics and moments say.
_LEFT = re.compile(r"\bleaves? float64\b|\boverflowed\b|\bis nan (at|in)\b")
_UNASKED = "law or at came; need neither"  # of what is no metric of rows
_UNLISTED = "need law 'enumerated'"  # of what only a list of all outcomes decides


def left_float64(refusal: str) -> bool:
    """Whether an instance was refused because its numbers overflowed, in whatever arm.

    >>> left_float64("simulate: loss overflowed at round 37; need a smaller step size")
    True
    """
    return bool(_LEFT.search(refusal))


def shorter_runs(instance: Mapping[str, Any], refusal: str) -> Iterator[Instance]:
    """Copies with half the rounds, a quarter, and so on, down to one; the longest first.

    Args:
        refusal: the line that refused the instance. Where it says nothing of an overflow there
            are none, nor of a sweep, whose rounds are its own.

    >>> refusal = "trace: loss overflowed in the last round"
    >>> [made["rounds"] for made in shorter_runs({"rounds": 12}, refusal)]
    [6, 3, 1]
    """
    rounds = instance.get("rounds")
    if type(rounds) is not int or SWEEP in instance or not left_float64(refusal):
        return
    while rounds > 1:
        rounds //= 2
        yield with_rounds(instance, rounds)


def finite(
    judge: Callable[[Mapping[str, Any]], Judged], instance: Mapping[str, Any]
) -> tuple[Instance, Judged]:
    """(what was judged, what ``judge`` says of it): the instance, or its longest finite part.

    Raises what ``judge`` raises of the instance, where no part of it is judged either.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused in one line
        try:
            return dict(instance), judge(instance)
        except FAILURES as error:
            for part in shorter_runs(instance, str(error)):
                try:
                    return part, judge(part)
                except FAILURES:
                    continue
            raise


def repaired(instance: Mapping[str, Any], refusal: str) -> Iterator[Instance]:
    """Without a law where none is asked for; with one, of one round, where it is; and fewer rounds
    where the numbers left float64.

    >>> next(repaired({"rounds": 9}, "metric m: every right side is random; need law 'enumerated'"))
    {'rounds': 1, 'law': 'enumerated'}
    """
    made = copied(instance)
    if _UNASKED in refusal and "law" in made:
        del made["law"]
        yield made
    elif _UNLISTED in refusal and made.get("law") != "enumerated" and "rounds" in made:
        yield {**with_rounds(made, 1), "law": "enumerated"}
    else:
        yield from shorter_runs(instance, refusal)
