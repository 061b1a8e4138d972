"""All outcomes of fair signs: exact laws of noise."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def signs(total: int, first: int, *shape: int) -> NDArray[np.float64]:
    """The signs from number ``first`` on in all ``total`` outcomes of fair ones, (total, *shape).

    Bit b of an outcome's number is its sign b: 0 is +1, 1 is -1.
    """
    bits = np.arange(total)[:, None] >> (first + np.arange(math.prod(shape))) & 1
    return (1 - 2 * bits).astype(np.float64).reshape(total, *shape)
