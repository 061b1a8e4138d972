"""What every problem promises, whatever its formula."""

import functools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from theorylab.known import How, Known
from theorylab.own import is_own
from theorylab.problems import names, problem
from theorylab.problems._base import PROBLEMS

EPS = np.finfo(np.float64).eps
FEATURES = [[1, 2, 1], [0, 3, 1], [2, 0, 1], [1, 1, 1], [4, 0, 1], [0, 1, 1], [3, 3, 1]]
TINY = {"features": FEATURES, "owners": [0, 0, 1, 1, 1, 2, 2]}
MULTI = {**TINY, "labels": [0, 1, 2, 0, 1, 2, 0], "batch": 2}
BINARY = {**TINY, "labels": [0, 1, 1, 0, 1, 0, 0], "batch": 2}
PARTS = {"sigma_u": 0.5, "sigma_v": 2.0}
SMOOTH = {"name": "log-cosh", "dim": 2, "spread": 2.0}
WIDE = {"kind": "ball", "radius": 50.0}
CASES = {
    "quadratic": {"name": "quadratic", "clients": 3, "dim": 3, "sigma": 0.5, "seed": 3},
    "quadratic diagonal": {"name": "quadratic", "clients": 9, "dim": 1, "sigma": 0.5},
    "quadratic isotropic": {"name": "quadratic", "clients": 3, "dim": 2, "mu": 1.0, "L": 1.0},
    "log-cosh": {"name": "log-cosh", "clients": 8, "center": 8.0, "sigma": 1.0},
    "log-cosh spread": {"name": "log-cosh", "clients": 5, "dim": 3, "spread": 2.0, "scale": 3.0},
    "clipped": {"name": "clipped-linear", "clients": 5, "dim": 3, "spread": 2.0, "clip": 0.5},
    "coupled": {"name": "coupled-quadratic", "clients": 3, "dim_u": 2, "dim_v": 3, **PARTS},
    "coupled one": {"name": "coupled-quadratic", "clients": 2, "dim_u": 1, "dim_v": 1},
    "coupled state": {"name": "coupled-quadratic", "clients": 2, **PARTS, "noise": "state"},
    "sin-sin": {"name": "sin-sin", "clients": 3, "dim_u": 3, "coupling": 0.05, **PARTS},
    "sin-sin bent": {"name": "sin-sin", "clients": 3, "dim_v": 3, "coupling": 4.0},
    "sin-sin aligned": {"name": "sin-sin", "clients": 3, **PARTS, "noise": "aligned"},
    "noisy": {"name": "noisy", "clients": 3, "base": SMOOTH, "field": "common"},
    "noisy state": {"name": "noisy", "clients": 3, "base": SMOOTH, "field": "state"},
    "composite": {"name": "composite", "clients": 3, "base": SMOOTH, "set": WIDE},
    "pinwheel": {"name": "pinwheel", "clients": 2, "dim": 3},
    "ridge": {"name": "ridge", "clients": 2, "scale": 2.0, "radius": 3.0},
    "rippled": {
        "name": "rippled",
        "clients": 2,
        "a": [[1.0], [2.0]],
        "b": [[0.0, 1.0], [2.0, 3.0]],
    },
    "softmax": {"name": "softmax", "clients": 3, **MULTI},
    "softmax reg": {"name": "softmax", "clients": 3, **MULTI, "reg": 0.25},
    "softmax full": {"name": "softmax", "clients": 3, **MULTI, "batch": None},
    "mixture": {"name": "mixture", "clients": 3, **MULTI, "components": 2},
    "mixture reg": {"name": "mixture", "clients": 3, **MULTI, "reg": 0.25, "weights": "uniform"},
    "mixture full": {"name": "mixture", "clients": 3, **MULTI, "batch": None},
    "logistic": {"name": "logistic", "clients": 3, **BINARY},
    "logistic reg": {"name": "logistic", "clients": 3, **BINARY, "reg": 0.25},
    "huber": {"name": "huber", "clients": 3, "centers": [[0.0], [2.0], [9.0]], "weight": 3.0},
    "logistic-l2": {"name": "logistic-l2", "clients": 2, "rows": [[[1.0, 2.0]], [[-3.0, 0.5]]]},
    "piecewise": {
        "name": "piecewise-quadratic",
        "clients": 2,
        "normals": [[[1.0, 0.5], [0.0, -1.0]]] * 2,
        "kinks": [[1.0, 0.0], [0.25, 2.0]],
        "jumps": 9.0,
    },
    "absolute": {"name": "absolute", "clients": 3, "centers": [[0.0], [2.0], [9.0]]},
    "hinge": {"name": "hinge", "clients": 2, "rows": [[[1.0, 2.0]], [[-3.0, 0.5]]], "reg": 0.5},
    "max-affine": {"name": "max-affine", "clients": 2, "slopes": [[[1.0], [-3.0]]] * 2},
    "rosenbrock": {"name": "rosenbrock", "clients": 2, "targets": [1.0, 2.0]},
}
# of a family from one function, what does not follow from it: its gradient has no bound, f no mu
LACKS = {"huber": set(), "piecewise-quadratic": {"B", "sigma_g"}}
LACKS |= {"rosenbrock": {"B", "mu"}, "max-affine": set()}
UNKNOWN = {"B": math.inf, "sigma_g": math.inf, "mu": -math.inf, "f_star": -math.inf}
every = pytest.mark.parametrize("options", CASES.values(), ids=CASES)
constants = functools.cache(lambda key: problem(**json.loads(key)).constants())


