"""Balls enclose what fractions say exactly, and decide nothing that they leave open."""

import itertools
import math
import random
from fractions import Fraction

import flint
import numpy as np
import pytest

from theorylab.scripts.arrays_of_balls import Balls, ball, over, power
from theorylab.scripts.balls import (
    MOST_WORK,
    Ball,
    UndecidedError,
    UnenclosedError,
    Work,
    bits_of_balls,
    larger,
    smaller,
)
from theorylab.scripts.numpy_of_balls import MAPPED, NUMPY, PASSED

WIDE = Ball(flint.arb(0.5, 0.25))  # somewhere in [1/4, 3/4]


@pytest.fixture(autouse=True)
def precision():
    before = bits_of_balls(128)
    yield
    bits_of_balls(before)


def drawn(*shape, seed=1):
    return np.random.default_rng(seed).uniform(0.5, 2.0, shape)


def holds(found, exact):
    low, high = map(Fraction, found.ends)
    return low <= exact <= high


def near(found, floats):
    """Every number of ``found`` is within some thousand roundings of what NumPy has."""
    assert np.shape(found) == np.shape(floats)
    pairs = zip(np.ravel(np.asarray(found, object)), np.ravel(floats), strict=True)
    for enclosed, number in pairs:
        low, high = enclosed.ends
        assert low - 1e-12 * abs(number) <= number <= high + 1e-12 * abs(number)
        assert high - low <= 1e-15 * abs(high)


def test_chains_of_operations_hold_the_exact_fraction():
    picked = random.Random(1)
    for _ in range(200):
        exact, found = Fraction(1, 3), over(1, 3)
        for _ in range(40):
            number = Fraction(picked.randint(1, 99), picked.randint(1, 99))
            step = picked.choice("+-*/")
            exact, found = (
                {"+": a + b, "-": a - b, "*": a * b, "/": a / b}[step]
                for a, b in ((exact, number), (found, ball(number)))
            )
        assert holds(found, exact)


def test_what_cancels_leaves_the_radius_of_what_was_there():
    third = Ball(flint.arb(1) / 3)  # with a radius
    rest = (third * 3 - 1) * 2**200
    low, high = rest.ends
    assert low < 0 < high
    with pytest.raises(UndecidedError):
        bool(rest == 0)


def test_a_fraction_stays_one_while_it_is_short():
    thirds = over(1, 3) + over(1, 3) + over(1, 3)
    assert thirds == 1
    assert ball(0.1) * 10 != 1  # the float next to a tenth
    assert type(power(ball(0.1), 400).x) is flint.arb
    assert int(thirds) == 1


COMPARED = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@pytest.mark.parametrize("sign", COMPARED)
def test_a_comparison_is_decided_or_refused(sign):
    compare = COMPARED[sign]
    for number in (Fraction(1, 8), Fraction(7, 8)):
        exact = {compare(Fraction(1, 4), number), compare(Fraction(3, 4), number)}
        assert {compare(WIDE, ball(number))} == exact
    for number in (Fraction(1, 4), Fraction(1, 2)):
        decided = sign in ("<", ">=") and number == Fraction(1, 4)
        if decided:
            continue
        with pytest.raises(UndecidedError):
            compare(WIDE, ball(number) + Ball(flint.arb(0, 0.5)))


def test_the_larger_one_of_two_open_numbers_is_around_both():
    for low, high in itertools.product((0.3, 0.6, 0.9), repeat=2):
        a, b = (Ball(flint.arb(x, 0.2)) for x in (low, high))
        most, least = larger(a, b).ends, smaller(a, b).ends
        for x, y in itertools.product((-0.2, 0.0, 0.2), repeat=2):
            assert most[0] <= max(low + x, high + y) + 1e-15 <= most[1] + 1e-8
            assert least[0] - 1e-8 <= min(low + x, high + y) - 1e-15 <= least[1]
    assert larger(2, 3) == 3
    assert larger(ball(0.5), 0) == 0.5


def test_the_ends_are_floats_outside():
    low, high = over(1, 3).ends
    assert Fraction(low) < Fraction(1, 3) < Fraction(high)
    assert high == math.nextafter(low, 1)
    assert ball(0.5).ends == (0.5, 0.5)
    assert math.isnan(Ball(flint.arb(1) / flint.arb(0, 1)).ends[0])


def test_powers_of_a_ball_around_0_enclose():
    around = Ball(flint.arb(0, 0.5))
    for k in range(1, 8):
        low, high = (around**k).ends
        assert low <= min(0, (-0.5) ** k)
        assert 0.5**k <= high < 0.6
    assert power(2, -3) == Fraction(1, 8)
    assert power(2, 3) == 8
    assert (ball(2) ** ball(0.5)).ends[0] == pytest.approx(math.sqrt(2), rel=1e-15)


