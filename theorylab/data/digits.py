"""1797 real 8x8 images of handwritten digits, in 10 classes, from scikit-learn's own files.

Source: E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI, 1998 (its test
set), as shipped by scikit-learn: no download.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from theorylab.extras import need


class Digits(NamedTuple):
    """Read-only arrays.

    features: (1797, 65) float64: pixel / 16, in [0, 1] and exact in binary, then a constant 1, so
        that a linear model has a bias. labels: (1797,) int64 in 0..9.
    """

    features: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int64]


@functools.cache
def digits() -> Digits:
    """Load the images. Raises MissingExtraError, one line, without scikit-learn."""
    need("digits", "sklearn")
    from sklearn.datasets import load_digits  # it costs a second, and most runs never need it

    raw: Any = load_digits()
    pixels = raw.data.astype(np.float64) / 16
    features = np.concatenate([pixels, np.ones((len(pixels), 1))], axis=1)
    labels = raw.target.astype(np.int64)
    features.flags.writeable = labels.flags.writeable = False  # the cache is shared
    return Digits(features, labels)
