"""Sums to infinity: the terms up to some N one by one, and a ball around the rest.

A term is a ``Part``. The rest from N on is bounded so.

*Ratio.* Let every ratio a_{k+1} / a_k with k >= N lie in [lo, hi], where 0 <= lo and hi < 1. Then
a_{N+j} lies between a_N lo^j and a_N hi^j, so that the rest lies between a_N / (1 - lo) and
a_N / (1 - hi). Where ratios may be negative and |ratio| <= hi < 1, the rest is at most
|a_N| / (1 - hi) in size. The ratio is written in u = 1/k, where it has no pole at 0, and a ball
around [0, 1/N] gives a ball of all ratios. Of (k + 1)^p / k^p that is (1 + u)^p.

Of c b^k (a k + c)^p the rest is a value of Lerch's function, which Arb encloses.

*Powers.* Where no b is left (b = 1), a_k = c k^s G(1/k) with G near 1, and G([0, 1/N]) contains all
G(1/k). As sum_{k>=N} k^s = zeta(-s, N), Hurwitz' function, for s < -1, the rest is c zeta(-s, N)
times a number of that ball: all k^s are positive. A single power of a k + c is a zeta value
whole, and with a power of log(a k + c) beside it a derivative of one.
A logarithm log(x_k) with x_k = a k + c rises slower than x^e once e log(x_N) >= 1, for the
derivative of log log x is 1 / (x log x) <= e / x. So it lies between log(x_N) and
log(x_N) (x_k / x_N)^e. Any k + m may stand for k.

*Divergence.* The terms do not tend to 0, or fall no faster than 1/k: that is told with the power.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from theorylab.statements._endless import Part

Ball = Any  # flint.arb
MOST = 4096  # terms before the rest
_MOST_LOGS = 8  # the power of a logarithm
_NEAR = 2.0**-100  # of the sum: a rest that is known so well needs no more terms


def total(parts: list[Part], first: int, count: Callable[[int], None]) -> Ball:
    """The sum from ``first`` on, of parts whose entries are balls.

    Args:
        count: is told how many terms are added, before they are.

    Raises ValueError where the sum diverges, or no bound of its rest is known.
    """
    for part in parts:
        try:
            _converges(part)
        except ValueError as error:
            if len(parts) == 1:
                raise
            told = "a part of the sum to infinity has none by itself; need one fraction"
            raise ValueError(f"{told} ({error})") from None
    found = None
    for part in parts:
        one = _one(part, first, count)
        found = one if found is None else found + one
    return found


def _one(part: Part, first: int, count: Callable[[int], None]) -> Ball:
    added, best, k = part.factor * 0, None, first
    for N in _places(first):
        count(N - k)
        for place in range(k, N):
            added += _term(part, place)
        k, rest = N, _rest(part, N)
        if rest is None or not rest.is_finite():
            continue
        best = added + rest if best is None or rest.rad() < best.rad() else best
        if best.rad() <= _NEAR * abs(best).upper():
            return best
    if best is None:
        raise ValueError("the terms of a sum to infinity fall too slowly to bound the rest")
    return best


def _places(first: int) -> Iterator[int]:
    step = 1
    yield max(first, 1)
    while step <= MOST:
        yield max(first, 1) + step
        step *= 4


def _term(part: Part, k: int) -> Ball:
    found = part.factor
    for coefficients, power in part.powers:
        found *= _value(coefficients, k) ** power
    for base, rise, start in part.bases:
        found *= base ** (rise * k + start)
    for rise, start, power in part.logs:
        found *= (rise * k + start).log() ** power
    for start, power in part.factorials:
        found *= (start + k + 1).gamma() ** power
    return found


def _value(coefficients: tuple[Ball, ...], k: Any) -> Ball:
    found = coefficients[0] * 0
    for each in reversed(coefficients):
        found = found * k + each
    return found


def _ratio(part: Part) -> Ball:
    """What a term is multiplied by in the limit, but for powers of k."""
    found = part.factor * 0 + 1
    for base, rise, _ in part.bases:
        found *= base**rise
    return found


def _power(part: Part) -> Ball:
    """The power of k in a term, logarithms apart."""
    found = part.factor * 0
    for coefficients, power in part.powers:
        found += (len(coefficients) - 1) * power
    return found


def _converges(part: Part) -> None:
    """Raises ValueError unless the sum of the sizes of its terms is known to be finite."""
    grown = sum((int(power.unique_fmpz()) for _, power in part.factorials), 0)
    ratio, power = abs(_ratio(part)), _power(part)
    if part.factor == 0 or grown < 0 or (grown == 0 and ratio < 1):
        return
    if grown > 0 or ratio > 1:
        raise ValueError("the sum to infinity diverges: its terms grow")
    if ratio != 1 or part.factorials:
        raise ValueError("whether the sum to infinity converges is hidden by rounding")
    if power < -1:
        return
    fall = f"k^{float(power.mid()):.6g}"
    if _ratio(part) != 1:
        if not (power < 0 and _is_one_line(part)):  # by Leibniz' test
            raise ValueError(
                f"no bound is known of a sum with changing signs that fall like {fall}"
            )
        return
    if power >= 0:
        raise ValueError("the sum to infinity diverges: its terms do not tend to 0")
    logs = sum((p for *_, p in part.logs), part.factor * 0)
    if power > -1 or (power == -1 and logs >= -1):
        raise ValueError(f"the sum to infinity diverges: its terms fall like {fall}")
    raise ValueError(f"no bound of the rest of a sum is known whose terms fall like {fall}")


def _is_one_line(part: Part) -> bool:
    """Whether a term is c b^k (a k + c)^p."""
    return [len(c) for c, _ in part.powers] == [2] and not (part.logs or part.factorials)


def _rest(part: Part, N: int) -> Ball | None:
    """A ball around the terms from N on; None where N is too small to know one."""
    if not all(rise > 0 and rise * N + start > 1 for rise, start, _ in part.logs):
        return None
    near = _near(part.factor * 0 + N)
    heights = [_value(tuple(reversed(c)), near) for c, _ in part.powers]  # P(k) / k^d
    if any(height.contains(0) for height in heights):
        return None
    if part.factor == 0:
        return part.factor
    ratio = _ratio(part)
    if _is_one_line(part) and (ratio == -1 or abs(ratio) < 1):
        found = _by_lerch(part, N, ratio)
        if found is not None:
            return found
    if abs(ratio) == 1 and not part.factorials:
        return _by_powers(part, N)
    for (coefficients, power), height in zip(part.powers, heights, strict=True):
        d = len(coefficients) - 1
        after = sum((c * (1 + near) ** j * near ** (d - j) for j, c in enumerate(coefficients)),
                    near * 0)  # fmt: skip
        ratio *= (after / height) ** power
    for rise, start, power in part.logs:
        most = (rise * (N + 1) + start).log() / (rise * N + start).log()
        ratio *= (near * 0 + 1).union(most) ** power
    grown = 0
    for start, power in part.factorials:
        if not start + N >= 0:
            return None
        ratio *= (1 + near * (1 + start)) ** power
        grown += int(power.unique_fmpz())
    ratio *= near**-grown
    if not abs(ratio) < 1:
        return None
    at = _term(part, N)
    geometric = not (part.powers or part.logs or part.factorials)
    if geometric or ratio >= 0:
        return at / (1 - ratio)
    size = abs(at) / (1 - abs(ratio))
    return (-size).union(size)


def _by_lerch(part: Part, N: int, ratio: Ball) -> Ball | None:
    """The rest of c b^k (a k + c)^p by Lerch's function; None where a k + c may not be positive."""
    from flint import acb

    (start, rise), power = part.powers[0]
    place = N + start / rise
    if not (rise > 0 and place > 0):
        return None
    found = acb(ratio).lerch_phi(acb(-power), acb(place)).real * part.factor * rise**power
    for base, slope, first in part.bases:
        found *= base ** (slope * N + first)
    return found if found.is_finite() else None


