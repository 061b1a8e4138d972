"""What independent draws refute of a mean or of a second moment, whatever their law.

A mean of m draws of E |xi|^2 <= sigma^2 is further than 2 sigma / sqrt(m) from its expectation with
chance 1/4 at most (Markov's inequality for its square), and the mean of m squares is above
4 sigma^2 with chance 1/4 at most. That every one of K separate blocks is has chance 4^-K. No
tail is assumed: an event of chance 1e-4 may carry all of the variance, and stay unseen.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CHANCE = 1e-9  # of refuting a truth


def blocks_needed(questions: int) -> int:
    """How many blocks make the chance of refuting any of so many truths at most ``CHANCE``.

    >>> blocks_needed(1), blocks_needed(8)
    (15, 17)
    """
    return math.ceil(math.log(questions / CHANCE, 4))


def off_center(means: Floats, sigma: float, size: int, room: float = 0.0) -> bool:
    """Whether blocks refute that a noise has mean 0, where E |xi|^2 <= sigma^2.

    means: (K, d), one a block of ``size`` draws. room: what rounding may add to a mean.
    """
    return bool((np.linalg.norm(means, axis=-1) > 2 * sigma / math.sqrt(size) + room).all())


def louder(squares: Floats, sigma: float, room: float = 0.0) -> bool:
    """Whether blocks refute that E |xi|^2 <= sigma^2. squares: (K,), each a block's mean |xi|^2.

    room: what rounding may add to |xi|.
    """
    return bool((np.sqrt(squares) > 2 * sigma + room).all())
