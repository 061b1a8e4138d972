"""Arrays of balls are NumPy's, but for what the balls leave open."""

import itertools

import flint
import numpy as np
import pytest

from theorylab.scripts.arrays_of_balls import Balls, ball
from theorylab.scripts.balls import Ball, UndecidedError, UnenclosedError, bits_of_balls
from theorylab.scripts.numpy_of_balls import NUMPY
from theorylab.scripts.play import played

THIRDS = np.array([[0.75, -0.5, 0.25], [0.125, 0.0, -1.0]])


@pytest.fixture(autouse=True)
def precision():
    before = bits_of_balls(128)
    yield
    bits_of_balls(before)


def opened(*middles, radius=0.25):
    return ball([Ball(flint.arb(x, radius)) for x in middles])


def floats(found):
    return np.array([[*map(float, entry.ends)] for entry in found.flat]).mean(1)


def test_a_sort_is_around_every_order_that_is_left_open():
    found = NUMPY.sort(opened(0.9, 0.5, 2.0, 0.6))
    for off in itertools.product((-0.25, 0.0, 0.25), repeat=4):
        for entry, number in zip(found, sorted(np.array([0.9, 0.5, 2.0, 0.6]) + off), strict=True):
            low, high = entry.ends
            assert low - 1e-8 <= number <= high + 1e-8  # a radius has 30 bits
    widths = [high - low for low, high in (entry.ends for entry in found)]
    assert max(widths) < 0.5 + 1e-6  # no wider than its numbers


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_orders_of_fractions_are_numpys(axis):
    x = ball(THIRDS)
    for name in ("argmax", "argmin"):
        assert np.array_equal(getattr(NUMPY, name)(x, axis), getattr(np, name)(THIRDS, axis))
    most, least = NUMPY.max(x, axis), x.min((0, 1) if axis is None else axis)
    assert np.array_equal(floats(ball([most])), np.ravel(THIRDS.max(axis)))
    assert np.array_equal(floats(ball([least])), np.ravel(THIRDS.min(axis)))
    assert np.array_equal(floats(ball([NUMPY.median(x, axis)])), np.ravel(np.median(THIRDS, axis)))
    if axis is not None:
        assert np.array_equal(NUMPY.argsort(x, axis), np.argsort(THIRDS, axis))
        assert np.array_equal(floats(NUMPY.sort(x, axis)), np.sort(THIRDS, axis).ravel())


OPEN = {
    "<": lambda x: x < 0.5,
    "==": lambda x: x == x,
    "if": bool,
    "any": NUMPY.any,
    "all": lambda x: x.all(),
    "where": lambda x: NUMPY.where(x, 1, 0),
    "argwhere": NUMPY.argwhere,
    "nonzero": NUMPY.nonzero,
    "argmax": NUMPY.argmax,
    "argsort": NUMPY.argsort,
    "sign": NUMPY.sign,
    "floor": NUMPY.floor,
    "rint": lambda x: NUMPY.rint(x + 0.5),
    "NumPy's own maximum": lambda x: np.asarray(x).max(),
    "NumPy's own sort": lambda x: np.sort(np.asarray(x)),
    "Python's own": lambda x: max(x),
    "sorted": sorted,
}


@pytest.mark.parametrize("name", OPEN)
def test_what_an_array_leaves_open_is_not_decided(name):
    with pytest.raises(UndecidedError):
        OPEN[name](opened(0.1, 0.2, radius=0.5))


def test_what_an_array_hands_out_is_no_number_of_flints():
    x = opened(1.0, 2.0)
    handed = [*x, *x.flat, *x.tolist(), x[0], x[..., 0], x.sum(), x.mean(), x @ x, abs(x)[1]]
    handed += [*np.asarray(x), x.max(), NUMPY.sum(x), NUMPY.einsum("i,i->", x, x)]
    assert {type(each) for each in handed} == {Ball}


@pytest.mark.parametrize("name", ["floor", "ceil", "rint", "round"])
def test_whole_numbers_beside_fractions_and_balls_are_numpys(name):
    x = np.arange(-2.5, 2.75, 0.25)
    assert np.array_equal(floats(getattr(NUMPY, name)(ball(x))), getattr(np, name)(x))
    near = opened(-1.7, 0.4, 2.6, radius=0.05)
    assert np.array_equal(floats(getattr(NUMPY, name)(near)), getattr(np, name)([-1.7, 0.4, 2.6]))


def test_a_part_of_an_array_is_a_view_of_it():
    x, y = ball(THIRDS), THIRDS.copy()
    for each in (x, y):
        row = each[0]
        row += 1
        row[1:] *= 2
        each[:, 2] -= 0.5
        each[1] = 3
    assert np.array_equal(floats(x), y.ravel())


def test_argwhere_and_logaddexp_along_an_axis_are_numpys():
    apart = ~np.eye(3, dtype=bool)
    assert np.array_equal(NUMPY.argwhere(apart), np.argwhere(apart))
    found = NUMPY.logaddexp.reduce(ball(THIRDS), axis=1, keepdims=True)
    assert found.shape == (2, 1)
    wanted = np.logaddexp.reduce(THIRDS, axis=1)
    assert floats(found) == pytest.approx(wanted, rel=1e-14)


def test_stacks_of_matrices_go_side_by_side():
    rng = np.random.default_rng(5)
    A, x = rng.integers(-9, 9, (9, 9)) / 8, rng.integers(-9, 9, (4, 9, 2)) / 8
    assert np.array_equal(floats(ball(A) @ ball(x)), (A @ x).ravel())
    assert np.array_equal(floats(A @ ball(x[0])), (A @ x[0]).ravel())


