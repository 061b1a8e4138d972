"""The largest row norm and 2-norm of many small matrices: ``csrc/host/matrix_norms.hpp``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from theorylab import _core


def largest_norms(M: NDArray[np.float64], known: float = 0.0) -> tuple[float, float]:
    """The largest row sum of |M| and the largest 2-norm, or ``known`` where that is larger.

    Args:
        M: shape (b, n, n), C-contiguous.
        known: a 2-norm up to it is not looked for, and none is where it is inf.

    Returns:
        Both; inf or NaN where an entry is. The 2-norm is above the true one, or below it by no more
        than n^2 2^-53 + 2^-51 relative, and above it by no more than that; below 2^-1022 float64
        rounds it to a multiple of 2^-1074 besides.

    Raises:
        ValueError: M is no stack of square matrices, or ``known`` is negative or NaN.

    >>> largest_norms(np.array([[[1.0, 1.0], [1.0, -1.0]]]))[0]
    2.0
    """
    if M.ndim != 3 or M.shape[1] != M.shape[2] or not M.shape[1]:
        raise ValueError(f"largest_norms: M has shape {M.shape}; need (b, n, n)")
    if not known >= 0:
        raise ValueError(f"largest_norms: known is {known}; need a number >= 0")
    return _core.matrix_norms(M, M.shape[1], known)
