"""The minimum of a function of one number between two others."""

from __future__ import annotations

import math
from collections.abc import Callable

_GOLDEN = 0.5 * (3 - math.sqrt(5))
_ROOT_OF_EPS = math.sqrt(2.2e-16)
_MOST = 500  # calls


def minimum_between(f: Callable[[float], float], low: float, high: float, within: float) -> float:
    """Where ``f`` is smallest, by parabolas and golden sections (Brent 1973, chapter 5).

    Every step is that of ``scipy.optimize.minimize_scalar(method="bounded")``, to the bit. To
    import that takes a third of a second, which is a large part of what one check takes.

    Args:
        low, high: low < high; ``f`` is called between them.
        within: how near to the place the answer is.

    >>> f"{minimum_between(lambda x: (x - 2) ** 2, 0.0, 5.0, 1e-6):.6f}"
    '2.000000'
    """
    best = second = third = low + _GOLDEN * (high - low)
    at_best = at_second = at_third = f(best)
    step = before = 0.0
    for _ in range(_MOST - 1):
        middle = 0.5 * (low + high)
        least = _ROOT_OF_EPS * abs(best) + within / 3.0
        if abs(best - middle) <= 2.0 * least - 0.5 * (high - low):
            break
        golden = True
        if abs(before) > least:  # a parabola through the three best points
            r = (best - second) * (at_best - at_third)
            q = (best - third) * (at_best - at_second)
            p = (best - third) * q - (best - second) * r
            q = 2.0 * (q - r)
            p, q = (-p if q > 0.0 else p), abs(q)
            r, before = before, step
            inside = q * (low - best) < p < q * (high - best)
            golden = not (abs(p) < abs(0.5 * q * r) and inside)
            if not golden:
                step = p / q
                x = best + step
                if x - low < 2.0 * least or high - x < 2.0 * least:
                    step = math.copysign(least, middle - best)
        if golden:
            before = (low if best >= middle else high) - best
            step = _GOLDEN * before
        x = best + (1.0 if step >= 0 else -1.0) * max(abs(step), least)
        at_x = f(x)
        if at_x <= at_best:
            low, high = (best, high) if x >= best else (low, best)
            third, at_third = second, at_second
            second, at_second = best, at_best
            best, at_best = x, at_x
        else:
            low, high = (x, high) if x < best else (low, x)
            if at_x <= at_second or second == best:
                third, at_third = second, at_second
                second, at_second = x, at_x
            elif at_x <= at_third or third in (best, second):
                third, at_third = x, at_x
    return best
