"""One coordinate a part: a product instead of a matrix, with its bits."""

import numpy as np
import pytest

from theorylab.problems import problem


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_coordinate_for_many_runs_has_the_bits_of_few(dtype):
    tables = {"A": [[[2.0]], [[3.0]]], "B": [[[1.0]], [[5.0]]], "C": [[[0.3]], [[-0.7]]]}
    losses = problem("coupled-quadratic", 2, **tables, a=[[0.0], [1.0]], b=[[0.0], [-1.0]])
    x = np.random.default_rng(1).normal(size=(200, 2, 2)).astype(dtype)
    x[:5] = np.array([0.0, -0.0, np.inf, np.nan, 1e-300], dtype)[:, None, None]
    with np.errstate(invalid="ignore"):
        for function in (losses.gradient, lambda x: losses.partial_gradient(x, None, "v")):
            few = np.concatenate([function(part) for part in np.split(x, 50)])
            many = function(x)
            assert many.dtype == dtype
            assert np.array_equal(few, many, equal_nan=True)
            assert np.array_equal(np.signbit(few), np.signbit(many))
