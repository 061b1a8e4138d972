"""The eigenvalue of largest modulus of a symmetric operator, by Lanczos in the memory of vectors.

From a random start, k steps leave an error of more than ``share`` times the spread of the spectrum
with a probability below 1.648 sqrt(n) exp(-sqrt(share) (2 k - 1)), however small the gaps are
(Kuczynski, Wozniakowski 1992). So there is a least number of steps after which no eigenvalue that
matters is likely to be unseen; the residual alone would only say that some eigenvalue is near.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from theorylab.constants._power_bounds import MISSES, random_columns
from theorylab.known import EPS

Floats = NDArray[np.float64]

TOLERANCE = 1e-8  # of a residual, at most
MOST = 4000  # steps
QUICK = 400  # steps, where LAPACK is there to end what they leave open
KEPT = 2**22  # entries of a basis that is held: 32 MB


def least_steps(n: int, share: float) -> int:
    """k above: an error beyond ``share`` of the spread has a probability below ``MISSES``."""
    needed = math.log(1.648 * math.sqrt(n) / MISSES) / math.sqrt(share)
    return math.ceil((needed + 1) / 2)


def largest(
    apply: Callable[[Floats], Floats],
    n: int,
    share: float,
    tolerance: Callable[[float], float],
    most: int | None = None,
) -> tuple[float, float, int]:
    """(Rayleigh quotient, residual, steps) for the eigenvalue of largest modulus.

    Args:
        apply: v -> S v, S symmetric (n, n).
        share: of the spread, see the module's docstring.
        tolerance: value -> the residual that is small enough.
        most: steps; None is ``MOST``.
    """
    most = most or MOST
    start = random_columns(n, 1).ravel()
    least = min(most, least_steps(n, share))
    basis: list[Floats] | None = [] if n * most <= KEPT else None
    alpha, beta, weights = _tridiagonal(apply, start, least, most, tolerance, basis)
    x = np.zeros(n)
    vectors = _krylov(apply, start, alpha, beta) if basis is None else iter(basis)
    for weight, v in zip(weights, vectors, strict=False):
        x += weight * v
    x /= np.linalg.norm(x)
    image = apply(x)
    value = float(x @ image)
    return value, float(np.linalg.norm(image - value * x)), len(alpha)


def _tridiagonal(
    apply: Callable[[Floats], Floats],
    start: Floats,
    least: int,
    most: int,
    tolerance: Callable[[float], float],
    basis: list[Floats] | None,
) -> tuple[list[float], list[float], Floats]:
    """Diagonal, off-diagonal, and the Ritz vector of largest modulus in the Krylov basis.

    Without reorthogonalisation: lost orthogonality repeats an eigenvalue that has converged, and
    leaves the extreme ones right (Paige 1980). Memory is three vectors, and ``basis`` if given.
    """
    alpha: list[float] = []
    beta: list[float] = []
    before, v = np.zeros_like(start), start / np.linalg.norm(start)
    while True:
        if basis is not None:
            basis.append(v)
        u = apply(v) - (beta[-1] if beta else 0.0) * before
        alpha.append(float(u @ v))
        u -= alpha[-1] * v
        last = float(np.linalg.norm(u))
        k = len(alpha)
        if (k >= least and (k - least) % 40 == 0) or last <= EPS or k == most:
            best: tuple[float, Floats] = (0.0, np.zeros(k))
            for end in {0, k - 1}:
                value, vector = scipy.linalg.eigh_tridiagonal(
                    alpha, beta, select="i", select_range=(end, end)
                )
                if abs(value[0]) >= abs(best[0]):
                    best = float(value[0]), vector[:, 0]
            small = tolerance(abs(best[0]))
            if last * abs(best[1][-1]) <= small or last <= EPS or k == most:
                return alpha, beta, best[1]
        beta.append(last)
        before, v = v, u / last


def _krylov(
    apply: Callable[[Floats], Floats], start: Floats, alpha: list[float], beta: list[float]
) -> Iterator[Floats]:
    """The same basis once more, bit for bit: cheaper than keeping it."""
    before, v = np.zeros_like(start), start / np.linalg.norm(start)
    for k, diagonal in enumerate(alpha):
        yield v
        if k < len(beta):
            u = apply(v) - (beta[k - 1] if k else 0.0) * before
            u -= diagonal * v
            before, v = v, u / beta[k]
