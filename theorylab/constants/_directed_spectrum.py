"""|lambda_2| of an irreducible aperiodic P that is not reversible.

An eigenvalue of such a P may move far by a small error, so a small residual proves little. Each
way below says what its error rests on, and hands over to the next where that is more than 1 %.

normal       |lambda_2| = ||N||_2, N = P - 11^T/n: the symmetric N^T N has all the digits.
LAPACK       up to ``EXACT`` clients; in exact arithmetic where digits are lost.
ARPACK       on both sides: the residuals over |y^T x| say how far the eigenvalue can be off, and a
             random start that no other exceeds it by much.
LAPACK       up to ``dense`` clients: every eigenvalue with its condition number.
powers       up to ``dense`` clients: an enclosure, with rounding bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator
from threadpoolctl import threadpool_limits

from theorylab.arpack import eigs
from theorylab.constants import _certified_spectrum, _lanczos
from theorylab.constants._certified_matrix import above, below, exact_matrix
from theorylab.constants._graph import receivers
from theorylab.constants._modulus import SHARE, Modulus, enclosed, estimated
from theorylab.constants._power_bounds import (
    bound_from_random_start,
    enclosure_by_powers,
    random_columns,
    steps_needed,
)
from theorylab.known import EPS

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

EXACT = _certified_spectrum.CHARPOLY  # clients
DIGITS = 256  # up to here powers in more digits than float64 has: seconds
# Eigenvalues wanted and Krylov vectors kept; the second where the first does not settle, or would
# not: of eigenvalues near one circle a few alone are often the wrong ones, and converge slowly.
FEW, MANY = (4, 40), (40, 120)
CROWDED = 4000  # clients, from which on MANY is quicker
RESTARTS = 40
TOLERANCE = 1e-6  # of a residual; the two-sided quotient is off by about its square
STEPS = 4096  # of a random start that confirms an estimate
LOOK = 512  # of one that stands alone
NORMAL = "||P - 11^T/n||_2, a normal matrix"


def second_modulus(P: csr_array, dense: int) -> Modulus:
    """|lambda_2| of P; LAPACK is used up to n = ``dense``."""
    n = P.shape[0]
    if _normal(P):
        return _of_normal(P, dense)
    if n <= min(EXACT, dense):
        return _small(P)
    by_arpack, seen = _arpack(P, dense)
    if by_arpack is not None:
        return by_arpack
    if n <= dense:
        return _lapack(P.toarray()) or _by_powers(P)
    bound, power = bound_from_random_start(P, 0, LOOK)
    told = (
        f"a random start of {power} steps points to at most {min(1, bound):.4g}, but proves nothing"
    )
    return enclosed(0, 1, f"|lambda_2| <= 1 is all that is proven: {seen}; {told}")


def _normal(P: csr_array) -> bool:
    """P P^T = P^T P within rounding, seen on random columns (P 1 = 1 alone rules most out)."""
    n = P.shape[0]
    if np.abs(P.sum(axis=1) - 1).max() > n * EPS:
        return False
    G, T = random_columns(n, 2), receivers(P)
    return bool(np.abs(P @ (T @ G) - T @ (P @ G)).max() <= 16 * n * EPS)


def _of_normal(P: csr_array, dense: int) -> Modulus:
    n, T = P.shape[0], receivers(P)
    forth, back = _deflated(P), _deflated(T)

    def small(square: float) -> float:  # |d sqrt(s)| = ds / (2 sqrt(s))
        value = math.sqrt(square)
        return min(_lanczos.TOLERANCE, SHARE * value * min(value, 1 - value))

    square, most = 0.0, _lanczos.QUICK if n <= dense else _lanczos.MOST
    if n > min(EXACT, dense):
        square, residual, steps = _lanczos.largest(
            lambda v: back(forth(v)), n, 2 * SHARE, small, most
        )
        value = math.sqrt(max(square, EPS))
        name = f"{NORMAL}, Lanczos on N^T N, {steps} steps"
        found = estimated(value, residual / (2 * value) + 8 * EPS, name)
        if found is not None:
            return found
    if n <= dense:
        square = max(0.0, float(np.linalg.eigvalsh((T @ P).toarray() - 1 / n)[-1]))
        value = math.sqrt(square)
        error = 8 * EPS * math.sqrt(n) / max(value, math.sqrt(EPS))
        found = estimated(value, error, f"{NORMAL}, LAPACK in float64")
        ceiling = math.sqrt(square + n * EPS)
        return found or enclosed(0, ceiling, f"{NORMAL}, LAPACK; as small as rounding lets see")
    # ||N||_2 <= |lambda_2| + ((n^3 - n) / 12)^(1/4) ||P P^T - P^T P||_F^(1/2) (Henrici 1962).
    degree = float(max(np.diff(P.indptr).max(), np.diff(T.indptr).max()))
    rounding = 2 * EPS * (degree + 2) * float(np.linalg.norm(P.data))
    commutator = float(np.linalg.norm((P @ T - T @ P).data)) + rounding
    departure = (n**3 / 12) ** 0.25 * math.sqrt(commutator)
    low = math.sqrt(max(0.0, square - n * EPS)) - departure
    return enclosed(low, 1, f"{name}; a Rayleigh quotient, not converged")


def _small(P: csr_array) -> Modulus:
    """LAPACK's eigenvalue within 16 n eps, or else the exact characteristic polynomial."""
    found = _lapack(P.toarray(), 16 * P.shape[0] * EPS)
    if found is not None:
        return found
    exact = exact_matrix(P)
    (low, high), how = _certified_spectrum.second_modulus(exact)
    return enclosed(below(low), above(high), f"{how}; {exact.rule}")