def _by_powers(part: Part, N: int) -> Ball | None:
    """The rest of a sum of powers, of terms c (+-1)^k k^s G(1/k) log^q; in y = k + m for k, where
    the m that leaves G nearest to 1 is taken."""
    alternating = _ratio(part) != 1
    factor, power = part.factor, _power(part)
    for base, rise, start in part.bases:
        factor *= base ** (start if not alternating else rise * N + start)
    if [len(c) for c, _ in part.powers] == [2] and not alternating:
        (start, rise), exponent = part.powers[0]
        if rise > 0 and N + start / rise > 0 and (found := _by_zeta(part, N)) is not None:
            return factor * found
    middle = sum((c[-2] / c[-1] * p for c, p in part.powers if len(c) > 1), factor * 0) / power
    place = N + middle
    if not place >= 1:
        return None
    near = _near(place)
    for coefficients, exponent in part.powers:
        height = _value(tuple(reversed(_moved(coefficients, -middle))), near)
        if height.contains(0):
            return None
        factor *= height**exponent
    room = -1 - power
    least = most = factor * 0 + 1
    for rise, start, exponent in part.logs:
        start = start - rise * middle
        at = (rise * place + start).log()
        if exponent < 0:
            least, most = least * 0, most * at**exponent
            continue
        e = room / (2 * len(part.logs) * exponent + 1)
        if not e * at >= 1:
            return None
        bend = (rise + start * near) / (rise + start / place)  # x_k / x_N over y_k / y_N
        least *= at**exponent
        most *= (at * bend.union(factor * 0 + 1) ** e) ** exponent
        power += e * exponent
    shrunk = place ** (_power(part) - power)
    found = factor * (least * (-_power(part)).zeta(place)).union(
        most * shrunk * (-power).zeta(place)
    )
    if alternating:
        size = abs(found)
        return (-size).union(size)
    return found


def _moved(coefficients: tuple[Ball, ...], by: Ball) -> tuple[Ball, ...]:
    """Of P(y + by), from the constant on."""
    d = len(coefficients) - 1
    return tuple(
        sum((math.comb(j, i) * coefficients[j] * by ** (j - i) for j in range(i, d + 1)), by * 0)
        for i in range(d + 1)
    )


def _by_zeta(part: Part, N: int) -> Ball | None:
    """sum_{k>=N} (a y)^p log(b y)^q, y = k + c, by the derivatives of Hurwitz' zeta function at -p,
    of which the j-th is (-1)^j sum_{k>=N} y^p log(y)^j; None of other logarithms."""
    from flint import acb, acb_series

    (start, rise), exponent = part.powers[0]
    place = N + start / rise
    if not part.logs:
        return rise**exponent * (-exponent).zeta(place)
    slope, first, power = part.logs[0]
    q = power.unique_fmpz()
    if len(part.logs) > 1 or first * rise != start * slope or q is None or q != power:
        return None
    if not 0 < q <= _MOST_LOGS:
        return None
    q = int(q)
    series = acb_series([acb(-exponent), acb(1)], prec=q + 1).zeta(acb(place))
    sums = [(-1) ** j * math.factorial(j) * series[j].real for j in range(q + 1)]
    own = [math.comb(q, j) * slope.log() ** (q - j) * sums[j] for j in range(q + 1)]
    return rise**exponent * sum(own, rise * 0)


def _near(place: Ball) -> Ball:
    """A ball of all 1/y with y >= place, and of 0."""
    return (place * 0).union(1 / place)
