import functools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.constants import losses
from theorylab.constants.losses import loss_constants, point_constants
from theorylab.constants.personalised import PartialQuadratic
from theorylab.known import How, Known
from theorylab.problems import Problem, problem

EPS = np.finfo(float).eps
FEATURES = [[1, 2, 1], [0, 3, 1], [2, 0, 1], [1, 1, 1], [4, 0, 1], [0, 1, 1], [3, 3, 1]]
TINY = {"features": FEATURES, "owners": [0, 0, 1, 1, 1, 2, 2], "clients": 3}
CASES = {
    "quadratic": ({"name": "quadratic", "clients": 3, "dim": 3, "sigma": 0.5, "seed": 3}, 1),
    "isotropic": ({"name": "quadratic", "clients": 3, "dim": 2, "mu": 1.0, "L": 1.0}, 1),
    "log-cosh": ({"name": "log-cosh", "clients": 3, "dim": 3, "spread": 2.0, "scale": 3.0}, 2),
    "clipped": ({"name": "clipped-linear", "clients": 3, "dim": 2, "spread": 2.0, "clip": 0.5}, 1),
    "logistic": ({"name": "logistic", "labels": [0, 1, 1, 0, 1, 0, 0], "batch": 1, **TINY}, 1),
    "logistic reg": (
        {"name": "logistic", "labels": [0, 1, 1, 0, 1, 0, 0], "batch": 2, "reg": 0.25, **TINY},
        [0, 2],
    ),
    "softmax": ({"name": "softmax", "labels": [0, 1, 2, 0, 1, 2, 0], "batch": 1, **TINY}, 4),
}
every = pytest.mark.parametrize("case", CASES)


@functools.cache
def built(case):
    options, shared = CASES[case]
    p = problem(**options)
    return p, losses._mask(shared, p.dim), loss_constants(p, shared=shared)


@every
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([0.01, 0.3, 3.0, 100.0]))
def test_no_pair_of_points_breaks_a_block_constant(case, seed, size):
    p, u, known = built(case)
    rng = np.random.default_rng(seed)
    x, y = size * rng.standard_normal((2, 1, p.clients, p.dim))
    for part, blocks in ((u, ("L_u", "L_vu")), (~u, ("L_uv", "L_v"))):
        there = np.where(part, y, x)  # only this part moves
        moved = p.gradient(there) - p.gradient(x)
        step = np.linalg.norm(there - x, axis=-1)
        # gradients are good to 64 eps of their size and of L |x|
        off = 64 * EPS * (1 + np.abs(p.gradient(x)).max() + known["L"].value * 6 * size)
        for name, rows in zip(blocks, (u, ~u), strict=True):
            assert np.all(
                np.linalg.norm(moved[..., rows], axis=-1) <= known[name].value * step + off
            ), name
    x[..., u] = x[:, :1, u]  # one u for all clients, any V
    g = p.gradient(x)[0][:, u]
    gap = np.linalg.norm(g - g.mean(axis=0), axis=1)
    assert gap.max() <= known["partial_sigma_g"].value + off
    assert math.sqrt((gap**2).mean()) <= known["partial_delta"].value + off


@pytest.mark.parametrize("case", ["logistic", "logistic reg", "softmax"])
@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), size=st.sampled_from([0.01, 1.0, 100.0]))
def test_no_point_breaks_the_noise_of_a_block(case, seed, size):
    p, u, known = built(case)
    x = size * np.random.default_rng(seed).standard_normal((1, p.clients, p.dim))
    full = p.gradient(x)
    for i, count in enumerate(p.sizes):
        noise = []
        for j in range(count):  # every sample once: with b = 1 this is the whole distribution
            rows = np.full((1, p.clients, p.batch), 0)
            rows[0, i] = j
            noise.append((p.stochastic_gradient(x, rows) - full)[0, i])
        for name, part in (("sigma_u", u), ("sigma_v", ~u)):
            one = float(np.mean([np.sum(v[part] ** 2) for v in noise]))
            assert math.sqrt(one / p.batch) <= known[name].value * (1 + 1e-12)


def test_the_blocks_of_a_logistic_loss_are_attained_at_zero():
    p, _, _ = built("logistic")
    found = loss_constants(p, shared=1, points=np.zeros((1, 3)))
    for name in ("L", "L_u", "L_v"):
        assert found[name].how is How.UPPER
        assert found[name].lower == pytest.approx(found[name].value, rel=1e-12)
    assert found["L_uv"].lower <= found["L_uv"].value
    # L_u and L_v are attained at 0, so the coupling there gives a lower bound on chi.
    attained = found["L_uv"].lower / math.sqrt(found["L_u"].value * found["L_v"].value)
    assert attained <= found["chi"].value == 1
    assert found["chi"].how is How.UPPER
    # Client 1's rows (2,0,1), (1,1,1), (4,0,1) in integers: sum x_1 (x_2, x_3) = (1, 7).
    assert found["L_vu"].lower >= math.sqrt(50) / 12 * (1 - 1e-12)


