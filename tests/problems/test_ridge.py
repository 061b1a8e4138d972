"""Ridge: a triangle wave for a gradient."""

import numpy as np
import pytest

from theorylab.problems import Ridge


@pytest.mark.parametrize(
    ("x", "slope"), [(0.25, -0.5), (-1.0, 2.0), (1.5, -1.0), (2.0, 0.0), (3.5, 1.0), (4.0, 0.0)]
)
def test_its_gradient_is_a_triangle_wave(x, slope):
    p = Ridge(1, scale=2.0, radius=1.0)
    assert p.gradient(np.array([[[x]]])).item() == slope


@pytest.mark.parametrize("options", [{"scale": 0.0}, {"radius": -1.0}])
def test_a_wrong_option_is_one_line(options):
    with pytest.raises(ValueError, match="need both > 0"):
        Ridge(2, **options)
