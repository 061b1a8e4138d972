"""One lag of a product of mixing matrices, and sums of its entries: ``csrc/host/lag_sums.hpp``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab import _core
from theorylab.kernels.push_mix import Mixing

Floats = NDArray[np.float64]

COLUMNS = 8  # of a block, as the kernel has them


def first_lag(before: Floats) -> Floats:
    """E = I - before 1^T / n in blocks of columns, (blocks, n, COLUMNS), zeros beyond column n.

    >>> first_lag(np.ones(9)).shape
    (2, 9, 8)
    """
    n = len(before)
    E = np.empty((-(-n // COLUMNS), n, COLUMNS))
    E[:] = before[:, None] / -n
    j = np.arange(n)
    E[j // COLUMNS, j, j % COLUMNS] += 1
    E[-1, :, n - len(E) * COLUMNS + COLUMNS :] = 0
    return E


@dataclass(frozen=True)
class LagSums:
    """Sums over one lag, n clients; the right factor diag(before) where two stand side by side.

    Attributes:
        weights: w(t), shape (n,).
        top: the largest |E_ij|.
        rows: sums of |E_ij| and of |E_ij| before_j over j, shape (n, 2).
        squares: sums of (down E_ij)^2 and of (down E_ij before_j)^2 over j, (n, 2); None if they
            were not asked for.
        columns: sums of |E_ij| and of |E_ij| / w_i over i, shape (2, n).
    """

    weights: Floats
    top: float
    rows: Floats
    squares: Floats | None
    columns: Floats


def lag_sums(
    P: Mixing | None, E: Floats, here: Floats, before: Floats, down: float | None
) -> LagSums:
    """One lag further: E becomes P E less its w-average, with w = P here.

    Without P, w is ``here``, and E stays as it is. Nothing is checked to be finite.

    Args:
        P: one matrix of n clients.
        E: shape (blocks, n, COLUMNS), as ``first_lag`` has it; overwritten.
        here, before: weights, shape (n,) each.
        down: what entries are multiplied by before they are squared; None: no squares.

    Raises:
        ValueError: shapes that do not go together, or P of several runs or of float32.
    """
    n = len(here)
    columns = -(-n // COLUMNS) * COLUMNS
    if E.shape != (columns // COLUMNS, n, COLUMNS) or before.shape != here.shape != ():
        need = f"({columns // COLUMNS}, {n}, {COLUMNS}) and ({n},)"
        raise ValueError(f"lag_sums: E has shape {E.shape}, before {before.shape}; need {need}")
    weights, rows, over = np.empty(n), np.empty((n, 2)), np.empty((2, columns))
    squares = np.empty((n if down is not None else 0, 2))
    matrix = None if P is None else P._matrices
    scale = 1.0 if down is None else down
    top = _core.lag_sums(matrix, E, here, before, scale, weights, rows, squares, over)
    return LagSums(weights, top, rows, squares if len(squares) else None, over[:, :n])