@every
def test_points_are_below_every_constant_and_stay_so_with_more_points(case):
    p, u, known = built(case)
    points = np.random.default_rng(1).standard_normal((4, p.clients, p.dim))
    one, four = (point_constants(p, points[:k], shared=u) for k in (1, 4))
    for name, low in four.items():
        assert low.how in (How.LOWER, How.EXACT)
        assert one[name].value <= low.value <= known[name].value * (1 + 1e-12)
    both = loss_constants(p, shared=u, points=points)
    assert all(both[name].value == known[name].value for name in known)
    json.dumps({name: k.as_json() for name, k in both.items()}, allow_nan=False)


def test_the_noise_of_a_block_sees_only_its_own_features():
    # Mean of x_1^2 over client 1's rows 2, 1, 4: 7; of x_1^2 + x_3^2: 8, with two rows a batch.
    assert built("logistic")[2]["sigma_u"].value == pytest.approx(math.sqrt(7), rel=1e-12)
    assert built("logistic reg")[2]["sigma_u"].value == pytest.approx(2, rel=1e-12)


def test_the_best_of_all_points_counts():
    p = problem("log-cosh", 2)
    found = point_constants(p, [[3.0], [0.0], [3.0]])
    assert found["L"].value == pytest.approx(1, rel=1e-12)
    assert "client 0 at point 1 of 3" in found["L"].source
    assert found["B"].value == pytest.approx(math.tanh(3), rel=1e-8)  # AGREES is taken off


def test_separable_losses_have_no_coupling_and_the_diversity_of_the_shared_part_alone():
    centers = np.array([[0.0, 100.0], [2.0, -100.0]])
    found = loss_constants(problem("log-cosh", 2, centers=centers, sigma=2.0), shared=1)
    assert (found["L_uv"].value, found["chi"].value, found["L_u"].value) == (0, 0, 1)
    assert found["partial_sigma_g"].value == pytest.approx(math.tanh(1), rel=1e-13)
    assert found["sigma_u"].value == pytest.approx(math.sqrt(2), rel=4 * EPS)
    assert found["partial_delta"].how is How.UPPER


def test_the_shared_part_may_be_a_number_indices_or_flags():
    p, _, _ = built("softmax")
    same = [loss_constants(p, shared=s) for s in (2, [0, 1], np.arange(9) < 2)]
    assert same[0] == same[1] == same[2]
    assert set(loss_constants(p)) == set(p.constants())


class Wrong(Problem):
    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


for method in (*Problem.__abstractmethods__, "constants"):
    setattr(Wrong, method, (lambda m: lambda self, *a: getattr(self._inner, m)(*a))(method))
Wrong.__abstractmethods__ = frozenset()


def test_a_constant_that_a_point_contradicts_is_reported(monkeypatch):
    p = problem("log-cosh", 2, scale=3.0)
    low = {**p.constants(), "L": Known(2.0, How.UPPER, "a mistake")}
    monkeypatch.setattr(type(p), "constants", lambda self: low)
    with pytest.raises(ValueError, match=r"log-cosh claims L upper 2\.0, but client 0 at point 0"):
        loss_constants(p, points=np.zeros((1, 1)))


def test_a_problem_without_formulas_keeps_its_own_constants():
    other = Wrong(problem("quadratic", 2, dim=2))
    assert loss_constants(other)["L"] == other.constants()["L"]
    with pytest.raises(TypeError, match="no formula is known for the losses of Wrong"):
        loss_constants(other, shared=1)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"shared": 3}, ValueError, r"shared has 3; need 1\.\.2"),
        ({"shared": [0, -1]}, ValueError, r"shared has -1; need 0\.\.2"),
        ({"shared": [0, 1, 2]}, ValueError, "shared holds 3 of 3 coordinates"),
        ({"shared": 1.5}, TypeError, "shared is float64 of shape"),
        ({"points": np.zeros((1, 2))}, ValueError, r"points have shape \(1, 2\); need \(k,3\)"),
        ({"points": np.full((1, 3), np.nan)}, ValueError, "points hold nan or inf"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(options, error, message):
    with pytest.raises(error, match=message):
        loss_constants(built("quadratic")[0], **options)


def test_other_subjects_are_refused():
    with pytest.raises(TypeError, match="subject is a str; need a Problem, a PartialQuadratic or"):
        loss_constants("quadratic")
    partial = PartialQuadratic(np.eye(2)[None], np.zeros((1, 2)), 1)
    assert loss_constants(partial) == partial.constants()
    with pytest.raises(ValueError, match="came with a PartialQuadratic; need a problem for these"):
        loss_constants(partial, shared=1)
