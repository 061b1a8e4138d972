import math
from fractions import Fraction

import pytest
import sympy as sp

from theorylab.statements.pdbo._mu import MU, MU_HGP, mu_after
from theorylab.statements.pdbo._symbols import eta_A, vr_alpha, vr_beta

EPS = 2.0**-52
a, b, x = sp.symbols("a b x", positive=True)  # alpha, beta, eta_A
g = 1 - b + b * x


def value(expression, eta, alpha=0.5, beta=0.5):
    return float(expression.subs({eta_A: eta, vr_alpha: alpha, vr_beta: beta}))


def geometric(ratio):
    """sum over k >= 1 of ratio^k, for |ratio| < 1."""
    return ratio / (1 - ratio)


def test_mu_is_the_sum_of_lemma_7s_squares():
    # k = M - i. (30): (1-a)^2 a^(2k), k >= 0. (31): (x (1-a) b / (a-g))^2 (a^k - g^k)^2, k >= 1
    first = (1 - a) ** 2 * (1 + geometric(a**2))
    squares = geometric(a**2) + geometric(g**2) - 2 * geometric(a * g)
    second = (x * (1 - a) * b / (a - g)) ** 2 * squares
    printed = MU.subs({eta_A: x, vr_alpha: a, vr_beta: b}) ** 2
    assert sp.cancel(8 * (first + second) - printed) == 0


def test_mu_of_hgp_is_the_sum_of_lemma_9s_squares():
    # (35): x^(2i), i >= 0; (36): (x / (1-x))^2 x^(2i); both times (1-x)^2
    total = (1 - x) ** 2 * (1 + (x / (1 - x)) ** 2) * (1 + geometric(x**2))
    assert sp.cancel(8 * total - MU_HGP.subs(eta_A, x) ** 2) == 0


def test_the_two_limits_do_not_commute():
    printed = MU.subs({eta_A: x, vr_alpha: a, vr_beta: b})
    assert sp.limit(printed.subs({x: sp.Rational(1, 2), b: sp.Rational(1, 3)}), a, 1) == 0
    assert sp.simplify(sp.limit(printed.subs(a, sp.Rational(9, 10)) ** 2, b, 0)) == sp.Rational(
        8, 19
    )
    for beta in (0.0, 0.3, 1.0):  # M = 400: eta^400 is below the rounding of the 800 terms
        assert abs(mu_after(400, 0.8, 1.0, beta) / value(MU_HGP, 0.8) - 1) <= 800 * EPS


def by_lemma_5(last, eta, alpha, beta):
    """mu^2 / 8 from Lemma 5's coefficients, every norm at its largest, in rationals."""
    h = 1 - beta + beta * eta
    total = Fraction(0)
    for i in range(last + 1):
        R3 = alpha ** (last - i + 1) * eta**i
        R3 += (1 - alpha) * alpha ** (last - i) * sum(eta**j for j in range(i + 1))
        total += R3**2
    for i in range(last):
        js = range(i + 1, last + 1)
        L4 = sum(alpha ** (last - j + 1) * eta ** (j - i - 1) for j in js)
        for j in js:
            inner = sum(h ** (j - k) * eta ** (k - i - 1) for k in range(i + 1, j + 1))
            L4 += (1 - alpha) * (1 - beta) * alpha ** (last - j) * inner
        L5 = (1 - alpha) * beta * sum(alpha ** (last - j) * h ** (j - i - 1) for j in js)
        R1 = h**i + sum(h ** (i - j) * (beta + (1 - beta) * eta**j) for j in range(1, i + 1))
        total += eta**2 * (L4 * eta**i + L5 * R1) ** 2
    return (1 - eta) ** 2 * total


@pytest.mark.parametrize("last", [0, 1, 2, 7])
@pytest.mark.parametrize(("alpha", "beta"), [(".9", ".1"), (".5", "1"), ("1", "0"), ("0", "1")])
@pytest.mark.parametrize("eta", [".2", ".75"])
def test_before_the_limit_it_is_lemma_5_with_every_norm_at_its_largest(last, alpha, beta, eta):
    wanted = math.sqrt(8 * by_lemma_5(last, Fraction(eta), Fraction(alpha), Fraction(beta)))
    found = mu_after(last, float(eta), float(alpha), float(beta))
    # positive terms: a few roundings each of the (last + 1)^2 products
    assert abs(found / wanted - 1) <= 20 * (last + 1) ** 2 * EPS


def test_with_many_terms_it_is_the_printed_mu_and_with_few_it_is_not():
    printed = value(MU, 0.5, 0.9, 0.1)  # g = .95
    assert abs(mu_after(1500, 0.5, 0.9, 0.1) / printed - 1) <= 1e-12
    assert mu_after(20, 0.5, 0.9, 0.1) > 1.2 * printed
    near = value(MU, 0.5, 0.999, 0.001)
    assert near < 0.1
    assert mu_after(50, 0.5, 0.999, 0.001) > 0.9 * value(MU_HGP, 0.5)


def test_alpha_equal_to_the_contraction_is_no_exception():
    wanted = 8 * by_lemma_5(5, Fraction("0.5"), Fraction("0.75"), Fraction("0.5"))
    assert abs(mu_after(5, 0.5, 0.75, 0.5) / math.sqrt(wanted) - 1) <= 100 * EPS


@pytest.mark.parametrize("bad", [(-1, 0.5, 0.5, 0.5), (3, 1.0, 0.5, 0.5), (3, 0.5, 1.1, 0.5)])
def test_numbers_out_of_range_are_named(bad):
    with pytest.raises(ValueError, match="mu_after: M is "):
        mu_after(*bad)