@pytest.mark.parametrize("name", MAPPED)
def test_functions_of_numbers_are_numpys(name):
    x = drawn(2, 3)
    near(getattr(NUMPY, name)(x), getattr(np, name)(x))
    near(getattr(NUMPY, name)(ball(x[0, 0])), getattr(np, name)(x[0, 0]))


A, b, c = drawn(3, 3), drawn(3, seed=2), drawn(2, 3, 3, seed=3)
CALLS = {
    "mean": ((c,), {"axis": -2, "keepdims": True}),
    "sum": ((c, -1), {}),
    "max": ((A, 0), {}),
    "maximum": ((A, 1.0), {}),
    "clip": ((A, 0.8, 1.2), {}),
    "resize": ((A, (2, 6)), {}),
    "log10": ((A,), {}),
    "logaddexp": ((A, b), {}),
    "full": (((2, 2), 0.3), {}),
    "zeros": ((3,), {}),
    "eye": ((2, 3), {}),
    "zeros_like": ((A,), {}),
    "einsum": (("ij,ajk->aik", A, c), {}),
    "kron": ((A, b), {}),
    "cumsum": ((b,), {}),
    "prod": ((b,), {}),
    "trace": ((A,), {}),
    "pad": ((A, (0, 1)), {}),
    "delete": ((A, range(1, 2), 1), {}),
    "linalg.norm": ((c,), {"axis": -1, "keepdims": True}),
    "linalg.solve": ((A, b), {}),
    "linalg.matrix_power": ((A, 7), {}),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_arrays_are_numpys(name):
    given, keep = CALLS[name]
    balls = tuple(ball(x) if isinstance(x, np.ndarray | float) else x for x in given)
    ours, theirs = NUMPY, np
    for part in name.split("."):
        ours, theirs = getattr(ours, part), getattr(theirs, part)
    near(ours(*balls, **keep), theirs(*given, **keep))


@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (3, 2)])
def test_the_norm_of_a_matrix_is_its_largest_singular_value(shape):
    M = drawn(*shape)
    near(NUMPY.linalg.norm(ball(M), 2), np.linalg.norm(M, 2))
    both = drawn(2, 2, *shape)
    near(NUMPY.linalg.norm(ball(both), 2, axis=(2, 3)), np.linalg.norm(both, 2, axis=(2, 3)))


def test_eigenvalues_are_those_of_a_triangle():
    triangle = np.diag([0.5, -0.75, 0.25]) + np.triu(np.ones((3, 3)), 1)
    sizes = abs(NUMPY.linalg.eigvals(ball(triangle)))
    near(sorted(sizes, key=lambda e: e.ends), np.array([0.25, 0.5, 0.75]))


def test_a_singular_matrix_of_fractions_has_its_least_squares():
    M, y = [[1, 2], [2, 4]], [1, 1]  # the nearest is (3/5, 6/5): 2/5 and -1/5 are left
    (x,) = NUMPY.linalg.lstsq(ball(M), ball(y), rcond=1e-10)
    rest = ball(M) @ x - ball(y)
    assert rest[0] == Fraction(-2, 5)
    assert rest[1] == Fraction(1, 5)
    with pytest.raises(UndecidedError):
        NUMPY.linalg.lstsq(NUMPY.sqrt(ball(M)), ball(y))


def test_a_line_is_fitted_exactly():
    slope, start = NUMPY.polyfit(ball([1, 2, 4]), ball([3, 5, 8]), 1)
    assert slope == Fraction(23, 14)  # by hand: sum of 23/3 over 14/3
    assert start == Fraction(16, 3) - slope * Fraction(7, 3)


def test_a_large_matrix_is_the_same_by_flint_and_by_hand():
    M, v = drawn(9, 9, seed=4), drawn(9, seed=5)
    by_hand = [sum(Fraction(p) * Fraction(q) for p, q in zip(row, v, strict=True)) for row in M]
    for found, exact in zip(ball(M) @ ball(v), by_hand, strict=True):
        assert holds(found, exact)
    near(ball(M) @ ball(M), M @ M)


def test_an_array_of_floats_has_no_float_in_it():
    for made in (NUMPY.array([1, 0.5]), NUMPY.eye(2), NUMPY.r_[ball([1.0]), 1], NUMPY.ones(2)):
        assert type(made) is Balls
        assert all(type(entry) is Ball for entry in made.flat)
    assert (NUMPY.ones(3) / 3).sum() == 1
    assert NUMPY.array([1, 2]).dtype.kind == "i"
    assert np.asarray(ball([0.5]) > 0).dtype == bool


def test_what_takes_too_long_is_refused():
    Work.left = 200
    try:
        NUMPY.ones((5, 5))
        with pytest.raises(UnenclosedError, match="too many operations"):
            NUMPY.ones((20, 20))
    finally:
        Work.left = MOST_WORK


def test_what_numpy_does_itself_divides_and_compares_nothing():
    assert not {"mean", "maximum", "sort", "argmax", "divide", "std", "round"} & set(PASSED)