def _lapack(P: Floats, most: float = math.inf) -> Modulus | None:
    """The largest eigenvalue modulus of P - 11^T/n, unless its error exceeds ``most``."""
    A = P - 1 / len(P)
    values, left, right = scipy.linalg.eig(A, left=True, right=True)
    moduli = np.abs(values)
    aligned = np.abs(np.einsum("ij,ij->j", left.conj(), right))
    # LAPACK's values are those of A + E with ||E|| a few eps ||A||_F; first order in E. Where an
    # eigenvalue is defective the first order at the computed one still has the size of its error.
    error = 8 * EPS * float(np.linalg.norm(A)) / np.maximum(aligned, EPS)
    top = int(np.argmax(moduli))
    worst = float(error[moduli + error >= moduli[top]].max())
    name = "largest eigenvalue modulus of P - 11^T/n, LAPACK in float64"
    return estimated(float(moduli[top]), worst, name) if worst <= most else None


def _by_powers(P: csr_array) -> Modulus:
    """Powers in float64, and with more digits where these leave a wide enclosure."""
    found = enclosure_by_powers(P.toarray())
    if P.shape[0] > DIGITS or found.high - found.low <= SHARE * found.low:
        return found
    exact = exact_matrix(P)
    (low, high), how = _certified_spectrum.from_powers(exact)
    return enclosed(below(low), above(high), f"{how}; {exact.rule}")


