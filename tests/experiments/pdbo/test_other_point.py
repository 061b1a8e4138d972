"""VR-HGP at another point: the limit, the constants and the gaps of A and B, in closed form."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from theorylab.experiments import experiment

ONE = {"eta_A": 0.8, "eta_B": 2.0, "level": 0.25, "slope": 1.0, "gap": 0.5}
CROSS = {**ONE, "cross_level": -0.25, "cross_slope": 0.6}
GAPS = [  # (experiment, gap of the means, largest gap, its eta, level, slope and constant)
    ("hgp-bias", "mean_gap", "jacobian_gap", "eta_A", "level", "slope", "L_y"),
    ("hgp-cross", "mean_cross_gap", "cross_gap", "eta_B", "cross_level", "cross_slope", "L_lambda"),
]


def value(one, column):
    return one.observe(column, range(1), 0).rows[0].values[0]


def test_the_limit_is_a_geometric_series_for_one_client():
    wanted = 2.0 / (1 - 0.8 * 0.75) - 2.0 / (1 - 0.8 * 0.25)
    assert value(experiment("hgp-bias", **ONE), "limit_error") == pytest.approx(wanted, rel=1e-13)


def test_the_limit_sees_both_derivatives_move():
    one = experiment("hgp-cross", **{**ONE, "cross_level": 0.5, "cross_slope": 1.0})
    wanted = 2.0 / (1 - 0.8 * 0.75) - 0.5 * 2.0 / (1 - 0.8 * 0.25)
    assert value(one, "limit_error") == pytest.approx(wanted, rel=1e-13)


@pytest.mark.parametrize(("name", "told"), [("sto-d", 1.0), ("sto-u", 0.0), ("random-out", 0.0)])
def test_edges_are_independent_only_where_no_two_have_a_covariance(name, told):
    network = {"name": name, "degree": 1} if name == "random-out" else {"name": name}
    one = experiment("hgp-bias", clients=3, network=network)
    assert one.constants()["independent_edges"].value == told


def test_many_terms_reach_the_limit():
    one = experiment("hgp-bias", **ONE, alpha=0.5, beta=0.5, terms=[200])
    # (1 - .5 + .5 * .8)^200 = 7e-10
    assert value(one, "error") == pytest.approx(value(one, "limit_error"), rel=1e-6)


def test_following_c_changes_the_seed_and_its_gap_only():
    known = experiment("hgp-bias", **ONE, curvature=3.0, follow=True).constants()
    assert known["c_gap"].value == 1.5  # curvature times gap over n
    assert known["c_norm"].value >= 2.5
    assert experiment("hgp-bias", **ONE, curvature=3.0).constants()["c_gap"].value == 0.0


def test_fbar_is_an_average_over_clients():
    known = experiment("hgp-bias", clients=4, gap=0.5, curvature=2.0, follow=True).constants()
    # every client's derivative is (1 + 2 gap) / 4, four of them: norm 2 / 4 * 2
    assert known["c_norm"].value == pytest.approx(1.0, rel=1e-12)
    assert known["c_gap"].value == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize(("name", "mean", "_", "eta", "__", "___", "constant"), GAPS)
def test_the_lipschitz_constant_is_met_with_equality_inside_the_clip(
    name, mean, _, eta, __, ___, constant
):
    one = experiment(name, **(CROSS if name == "hgp-cross" else ONE))
    known = one.constants()
    # phi and psi both change by L gap; L_lambda is over eta_B
    scale = known[eta].value if name == "hgp-cross" else 1.0
    assert value(one, mean) == pytest.approx(2 * scale * known[constant].value * 0.5, rel=1e-12)
    assert known[constant].value == (0.6 / 2 if name == "hgp-cross" else 0.8 / 2)  # kappa = 1


def test_beyond_the_clip_they_no_longer_move():
    one = experiment("hgp-cross", **{**ONE, "cross_level": 0.9, "cross_slope": 10.0})
    assert value(one, "mean_cross_gap") == pytest.approx(2 * (2.0 / 2) * (1 - 0.9), rel=1e-12)


@pytest.mark.parametrize(("name", "mean", "largest", "eta", "level", "_", "__"), GAPS)
def test_a_round_s_gap_is_the_largest_over_its_patterns(name, mean, largest, eta, level, _, __):
    table = [[1, 0.2], [0.9, 1]]
    network = {"name": "sto-d", "probabilities": table}
    one = experiment(name, clients=2, network=network, gap=0.3, **{level: 0.0})
    moved, share = 0.3 * getattr(one, eta) / (2 * one.kappa.value), one.edges.mean.T
    every = [
        np.eye(2) + np.array([[1, a], [b, 1]]) * share / np.array(table)
        for a, b in itertools.product((0, 1), repeat=2)
    ]
    worst = max(np.linalg.norm(moved * c, 2) for c in every)
    assert value(one, largest) == pytest.approx(worst)
    assert value(one, mean) == pytest.approx(np.linalg.norm(moved * (np.eye(2) + share), 2))
    estimates, weights = one.estimates(one.at_T, 1)
    assert len(estimates) == len(weights) == 4


def test_the_derivatives_in_y_are_those_of_the_constant_ones():
    options = {"clients": 2, "network": {"name": "sto-d"}, "gap": 0.3}
    one, other = experiment("hgp-bias", **options), experiment("hgp-cross", **options)
    for column in ("mean_gap", "jacobian_gap"):
        assert value(one, column) == value(other, column)
    known, others = one.constants(), other.constants()
    assert {name for name in known if known[name] != others[name]} == {"L_lambda"}


def test_drawn_edges_have_no_limit():
    one = experiment("hgp-bias", clients=2, network={"name": "sto-d"})
    with pytest.raises(ValueError, match="draws its edges, so the estimate has no limit"):
        value(one, "limit_error")


@pytest.mark.parametrize(("name", "mean", "largest", "eta", "level", "slope", "_"), GAPS)
def test_the_room_covers_matrices_that_nearly_agree(name, mean, largest, eta, level, slope, _):
    # their entries are near .4 and differ by 1e-8, so the difference keeps 1e-8 of its digits
    one = experiment(name, **{eta: 0.8, level: 0.5, slope: 1.2e-4, "gap": 2.5e-4})
    for column in (mean, largest):
        row = one.observe(column, range(1), 0).rows[0]
        exact = 2 * 0.4 * 1.2e-4 * 2.5e-4  # phi and psi both move by eta / 2 slope gap
        assert abs(row.values[0] - exact) <= row.rounding <= 1e-6 * exact


def test_the_room_of_the_limit_covers_estimates_that_nearly_agree():
    near = {"eta_A": 0.8, "eta_B": 2.0, "level": 0.5, "slope": 1.2e-4, "gap": 2.5e-7}
    row = experiment("hgp-bias", **near).observe("limit_error", range(1), 0).rows[0]
    a, low = Fraction(0.8), Fraction(0.5)
    high = low + Fraction(1.2e-4) * Fraction(2.5e-7)
    exact = 2 / (1 - a * high) - 2 / (1 - a * low)
    assert abs(Fraction(float(row.values[0])) - exact) <= Fraction(row.rounding) <= exact


def test_its_description_makes_it_again():
    one = experiment("hgp-cross", cross_level=0.3, cross_slope=2.0, clients=2)
    assert experiment("hgp-cross", **one.describe()).describe() == one.describe()


@pytest.mark.parametrize(
    "options",
    [
        *({"level": 2.0}, {"slope": 0.0}, {"eta_A": 1.0}, {"alpha": 1.5}, {"terms": []}),
        *({"cross_level": 1.5}, {"cross_slope": 0.0}, {"cross_slope": float("inf")}),
    ],
)
def test_bad_options_get_one_line(options):
    with pytest.raises(ValueError, match=r"^hgp-cross: .*; need") as caught:
        experiment("hgp-cross", **options)
    assert "\n" not in str(caught.value)
