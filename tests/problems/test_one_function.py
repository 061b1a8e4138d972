"""Every built-in loss that is told as one function, against the kernel or the code that runs."""

import numpy as np
import pytest

from theorylab.own import is_own
from theorylab.problems import PROBLEMS, names, problem

DATA = {"features": [[1, 2], [0, 3], [2, 0], [1, 1]], "owners": [0, 0, 1, 1], "batch": 2}
CASES = {
    "quadratic": {"dim": 3, "seed": 3},
    "log-cosh": {"dim": 3, "spread": 2.0, "scale": 3.0},
    "clipped-linear": {"dim": 3, "spread": 2.0, "clip": 0.5, "scale": 3.0},
    "logistic": {**DATA, "labels": [0, 1, 1, 0], "reg": 0.25},
    "coupled-quadratic": {"dim_u": 2, "dim_v": 3, "seed": 1},
    "sin-sin": {"dim_u": 3, "dim_v": 2, "seed": 1},
    "rippled": {"a": [[1.0], [2.0]], "b": [[0.0, 1.0], [2.0, 3.0]], "r": 4.0},
    "huber": {"dim": 2, "weight": [1.0, 3.0]},
    "logistic-l2": {"rows": [[[1.0, 2.0]], [[-3.0, 0.5]]]},
    "piecewise-quadratic": {"centers": [[1.0, 0.0], [2.0, 3.0]], "jumps": 9.0},
    "rosenbrock": {"targets": [1.0, 2.0]},
}
OTHERS = {
    "absolute",
    "hinge",
    "max-affine",
    "composite",
    "saddle",
}  # compared in tests of their own
NONE = {"softmax", "mixture", "noisy", "pinwheel", "ridge", "mlp", "cnn", "lstm", "resnet18"}
every = pytest.mark.parametrize("name", CASES)


def made(name):
    return problem(name, 2, **CASES[name])


def points(p, runs=8):
    return 2 * np.random.default_rng(5).standard_normal((runs, p.clients, p.dim))


def test_every_built_in_loss_is_one_function_or_is_listed_as_none():
    assert {*CASES} | NONE | OTHERS == {name for name in names() if is_own(PROBLEMS.find(name))}


@every
def test_what_runs_computes_what_the_function_says(name):
    p = made(name)
    x = points(p)
    loss, slope = p.formula.at(x, p.formula.value, p.formula.gradient)
    assert np.abs(loss - p.loss(x)).max() <= 1e-14 * (1 + np.abs(loss)).max()
    assert np.abs(slope - p.gradient(x)).max() <= 1e-14 * (1 + np.abs(slope)).max()


@pytest.mark.parametrize("name", ["quadratic", "log-cosh", "clipped-linear"])
def test_its_local_steps_walk_along_the_function_s_gradient(name):
    p = made(name)
    x, w = points(p), np.ones((8, 2))
    seen = p.local_steps(x, w, 0, np.arange(8), 0, steps=2, counts=None, eta=0.1, alpha=0.5, rho=0)
    v = 0
    for _ in range(2):
        v = 0.5 * v + p.formula.gradients(x)
        x = x - 0.1 * v
    assert np.abs(x - seen).max() <= 1e-14 * (1 + np.abs(x)).max()


@every
def test_the_gradient_that_is_written_is_the_slope_of_the_loss_that_is_written(name):
    p = made(name)
    x, h = points(p), 2.0**-17
    for k in range(p.dim):
        step = h * (np.arange(p.dim) == k)
        up, down = (p.formula.at(x + s * step, p.formula.value)[0] for s in (1, -1))
        (slope,) = p.formula.at(x, p.formula.gradient)
        # h^2 f''' / 6 with f''' below 100, a kink within h of no point, and rounding over h
        room = (17 * h**2 + 2e-15 / h) * (1 + np.abs(up) + np.abs(slope[..., k]))
        assert np.all(np.abs((up - down) / (2 * h) - slope[..., k]) <= room)
