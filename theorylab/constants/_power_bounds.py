"""Upper bounds on the spectral radius of N = P - 11^T/n by its powers: rho(N)^m <= ||N^m||.

No eigenvector enters, so these stand where eigenvectors are nearly parallel.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.constants._modulus import Modulus, enclosed
from theorylab.kernels import Stream
from theorylab.known import EPS

Floats = NDArray[np.float64]

SQUARINGS = 24
COLUMNS = 8  # as many as push_mix takes at the price of one
MISSES = 1e-10  # probability that a random start hides an eigenvalue
CLEAN, CHECK = 4, 32  # steps between two looks at the sums, and at the sizes


def random_columns(n: int, columns: int) -> Floats:
    """Independent standard normals (n, columns): the same for every call."""
    return np.ascontiguousarray(Stream(0, "init").normal(1, n, 0, 0, columns)[0])


def steps_needed(ratio: float) -> int:
    """Steps after which the random start alone costs a factor of ``ratio`` > 1."""
    return math.ceil(-math.log(_hidden()) / math.log(ratio))


def bound_from_random_start(P: csr_array, target: float, most: int) -> tuple[float, int]:
    """(U, m): |lambda_2| <= U except with probability ``MISSES``; m, the power it comes from.

    P keeps the sum of a vector, and on those of sum 0 its radius is |lambda_2| <= ||P^m||^(1/m).
    With g standard normal there and u the top right singular vector of P^m, ||P^m g|| is at least
    |u^T g| ||P^m||, and |u^T g| < delta has probability below delta sqrt(2/pi) (Dixon 1983). For
    independent columns these probabilities multiply. It ends where U <= target, or after
    ``most`` steps. Rounding is left out, so this proves nothing: it confirms an estimate.
    """
    G = random_columns(P.shape[0], COLUMNS)
    G -= G.mean(axis=0)
    height, bound = -math.log(_hidden()), math.inf
    for step in range(1, most + 1):
        G = P @ G
        if step % CLEAN == 0:  # rounding brings back the eigenvector of 1
            G -= G.mean(axis=0)
        if step % CHECK == 0 or step == most:
            size = math.sqrt(float(np.einsum("ij,ij->j", G, G).max()))
            if size == 0:
                return 0.0, step
            height += math.log(size)
            G /= size
            bound = min(bound, math.exp(height / step))
            if bound <= target:
                break
    return bound, step


def _hidden() -> float:
    return float(MISSES ** (1 / COLUMNS) * math.sqrt(math.pi / 2))


def enclosure_by_powers(P: Floats) -> Modulus:
    """|tr N^m| / (n - 1) <= rho(N)^m <= ||N^m||_F for m = 1, 2, 4, ..., P dense (n, n).

    N has the eigenvalues of P with one 1 replaced by 0 (Brauer 1952). The rounding of every
    squaring is bounded and carried along: fl(A A) is off by n eps ||A||_F^2 at most, and the
    error E of A adds 2 ||A|| ||E|| + ||E||^2. What is left of the columns' sums counts in E, too.
    """
    n = len(P)
    A = P - 1 / n
    room = 1 + n**2 * EPS  # of the sum in a Frobenius norm
    size = float(np.linalg.norm(A)) * room
    sums = float(np.linalg.norm(P.sum(axis=0) - 1)) + n * EPS
    error, log_scale = 4 * EPS * (size + 1) + sums, 0.0
    low, high, best = 0.0, 1.0, 1
    for k in range(SQUARINGS + 1):
        m = 2.0**k
        if k:
            A = A @ A
            error = 2 * size * error + error**2 + n * EPS * size**2
            size, log_scale = float(np.linalg.norm(A)) * room, 2 * log_scale
        bound = math.exp((math.log(size + error) + log_scale) / m) * (1 + 64 * EPS)
        if bound < high:
            high, best = bound, int(m)
        trace = (abs(math.fsum(A.diagonal())) - math.sqrt(n) * error) / (n - 1)
        if trace > 0:
            low = max(low, math.exp((math.log(trace) + log_scale) / m) * (1 - 64 * EPS))
        if high - low <= 256 * EPS or error >= size:
            break
        A, error, log_scale, size = A / size, error / size, log_scale + math.log(size), 1.0
        error += EPS
    name = "|tr N^m|/(n-1) <= |lambda_2|^m <= ||N^m||_F, N = P - 11^T/n"
    return enclosed(low, high, f"{name}, m <= {best}, rounding bounded")
