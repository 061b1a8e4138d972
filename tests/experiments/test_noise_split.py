"""Sums against plain loops over all samples; linear moments against the whole law."""

import itertools
import pathlib
import runpy

import numpy as np
import pytest

from theorylab.experiments import NoiseSplit, experiment
from theorylab.problems.ridge import Ridge

REFERENCE = pathlib.Path(__file__).parents[1] / "metrics/_reference_dfedsgpsm.py"
BY_HAND = runpy.run_path(str(REFERENCE))["split_by_hand"]  # of STATE
STATE = {
    "problem": {
        "name": "noisy",
        "base": {"name": "log-cosh", "dim": 1, "center": 1.0},
        "field": "state",
        "sigma": 0.7,
    },
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 1,
    "algorithm": {"eta": 0.1, "alpha": 0.5, "rho": 0.2, "local_steps": 2},
    "x0": 0.3,
}
RIDGE = {
    **STATE,
    "problem": {"name": "ridge", "sigma": 1e-3, "scale": 2.0, "radius": 0.5},
    "algorithm": {"eta": 0.05, "alpha": 0.7, "rho": 0.0, "local_steps": 6},
    "x0": 0.0,
}


def rows(column, **options):
    return experiment("noise-split", **options).observe(column, range(1), 0).rows


def test_both_columns_are_the_papers_sums():
    square, points, kept, _ = BY_HAND()
    (row,) = rows("square", **STATE)
    assert row.values[0] == pytest.approx(square, rel=1e-12)
    assert row.at["kept_slopes"] == pytest.approx(np.sqrt(kept), rel=1e-12)
    (row,) = rows("excess", **STATE)
    assert row.values[0] == pytest.approx(square - points, rel=1e-12)


def test_the_mean_is_over_the_clients_and_the_rounds_before():
    two = {**STATE, "clients": 2, "rounds": 2, "x0": [[0.3], [-0.2]]}
    two["topology"] = {"name": "directed-ring"}
    two["algorithm"] = {"eta": 0.1, "alpha": 0.5, "rho": 0.0, "local_steps": 1}
    first, second = rows("square", **two)
    assert (first.at["t"], second.at["t"]) == (0.0, 1.0)
    signs = np.array(list(itertools.product((1, -1), repeat=2)))
    x = np.array([0.3, -0.2])
    G = (np.tanh(x - 1) + 0.7 * signs * np.cos(x)).mean(axis=1)
    assert first.values[0] == pytest.approx(np.mean(G * G), rel=1e-12)
    after = x - 0.1 * (np.tanh(x - 1) + 0.7 * signs * np.cos(x))
    after = np.repeat(after.mean(axis=1)[:, None], 2, axis=1)  # two on a ring average at once
    later = (np.tanh(after - 1)[:, None] + 0.7 * signs * np.cos(after)[:, None]).mean(axis=2)
    assert second.values[0] == pytest.approx(np.mean(later**2), rel=1e-12)


def test_the_moments_of_linear_steps_are_those_of_the_whole_law():
    (whole,) = rows("square", **RIDGE)
    (linear,) = rows("square", **RIDGE, law="linear")
    # 64 outcomes of some ten roundings a step
    assert linear.values[0] == pytest.approx(whole.values[0], rel=1e-11)
    assert linear.at["kept_slopes"] == pytest.approx(whole.at["kept_slopes"], rel=1e-11)
    assert linear.rounding < 1e-11 * linear.values[0]
    (whole,) = rows("excess", **RIDGE)
    (linear,) = rows("excess", **RIDGE, law="linear")
    assert linear.values[0] == pytest.approx(whole.values[0], rel=1e-10)
    assert linear.rounding < 1e-11 * linear.values[0]


def test_linear_steps_of_two_clients_are_those_of_the_whole_law():
    two = {**RIDGE, "clients": 2, "topology": {"name": "directed-ring"}}
    for column in ("square", "excess"):
        (whole,), (linear,) = rows(column, **two), rows(column, **two, law="linear")
        assert linear.values[0] == pytest.approx(whole.values[0], rel=1e-10)
    (whole,), (linear,) = rows("square", **two), rows("square", **two, law="linear")
    assert linear.at["kept_slopes"] == pytest.approx(whole.at["kept_slopes"], rel=1e-11)


def test_a_ridge_is_what_its_docstring_says():
    ridge = Ridge(1, scale=3.0, radius=0.5)
    x = np.linspace(-4, 4, 4001)[None, :, None].transpose(1, 0, 2)
    slope, h = ridge.gradient(x), 1e-6
    rise = (ridge.loss(x + h) - ridge.loss(x - h)) / (2 * h)
    # exact on the parabolas; at a kink the central difference is off by at most L h
    assert np.abs(rise - slope[..., 0]).max() <= 3.0 * h + 1e-9
    near = np.abs(x) <= 0.5
    np.testing.assert_allclose(slope[near], -3.0 * x[near], atol=1e-15)
    known = {name: k.value for name, k in ridge.constants().items()}
    assert np.abs(slope).max() == pytest.approx(known["B"]) == 1.5
    assert ridge.loss(x).min() == pytest.approx(known["f_star"]) == -0.75
    steps = np.abs(np.diff(slope[:, 0, 0])) / np.diff(x[:, 0, 0])
    assert steps.max() <= known["L"] * (1 + 1e-9)


def test_it_is_made_again_from_its_description():
    made = NoiseSplit(**RIDGE, law="linear")
    assert experiment("noise-split", **made.describe()).describe() == made.describe()


@pytest.mark.parametrize(
    ("options", "column", "line"),
    [
        ({**STATE, "law": "runs"}, "square", "need one of enumerated, linear"),
        ({**STATE, "law": "linear"}, "square", "law 'linear' needs one round on a ridge"),
        ({**RIDGE, "law": "linear", "x0": 0.1}, "square", "law 'linear' needs"),
        ({**RIDGE, "law": "linear", "rounds": 2}, "square", "law 'linear' needs"),
        ({**RIDGE, "law": "all"}, "square", "law is 'all'"),
        ({**RIDGE, "problem": {"name": "ridge", "scale": 0.0}}, "square", "need both > 0"),
        (
            {**RIDGE, "problem": {"name": "ridge", "size": 1}},
            "square",
            "ridge has no option",
        ),
        (
            {**RIDGE, "problem": {"name": "ridge", "sigma": 9.0}, "law": "linear"},
            "square",
            "need at most the ridge's radius",
        ),
        (STATE, "step", "column is 'step'"),
    ],
)
def test_what_cannot_be_measured_is_one_line(options, column, line):
    with pytest.raises(ValueError, match=line) as caught:
        rows(column, **options)
    assert "\n" not in str(caught.value)


def test_a_ridge_of_a_user_s_own_has_no_linear_steps(registries):
    type("Turned", (Ridge,), {"gradient": lambda self, x: -x}, name="test-turned")
    turned = {"name": "noisy", "base": {"name": "test-turned"}, "field": "rademacher"}
    with pytest.raises(ValueError, match="law 'linear' needs one round on a ridge"):
        NoiseSplit(**{**RIDGE, "problem": turned}, law="linear")
