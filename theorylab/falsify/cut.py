"""Divergence is evidence: a run that leaves float64 inside the assumptions, cut where it is finite.

What a run measures before its numbers overflow is as sound as any other measurement. A run of half
as many rounds is an instance of its own: the claim for that many rounds, its assumptions and its
constants are looked up anew, so nothing is claimed that the statement does not claim. Halving
ends within a factor of two of the last finite round, where what grows by a factor a round is above
the square root of the largest float64, beyond any bound worth printing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from theorylab.falsify.moves import Instance
from theorylab.falsify.score import FAILURES
from theorylab.falsify.starts import with_rounds
from theorylab.verdicts.sweep import KEY as SWEEP

Judged = TypeVar("Judged")
# What runs, metrics and moments say.
_LEFT = re.compile(r"\bleaves? float64\b|\boverflowed\b|\bis nan (at|in)\b")


def left_float64(refusal: str) -> bool:
    """Whether an instance was refused because its numbers overflowed, in whatever arm.

    >>> left_float64("simulate: loss overflowed at round 37; need a smaller step size")
    True
    """
    return bool(_LEFT.search(refusal))


def cut(instance: Mapping[str, Any], refusal: str) -> Iterator[Instance]:
    """Copies with half the rounds, a quarter, and so on, down to one; the longest first.

    Args:
        refusal: the line that refused the instance. Where it says nothing of an overflow there
            are none, nor of a sweep, whose rounds are its own.

    >>> [made["rounds"] for made in cut({"rounds": 12}, "trace: loss overflowed in the last round")]
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
            for part in cut(instance, str(error)):
                try:
                    return part, judge(part)
                except FAILURES:
                    continue
            raise
