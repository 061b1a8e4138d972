import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.problems import problem
from theorylab.strategies import problems_with_known_constants

EPS = float(np.finfo(np.float64).eps)
NAMES = ["quadratic", "log-cosh", "clipped-linear", "logistic", "softmax"]
NAMES += ["coupled-quadratic", "sin-sin", "noisy"]
KEYS = {"L", "L_sample", "mu", "B", "sigma_l", "sigma_g", "f_star"}


@settings(max_examples=60)
@given(problems_with_known_constants())
def test_every_draw_is_a_problem_that_its_description_rebuilds(made):
    assert set(made.constants()) == KEYS
    again = problem(**json.loads(json.dumps(made.describe(), allow_nan=False)))
    x = np.ones((1, made.clients, made.dim))
    assert np.array_equal(again.gradient(x), made.gradient(x))


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_is_drawn_with_and_without_noise(name, searched):
    only = problems_with_known_constants(names=[name])
    assert searched(only, lambda made: made.stochastic).name == name
    assert not searched(only, lambda made: not made.stochastic).stochastic
    assert searched(only, lambda made: made.clients == 3).clients == 3


def test_some_quadratics_have_a_finite_heterogeneity_above_zero(searched):
    made = searched(
        problems_with_known_constants(names=["quadratic"]),
        lambda made: (
            made.clients > 2
            and made.dim > 1
            and np.abs(made.hessians[0, 0, 1]) > 1
            and 0 < made.constants()["sigma_g"].value < np.inf
        ),
    )
    assert np.array_equal(made.hessians[0], made.hessians[1])


@pytest.mark.parametrize("law", ["aligned", "common", "coordinate", "state", "two-point"])
def test_every_law_of_noise_is_drawn(law, searched):
    split = problems_with_known_constants(names=["coupled-quadratic", "sin-sin"])
    made = searched(split, lambda made: made.stochastic and made.field.kind == law)
    assert made.shared < made.dim
    noisy = problems_with_known_constants(names=["noisy"])
    assert searched(noisy, lambda made: made.stochastic and made.field.kind == law).field.sigma > 0


def test_an_unknown_kind_is_named(searched):
    with pytest.raises(ValueError, match="no 'cubic'; need some of quadratic, log-cosh"):
        searched(problems_with_known_constants(names=["cubic"]), lambda made: True)


@settings(max_examples=150)
@given(
    problems_with_known_constants(), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 30.0])
)
def test_no_point_exceeds_the_known_constants_of_a_problem(made, seed, size):
    known = {name: k.value for name, k in made.constants().items()}
    x, y = size * np.random.default_rng(seed).standard_normal((2, 2, made.clients, made.dim))
    gx, gy = made.gradient(x), made.gradient(y)
    # gradients are good to 64 eps of what they are summed from: L |x - c| or the features
    off = 64 * EPS * (1 + known["L"] * (np.abs(x).max() + np.abs(y).max() + 8) + np.abs(gx).max())
    step = np.linalg.norm(x - y, axis=-1)
    assert np.all(np.linalg.norm(gx - gy, axis=-1) <= known["L"] * step + off * made.dim)
    assert np.all(np.linalg.norm(gx, axis=-1) <= known["B"] + off)
    common = x[:, 0]
    assert np.all(made.measured_heterogeneity(common) <= known["sigma_g"] + off)
    assert np.all(made.measured_noise(common) <= known["sigma_l"] * (1 + 64 * EPS) + off)
    gap = made.mean_gradient(x[:, 0]) - made.mean_gradient(y[:, 0])
    move = x[:, 0] - y[:, 0]
    convex = known["mu"] * (move * move).sum(axis=1)
    assert np.all((gap * move).sum(axis=1) >= convex - off * made.dim * np.abs(move).max())
    assert np.all(made.mean_loss(common) >= known["f_star"] - off * (1 + np.abs(common).max()))
