"""The stationary point and A-bar's norms on problems with a known answer."""

import numpy as np
import pytest

from theorylab.experiments import experiment

# One client: T(z) = z - a (H z - b): x* = b / H, A = 1 - a H.
ONE = {
    "problem": {"H": [[[2.0]]], "b": [[3.0]], "G": [[[1.0]]], "t": [[0.0]]},
    "network": {"name": "complete"},
    "step": 0.25,
    "lam": 1.0,
}


def value(column, options, row=0):
    found = experiment("pdbo-stationary", **options).observe(column, range(1), 0)
    return found.rows[row].values[0]


def test_one_client_is_gradient_descent():
    one = experiment("pdbo-stationary", **ONE)
    assert one.at.point.x[0, 0] == pytest.approx(2.0, rel=1e-15)  # (b + G lam) / H
    assert value("distance", ONE) < 1e-14
    assert value("norm_z", ONE) == value("radius_z", ONE) == 0.5
    for k, M in enumerate((1, 4, 16)):
        assert value("truncation", ONE, k) == pytest.approx(2 * 0.5**M, rel=1e-12)
    # d x* / d lambda = G / H, up to two roundings
    assert value("derivative", ONE) < 4 * np.finfo(float).eps
    assert value("flatness", ONE) == 0.5
    # y = (z, omega): rows (1/2, 0) and (a H x, 1), so the norm is that of [[.5, 0], [1, 1]]
    told = np.linalg.norm([[0.5, 0.0], [1.0, 1.0]], 2)
    assert value("norm_full", ONE) == pytest.approx(told, rel=1e-14)


def test_the_full_a_bar_is_the_difference_quotient_of_the_iteration():
    options = {
        "problem": {"clients": 3, "dim": 2, "hyper": 1, "seed": 4},
        "network": {"name": "sto-d", "seed": 1},
        "variant": "4a",
        "step": 0.2,
    }
    one = experiment("pdbo-stationary", **options)
    p, h = one.at, 1e-6

    def step(y):
        y = y.reshape(3, 3)
        z, omega = y[:, :2], y[:, 2]
        after = p.sgp.round(p.problem, p.law.mean[None], z[None], omega[None], p.lam[None], None)
        return np.concatenate([after[0], (p.law.mean @ omega)[:, None]], axis=1).ravel()

    y = np.concatenate([p.point.z, p.point.omega[:, None]], axis=1).ravel()
    quotient = [(step(y + h * e) - step(y - h * e)) / (2 * h) for e in np.eye(9)]
    # h^2 / 6 times a third derivative, u / h times sizes: both below 1e-9 times about 10
    np.testing.assert_allclose(one._full(), quotient, rtol=0, atol=1e-8)


def test_the_gap_is_what_disagreement_costs():
    options = {
        "problem": {"clients": 4, "dim": 1, "hyper": 1, "seed": 4},
        "network": {"name": "sto-d", "seed": 1},
    }
    one = experiment("pdbo-stationary", **options)
    mean, omega = one.setting.law.mean, one.at.point.omega
    M = np.diag(omega) - mean @ np.diag(omega)
    assert np.abs(M.sum(axis=0)).max() < 1e-14
    assert np.abs(M.sum(axis=1)).max() < 1e-14
    gap, rng = one.constants()["balance_gap"].value, np.random.default_rng(0)
    for _ in range(200):
        x = rng.normal(size=4)
        x -= x.mean()
        assert x @ M @ x >= gap * (x @ x)


def test_what_needs_the_point_is_missing_where_there_is_none():
    lag = [[0, 0, 0.1], [1, 1, 0.1], [0, 1, 0.9], [1, 0, 0.9]]
    two = {"H": [[[1.0]]] * 2, "b": [[-1.0], [1.0]], "G": [[[1.0]]] * 2, "t": [[0.0]] * 2}
    options = {"problem": two, "network": {"name": "edge-list", "edges": lag}, "variant": "4a"}
    one = experiment("pdbo-stationary", step=2.25, lam=0.0, **options)
    assert "norm_A" not in one.constants()
    with pytest.raises(ValueError, match="condition number"):
        one.observe("distance", range(1), 0)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"step": [0.1]}, "need one number"),
        ({"terms": [0]}, "need integers >= 1"),
        ({"step": -1.0}, "need a number > 0"),
        ({"network": {"name": "odd"}}, "odd"),
    ],
)
def test_bad_input_is_one_line(options, says):
    with pytest.raises(ValueError, match=says) as caught:
        experiment("pdbo-stationary", **{**ONE, **options})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("step", [0.3, 1.2e-3, 1e-5])
def test_the_room_of_the_solve_covers_small_steps(step):
    # I - J is step times H with entries that are rounded next to 1: the error grows as 1/step
    made = experiment(
        "pdbo-stationary", problem={"clients": 1, "seed": 1}, network={"name": "sto-u"}, step=step
    )
    found = made.observe("derivative", range(1), 0).rows[0].values[0]
    assert found <= 3 * made.constants()["solve_room"].value <= 1e-3
