"""Expressions as functions of their symbols by place."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.pycode import MpmathPrinter

from theorylab.statements import TooLongError, by_place, enclosed, evaluate, spelled, within
from theorylab.symbols import K, T, n

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


STEP = sp.Symbol("k", integer=True)


def test_a_sum_has_all_digits_and_no_silent_zero():
    with mpmath.workdps(60):
        harmonic = evaluate(sp.Sum(1 / STEP, (STEP, 1, K)), {K: 3})
        assert abs(6 * harmonic - 11) < mpmath.mpf(10) ** -48
        small = evaluate(sp.Sum(sp.Integer(2) ** (-STEP), (STEP, K, K)), {K: 2000})
        assert small == mpmath.mpf(2) ** -2000
        assert evaluate(sp.Integer(2) ** (-K), {K: 2000}) == mpmath.mpf(2) ** -2000


@pytest.mark.parametrize(
    ("limits", "value"),
    [
        ([(STEP, 1, 4)], 1 + 2 + 3 + 4),
        ([(STEP, 5, 4)], 0),
        ([(STEP, 1, OTHER), (OTHER, 1, 3)], 1 + (1 + 2) + (1 + 2 + 3)),
        ([(STEP, 1, K), (OTHER, 1, K)], 3 * (1 + 2 + 3)),
    ],
)
def test_sums_are_nested_as_their_limits_say(limits, value):
    expr = sp.Sum(STEP, *limits)
    assert evaluate(expr, dict.fromkeys(expr.free_symbols, 3)) == value
    floats = by_place(expr, [K], NumPyPrinter, {"numpy": np})
    assert floats(3) == floats(3) == value  # its terms are counted anew


def test_a_sum_of_too_many_terms_is_refused_before_it_is_begun():
    for limits in ([(STEP, 1, 10**9)], [(STEP, 1, 10**9), (OTHER, 1, 10**9)]):
        with pytest.raises(TooLongError, match="terms; need at most 200000"):
            evaluate(sp.Sum(STEP, *limits), {})
    with pytest.raises(TooLongError, match="terms; need at most 200000"):  # each of them is short
        evaluate(sp.Sum(STEP, (STEP, 1, 1000), (OTHER, 1, 1000)), {})


def test_a_sum_is_refused_where_the_terms_of_a_check_are_spent():
    long = sp.Sum(STEP, (STEP, 1, 100_000))
    with within(10), pytest.raises(TooLongError, match="have more than 10 terms together"):
        evaluate(long, {})
    assert evaluate(long, {}) == 100_000 * 100_001 // 2  # nothing of the limit is left


@pytest.mark.parametrize(
    ("expr", "why"),
    [
        (sp.Sum(1 / STEP, (STEP, 1, sp.oo)), "the sum to infinity diverges"),
        (sp.Sum(1 / STEP, (STEP, -sp.oo, 1)), "need a finite end"),
        (sp.Sum(STEP, (STEP, 1, T)), "need integers"),
        (sp.Integral(1 / STEP, (STEP, 1, T)), "closed form"),
    ],
)
def test_what_has_only_an_estimate_is_no_number(expr, why):
    with pytest.raises(ValueError, match=why) as caught:
        evaluate(expr, {T: 2.5} if T in expr.free_symbols else {})
    assert not isinstance(caught.value, TooLongError)


@pytest.mark.parametrize(
    ("expr", "values"),
    [
        (sp.log(T - 2), {T: 2.0}),  # mpmath gives -inf, and any loss is above that
        (T, {T: np.inf}),
        (1 / T, {T: np.nan}),
        (T / (1 + T), {T: np.inf}),
        (1 / (T - 2), {T: 2.0}),
        (sp.sqrt(T - 3), {T: 2.0}),
    ],
)
def test_no_infinity_nan_or_complex_number_is_the_value_of_a_bound(expr, values):
    with pytest.raises(ValueError, match="has no finite real value here"):
        evaluate(expr, values)


@pytest.mark.parametrize("value", [2.5, np.inf, np.nan])
def test_an_integer_symbol_takes_integers_alone(value):
    with pytest.raises(ValueError, match=r"n is .*; need an integer"):
        evaluate(n + 1, {n: value})


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (sp.Sum(1 / STEP, (STEP, 1, K)) * sp.log(1 + OTHER) ** 2, 4.0),  # a ball is as narrow
        ((K + OTHER * sp.Integer(10) ** -60 - T) * K, 3.0),  # digits cancel: the ball is wider
        (sp.Integer(2) ** -(K**2) + 0.1 * OTHER, 30.0),  # a decimal is its float64
        (sp.Max(OTHER, K) ** sp.Rational(1, 3), 7.0),
    ],
)
def test_a_number_has_its_digits_whether_a_ball_gives_them_or_not(expr, value):
    found = evaluate(expr, dict.fromkeys(expr.free_symbols, value))
    with mpmath.workdps(200):
        names = {**vars(mpmath), "mpmath": mpmath}
        order = sorted(expr.free_symbols, key=str)
        exact = by_place(expr, order, MpmathPrinter, names)(*(mpmath.mpf(value) for _ in order))
        assert abs(found - exact) <= mpmath.mpf(10) ** -50 * max(abs(exact), 10**-8)


@pytest.mark.parametrize(
    "decimal",
    [sp.Float("1e-400"), sp.Float("1e400"), sp.Float("1.1e-320"), sp.Float(0.5) ** 10**6],
    ids=["below", "beyond", "denormal", "power"],
)
def test_a_decimal_that_no_float_holds_keeps_its_value(decimal):
    with mpmath.workdps(60):
        exact = mpmath.mpf(tuple(map(int, decimal._mpf_)))
        whole = decimal * FRACTION + decimal
        for expr, value in ((whole, 2 * exact), (1 / whole, 1 / (2 * exact))):
            assert abs(evaluate(expr, {FRACTION: 1.0}) / value - 1) < 1e-45
    assert enclosed(decimal * FRACTION, {FRACTION: (Fraction(1), Fraction(1))}, 64) is None
