"""How fast the powers of one doubly stochastic P average: the pair of ||P^m - J||_2 <= C q^m."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.constants.mixing import lambda2
from theorylab.known import UNIT, How, Known

LONGEST = 256


def mixing_pair(P: NDArray[np.float64]) -> tuple[Known, Known]:
    """(C, q) with ||P^m - J||_2 <= C q^m for all m >= 1, C q / (1 - q) smallest among the H tried.

    P (n, n) doubly stochastic, so P^m - J = M^m with M = P - J. If ||M^H|| <= q^H, m = a H + b with
    1 <= b <= H gives ||M^m|| <= q^{a H} ||M^b||: C = max_{b <= H} ||M^b|| / q^b. H is a power of 2,
    up to ``LONGEST``; where that is not enough, one of many more with ||M^b|| <= 1 for all b.
    (inf, inf) where P has another eigenvalue of modulus 1, or rounding hides that it has none.
    For a symmetric P, ||P^m - J|| = |lambda_2|^m: no pair is better than (1, |lambda_2|).

    ``lower``: what no pair is below. q >= |lambda_2|, and C >= ||M||/q >= ||M||. So what fails with
    these two fails with every pair.
    """
    return _pair(np.ascontiguousarray(P, np.float64).tobytes(), len(P))


@functools.lru_cache(maxsize=64)  # the values of a sweep, and the versions of a statement, share it
def _pair(entries: bytes, n: int) -> tuple[Known, Known]:
    P = np.frombuffer(entries).reshape(n, n)
    M = P - 1 / n
    if (P == P.T).all():
        found = _symmetric(M)
        if found is not None:
            return found
    power, norms, best = M, [float(np.linalg.norm(M, 2))], (np.inf, np.inf, np.inf)
    H = 1
    while H <= LONGEST:
        # H products of norms <= 1, each off by n eps a row, and the norm itself by as much.
        q = (norms[-1] + 8 * n * H * UNIT) ** (1 / H)
        if q < 1 - 1e-9:
            C = max((size + 8 * n * b * UNIT) / q**b for b, size in enumerate(norms, start=1)) * (
                1 + 1e-9
            )
            best = min(best, (C * q / (1 - q), C, q))
        for _ in range(H):
            power = power @ M
            norms.append(float(np.linalg.norm(power, 2)))
        H *= 2
    if np.isinf(best[1]):
        best = _far(power, H, n)
    if np.isfinite(best[1]):
        source = "norms of (P - J)^m up to a power that contracts"
        C_least, q_least = max(0.0, norms[0] - 8 * n * UNIT), _second_from_below(P)
        return (
            Known(best[1], How.UPPER, source, lower=min(C_least, best[1])),
            Known(best[2], How.UPPER, source, lower=min(q_least, best[2])),
        )
    second = lambda2(csr_array(P))
    source = "(P - J)^m does not tend to 0 as far as rounding lets see"
    source = second.source if second.how is How.EXACT and second.value == 1 else source
    return Known(np.inf, How.EXACT, source), Known(np.inf, How.EXACT, source)


def _symmetric(M: NDArray[np.float64]) -> tuple[Known, Known] | None:
    """The pair of a symmetric P, from LAPACK's eigenvalues and their backward error; None where
    these are too near to 1 to tell."""
    second, room = float(np.abs(np.linalg.eigvalsh(M)).max()), 8 * len(M) * UNIT
    if not second + room < 1 - 1e-9:
        return None
    source = "symmetric P: ||(P - J)^m|| = |lambda_2|^m"
    least = max(0.0, second - room)
    return (
        Known(1.0, How.UPPER, source, lower=least),
        Known(second + room, How.UPPER, source, lower=least),
    )


def _second_from_below(P: NDArray[np.float64]) -> float:
    """At most |lambda_2|: LAPACK's less its backward error for a symmetric P; else by a trace,
    |tr M^m| <= (n - 1) |lambda_2|^m for M = P - J, which has the eigenvalue 0 besides.
    """
    n = len(P)
    if n == 1:
        return 0.0
    M = P - 1 / n
    if (P == P.T).all():
        return max(0.0, float(np.abs(np.linalg.eigvalsh(M)).max()) - 8 * n * UNIT)
    best, power, m = 0.0, M, 1
    while m <= LONGEST:
        left = (abs(float(np.trace(power))) - 8 * n * n * m * UNIT) / (n - 1)
        best = max(best, left ** (1 / m) * (1 - 4 * UNIT)) if left > 0 else best
        power, m = power @ power, 2 * m
    return min(best, 1.0)


def _far(power: NDArray[np.float64], H: int, n: int) -> tuple[float, float, float]:
    """The same from M^H on, by squaring until the norm is below 1/2 or rounding is 1/4."""
    while (room := 8 * n * H * UNIT) < 0.25:
        size = float(np.linalg.norm(power, 2)) + room
        if size < 0.5:
            q = float(np.exp(np.log(size) / H)) * (1 + 4 * UNIT)
            C = 1 / size * (1 + 1e-9)  # ||M^b|| <= 1 <= C q^b for b <= H
            return (C * q / (1 - q), C, q) if q < 1 else (np.inf, np.inf, np.inf)
        power, H = power @ power, 2 * H
    return (np.inf, np.inf, np.inf)
