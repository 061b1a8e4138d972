"""VR-HGP at another point: the limit, the constants and the gaps, in closed form."""

from fractions import Fraction

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.experiments._rounds import estimates

ONE = {"eta_A": 0.8, "eta_B": 2.0, "level": 0.25, "slope": 1.0, "gap": 0.5}


def test_the_limit_is_a_geometric_series_for_one_client():
    made = experiment("hgp-bias", **ONE)
    found = made.observe("limit_error", range(1), 0).rows[0].values[0]
    wanted = 2.0 / (1 - 0.8 * 0.75) - 2.0 / (1 - 0.8 * 0.25)
    assert abs(found - wanted) <= 1e-14 * wanted * 10


@pytest.mark.parametrize(("name", "told"), [("sto-d", 1.0), ("sto-u", 0.0), ("random-out", 0.0)])
def test_edges_are_independent_only_where_no_two_have_a_covariance(name, told):
    network = {"name": name, "degree": 1} if name == "random-out" else {"name": name}
    made = experiment("hgp-bias", clients=3, network=network)
    assert made.constants()["independent_edges"].value == told


def test_many_terms_reach_the_limit():
    made = experiment("hgp-bias", **ONE, alpha=0.5, beta=0.5, terms=[200])
    limit = made.observe("limit_error", range(1), 0).rows[0].values[0]
    # (1 - .5 + .5 * .8)^200 = 7e-10
    assert made.observe("error", range(1), 0).rows[0].values[0] == pytest.approx(limit, rel=1e-6)


def test_following_c_changes_the_seed_and_its_gap_only():
    made = experiment("hgp-bias", **ONE, curvature=3.0, follow=True)
    known = made.constants()
    assert known["c_gap"].value == 1.5  # curvature times gap over n
    assert known["c_norm"].value >= 2.5
    assert experiment("hgp-bias", **ONE, curvature=3.0).constants()["c_gap"].value == 0.0


def test_the_lipschitz_constant_is_met_with_equality_inside_the_clip():
    made = experiment("hgp-bias", **ONE)
    known = made.constants()
    change = made.observe("mean_gap", range(1), 0).rows[0].values[0]
    # phi and psi both change by L_y gap
    assert change == pytest.approx(2 * known["L_y"].value * 0.5, rel=1e-12)


def test_a_round_s_gap_is_the_largest_over_its_patterns():
    table = [[1, 0.2], [0.9, 1]]
    network = {"name": "sto-d", "probabilities": table}
    made = experiment("hgp-bias", clients=2, network=network, level=0.0, gap=0.3, terms=[1])
    kappa, k = made.kappa.value, made.options["eta_A"]
    worst = 0.0
    for a in (0, 1):
        for b in (0, 1):
            edges = np.array([[1, a], [b, 1]])
            c = edges * made.law.mean.T / np.array([[1, 0.2], [0.9, 1]])
            gap = 0.3 * k / (2 * kappa) * (np.eye(2) + c)
            worst = max(worst, np.linalg.norm(gap, 2))
    assert made.observe("jacobian_gap", range(1), 0).rows[0].values[0] == pytest.approx(worst)
    found, weights = estimates(made.at_T, made.topology, made.law, 1, 0.9, 0.1, runs=None, seed=0)
    assert len(found) == len(weights) == 4


def test_drawn_edges_have_no_limit():
    made = experiment("hgp-bias", clients=2, network={"name": "sto-d"})
    with pytest.raises(ValueError, match="draws its edges, so the estimate has no limit"):
        made.observe("limit_error", range(1), 0)


@pytest.mark.parametrize("options", [{"level": 2.0}, {"slope": 0.0}, {"eta_A": 1.0}])
def test_bad_options_get_one_line(options):
    with pytest.raises(ValueError, match=r"^hgp-bias: .*; need") as caught:
        experiment("hgp-bias", **options)
    assert "\n" not in str(caught.value)


def test_fbar_is_an_average_over_clients():
    made = experiment("hgp-bias", clients=4, gap=0.5, curvature=2.0, follow=True)
    # every client's derivative is (1 + 2 gap) / 4, four of them: norm 2 / 4 * 2
    assert made.constants()["c_norm"].value == pytest.approx(1.0, rel=1e-12)
    assert made.constants()["c_gap"].value == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("column", ["mean_gap", "jacobian_gap"])
def test_the_room_covers_matrices_that_nearly_agree(column):
    # their entries are near .4 and differ by 1e-8, so the difference keeps 1e-8 of its digits
    near = {"eta_A": 0.8, "level": 0.5, "slope": 1.2e-4, "gap": 2.5e-4}
    made = experiment("hgp-bias", **near)
    row = made.observe(column, range(1), 0).rows[0]
    exact = 2 * 0.4 * 1.2e-4 * 2.5e-4  # phi and psi both move by k slope gap
    assert abs(row.values[0] - exact) <= row.rounding <= 1e-6 * exact


def test_the_room_of_the_limit_covers_estimates_that_nearly_agree():
    near = {"eta_A": 0.8, "eta_B": 2.0, "level": 0.5, "slope": 1.2e-4, "gap": 2.5e-7}
    row = experiment("hgp-bias", **near).observe("limit_error", range(1), 0).rows[0]
    low, high = (Fraction(0.5), Fraction(0.5) + Fraction(1.2e-4) * Fraction(2.5e-7))
    a = Fraction(0.8)
    exact = 2 / (1 - a * high) - 2 / (1 - a * low)
    assert abs(Fraction(float(row.values[0])) - exact) <= Fraction(row.rounding) <= exact
