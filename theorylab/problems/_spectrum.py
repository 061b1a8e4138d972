"""Proven ends of the spectra of symmetric matrices, whatever LAPACK's own error is.

Let A be symmetric, V and D = diag(w) what was computed of its eigenvectors and eigenvalues,
d = |I - V^T V|_2 < 1 and R = A V - V D. With the polar form V = U H, U orthogonal, H^2 = V^T V is
within d of I, and so is H. A U H - U D H = R + U (H D - D H), and |H D - D H| <= 2 d |D|, so that
|A U - U D|_2 <= (|R|_2 + 2 d |D|) / sqrt(1 - d). By Weyl every eigenvalue of A, in order, is that
near to its w. R and I - V^T V are computed in float64: each entry of a product of d terms is off
by at most g = (d + 2) u / (1 - (d + 2) u) times the product of absolute values, in any order of
the sum; the Frobenius norms of the factors bound the matrix of these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from theorylab.exact import span
from theorylab.known import UNIT, How, Known
from theorylab.problems._options import Array

_ENTRIES = 1 << 22  # of the matrices that are looked at together: 32 MB
_SLACK = 1 + 2.0**-20  # for the rounding of norms and of their sums, some d^2 u


@dataclass(frozen=True)
class Ends:
    """The least and the largest eigenvalue, and how far each computed one may be off."""

    least: float
    largest: float
    off: float


def ends(H: Array) -> list[Ends]:
    """Of every matrix of ``H`` (n, d, d). Diagonal ones are exact."""
    some = max(1, _ENTRIES // H.shape[1] ** 2)
    return [e for first in range(0, len(H), some) for e in _ends(H[first : first + some])]


def _ends(H: Array) -> list[Ends]:
    diagonal = np.diagonal(H, axis1=1, axis2=2)
    if np.count_nonzero(H) == np.count_nonzero(diagonal):
        low, high = diagonal.min(axis=1), diagonal.max(axis=1)
        return [Ends(float(a), float(b), 0.0) for a, b in zip(low, high, strict=True)]
    w, V = np.linalg.eigh(H)
    off = _error(H, w, V)
    return [
        Ends(float(a), float(b), float(e)) for a, b, e in zip(w[:, 0], w[:, -1], off, strict=True)
    ]


def _error(H: Array, w: Array, V: Array) -> Array:
    """How far any eigenvalue of each H may be from its w; inf where nothing is shown."""
    d = H.shape[1]
    g = (d + 2) * UNIT / (1 - (d + 2) * UNIT)
    size, own, top = _norm(H), _norm(V), np.abs(w).max(axis=1)
    Vt = np.swapaxes(V, 1, 2)
    bent = _norm(np.eye(d) - np.matmul(Vt, V)) + g * (own**2 + math.sqrt(d))
    rest = _norm(np.matmul(H, V) - V * w[:, None, :]) + g * own * (size + 2 * top)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = _SLACK * (rest + 2 * bent * top) / np.sqrt(1 - bent)
    return np.asarray(np.where(bent < 0.5, found, math.inf))


def _norm(A: Array) -> Array:
    """Frobenius, which is at least the 2-norm, of each matrix."""
    return np.asarray(np.sqrt((A * A).sum(axis=(1, 2))) * _SLACK)


def norm_known(H: Array, asked: float | None, what: str) -> Known:
    """The largest |eigenvalue| of the matrices, ``asked`` for in their making or not."""
    found = ends(H)
    tops = [max(abs(e.least), abs(e.largest)) for e in found]
    low = max(top - e.off for top, e in zip(tops, found, strict=True))
    high = max(top + e.off for top, e in zip(tops, found, strict=True))
    return _known(max(tops), low, high, asked, what)


def least_known(H: Array, moved: float, asked: float | None, what: str) -> Known:
    """The least eigenvalue of one matrix (d, d), of which the entries are off by ``moved`` in the
    Frobenius norm."""
    (found,) = ends(H[None])
    off = found.off + moved
    return _known(found.least, found.least - off, found.least + off, asked, what)


def mean_error(H: Array) -> float:
    """How far the mean of n matrices, as computed, may be from their mean: Frobenius norm."""
    n = len(H)
    if n == 1 or not np.any(H[0] != H):
        return 0.0
    return float((n + 1) * UNIT * _SLACK * _norm(H).mean() * _SLACK)


def _known(value: float, low: float, high: float, asked: float | None, what: str) -> Known:
    """``low`` and ``high`` are rounded outwards; without an error they are the number itself."""
    if low < high:
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    if low == high:  # an entry of the matrix
        return Known(value, How.EXACT, what, asked=span(value))
    if asked is None:
        return Known(value, How.EXACT, f"{what}, within {high - value:.2g}", low, high)
    low, high = min(low, asked), max(high, asked)
    text = f"as asked for; {what} lies within {max(high - asked, asked - low):.2g} of it"
    return Known(asked, How.EXACT, text, low, high, asked=span(asked))