def _arpack(P: csr_array, dense: int) -> tuple[Modulus | None, str]:
    """The estimate, or None and what was seen instead."""
    n, seen = P.shape[0], ""
    N, other = _deflated(P), _deflated(receivers(P))
    for size in (FEW, MANY) if n < CROWDED else (MANY,):
        right = _eigenpairs(N, n, *size)
        left = _eigenpairs(other, n, *size) if len(right[0]) else right
        if not len(left[0]):
            seen = "ARPACK does not converge"
            continue
        value, error = _matched(N, other, right, left)
        seen = f"ARPACK's {value:.6g} may be off by {error:.1g}"
        if value >= 1 or estimated(value, error, "") is None:
            continue
        # The gap 1 - value is an estimate, too: up to ``dense`` LAPACK can see to it.
        share = SHARE * min(value, 1 - value)
        reachable = steps_needed(1 + share / value) < STEPS
        if not reachable and n <= dense:
            return None, seen
        target = value + (share if reachable else SHARE * value)
        bound, power = bound_from_random_start(P, target, STEPS)
        excess = (bound / value - 1) * 100
        if bound <= value * (1 + SHARE):
            name = f"largest eigenvalue modulus of P - 11^T/n, ARPACK, {size[1]} vectors"
            name += (
                f"; no other is above it by {max(excess, 0):.2g} % (random start, {power} steps)"
            )
            return estimated(value, error, name), seen
        seen = f"ARPACK finds {value:.6g}, and a random start does not rule out {min(1, bound):.6g}"
    return None, seen


def _deflated(P: csr_array) -> Callable[[Floats], Floats]:
    """v -> (P - 11^T/n) v, and for P^T just so: one eigenvalue 1 becomes 0 (Brauer 1952)."""
    ones = np.ones(P.shape[0])
    return lambda v: np.asarray(P @ v - float(ones @ v) / len(ones))


def _eigenpairs(
    apply: Callable[[Floats], Floats], n: int, wanted: int, basis: int
) -> tuple[Complexes, Complexes]:
    """Eigenvalues of largest modulus, and their vectors as columns; what has converged."""
    operator = LinearOperator((n, n), matvec=lambda v: apply(v.ravel()), dtype=np.float64)
    start = random_columns(
        n, 1
    ).ravel()  # a regular vector may be an eigenvector of a regular graph
    kept = min(basis, n - 1)
    options = {"k": min(wanted, kept // 2), "ncv": kept, "maxiter": RESTARTS, "tol": TOLERANCE}
    try:
        with threadpool_limits(1, user_api="blas"):
            values, vectors = eigs(operator, v0=start, **options)
    except ArpackNoConvergence as stopped:
        values, vectors = stopped.eigenvalues, stopped.eigenvectors
    except ArpackError:
        return np.zeros(0, complex), np.zeros((n, 0), complex)
    return np.asarray(values, complex), np.asarray(vectors, complex)


def _matched(
    forth: Callable[[Floats], Floats],
    back: Callable[[Floats], Floats],
    right: tuple[Complexes, Complexes],
    left: tuple[Complexes, Complexes],
) -> tuple[float, float]:
    """|y^T N x / y^T x| of the top pair, and its error to first order.

    There is an E with ||E|| <= r + s, the two residuals, such that N + E has x and y exactly
    (Kahan, Parlett, Jiang 1982), and 1 / |y^T x| is the condition number. Where x and y belong to
    two eigenvalues, y^T x is near 0, and the error says so.
    """
    top = int(np.argmax(np.abs(right[0])))
    value, x = right[0][top], right[1][:, top]
    both = np.concatenate([left[0], left[0].conj()])  # a pair may come without its conjugate
    near = int(np.argmin(np.abs(both - value)))
    y = left[1][:, near % len(left[0])]
    y = y if near < len(left[0]) else y.conj()
    image, mirrored = _of_complex(forth, x), _of_complex(back, y)
    aligned = complex(y @ x)
    if abs(aligned) <= EPS or np.abs(left[0]).max() > abs(value) * (1 + SHARE):
        return float(np.abs(both).max()), math.inf
    quotient = complex(y @ image) / aligned
    r = float(np.linalg.norm(image - quotient * x))
    s = float(np.linalg.norm(mirrored - quotient * y))
    return abs(quotient), (r + s + 8 * EPS) / abs(aligned)


def _of_complex(apply: Callable[[Floats], Floats], x: Complexes) -> Complexes:
    parts = (apply(np.ascontiguousarray(part)) for part in (x.real, x.imag))
    real, imaginary = parts
    return np.asarray(real + 1j * imaginary)
