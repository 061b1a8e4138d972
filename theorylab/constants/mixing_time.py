"""The mixing time of one matrix, by squaring, with every error enclosed.

d(t) = max_j ||P^t e_j - pi||_1 never grows with t: P^(t+1) e_j - pi is P times P^t e_j - pi, and no
column-stochastic P makes a 1-norm larger. So the least t with d(t) <= eps is found by doubling t
and then by halves, from about 2 log2 t products of matrices in balls. A ball that contains eps is
looked at again with more bits; where that does not decide, both ends are told.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat
from scipy.sparse import csr_array

from theorylab.constants._certified_matrix import ExactMatrix, exact_matrix
from theorylab.constants._graph import modulus_one
from theorylab.exact import fraction_in, span
from theorylab.known import How, Known

CLIENTS = 64  # n^3 balls a product: some 100 products of 64 clients take seconds
LONGEST = 62  # doublings: a gap of 1e-17
BITS = (256, 1024)
RATIONAL = 512  # rounds of which powers are taken in fractions, where balls leave it open


def mixing_time(P: csr_array, eps: Any = "1/2") -> Known:
    """The least t with max_j ||P^t e_j - pi||_1 <= eps, pi the stationary vector.

    Half of that norm is the total variation: eps = 1/2 is the mixing time of the textbooks, to
    within 1/4.

    Args:
        P: column-stochastic, (n, n), n at most ``CLIENTS``.
        eps: a number in (0, 2), or a text "p/q".

    Returns:
        CERTIFIED, with both ends alike unless d(t) = eps cannot be told from its neighbours; inf
        where P(t) never settles.

    Raises:
        ValueError: on another eps, or more clients, before any work.

    >>> from theorylab.topologies import topology
    >>> int(mixing_time(topology("complete", 5).matrix(0)).value)
    1
    """
    n = P.shape[0]
    if n > CLIENTS:
        raise ValueError(f"mixing_time: n is {n}; need at most {CLIENTS}")
    level = _fraction(eps)
    if level is None or not 0 < level < 2:
        raise ValueError(f"mixing_time: eps is {eps!r}; need a number in (0, 2), or p/q")
    reason = modulus_one(P)
    if reason is not None:
        return Known(math.inf, How.EXACT, f"P^t never settles: {reason}")
    exact = exact_matrix(P)
    for bits in BITS:
        with ctx.workprec(bits):
            low, high = _ends(exact, arb(level.numerator) / level.denominator)
        if low == high:
            break
    if low < high <= RATIONAL and _is_below(exact, int(low), level):
        high = low
    elif low < high <= RATIONAL and low + 1 == high:
        low = high
    norm = f"least t with max_j ||P^t e_j - pi||_1 <= {level}"
    source = f"{norm}, by squaring in balls of {bits} bits; {exact.rule}"
    return Known(float(high), How.CERTIFIED, source, float(low), float(high))


def _ends(exact: ExactMatrix, level: Any) -> tuple[float, float]:
    """Rounds before which d(t) is certainly above ``level``, and from which it is not."""
    n = exact.clients
    ones = arb_mat(n, n, [1] * (n * n))
    P = arb_mat(exact.numerators) / exact.denominator
    same = arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    # 1^T (I - P) = 0, so the solution of (I - P + 11^T/n) pi = 1/n has sum 1, and P pi = pi
    settled = (same - P + ones / n).solve(arb_mat(n, 1, [arb(1) / n] * n))
    limit = settled * arb_mat(1, n, [1] * n)

    def below(power: Any) -> bool | None:
        away = (power - limit).table()
        size = arb(0)
        for j in range(n):
            size = size.max(sum((abs(row[j]) for row in away), arb(0)))
        return True if size <= level else False if size > level else None

    if below(same):
        return 0.0, 0.0
    powers = [P]
    while (found := below(powers[-1])) is not True:
        if len(powers) > LONGEST:
            return (2.0**LONGEST if found is False else 1.0), math.inf
        powers.append(powers[-1] * powers[-1])
    ends = []
    for sure in (True, False):  # the first round that is surely below, that may be below
        t, base = 0, same
        for k in range(len(powers) - 1, -1, -1):
            step = base * powers[k] if t else powers[k]
            there = below(step)
            if there is False or (sure and there is None):
                t, base = t + 2**k, step
        ends.append(float(t + 1))
    return ends[1], ends[0]


def _is_below(exact: ExactMatrix, t: int, level: Fraction) -> bool:
    """d(t) <= level, in fractions."""
    n = exact.clients
    P = fmpq_mat(exact.numerators) / exact.denominator
    same = fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    ones = fmpq_mat(n, n, [fmpq(1, n)] * (n * n))
    settled = (same - P + ones).solve(fmpq_mat(n, 1, [fmpq(1, n)] * n))
    power = same
    for bit in bin(t)[2:]:
        power = power * power * P if bit == "1" else power * power
    sizes = [sum(abs(power[i, j] - settled[i, 0]) for i in range(n)) for j in range(n)]
    return bool(max(sizes) <= fmpq(level.numerator, level.denominator))


def _fraction(eps: Any) -> Fraction | None:
    if isinstance(eps, str):
        return fraction_in(eps)
    if isinstance(eps, bool) or not isinstance(eps, int | float | Fraction) or not eps < math.inf:
        return None
    if isinstance(eps, float):
        low, high = span(eps)
        return low if low == high else Fraction(eps)
    return Fraction(eps)