@every
def test_what_is_known_of_the_losses_is_listed(options):
    whole = {"L", "L_sample", "mu", "B", "sigma_l", "sigma_g", "f_star"}
    lacks = LACKS.get(options["name"], set())
    known = {name: c.value for name, c in constants(json.dumps(options)).items()}
    infinite = {name for name, value in known.items() if value == UNKNOWN.get(name)}
    assert {*known} & whole == whole - lacks
    assert options["name"] not in LACKS or not infinite


def points(p, runs, seed=1, size=3.0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    x = (size * rng.standard_normal((runs, p.clients, p.dim))).astype(dtype)
    x.flags.writeable = False  # a method that wrote to its input would raise
    return x


def test_every_registered_name_is_covered_here():
    others = {"cnn", "lstm", "mlp", "resnet18"}  # tensors: test_network_contract.py
    others |= {"saddle"}  # no gradient of a loss: test_min_max.py
    ours = {name for name in names() if is_own(PROBLEMS.find(name))}  # other tests define some
    assert {options["name"] for options in CASES.values()} | others == ours


@every
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_batch_is_its_runs_bit_for_bit(options, dtype):
    p, ids = problem(**options), np.array([4, 0, 7])
    x, sample = points(p, 3, dtype=dtype), p.sample(5, ids, 11, 2)
    for r in range(3):
        one, alone = x[r : r + 1], p.sample(5, ids[r : r + 1], 11, 2)
        assert (sample is None) == (alone is None) == (not p.stochastic)
        if sample is not None:
            assert np.array_equal(sample[r : r + 1], alone)
        batched, single = p.stochastic_gradient(x, sample), p.stochastic_gradient(one, alone)
        assert np.array_equal(batched[r], single[0])
        for method in (p.loss, p.gradient):
            assert np.array_equal(method(x)[r], method(one)[0])
        for method in (p.mean_loss, p.mean_gradient, p.measured_heterogeneity, p.measured_noise):
            assert np.array_equal(method(x[:, 0])[r], method(one[:, 0])[0])
            assert method(x[:, 0]).dtype == dtype
        assert batched.dtype == p.loss(x).dtype == p.gradient(x).dtype == dtype


@every
def test_the_gradient_is_the_slope_of_the_loss(options):
    p, h = problem(**options), 2.0**-17
    x = points(p, 2)
    for k in range(p.dim):
        step = h * (np.arange(p.dim) == k)
        slope = (p.loss(x + step) - p.loss(x - step)) / (2 * h)
        # Truncation: h^2 |f'''| / 6 with |f'''| <= 2 L max |x_j| and |x_j| <= 5 here here; no point
        # of this seed lies within h of a kink. Cancellation: losses are rounded at 64 eps, over h.
        reach = 2 * p.constants()["L_sample"].value * 5 / 6
        allowed = h * h * reach + 64 * EPS * (1 + np.abs(p.loss(x))) / h
        assert np.all(np.abs(slope - p.gradient(x)[..., k]) <= allowed)


@every
def test_f_is_the_average_of_the_clients(options):
    p = problem(**options)
    xbar = points(p, 4)[:, 0]
    spread = np.repeat(xbar[:, None], p.clients, axis=1)
    size = 64 * p.clients * EPS  # rounding of sums of this many terms
    each, loss = p.gradient(spread), p.loss(spread)
    room = size * (1 + np.abs(loss).max(axis=1))
    assert np.all(np.abs(p.mean_loss(xbar) - loss.mean(axis=1)) <= room)
    scale = 1 + np.abs(each).max() + np.abs(xbar).max()
    assert np.all(np.abs(p.mean_gradient(xbar) - each.mean(axis=1)) <= size * scale)
    gap = np.linalg.norm(each - each.mean(axis=1, keepdims=True), axis=-1)
    assert np.all(np.abs(p.measured_heterogeneity(xbar) - gap) <= size * p.dim * scale)


@every
def test_describe_rebuilds_the_same_problem(options):
    p = problem(**options)
    described = json.loads(json.dumps(p.describe(), allow_nan=False))
    again = problem(**described)
    x, ids = points(p, 2), np.arange(2)
    assert again.describe() == p.describe()
    assert again.constants() == p.constants()
    noisy = [q.stochastic_gradient(x, q.sample(1, ids, 0, 0)) for q in (p, again)]
    assert np.array_equal(*noisy)


@every
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([0.01, 0.3, 3.0, 100.0]))
def test_no_pair_of_points_breaks_a_constant(options, seed, size):
    p = problem(**options)
    known = UNKNOWN | {name: c.value for name, c in constants(json.dumps(options)).items()}
    x, y = points(p, 2, seed, size), points(p, 2, seed + 1, size)
    far = np.linalg.norm(x - y, axis=-1)
    slack = 1 + 64 * p.dim * EPS  # rounding of a norm and a matrix product
    noise = 64 * p.dim * EPS * known["L_sample"] * 40 * (1 + size)  # of two gradients of this size
    for L, g in (("L", p.gradient), ("L_sample", None)):
        sample = p.sample(seed, np.arange(2), 0, 0)
        g = g or (lambda x, s=sample: p.stochastic_gradient(x, s))
        assert np.all(np.linalg.norm(g(x) - g(y), axis=-1) <= known[L] * far * slack + noise)
    assert np.all(np.linalg.norm(p.gradient(x), axis=-1) <= known["B"] * slack)
    xbar, ybar = x[:, 0], y[:, 0]
    assert np.all(p.measured_heterogeneity(xbar) <= known["sigma_g"] * slack + noise)
    assert np.all(p.measured_noise(xbar) <= known["sigma_l"] * slack)
    rise = ((p.mean_gradient(xbar) - p.mean_gradient(ybar)) * (xbar - ybar)).sum(axis=1)
    apart = np.linalg.norm(xbar - ybar, axis=1)
    assert np.all(rise >= known["mu"] * apart**2 / slack - noise * apart)
    assert np.all(p.mean_loss(xbar) >= known["f_star"] * (1 - 64 * EPS))


