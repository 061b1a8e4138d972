"""ARPACK with the same bits in every run."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy.sparse import linalg

# From SciPy 1.17 on, the vectors that restart ARPACK are drawn from ``rng``, fresh unless given.
_DRAWS = "rng" in inspect.signature(linalg.eigs).parameters


def eigs(matrix: Any, **options: Any) -> Any:
    """``scipy.sparse.linalg.eigs``, which returns the same bits whenever it is called.

    Args:
        matrix: (n, n), an array or a LinearOperator.
        options: as of SciPy's; ``v0`` (n,) is needed, since SciPy draws it otherwise.

    Raises:
        ArpackError: as SciPy's.

    >>> import numpy as np
    >>> eigs(np.diag(np.arange(9.0)), k=1, v0=np.ones(9), return_eigenvectors=False).real.round(9)
    array([8.])
    """
    if options.get("v0") is None:
        raise TypeError("eigs: no v0; need a start, (n,)")
    drawn = {"rng": np.random.default_rng(0)} if _DRAWS else {}
    return linalg.eigs(matrix, **drawn, **options)
