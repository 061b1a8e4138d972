"""The cross derivatives at two points, in closed form."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment

ONE = {"eta_A": 0.8, "eta_B": 2.0, "gap": 0.5}


def test_the_lipschitz_constant_is_met_with_equality_inside_the_clip():
    made = experiment("hgp-cross", **ONE, cross_level=-0.25, cross_slope=0.6)
    found = made.observe("mean_cross_gap", range(1), 0).rows[0].values[0]
    # phi and psi both move by eta_B L_lambda gap
    assert found == pytest.approx(2 * 2.0 * made.constants()["L_lambda"].value * 0.5, rel=1e-12)
    assert made.constants()["L_lambda"].value == 0.6 / 2  # kappa = 1


def test_beyond_the_clip_they_no_longer_move():
    made = experiment("hgp-cross", **ONE, cross_level=0.9, cross_slope=10.0)
    found = made.observe("mean_cross_gap", range(1), 0).rows[0].values[0]
    assert found == pytest.approx(2 * (2.0 / 2) * (1 - 0.9), rel=1e-12)


def test_a_round_s_gap_is_the_largest_over_its_patterns():
    table = [[1, 0.2], [0.9, 1]]
    network = {"name": "sto-d", "probabilities": table}
    made = experiment("hgp-cross", clients=2, network=network, gap=0.3, eta_B=1.5)
    worst, moved = 0.0, 0.3 * 1.5 / (2 * made.kappa.value)
    for a, b in itertools.product((0, 1), repeat=2):
        c = np.array([[1, a], [b, 1]]) * made.law.mean.T / np.array(table)
        worst = max(worst, np.linalg.norm(moved * (np.eye(2) + c), 2))
    assert made.observe("cross_gap", range(1), 0).rows[0].values[0] == pytest.approx(worst)
    mean = np.linalg.norm(moved * (np.eye(2) + made.law.mean.T), 2)
    assert made.observe("mean_cross_gap", range(1), 0).rows[0].values[0] == pytest.approx(mean)


def test_the_derivatives_in_y_are_those_of_the_constant_ones():
    options = {"clients": 2, "network": {"name": "sto-d"}, "gap": 0.3}
    one, other = experiment("hgp-bias", **options), experiment("hgp-cross", **options)
    for column in ("mean_gap", "jacobian_gap"):
        assert np.array_equal(
            one.observe(column, range(1), 0).rows[0].values,
            other.observe(column, range(1), 0).rows[0].values,
        )
    same = {k: v for k, v in other.constants().items() if k != "L_lambda"}
    assert same == {k: v for k, v in one.constants().items() if k != "L_lambda"}


def test_the_limit_sees_both_derivatives_move():
    made = experiment("hgp-cross", **ONE, level=0.25, slope=1.0, cross_level=0.5, cross_slope=1.0)
    found = made.observe("limit_error", range(1), 0).rows[0].values[0]
    wanted = 2.0 / (1 - 0.8 * 0.75) - 0.5 * 2.0 / (1 - 0.8 * 0.25)
    assert found == pytest.approx(wanted, rel=1e-13)


def test_the_room_covers_matrices_that_nearly_agree():
    made = experiment("hgp-cross", eta_B=2.0, cross_level=0.5, cross_slope=1.2e-4, gap=2.5e-4)
    for column in ("mean_cross_gap", "cross_gap"):
        row = made.observe(column, range(1), 0).rows[0]
        exact = 2 * 1.0 * 1.2e-4 * 2.5e-4
        assert abs(row.values[0] - exact) <= row.rounding <= 1e-6 * exact


def test_its_description_makes_it_again():
    made = experiment("hgp-cross", cross_level=0.3, cross_slope=2.0, clients=2)
    assert experiment("hgp-cross", **made.describe()).describe() == made.describe()


@pytest.mark.parametrize(
    "options", [{"cross_level": 1.5}, {"cross_slope": 0.0}, {"cross_slope": float("inf")}]
)
def test_bad_options_get_one_line(options):
    with pytest.raises(ValueError, match=r"^hgp-cross: .*; need") as caught:
        experiment("hgp-cross", **options)
    assert "\n" not in str(caught.value)