@every
def test_f_star_is_at_most_the_minimum_that_scipy_finds(options):
    p = problem(**options)
    star = p.constants().get("f_star", Known(-math.inf, How.LOWER, "of a family that has none"))
    best = minimize(lambda x: p.mean_loss(x[None])[0], np.zeros(p.dim), tol=1e-12)
    assert star.at_most or star.value == star.lower
    assert star.value <= best.fun + 64 * EPS * (1 + abs(best.fun))
    smooth = p.constants()["L"].value < math.inf
    steep = smooth and "mu" in p.constants() and p.constants()["mu"].value > 0
    if steep or options["name"] in ("log-cosh", "clipped-linear"):
        # and no less than it by more than scipy's own error, (gradient tolerance)^2 / curvature
        assert best.fun - star.value <= 1e-8


@every
def test_bad_points_are_refused_in_one_line(options):
    p = problem(**options)
    x, sample = points(p, 2), p.sample(0, np.arange(2), 0, 0)
    for wrong in (x[:, 1:], x[..., None], x[0], x[..., 1:]):
        with pytest.raises(ValueError, match=r"need \(R,"):
            p.gradient(wrong)
        with pytest.raises(ValueError, match="need"):
            p.stochastic_gradient(wrong, sample)
    for kind in (x.astype(int), x.tolist(), x.astype(np.float16)):
        with pytest.raises(TypeError, match="need a NumPy array of float32 or float64"):
            p.loss(kind)
    with pytest.raises(ValueError, match="need"):
        p.mean_loss(x)
    other = np.zeros((1, p.clients, p.dim)) if sample is None else sample[:1]
    for wrong in (other, None) if p.stochastic else (other,):
        with pytest.raises(ValueError, match=r"sample is .*; need"):
            p.stochastic_gradient(x, wrong)


def test_a_sup_bound_is_infinite_only_with_its_reason():
    for options in CASES.values():
        for constant in problem(**options).constants().values():
            assert constant.source
            assert "\n" not in constant.source
            if math.isinf(constant.value):
                assert "unbounded" in constant.source or "without limit" in constant.source


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("cubic", 3), ValueError, "problem: no 'cubic'; need one of absolute, clipped-linear"),
        (("quadratic", 0), ValueError, "quadratic: clients is 0; need an integer >= 1"),
        (("quadratic", 2.0), TypeError, "quadratic: clients is float; need an integer"),
    ],
)
def test_an_unknown_problem_is_named_in_the_message(arguments, error, message):
    with pytest.raises(error, match=message):
        problem(*arguments)


def test_an_unknown_option_is_named_in_the_message():
    with pytest.raises(ValueError, match="quadratic has no option 'dims'; has dim, mu, L"):
        problem("quadratic", 2, dims=3)
