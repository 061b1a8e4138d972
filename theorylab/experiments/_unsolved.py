"""Whether an affine map has a fixed point."""

from __future__ import annotations

from collections.abc import Callable

import flint
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NEAR = 1e-10  # singular values below this, relative, count as 0


def unsolved(affine: Callable[[float], tuple[Floats, Floats]]) -> tuple[float, float]:
    """(the smallest ||T(z) - z|| of T(z) = J z + c, its relative rounding).

    The rounding is inf where I - J is nearly singular but may be regular, as there is a fixed point
    then, if a far one. It is singular for certain where J has no rounding (3, 5 and 7 times a unit
    vector go to as many times its image, to the bit) and I - J as fractions lacks rank.

    Args:
        affine: k -> (k J, c), J (N, N) from T at 0 and at k times the unit vectors.
    """
    J, const = affine(1.0)
    system = np.eye(len(J)) - J
    z = np.linalg.lstsq(system, const, rcond=NEAR)[0]
    least = float(np.linalg.norm(system @ z - const))
    values = np.linalg.svd(system, compute_uv=False)
    if values[-1] > NEAR * values[0]:
        return least, 0.0
    unrounded = all(np.array_equal(affine(k)[0], k * J) for k in (3.0, 5.0, 7.0))
    fractions = [[flint.fmpq(*float(x).as_integer_ratio()) for x in row] for row in system]
    certain = unrounded and flint.fmpq_mat(fractions).rank() < len(J)
    return least, 0.0 if certain else np.inf
