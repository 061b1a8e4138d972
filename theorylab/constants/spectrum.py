"""The second eigenvalue of one mixing matrix, from 2 clients to millions, by one path.

Reversible P (P[i,j] pi_j = P[j,i] pi_i: Metropolis weights, uniform weights of an undirected
graph) has the spectrum of the symmetric S[i,j] = sqrt(P[i,j] P[j,i]), where rounding moves an
eigenvalue by no more than its own size. Any other P is deflated, P - 11^T/n, and the condition
number 1 / |y^H x| of the eigenvalue says how far rounding or a residual can have moved it.

Deflation takes away exactly one eigenvalue 1. Nothing is dropped for being close to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs
from threadpoolctl import threadpool_limits

from theorylab.constants import _certified_spectrum
from theorylab.constants._certified_matrix import exact_matrix
from theorylab.constants._graph import distance_to_root, receivers
from theorylab.kernels import Mixing, Stream, push_mix
from theorylab.known import How, Known

Floats = NDArray[np.float64]
EPS = float(np.finfo(float).eps)

DENSE = 2000  # up to here LAPACK on the full matrix: 32 MB, seconds
DIGITS = (
    _certified_spectrum.CHARPOLY
)  # up to here exact arithmetic where float64 has too few digits
TOLERANCE = 1e-8  # of a residual; the eigenvalues are at most 1
STEPS = 4000  # of Lanczos
RESTARTS = 200  # of ARPACK


def eigenvalue_moduli(P: csr_array) -> Floats:
    """Moduli of the n eigenvalues of P except one Perron eigenvalue 1, largest first.

    P - 11^T/n has the spectrum of P with exactly one eigenvalue 1 replaced by 0, since 1^T is a
    left eigenvector of P (Brauer 1952). So nothing is dropped because it is close to 1: further
    eigenvalues of modulus 1, real or complex, stay. Shape (n,), the last one being that 0.

    Raises:
        ValueError: if n is above ``DENSE``.
    """
    n = P.shape[0]
    if n > DENSE:
        raise ValueError(f"eigenvalue_moduli: n is {n}; need n <= {DENSE}")
    S = symmetrised(P)
    if S is not None:  # the largest eigenvalue is the 1 that goes
        values = np.append(np.linalg.eigvalsh(S.toarray())[:-1], 0.0)
    else:
        values = np.linalg.eigvals(P.toarray() - 1 / n)
    return np.sort(np.abs(values))[::-1]


def second_modulus(P: csr_array) -> Known:
    """|lambda_2|, an estimate with its error named in ``source``; dense up to n = ``DENSE``."""
    n = P.shape[0]
    balanced = _balance(P)
    if n <= DENSE:
        if balanced is not None:
            value = float(eigenvalue_moduli(P)[0])
            return _found(value, 4 * EPS * math.sqrt(n), "LAPACK on the symmetric similar matrix")
        return _dense(P)
    try:
        return _largest(P) if balanced is None else _largest_symmetric(*balanced)
    except ArpackError as error:
        low = None
        if isinstance(error, ArpackNoConvergence) and len(error.eigenvalues):
            low = min(1.0, float(np.abs(error.eigenvalues).max()))
        seen = "" if low is None else f"; it had seen {low!r}"
        told = " ".join(str(error).split())
        return Known(1.0, How.UPPER, f"|lambda_2| <= 1 is all that is known: {told}{seen}")


def symmetrised(P: csr_array) -> csr_array | None:
    """S = D^-1/2 P D^1/2, D = diag(pi), if P is reversible and its graph connected; else None.

    ``pi`` follows from the ratios P[i,j] / P[j,i] along a tree; every other edge must agree within
    the rounding of that walk. S does not need pi: S[i,j] = sqrt(P[i,j] P[j,i]).
    """
    found = _balance(P)
    return None if found is None else found[0]


def reversible_law(P: csr_array) -> Floats | None:
    """pi with P[i,j] pi_j = P[j,i] pi_i, sum 1; None if P is not reversible."""
    found = _balance(P)
    if found is None:
        return None
    pi = np.exp(found[1] - found[1].max())
    return np.asarray(pi / pi.sum())


def power_iteration(P: csr_array, most: int = 20_000) -> tuple[Floats, int]:
    """pi by w <- (w + P w) / 2 until a step changes it by eps; and the number of steps."""
    n = P.shape[0]
    apply, pi, steps = _product(P), np.full(n, 1 / n), 0
    for _ in range(most):
        new = (pi + apply(pi)) / 2
        new /= new.sum()
        steps += 1
        change = float(np.abs(new - pi).sum())
        pi = new
        if change <= 4 * EPS:
            break
    return pi, steps


def _balance(P: csr_array) -> tuple[csr_array, Floats] | None:
    n, T = P.shape[0], receivers(P)
    T.sort_indices()
    if not (np.array_equal(T.indptr, P.indptr) and np.array_equal(T.indices, P.indices)):
        return None
    order, parent = breadth_first_order(P, 0, directed=True)
    if len(order) < n:
        return None
    if np.array_equal(P.data, T.data):
        return P, np.zeros(n)
    row = np.repeat(np.arange(n), np.diff(P.indptr))
    step = np.log(P.data) - np.log(T.data)  # log pi_i - log pi_j
    log_pi, above = np.zeros(n), np.asarray(parent, np.int64)
    down = P.indices == above[row]
    log_pi[row[down]] = step[down]
    above = np.where(above < 0, np.arange(n), above)
    hops = int(distance_to_root(np.asarray(order, np.int64), np.asarray(parent, np.int64)).max())
    for _ in range(hops.bit_length()):
        log_pi, above = log_pi + log_pi[above], above[above]
    off = np.abs(step - log_pi[row] + log_pi[P.indices])
    # A log of an entry >= 1e-6 is off by 14 eps; two per edge of two walks to the root.
    if off.max() > 64 * EPS * (hops + 1):
        return None
    S = csr_array((np.sqrt(P.data) * np.sqrt(T.data), P.indices, P.indptr), P.shape)
    return S, log_pi


def _dense(P: csr_array) -> Known:
    n = P.shape[0]
    A = P.toarray() - 1 / n
    size = float(np.linalg.norm(A))
    name = "largest eigenvalue modulus of P - 11^T/n"
    if np.abs(A @ A.T - A.T @ A).max() <= 4 * n * EPS:
        value = float(np.abs(np.linalg.eigvals(A)).max())
        return _found(value, 8 * EPS * size, f"{name}, a normal matrix, LAPACK in float64")
    values, left, right = scipy.linalg.eig(A, left=True, right=True)
    moduli = np.abs(values)
    aligned = np.abs(np.einsum("ij,ij->j", left.conj(), right))
    # LAPACK's values are those of A + E with ||E|| a few eps ||A||_F; first order in E.
    error = 8 * EPS * size / np.maximum(aligned, EPS)
    top = int(np.argmax(moduli))
    worst = float(error[moduli + error >= moduli[top]].max())
    if worst <= 16 * n * EPS or n > DIGITS:
        return _found(float(moduli[top]), worst, f"{name}, LAPACK in float64")
    # Nearly defective: float64 has too few digits, whatever the method.
    exact = exact_matrix(P)
    (low, high), how = _certified_spectrum.second_modulus(exact)
    value = float(((low + high) / 2).mid())
    return _found(value, float((high - low).mid()) + EPS, f"{how}; {exact.rule}")


def _largest_symmetric(S: csr_array, log_pi: Floats) -> Known:
    n = S.shape[0]
    root = np.exp((log_pi - log_pi.max()) / 2)  # S sqrt(pi) = sqrt(pi)
    root /= np.linalg.norm(root)
    apply = _product(S)

    def deflated(v: Floats) -> Floats:
        v = v.ravel()
        return np.asarray(apply(v) - root * float(root @ v))

    start = _start(n)
    alpha, beta, theta, weights = _lanczos(deflated, start)
    x, vectors = np.zeros(n), _krylov(deflated, start, alpha, beta)
    for weight, v in zip(weights, vectors, strict=False):
        x += weight * v
    x /= np.linalg.norm(x)
    residual = float(np.linalg.norm(deflated(x) - theta * x))
    name = f"Lanczos on the symmetric similar matrix, {len(alpha)} steps"
    if residual > 10 * TOLERANCE:
        # A Rayleigh quotient of a symmetric matrix is never above its norm.
        low, note = abs(theta) - n * EPS, f"not converged, residual {residual:.1g}"
        return Known(max(0.0, low), How.LOWER, f"{name}; a Rayleigh quotient, {note}")
    return _found(abs(theta), residual + 8 * EPS, name)


def _lanczos(
    apply: Callable[[Floats], Floats], start: Floats
) -> tuple[list[float], list[float], float, Floats]:
    """Diagonal, off-diagonal, Ritz value of largest modulus, its vector in the Krylov basis.

    Without reorthogonalisation: lost orthogonality repeats an eigenvalue that has converged, and
    leaves the extreme ones right (Paige 1980). Memory is three vectors.
    """
    alpha: list[float] = []
    beta: list[float] = []
    before, v = np.zeros_like(start), start / np.linalg.norm(start)
    while True:
        u = apply(v) - (beta[-1] if beta else 0.0) * before
        alpha.append(float(u @ v))
        u -= alpha[-1] * v
        last = float(np.linalg.norm(u))
        k = len(alpha)
        if k % 40 == 0 or last <= EPS or k == STEPS:
            best: tuple[float, Floats] = (0.0, np.zeros(k))
            for end in {0, k - 1}:
                value, vector = scipy.linalg.eigh_tridiagonal(
                    alpha, beta, select="i", select_range=(end, end)
                )
                if abs(value[0]) >= abs(best[0]):
                    best = float(value[0]), vector[:, 0]
            if last * abs(best[1][-1]) <= TOLERANCE or k == STEPS:
                return alpha, beta, *best
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


def _largest(P: csr_array) -> Known:
    n = P.shape[0]
    right_value, right, residual = _dominant(_product(P), lambda v: v.sum() / n, n, _start(n))
    # The deflated P^T is P^T - 11^T/n; the right vector is a good start, for a normal P the end.
    left_value, left, other = _dominant(
        _product(receivers(P)), lambda v: v.sum() / n, n, np.ascontiguousarray(right.real)
    )
    aligned = float(np.abs(np.vdot(left, right)))
    error = max(residual, other) / max(aligned, EPS)
    value = max(abs(right_value), abs(left_value))
    return _found(value, error + 8 * EPS, "largest eigenvalue modulus of P - 11^T/n, ARPACK")


def _dominant(
    apply: Callable[[Floats], Floats], mean: Callable[[Floats], float], n: int, start: Floats
) -> tuple[complex, NDArray[np.complex128], float]:
    operator = LinearOperator((n, n), matvec=lambda v: apply(v.ravel()) - mean(v), dtype=np.float64)
    # More than one value would have to converge inside a cluster that nobody asked for.
    with threadpool_limits(1, user_api="blas"):
        values, vectors = eigs(operator, k=1, ncv=24, tol=TOLERANCE, maxiter=RESTARTS, v0=start)
    best = int(np.argmax(np.abs(values)))
    value, x = complex(values[best]), vectors[:, best]
    image = operator.matvec(np.ascontiguousarray(x.real)) + 1j * operator.matvec(
        np.ascontiguousarray(x.imag)
    )
    return value, x, float(np.linalg.norm(image - value * x))


def _product(P: csr_array) -> Callable[[Floats], Floats]:
    """v -> P v by ``push_mix``; the result is overwritten by the next call but one."""
    n = P.shape[0]
    mixing, ones = Mixing(P), np.ones(n)
    out = (np.empty((n, 1)), np.empty(n), np.empty((n, 1)))

    def apply(v: Floats) -> Floats:
        push_mix(mixing, np.ascontiguousarray(v).reshape(n, 1), ones, out=out)
        return out[0].ravel()

    return apply


def _start(n: int) -> Floats:
    # ARPACK would draw its own; a regular vector could be an eigenvector of a regular graph.
    return np.ascontiguousarray(Stream(0, "init").normal(1, n, 0)[0, :, 0])


def _found(value: float, error: float, source: str) -> Known:
    return Known(min(1.0, value), How.ESTIMATE, f"{source}; error about {error:.1g}")
