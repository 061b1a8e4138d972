"""Functions of a bound in a script: NumPy's words, and a line where it has none."""

import numpy as np
import pytest
import sympy as sp

from theorylab.scripts import UnscriptedError
from theorylab.scripts.bound import formula
from theorylab.symbols import T, eta

k, j = sp.symbols("k j", integer=True)


@pytest.mark.parametrize(
    ("expr", "right"),
    [
        (sp.Product(1 - eta / k, (k, 1, T)), 0.5 * 0.75 * (1 - 0.5 / 3)),
        (sp.Product(k + j * eta, (k, 1, j), (j, 1, 2)), 1.5 * (2 * 3)),
        (2 * sp.Product(eta, (k, 2, 1)), 2.0),
    ],
)
def test_a_product_is_one_of_numpy(expr, right):
    text = formula(expr, {T: "T", eta: "eta"})
    assert eval(text, {"np": np, "T": 3, "eta": 0.5}) == pytest.approx(right, rel=1e-15)


@pytest.mark.parametrize(
    ("expr", "why"),
    [
        (sp.harmonic(T), "a function that NumPy has no word for"),
        (sp.Sum(eta**k, (k, 0, sp.oo)), "a sum to infinity"),
    ],
)
def test_what_numpy_cannot_say_is_one_line(expr, why):
    with pytest.raises(UnscriptedError, match=why):
        formula(expr, {T: "T", eta: "eta"})
