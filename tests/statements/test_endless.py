"""Sums to infinity: a ball around each, against closed forms; what diverges says so."""

from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from flint import arb, ctx

from theorylab.statements import TooLongError, enclosed, evaluate
from theorylab.symbols import T, eta

k = sp.Symbol("k", integer=True)
oo = sp.oo
X, DIGITS = Fraction(3, 10), 45


def numbers(expr):
    return {s: {T: Fraction(6), eta: X}[s] for s in expr.free_symbols}


def sums():
    """(term, first, right value to 40 digits, how wide its ball may be)"""
    m = mpmath
    m.mp.dps = DIGITS
    x, log3 = m.mpf(3) / 10, 1e-40
    yield 1 / k**2, 1, m.pi**2 / 6, log3
    yield (k + 1) ** sp.Rational(-3, 2), 0, m.zeta(m.mpf(3) / 2), log3
    yield (3 * k + 2) ** -sp.Integer(2), 0, m.zeta(2, m.mpf(2) / 3) / 9, log3
    yield 1 / (k**2 + 1), 0, (1 + m.pi * m.coth(m.pi)) / 2, 1e-10
    yield 1 / (k * (k + 1)), 1, m.mpf(1), 1e-10
    yield 1 / (k * (k + 2)), 1, m.mpf(3) / 4, 1e-10
    yield 5 * eta**k, 3, 5 * x**3 / (1 - x), log3
    yield k * eta**k, 0, x / (1 - x) ** 2, log3
    yield k**2 * eta ** (2 * k), 0, x**2 * (1 + x**2) / (1 - x**2) ** 3, 1e-30
    yield (k**2 + 1) * eta**k, 0, x * (1 + x) / (1 - x) ** 3 + 1 / (1 - x), 1e-30
    yield sp.exp(-eta * k), 0, 1 / (1 - m.exp(-x)), log3
    yield eta**k / sp.factorial(k), 0, m.exp(x), log3
    yield (-eta) ** k / sp.factorial(k), 0, m.exp(-x), 1e-30
    yield eta**k / sp.gamma(k + 1), 2, m.exp(x) - 1 - x, log3
    half = m.sqrt(m.pi)  # 1/Gamma(1/2) + 1/Gamma(3/2) + .. = 1/sqrt(pi) + e erf(1)
    yield 1 / sp.gamma(k + sp.Rational(1, 2)), 0, 1 / half + m.e * m.erf(1), log3
    yield sp.log(k) / k**2, 1, -m.zeta(2, 1, 1), log3
    yield sp.log(2 * k) ** 2 / (2 * k) ** 2, 1, _logs(), 1e-38
    yield (-1) ** k / k**2, 1, -(m.pi**2) / 12, log3
    yield (-1) ** k / k, 1, -m.log(2), log3
    yield eta**k + 1 / k**3, 1, x / (1 - x) + m.zeta(3), log3
    yield sp.Rational(999999, 1000000) ** k * k, 1, m.mpf(999999) * 10**6, 1e-30
    yield eta / (k + T) ** 2, 1, x * m.zeta(2, 7), log3


def _logs():
    """sum log(2k)^2 / (2k)^2 by derivatives of zeta"""
    z0, z1, z2 = mpmath.zeta(2), -mpmath.zeta(2, 1, 1), mpmath.zeta(2, 1, 2)
    log2 = mpmath.log(2)
    return (log2**2 * z0 + 2 * log2 * z1 + z2) / 4


SUMS = list(sums())


@pytest.mark.parametrize(("term", "first", "right", "width"), SUMS, ids=lambda each: str(each)[:30])
def test_a_sum_to_infinity_is_enclosed(term, first, right, width):
    expr = sp.Sum(term, (k, first, oo))
    found = evaluate(expr, numbers(expr))
    with mpmath.workdps(DIGITS):
        assert abs(found - right) <= max(width, 1e-40) * abs(right)
    ball = enclosed(expr, {s: (v, v) for s, v in numbers(expr).items()}, 192)
    with ctx.workprec(192):
        assert abs(ball - arb(mpmath.nstr(right, DIGITS))).lower() <= 1e-38 * abs(float(right))
        assert ball.rad() <= width * abs(float(right))