def test_a_mean_of_whole_numbers_that_float64_rounds_is_refused():
    with pytest.raises(UnenclosedError, match="float64 has rounded"):
        played("measured = 0.5 * np.arange(3)[1:].mean()\n", 128)
    assert played("measured = np.mean([0, 1, 1])\n", 128)["measured"] == ball(2) / 3


def test_numbers_of_numpy_among_balls_are_balls_before_they_are_divided():
    padded = NUMPY.pad(NUMPY.ones(1), (0, 2))
    assert {type(x) for x in padded.raw} == {flint.fmpq}
    assert (padded / 3)[0] == ball(1) / 3
    places = np.array([[0], [1]])
    NUMPY.put_along_axis(x := ball(THIRDS), places, 0, 1)
    assert type(x) is Balls
    assert {type(entry) for entry in x.raw.flat} == {flint.fmpq}


def test_a_loop_is_priced_after_its_first_turns(monkeypatch):
    turns, ones = [], NUMPY.ones
    monkeypatch.setattr(NUMPY, "ones", lambda shape: (turns.append(shape), ones(shape))[1])
    text = "for t in range({}): x = np.ones(100) + t\nmeasured = 1.0\n"
    with pytest.raises(UnenclosedError, match=r"too many operations for balls: some [1-9]e"):
        played(text.format("10**6"), 128, 10**6)
    assert len(turns) == 4
    assert played(text.format("100"), 128, 10**6)["measured"] == 1
    assert len(turns) == 104


@pytest.mark.parametrize(
    "view",
    [
        *("x.reshape(-1)", "x.ravel()", "x.T", "x.swapaxes(0, 1)", "np.asarray(x)", "x[:, 1:]"),
        *(
            "np.reshape(x, -1)",
            "np.moveaxis(x, 0, 1)",
            "np.expand_dims(x, 0)",
            "np.asarray(x, float)",
        ),
        *("x.copy()", "x.flatten()", "np.array(x)", "x.astype(float)"),
    ],
)
@pytest.mark.parametrize("of", ["x", "np.sqrt(x)"])
def test_what_is_written_to_a_view_is_in_the_array_where_it_is_in_numpys(view, of):
    text = (
        f"x = np.array([[1.0, 4.0], [9.0, 16.0]])\nx = {of}\ny = {view}\ny += 1\ntotal = x.sum()\n"
    )
    plain = {"np": np}
    exec(text, plain)
    low, high = played(text, 128)["total"].ends
    assert low <= plain["total"] <= high


def test_arrays_of_whole_numbers_stay_such_and_other_kinds_are_refused():
    for whole in (NUMPY.zeros_like(np.arange(3)), NUMPY.full(3, 0), NUMPY.zeros(3, int)):
        assert whole.dtype.kind == "i"
    assert (NUMPY.array(ball([[2.0, 3.0]]), int) == [[2, 3]]).all()
    with pytest.raises(UndecidedError, match="a whole number is needed"):
        NUMPY.array(ball([2.5]), int)
    for made in (NUMPY.zeros, NUMPY.array, NUMPY.asarray):
        with pytest.raises(UnenclosedError, match="numbers of the kind float32 have no balls"):
            made(ball([0.1, 0.5]) if made is not NUMPY.zeros else 3, "float32")


def test_what_only_numpys_arrays_have_is_refused_and_not_taken_for_missing():
    for ask in ('hasattr(x, "nbytes")', 'getattr(x, "nbytes", None)', 'hasattr(x[0], "nbytes")'):
        with pytest.raises(UnenclosedError, match="nbytes of an array has no balls"):
            played(f"x = np.array([1.0, 2.0])\ny = {ask}\n", 128)


def test_a_sum_of_products_is_refused_before_it_is_taken_where_it_is_too_long():
    text = 'x = np.full((300, 300), 0.5)\ny = np.einsum("ij,jk,kl->il", x, x, x)\n'
    with pytest.raises(UnenclosedError, match="too many operations for balls: some 8e"):
        played(text, 128)


def test_a_norm_of_another_order_is_refused():
    square = ball([[3.0, 1.0], [0.0, 2.0]])
    assert floats(ball([NUMPY.linalg.norm(square, "fro")])) == pytest.approx([14**0.5])
    for order in (1, -2, "nuc"):
        with pytest.raises(UnenclosedError, match=f"a norm of the order {order} has no balls"):
            NUMPY.linalg.norm(square, order)


@pytest.mark.parametrize("ends", [{"max": 0.2}, {"min": -0.6}, {"min": -0.6, "max": 0.2}])
def test_an_array_clips_as_numpys_does(ends):
    assert floats(ball(THIRDS).clip(**ends)).tolist() == THIRDS.clip(**ends).ravel().tolist()


def test_a_dtype_is_for_astype_alone():
    x = ball(THIRDS)
    assert floats(x.astype(x.dtype)).tolist() == THIRDS.ravel().tolist()
    for ask in (str, repr, bool, lambda kind: kind == "float64", lambda kind: kind.name):
        with pytest.raises(UnenclosedError):
            ask(x.dtype)
    with pytest.raises(UnenclosedError, match="hasattr"):
        played('x = np.array([1.0, 2.0])\ny = hasattr(x, "dtype")\n', 128)
