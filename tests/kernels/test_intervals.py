"""Intervals of float64 enclose what they say, to a few ulps, or say that they do not."""

import itertools
import operator
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from theorylab import _core
from theorylab.kernels._intervals import STEPS, repeated

EXACT = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "neg": lambda a, b: -a, "abs": lambda a, b: abs(a), "max": max, "min": min,
}  # fmt: skip
CALLED = {"root": arb.sqrt, "exp": arb.exp, "log": arb.log, "tanh": arb.tanh}
ODD = [0.0, 5e-324, 1e-310, 2.0**-1022, 1e-160, 1 - 2.0**-53, 1.0, 1 + 2.0**-52, 3.0, 0.1, 1e150]


def played(name, a, b):
    """Of intervals a and b, rows of ends, the operation once each."""
    count, kind = len(a), STEPS.index(name)
    steps = [(kind, i, count + i) for i in range(count)]
    after = [2 * count + i for i in range(count)]
    return repeated(steps, [*after, *after], 1, np.concatenate([a, b]))[:count]


def intervals(count, low, high, seed):
    """Half of them are points; others have widths of all sizes."""
    rng = np.random.default_rng(seed)
    first = rng.uniform(low, high, count)
    wide = first + np.abs(first) * 10.0 ** rng.uniform(-17, 0, count) * (rng.random(count) < 0.5)
    return np.stack([first, np.minimum(wide, max(high, low))], -1).reshape(-1, 2)


def points(ends):
    """Numbers inside: both ends and one between them."""
    low, high = map(Fraction, ends)
    return low, (2 * low + high) / 3, high


@pytest.mark.parametrize("name", EXACT)
def test_arithmetic_encloses_every_exact_result(name):
    odd = np.array([[x, x] for x in (*ODD, *(-x for x in ODD))])
    pairs = np.array([*itertools.product(odd, odd)])
    a = np.concatenate([intervals(400, -9, 9, 1), intervals(100, -1e-160, 1e-160, 2), pairs[:, 0]])
    b = np.concatenate([intervals(400, -9, 9, 3), intervals(100, -1e-160, 1e-160, 4), pairs[:, 1]])
    if name == "div":  # what may be divided by 0, or overflows, has no interval
        far = (b[:, 0] > 1e-150) | (b[:, 1] < -1e-150)
        a, b = a[far], b[far]
    a, b = (np.stack([x.min(-1), x.max(-1)], -1) for x in (a, b))
    for x, y, (low, high) in zip(a, b, played(name, a, b).tolist(), strict=True):
        for p, q in itertools.product(points(x), points(y)):
            assert Fraction(low) <= EXACT[name](p, q) <= Fraction(high)


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("root", 0, 100), ("root", 0, 1e-300), ("exp", -3, 3), ("exp", -700, 700), ("log", 0.5, 2),
        ("exp", -800, -690), ("log", 1e-290, 1e290), ("tanh", -1, 1), ("tanh", -25, 25),
        ("tanh", -1e-9, 1e-9),
    ],
)  # fmt: skip
def test_a_function_encloses_what_arb_has_at_300_bits(name, low, high):
    x = intervals(1500, low, high, 5)
    with ctx.workprec(300):
        for ends, (least, most) in zip(x.tolist(), played(name, x, x).tolist(), strict=True):
            for point in points(ends):
                value = CALLED[name](arb(point.numerator) / arb(point.denominator))
                assert arb(least) <= value
                assert value <= arb(most)


def test_the_ends_are_a_few_ulps_from_each_other():
    for name, most in {"add": 4, "mul": 4, "div": 4, "root": 4, "exp": 20, "log": 80}.items():
        x = np.repeat(np.random.default_rng(6).uniform(1.5, 3, (500, 1)), 2, -1)
        low, high = played(name, x, x).T
        assert (high - low <= most * 2.0**-52 * np.abs(high)).all(), name


def test_a_square_is_not_below_zero_and_a_product_of_two_may_be():
    x = np.array([[-1.0, 2.0]])
    steps, kind = [(STEPS.index("mul"), 0, 0)], STEPS.index("mul")
    assert repeated(steps, [1], 1, x)[0, 0] == 0
    assert repeated([(kind, 0, 1)], [2, 2], 1, np.concatenate([x, x]))[0, 0] <= -2


def test_turns_are_a_recursion():
    """x <- x/3 + c, n times: the state of a turn is what the turn before left."""
    mul, add = STEPS.index("div"), STEPS.index("add")
    ends = np.array([[1.0, 1.0], [3.0, 3.0], [0.1, 0.1]])
    ((low, high),) = repeated([(mul, 0, 1), (add, 3, 2)], [4], 40, ends).tolist()
    exact = Fraction(1)
    for _ in range(40):
        exact = exact / 3 + Fraction(0.1)
    assert Fraction(low) <= exact <= Fraction(high)
    assert high - low < 1e-15


@pytest.mark.parametrize(
    ("name", "x"),
    [("div", [-1.0, 1.0]), ("div", [0.0, 1.0]), ("log", [0.0, 1.0]), ("log", [-1.0, 1.0]),
     ("root", [-1e-300, 1.0]), ("exp", [0.0, 701.0]), ("mul", [1e200, 1e200])],
)  # fmt: skip
def test_what_has_no_finite_ends_has_no_interval(name, x):
    ends = np.array([x])
    steps = [(STEPS.index(name), 0, 0), (STEPS.index("sub"), 0, 0), (STEPS.index("min"), 1, 0)]
    assert repeated(steps, [2], 1, ends) is None


@pytest.mark.parametrize(
    ("steps", "after", "ends"),
    [([(0, 0, 1)], [0], [[1.0, 1.0]]), ([(99, 0, 0)], [0], [[1.0, 1.0]]), ([], [1], [[1.0, 1.0]]),
     ([(0, 0, -1)], [0], [[1.0, 1.0]]), ([], [0], [[np.nan, 1.0]]), ([], [0], [[1.0, np.inf]]),
     ([], [0, 0], [[1.0, 1.0]])],
)  # fmt: skip
def test_a_tape_reads_no_slot_that_is_not_there_and_starts_from_finite_ends(steps, after, ends):
    with pytest.raises(ValueError, match=r"slots?|next|finite"):
        repeated(steps, after, 1, np.array(ends))


def test_the_kinds_are_those_of_the_kernel():
    slots = np.zeros((2, 2))
    with pytest.raises(ValueError, match="no slot before it"):
        _core.repeat_intervals(
            np.array([[len(STEPS), 0, 0]], np.int32), np.zeros(1, np.int32), 1, slots
        )
    for kind in range(len(STEPS)):
        _core.repeat_intervals(np.array([[kind, 0, 0]], np.int32), np.zeros(1, np.int32), 1, slots)


def test_squares_and_exponentials_of_many_points_hold_the_exact_number():
    drawn = np.random.default_rng(7).uniform(-20, 20, 3000)
    steps = [(STEPS.index("mul"), 0, 0), (STEPS.index("exp"), 0, 0)]
    for x in drawn.tolist():
        slots = np.array([[x, x], [0.0, 0.0]])
        low, high = repeated(steps, [2, 3], 1, slots)[0]
        assert Fraction(low) <= Fraction(x) ** 2 <= Fraction(high)
        low, high = repeated(steps, [2, 3], 1, slots)[1]
        with mpmath.workprec(200):
            assert mpmath.mpf(low) <= mpmath.exp(mpmath.mpf(x)) <= mpmath.mpf(high)
