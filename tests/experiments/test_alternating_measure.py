"""Exact averages over rounds against sampled runs, simulation and closed forms."""

import numpy as np
import pytest

from theorylab.experiments import experiment

PROBLEM = {
    "name": "coupled-quadratic", "A": [[[1.0]]] * 2, "B": [[[2.0]]] * 2, "C": [[[0.4]]] * 2,
    "a": [[1.0], [-2.0]], "b": [[0.5], [3.0]],
}  # fmt: skip
QUIET = {
    "problem": PROBLEM,
    "topology": {"name": "edge-list", "edges": [[0, 0, 0.7], [1, 1, 0.7], [0, 1, 0.3],
                                                [1, 0, 0.3]]},
    "clients": 2,
    "algorithm": {"eta_u": 0.1, "eta_v": 0.2, "steps_u": 3, "steps_v": 2},
    "rounds": [1, 2, 7],
    "x0": 0.7,
}  # fmt: skip
NOISY = {**QUIET, "problem": {**PROBLEM, "sigma_u": 0.5, "sigma_v": 0.7}}


@pytest.mark.parametrize("column", ["measure", "weighted"])
def test_the_affine_sum_is_the_simulated_one(column):
    made = experiment("alternating-measure", **QUIET)
    rows = made.observe(column, range(1), 0).rows
    weights = {"measure": (1.0, 0.5), "weighted": (0.3, 0.4)}[column]
    for row, T in zip(rows, QUIET["rounds"], strict=True):
        simulated, room = made._simulated(T, (0.1, 0.2, 0.0), weights, range(1), 0)
        assert row.values[0] == pytest.approx(simulated[0], rel=1e-12)
        assert row.rounding < 1e-10
        assert abs(row.values[0] - simulated[0]) <= row.rounding + room


def test_expectations_are_the_mean_of_many_runs():
    made = experiment("alternating-measure", **NOISY)
    (exact,) = made.observe("measure", range(1), 0).rows[2:]
    runs, _ = made._simulated(7, (0.1, 0.2, 0.0), (1.0, 0.5), range(4000), 0)
    # five standard errors of the mean
    off = 5 * runs.std() / np.sqrt(len(runs))
    assert abs(runs.mean() - exact.values[0]) < off < 0.05 * exact.values[0]


def test_the_noise_of_the_heads_is_seen_in_the_first_round():
    (quiet, noisy) = (
        experiment("alternating-measure", **data).observe("measure", range(1), 0).rows[0]
        for data in (QUIET, NOISY)
    )
    # G = mean_i C v_i + ..., two head steps of factor 1 - .2 * 2 with noise .2 * .7 each
    variance = 0.4**2 * (0.2 * 0.7) ** 2 * (1 + 0.6**2) / 2
    assert noisy.values[0] - quiet.values[0] == pytest.approx(variance, rel=1e-9)


def test_the_noise_of_u_leaves_the_stationary_variance():
    data = {
        **NOISY,
        "problem": {**PROBLEM, "C": [[[0.0]]] * 2, "a": [[0.0]] * 2, "b": [[0.0]] * 2,
                    "sigma_u": 2.0},
        "rounds": [10**7], "x0": 0.0,
    }  # fmt: skip
    (row,) = experiment("alternating-measure", **data).observe("measure", range(1), 0).rows
    # three steps of factor .9 and noise .1 * 2, averaged over two clients
    step = (0.1 * 2) ** 2 / 2
    stationary = step * (1 + 0.9**2 + 0.9**4) / (1 - 0.9**6)
    assert row.values[0] == pytest.approx(stationary, rel=1e-5)


def test_the_theorems_steps_shrink_with_T():
    options = {"algorithm": {"steps_u": 3, "steps_v": 2, "rho": 0.5}, "scale": 0.1}
    made = experiment("alternating-measure", **{**QUIET, **options})
    assert made.steps(100) == pytest.approx((0.1 / 30, 0.1 / 40, 0.05))
    assert "dfedalt_eta_u" not in made.constants()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rounds": [0]}, "need integers >= 1"),
        ({"rounds": [2, 1]}, "increasing"),
        ({"scale": -1.0}, "scale is -1.0"),
        ({"scale": 1.0}, "came with scale"),
        ({"algorithm": {"eta": 1}}, "option 'eta'"),
        ({"algorithm": {"eta_u": 0}}, "eta_u is 0"),
        ({"algorithm": {"steps_u": 1.5}}, "steps_u is 1.5"),
        ({"algorithm": {"rho": -1}}, "rho is -1"),
        ({"algorithm": {"batch": "all"}}, "batch is 'all'"),
        ({"topology": {"name": "random-out", "degree": 1}}, "need one W"),
        ({"problem": {"name": "log-cosh"}}, "no personal part"),
        ({"problem": {}}, "problem has no name"),
    ],
)
def test_a_wrong_option_is_one_line(change, message):
    with pytest.raises(ValueError, match=message) as error:
        experiment("alternating-measure", **{**QUIET, **change})
    assert "\n" not in str(error.value)
