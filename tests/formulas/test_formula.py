"""A function of one client against plain loops over clients, exact fractions and 50 digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

from theorylab.formulas import Box, Formula, FormulaError, read, written

RNG = np.random.default_rng(0)
N, D = 3, 4


def waves(x, A, c, p):
    u, v = x[:2], x[2:]
    return u @ A @ u / 2 + c * (np.sin(u) * np.sin(v + p)).sum() + (v**2).mean()


def smooth(x, a):
    y = x - a
    return np.sum(np.exp(-(y**2)) + np.log1p(y * y) + np.sqrt(1 + y**2)) + np.logaddexp(y[0], y[3])


def clipped(x, c):
    y = abs(x - c)
    inner = np.minimum(y, 1.5)
    return (inner * (y - inner / 2)).sum() + np.where(x[1] > 0, x[1] ** 2, 0.0)


def stacked(x, w):
    z = np.stack([x[0] * x[1], w * x[2] / (2 + np.cos(x[3]))])
    return np.concatenate([z, 3 * x[:2]]) @ np.concatenate([x[2:], z]) + np.tanh(x).sum()


DATA = {
    waves: {"A": RNG.standard_normal((2, 2)), "c": RNG.standard_normal(N),
            "p": RNG.standard_normal((N, 2))},
    smooth: {"a": RNG.standard_normal((N, D))},
    clipped: {"c": RNG.standard_normal((N, D))},
    stacked: {"w": RNG.standard_normal(N)},
}  # fmt: skip
X = RNG.standard_normal((2, N, D))
every = pytest.mark.parametrize("loss", DATA, ids=lambda f: f.__name__)


def formula_of(loss):
    data = DATA[loss]
    return Formula(loss, data, tuple(name for name in data if name != "A"), D)


def client(loss, i):
    return {name: v if name == "A" else v[i] for name, v in DATA[loss].items()}


@every
def test_a_batch_is_the_function_of_each_client_at_its_point(loss):
    formula = formula_of(loss)
    (value,) = formula.at(X, formula.value)
    loop = [[loss(X[r, i], **client(loss, i)) for i in range(N)] for r in range(2)]
    assert np.abs(value - loop).max() <= 1e-14  # a few dozen roundings of numbers of size 10


@every
def test_the_derived_gradient_is_the_slope_in_50_digits(loss):
    formula = formula_of(loss)
    g = formula.gradients(X)
    symbols = sympy.symbols(f"x_1:{D + 1}", real=True)
    for i in range(N):
        f = formula.symbolic({k: np.asarray(v) for k, v in client(loss, i).items()})
        plain = sympy.lambdify(symbols, f, "mpmath")
        with mpmath.workdps(50):
            for k in range(D):
                at = [mpmath.mpf(float(v)) for v in X[0, i]]
                h = mpmath.mpf(10) ** -20
                up, down = (plain(*at[:k], at[k] + s * h, *at[k + 1 :]) for s in (1, -1))
                assert abs((up - down) / (2 * h) - mpmath.mpf(float(g[0, i, k]))) <= 1e-13


@every
def test_the_hessian_product_is_the_change_of_the_gradient(loss):
    formula, v, h = formula_of(loss), RNG.standard_normal((2, N, D)), 2.0**-20
    change = (formula.gradients(X + h * v) - formula.gradients(X - h * v)) / (2 * h)
    # h^2 |g'''| of size 50, and rounding over h
    assert np.abs(formula.hessian_product(X, v) - change).max() <= 50 * h**2 + 1e-14 / h


@every
def test_the_script_s_text_and_torch_compute_the_same(loss):
    torch = pytest.importorskip("torch")
    formula = formula_of(loss)
    names = {"x": "x", **{name: name for name in formula.data}}
    for node in (formula.value, formula.gradient):
        (plain,) = formula.at(X, node)
        text = written(node, names, repr, {"A"} & {*formula.data})
        given = {"np": np, "x": X, **DATA[loss]}
        assert np.abs(eval(text, given) - plain).max() <= 1e-13
        (tensor,) = formula.at(torch.tensor(X), node)
        assert np.abs(tensor.numpy() - plain).max() <= 1e-13


@every
def test_a_box_holds_the_values_at_its_points(loss):
    formula, low, high = formula_of(loss), np.array([-1.0, 0.25, -3.0, 0.5]), np.ones(D)
    points = low + (high - low) * RNG.random((400, 1, D)) * np.ones((1, N, 1))
    for node in (formula.value, formula.gradient):
        (box,) = formula.over(Box(low, high), node)
        (inside,) = formula.at(points, node)
        assert (box.low[0] <= inside).all()
        assert (inside <= box.high[0]).all()


def test_the_spectrum_of_a_box_holds_every_hessian():
    formula = formula_of(waves)
    low, high = formula.curvature(Box(np.full(D, -2.0), np.full(D, 2.0))).ends
    for x in RNG.uniform(-2, 2, (200, D)):
        point = np.tile(x, (1, N, 1))
        H = np.stack([formula.hessian_product(point, np.tile(e, (1, N, 1)))[0] for e in np.eye(D)])
        values = np.linalg.eigvalsh(H.swapaxes(0, 1))
        assert low <= values.min()
        assert values.max() <= high


def test_weights_that_move_together_lose_nothing():
    # H = s a a^T with s in [0, 1/4]: its spectrum is [0, |a|^2 / 4], whatever the entries' signs
    formula = Formula(lambda x, a: np.logaddexp(0, a @ x), {"a": np.array([3.0, -4.0])}, (), 2)
    low, high = formula.curvature(Box(np.full(2, -np.inf), np.full(2, np.inf))).ends
    assert low <= 0
    assert abs(low) <= 1e-12  # 32 (d + k) eps |H|
    assert Fraction(25, 4) <= Fraction(high) <= Fraction(25, 4) + Fraction(1, 10**12)


def test_small_decimals_are_enclosed_without_a_rounding():
    formula = Formula(lambda x, w: 3 * w * (x**2).sum() / 2, {"w": 0.5}, (), 2)
    low, high = formula.curvature(Box(np.full(2, -np.inf), np.full(2, np.inf))).ends
    assert (Fraction(low), Fraction(high)) == (Fraction(3, 2), Fraction(3, 2))


def test_a_third_is_a_third_and_its_box_holds_it():
    formula = Formula(lambda x: x.mean(), {}, (), 3)
    (box,) = formula.over(Box(np.ones(3), np.ones(3)), formula.gradient)
    assert Fraction(box.low[0, 0, 0]) < Fraction(1, 3) < Fraction(box.high[0, 0, 0])


def test_a_formula_is_read_as_mathematics():
    formula = Formula(
        lambda x, c: 2 * np.exp(-((x[0] - c) ** 2)) + x @ x, {"c": np.ones(2)}, "c", 2
    )
    text = read(formula.value, {"x": "x", "c": "c_i"}, lambda v: f"{v:g}")
    assert text == "2 exp(-(x_1 - c_i)^2) + |x|^2"
    assert (
        formula.latex() == "f_i(x) = x_{1}^{2} + x_{2}^{2} + 2 e^{- \\left(- c + x_{1}\\right)^{2}}"
    )


def test_one_number_a_client_is_plain_where_all_clients_have_it():
    for c, plain in (([1.0, 2.0], set()), ([2.0, 2.0], {"c"})):
        formula = Formula(lambda x, c: c * (x**2).sum(), {"c": np.array(c)}, ("c",), 1)
        assert set(formula.plain) == plain


def test_a_point_without_a_gradient_is_told():
    kink = Formula(lambda x: abs(x).sum(), {}, (), 2)
    assert kink.gradients(np.array([[[1.0, -2.0]]])).tolist() == [[[1.0, -1.0]]]
    with pytest.raises(ValueError, match=r"client 0 has no gradient at x = \[1.0, 0.0\]"):
        kink.gradients(np.array([[[1.0, 0.0]]]))
    torch = pytest.importorskip("torch")
    beside = kink.marked(torch.tensor([[[1.0, 0.0], [-3.0, 2.0]]]))  # as a round on a GPU has it
    assert beside[0, 0, 0] == 1
    assert beside[0, 0, 1].isnan()
    assert beside[0, 1].tolist() == [-1, 1]
    smooth_there = Formula(lambda x: (np.maximum(x, 0) ** 2).sum(), {}, (), 1)
    assert smooth_there.gradients(np.zeros((1, 1, 1))).tolist() == [[[0.0]]]


def branch(x):
    if x[0] > 0:
        return x.sum()
    return -x.sum()


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (branch, r"line \d+: it branches on a value; need np.where"),
        (lambda x: np.linalg.norm(x), "it uses np.norm, which has no terms"),
        (lambda x: np.floor(x).sum(), "it uses np.floor, which has no terms"),
        (lambda x: x * 2, "it gives shape \\(2,\\) for one client; need \\(\\)"),
        (lambda x: float(x[0]), "it makes a value a Python number"),
        (lambda x: np.where(x == 0, 1.0, x).sum(), "it asks whether two values are equal"),
        (lambda x: x[5], "it takes entry 5 of 2"),
        (lambda x: x.sum() / 0, "it divides by 0"),
        (lambda x: x.sum() * np.inf, "it computes with inf"),
        (lambda x: np.array([x[0], x[1]]).sum(), "it puts values into np.array; need np.stack"),
        (lambda x: np.ones(3) @ x, r"it (joins|computes with)"),
    ],
)
def test_what_cannot_be_written_down_is_told_in_one_line(loss, words):
    with pytest.raises(FormulaError, match=words) as caught:
        _ = Formula(loss, {}, (), 2).value
    assert "\n" not in str(caught.value)


def test_a_gradient_that_may_jump_has_no_curvature():
    formula = Formula(lambda x: np.where(x > 0, x**2, -(x**2)).sum(), {}, (), 1)
    with pytest.raises(FormulaError, match=r"its gradient has np.where, and may jump"):
        formula.curvature(Box(np.zeros(1), np.ones(1)))
