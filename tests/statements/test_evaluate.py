"""Expressions as functions of their symbols by place."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.pycode import MpmathPrinter

from theorylab.statements import by_place, evaluate, spelled
from theorylab.symbols import T, n

FRACTION = sp.Symbol("\\frac{a}{b}", positive=True)  # no Python name
OTHER = sp.Symbol("lambda", positive=True)  # a keyword


@pytest.mark.parametrize(
    ("printer", "names"),
    [(NumPyPrinter, {"numpy": np}), (MpmathPrinter, {**vars(mpmath), "mpmath": mpmath})],
)
def test_symbols_are_arguments_by_place_whatever_their_names(printer, names):
    expr = FRACTION**2 / OTHER + sp.sqrt(OTHER)
    function = by_place(expr, [OTHER, FRACTION], printer, names)
    assert float(function(4.0, 6.0)) == 36 / 4 + 2
    assert float(by_place(expr, [FRACTION, OTHER], printer, names)(6.0, 4.0)) == 36 / 4 + 2


def test_a_number_in_an_expression_has_all_digits():
    third = evaluate(sp.Rational(1, 3) + 0 * FRACTION, {})
    with mpmath.workdps(60):
        assert abs(third - mpmath.mpf(1) / 3) < mpmath.mpf(10) ** -49


def test_a_symbol_without_a_value_is_named():
    with pytest.raises(ValueError, match="no value for n; need every symbol"):
        evaluate(T + n, {T: 1.0})


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (mpmath.mpf(1) / 3, "0.333333"),
        (mpmath.mpf(0), "0"),
        (mpmath.mpf(10) ** -127, "1e-127"),
        (mpmath.mpf(10) ** -2089, "10^-2089.0"),
        (mpmath.mpf(10) ** 873 * 2, "10^873.3"),
        (-(mpmath.mpf(10) ** 873), "-10^873.0"),
    ],
)
def test_a_number_that_no_float_holds_is_spelled_by_its_power(number, text):
    assert spelled(number) == text
