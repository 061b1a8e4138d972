"""1797 real 8x8 images of handwritten digits, in 10 classes, from scikit-learn's own files.

Source: E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI, 1998 (its test
set), as shipped by scikit-learn: no download.
"""

from __future__ import annotations

import functools
import gzip
import importlib.util
from pathlib import Path
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
    table = _table()
    pixels = table[:, :-1] / 16
    features = np.concatenate([pixels, np.ones((len(pixels), 1))], axis=1)
    labels = table[:, -1].astype(np.int64)
    features.flags.writeable = labels.flags.writeable = False  # the cache is shared
    return Digits(features, labels)


def _table() -> npt.NDArray[np.float64]:
    """(1797, 65): the pixels, 0 to 16, then the label.

    The file is read as scikit-learn reads it, and scikit-learn is not imported where its folder has
    the file: that takes longer than a check on the digits.
    """
    try:
        installed = importlib.util.find_spec("sklearn")
    except ModuleNotFoundError:  # of an import that is refused
        installed = None
    for folder in (installed and installed.submodule_search_locations) or ():
        file = Path(folder) / "datasets" / "data" / "digits.csv.gz"
        if file.is_file():
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                return np.loadtxt(lines, delimiter=",")
    need("digits", "sklearn")
    from sklearn.datasets import load_digits

    raw: Any = load_digits()
    return np.column_stack([raw.data, raw.target]).astype(np.float64)
