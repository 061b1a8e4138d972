"""The second eigenvalue of one mixing matrix, from 2 clients to millions, by one path.

The classes of the graph come first: the eigenvalues of P are those of its diagonal blocks. A block
that mass leaves has a Perron root, which is enclosed (``_perron_radius``). The closed one has the
eigenvalue 1, and what counts is the next:

- Reversible P (P[i,j] pi_j = P[j,i] pi_i: Metropolis weights, uniform weights of an undirected
  graph) has the spectrum of the symmetric S[i,j] = sqrt(P[i,j] P[j,i]), where rounding moves an
  eigenvalue by no more than its own size.
- Any other P is deflated, P - 11^T/n (``_directed_spectrum``).

Deflation takes away exactly one eigenvalue 1. Nothing is dropped for being close to 1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.constants import _directed_spectrum, _lanczos
from theorylab.constants._graph import classes, closed_classes
from theorylab.constants._modulus import SHARE, Modulus, enclosed, estimated, exactly, larger
from theorylab.constants._perron_radius import transient_radius
from theorylab.constants._reversible import balance
from theorylab.known import EPS, How, Known

Floats = NDArray[np.float64]

DENSE = 2000  # up to here LAPACK on the full matrix: 32 MB, seconds
FEW = 128  # up to here LAPACK at once


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
    """|lambda_2|: an enclosure, an estimate within 1 % (its error stands in ``source``), or <= 1.

    P is block triangular in the order of its strongly connected classes: a lazy walk into an
    absorbing client is n blocks of one client. There is one closed class, of period 1.
    """
    label = classes(P)
    closed = np.flatnonzero(label == label[closed_classes(P)[0][0]])
    inside = P if len(closed) == P.shape[0] else csr_array(P[closed][:, closed])
    found = _irreducible(inside)
    others = transient_radius(P, label, int(label[closed[0]]), DENSE)
    return (found if others is None else larger(found, others)).known()


def _irreducible(P: csr_array) -> Modulus:
    n = P.shape[0]
    if n == 1:
        return exactly(0.0, "one client")
    if P.nnz == n * n and np.array_equal(P.data, np.repeat(P.data[::n], n)):
        return exactly(0.0, "all columns of P are equal")
    balanced = balance(P)
    if balanced is None:
        return _directed_spectrum.second_modulus(P, DENSE)
    found = None if n <= min(FEW, DENSE) else _by_lanczos(*balanced)
    if n > DENSE or (found is not None and found.how is How.ESTIMATE):
        assert found is not None
        return found
    value = float(eigenvalue_moduli(P)[0])
    name = "LAPACK on the symmetric similar matrix"
    found = estimated(value, 4 * EPS * math.sqrt(n), name)
    return found or enclosed(value - n * EPS, value + n * EPS, f"{name}, within n eps (Weyl)")


def symmetrised(P: csr_array) -> csr_array | None:
    """S = D^-1/2 P D^1/2, D = diag(pi), if P is reversible and its graph connected; else None.

    ``pi`` follows from the ratios P[i,j] / P[j,i] along a tree; every other edge must agree within
    the rounding of that walk. S does not need pi: S[i,j] = sqrt(P[i,j] P[j,i]).
    """
    found = balance(P)
    return None if found is None else found[0]


def reversible_law(P: csr_array) -> Floats | None:
    """pi with P[i,j] pi_j = P[j,i] pi_i, sum 1; None if P is not reversible."""
    found = balance(P)
    if found is None:
        return None
    pi = np.exp(found[1] - found[1].max())
    return np.asarray(pi / pi.sum())


def power_iteration(P: csr_array, most: int = 20_000) -> tuple[Floats, int]:
    """pi by w <- (w + P w) / 2 until a step changes it by eps; and the number of steps."""
    n = P.shape[0]
    pi, steps = np.full(n, 1 / n), 0
    for _ in range(most):
        new = (pi + P @ pi) / 2
        new /= new.sum()
        steps += 1
        change = float(np.abs(new - pi).sum())
        pi = new
        if change <= 4 * EPS:
            break
    return pi, steps


def _by_lanczos(S: csr_array, log_pi: Floats) -> Modulus:
    n = S.shape[0]
    root = np.exp((log_pi - log_pi.max()) / 2)  # S sqrt(pi) = sqrt(pi)
    root /= np.linalg.norm(root)

    def without_root(v: Floats) -> Floats:
        return np.asarray(S @ v - root * float(root @ v))

    def small(value: float) -> float:
        return min(_lanczos.TOLERANCE, SHARE / 2 * min(value, 1 - value))

    most = _lanczos.QUICK if n <= DENSE else _lanczos.MOST
    # The spread of the spectrum is at most twice the modulus.
    quotient, residual, steps = _lanczos.largest(without_root, n, SHARE / 2, small, most)
    name = f"Lanczos on the symmetric similar matrix, {steps} steps"
    found = estimated(abs(quotient), residual + 8 * EPS, name)
    # A Rayleigh quotient of a symmetric matrix is never above its norm.
    note = f"a Rayleigh quotient, not converged, residual {residual:.1g}"
    return found or enclosed(abs(quotient) - n * EPS, 1.0, f"{name}; {note}")