@pytest.mark.parametrize("term", [1 / (k**2 * sp.log(k)), sp.sqrt(sp.log(k)) / k**3])
def test_a_ball_without_a_closed_form_contains_long_partial_sums(term):
    """The rest after 20,000 terms, all positive, is below that of 1/k^(1.9)."""
    ball = enclosed(sp.Sum(term, (k, 2, oo)), {}, 100)
    float_of = sp.lambdify(k, term, "math")
    partial = sum(float_of(j) for j in range(2, 20_000))
    assert float(ball.upper()) >= partial
    assert float(ball.lower()) <= partial + 20_000**-0.9 / 0.9


@pytest.mark.parametrize(
    ("term", "why"),
    [
        (1 / k, r"diverges: its terms fall like k\^-1\)"),
        (1 / sp.sqrt(k), r"diverges: its terms fall like k\^-0\.5"),
        (sp.log(k) / k, "diverges: its terms fall like"),
        (1 / (k * sp.log(k)), "diverges: its terms fall like"),
        (sp.Integer(2) ** k / k**9, "diverges: its terms grow"),
        (sp.factorial(k) * eta**k, "diverges: its terms grow"),
        ((1 + 1 / k) ** 2, "diverges: its terms do not tend to 0"),
        (1 / (k * sp.log(k) ** 2), r"no bound of the rest of a sum is known whose terms fall like"),
        (
            1 / (k**2 * sp.log(k)),
            r"all that is known of a sum to infinity is that it lies in \[0\.6",
        ),
        (k**-k, "no bound is known of the rest of a sum of k"),
        (sp.sin(k) / k**2, "no bound is known of the rest of a sum of sin"),
    ],
)
def test_a_sum_without_a_number_says_why(term, why):
    expr = sp.Sum(term, (k, 2, oo))
    with pytest.raises(ValueError, match=why) as caught:
        evaluate(expr, numbers(expr))
    assert not isinstance(caught.value, TooLongError)


def test_digits_of_a_sum_that_cancel_are_no_number():
    near = sp.Sum((k**2 + 1) ** sp.Rational(-3, 4), (k, 0, oo))  # a ball of 1e-9
    value = evaluate(near, {})
    rounded = sp.Rational(round(Fraction(str(value)), 8))
    assert abs(evaluate(2 * near + 1, {}) - 2 * value - 1) < 1e-40
    for expr in (near - rounded, 1 / (1 + 10**6 * (near - rounded))):
        with pytest.raises(ValueError, match="digits of a sum to infinity cancel"):
            evaluate(expr, {})


def test_a_sum_of_parts_that_diverge_alone_is_not_called_divergent():
    with pytest.raises(ValueError, match=r"a part of the sum .* none by itself; need one fraction"):
        evaluate(sp.Sum(1 / (2 * k + 1) - 1 / (2 * k + 2), (k, 0, oo)), {})


def test_a_ratio_that_rounding_leaves_at_one_decides_nothing():
    spans = {eta: (Fraction(9, 10), Fraction(11, 10))}
    assert enclosed(sp.Sum(eta**k, (k, 0, oo)), spans, 192) is None


def test_a_wide_ratio_gives_a_ball_of_all_sums():
    ball = enclosed(sp.Sum(eta**k, (k, 0, oo)), {eta: (Fraction(1, 4), Fraction(1, 2))}, 192)
    assert float(ball.lower()) <= 4 / 3 < 2 <= float(ball.upper())


def test_a_sum_to_infinity_stands_within_another_sum():
    j = sp.Symbol("j", integer=True)
    inner = sp.Sum(sp.Rational(1, 2) ** (k * j), (k, 0, oo))
    found = evaluate(sp.Sum(inner, (j, 1, 3)), {})
    assert abs(found - (mpmath.mpf(2) + mpmath.mpf(4) / 3 + mpmath.mpf(8) / 7)) < 1e-14


@pytest.mark.parametrize(
    "expr",
    [sp.Product(1 - 1 / k**2, (k, 2, oo)), sp.Sum(1 / k**2, (k, 1, T), (T, 1, oo))],
)
def test_what_is_endless_otherwise_needs_a_closed_form(expr):
    with pytest.raises(ValueError, match="no bound"):
        evaluate(expr, numbers(expr))
