"""Following a ladder: along it for as long as the score grows, to where it would be above 0."""

from __future__ import annotations

import math
from typing import Protocol

from theorylab.falsify.moves import Instance
from theorylab.falsify.products import climbed, is_count, is_longer
from theorylab.falsify.screen import OUTSIDE

_FARTHEST, _LONGER = 100, 2  # decades that a ladder is climbed at once; of what takes longer
_GAIN = 0.02  # of the score: what a ladder is followed for


class Looking(Protocol):
    """A search, as far as a climb needs one."""

    def look(self, instance: Instance) -> float: ...

    def going(self) -> bool: ...


def climb(hunt: Looking, name: str, sign: int, instance: Instance, score: float) -> float:
    """The best score on the way up (``sign`` 1) or down (-1) the ladder from an instance with
    ``score``.

    What the score grows by a decade says how many decades it takes to 0: they are gone at once,
    and half as many where that was too far.
    """

    def at(decades: float) -> float:
        made = climbed(name, instance, sign * decades)
        return -math.inf if made is None else hunt.look(made)

    here, best = 0.0, score
    for first in (1.0,) if is_count(name) else (1.0, 3.0):
        reached = at(first)
        if not math.isfinite(reached) and first == 1.0:
            return reached
        if reached > best + _GAIN and best > OUTSIDE:
            here, best, growth = first, reached, (reached - best) / first
            break
    else:
        return max(best if best > score else -math.inf, reached)
    while best <= 0 and hunt.going():
        most = _LONGER if is_longer(name) else _FARTHEST
        leap = min(max(1.0, math.ceil(-best / growth)), most)
        while leap >= 1 and hunt.going():
            reached = at(here + leap)
            if reached > best + _GAIN:
                break
            leap = leap // 2
        else:
            return best
        here, growth, best = here + leap, (reached - best) / leap, reached
    return best
