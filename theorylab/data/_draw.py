"""What the partitions share: checked options, the shuffle, and Dirichlet weights."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from theorylab.kernels import Stream

IntArray = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
# One stream, one step number per use: no two uses read the same draws.
GAMMA, POWER, SHUFFLE, CLASSES = range(4)
COARSE_GAMMA, COARSE_POWER, FINE_GAMMA, FINE_POWER, PICK_COARSE, PICK_FINE = range(4, 10)
SHUFFLE_TEST = 10


def shuffled(samples: int, seed: int, step: int = SHUFFLE) -> IntArray:
    """A permutation of 0 .. samples - 1, drawn from (seed, step)."""
    keys = Stream(seed, "partition").uniform(1, 1, 0, step, samples)[0, 0]
    return np.argsort(keys, kind="stable")


def log_gamma_variates(body: Floats, power: Floats, alpha: float) -> Floats:
    """Logarithms of Gamma(alpha) variates from uniforms in [0, 1): normalised, a Dirichlet draw.

    Gamma(alpha) = Gamma(alpha + 1) U^(1/alpha) in the log domain: for small alpha every gamma
    variate underflows, and their shares would be 0/0. 1 - u lies in (0, 1].
    """
    from scipy.special import gammainccinv  # slow to import

    logs: Floats = np.log(gammainccinv(alpha + 1, 1 - body)) + np.log(1 - power) / alpha
    return logs


def integer(where: str, name: str, value: Any, at_least: int) -> int:
    """``value`` as an int >= ``at_least``; TypeError or ValueError, one line, otherwise."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{where}: {name} is {type(value).__name__}; need an integer")
    if value < at_least:
        raise ValueError(f"{where}: {name} is {value}; need an integer >= {at_least}")
    return int(value)


def positive(where: str, name: str, value: Any) -> float:
    """``value`` as a finite float > 0; TypeError or ValueError, one line, otherwise."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{where}: {name} is {type(value).__name__}; need a number > 0")
    if not 0 < float(value) < math.inf:
        raise ValueError(f"{where}: {name} is {value!r}; need a finite number > 0")
    return float(value)


def whole(where: str, name: str, values: Any, samples: int | None = None) -> IntArray:
    """A vector of integers, one a sample, as int64; TypeError or ValueError otherwise."""
    made = np.asarray(values)
    if made.dtype.kind not in "iu":
        raise TypeError(f"{where}: {name} have dtype {made.dtype}; need integers")
    if made.ndim != 1 or (samples is not None and len(made) != samples):
        need = "(m,)" if samples is None else f"({samples},), one for each label"
        raise ValueError(f"{where}: {name} have shape {made.shape}; need {need}")
    return made.astype(np.int64)


def checked(where: str, labels: Any, clients: int, seed: int) -> IntArray:
    """The labels, after checking that every client can get a sample."""
    made = whole(where, "labels", labels)
    integer(where, "seed", seed, 0)
    if len(made) < integer(where, "clients", clients, 1):
        raise ValueError(
            f"{where}: {len(made)} samples for {clients} clients; need at least one for each"
        )
    return made
