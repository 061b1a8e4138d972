"""Rates of known graphs, and the remark's formula by hand."""

import math

import numpy as np
import pytest

from theorylab.experiments import PrintedRates, experiment
from theorylab.statements import Check
from theorylab.statements.dfedsgpsm import rem1, rem1_trend
from theorylab.verdicts import judge_check

RING = {"name": "directed-ring", "clients": 4}


def test_rates_of_rings_and_complete_graphs_are_known():
    networks = [RING, {"name": "complete", "clients": 5}]
    made = experiment("printed-rates", networks=networks)
    ring, complete = made.observe("rate", range(1), 0).rows
    assert ring.values[0] == pytest.approx(math.cos(math.pi / 4), rel=1e-12)
    assert complete.values[0] == pytest.approx(0, abs=1e-12)
    # Delta = 3, D = 2, n = 4; for the complete graph Delta = 1, D = n = 5
    assert ring.at["q_remark"].value == pytest.approx((1 - 2**-3) ** 0.25, rel=1e-14)
    assert ring.at["q_fixed"].value == pytest.approx((1 - 4**-3) ** 0.25, rel=1e-14)
    assert complete.at["q_remark"].value == pytest.approx(math.sqrt(0.8), rel=1e-14)
    assert complete.at["q_fixed"].value == pytest.approx(math.sqrt(0.8), rel=1e-14)


def test_added_edges_are_mixed_with_new_weights():
    made = experiment("printed-rates", networks=[RING], extra=[[[0, 2]]])
    P = np.zeros((4, 4))
    for j, targets in {0: (0, 1, 2), 1: (1, 2), 2: (2, 3), 3: (3, 0)}.items():
        P[list(targets), j] = 1 / len(targets)
    ((_, grown),) = made.pairs
    assert (grown.matrix(0).toarray() == P).all()
    (row,) = made.observe("fixed_after", range(1), 0).rows
    assert row.values[0] == row.at["fixed_before"].value  # the diameter is still 3
    (row,) = made.observe("factor_after", range(1), 0).rows
    lam = 1 - 4 * 3**-3  # n D^(-Delta B)
    assert row.values[0] == pytest.approx(2 * 27 / lam ** (5 / 4), rel=1e-12)


def test_a_formula_that_defines_no_number_is_no_zero():
    # n D^-Delta = 1 for the complete graph that the edges make
    networks = [{"name": "directed-ring", "clients": 3}]
    made = experiment("printed-rates", networks=networks, extra=[[[0, 2], [1, 0], [2, 1]]])
    with pytest.raises(ValueError, match=r"defines no constants[^\n]*; need a finite number$"):
        made.observe("factor_after", range(1), 0)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"networks": []}, "networks is"),
        ({"networks": [{"name": "complete"}]}, "networks is"),
        ({"networks": [RING], "extra": [[], []]}, "extra has 2 entries; need 1"),
        ({"networks": [{"name": "one-peer-exponential", "clients": 4}]}, "is not static"),
    ],
)
def test_a_wrong_option_is_one_line(options, line):
    with pytest.raises(ValueError, match=f"^printed-rates: [^\n]*{line}"):
        PrintedRates(**options)


def test_comparing_needs_added_edges():
    with pytest.raises(ValueError, match="compares with added edges; need extra"):
        experiment("printed-rates", networks=[RING]).observe("fixed_after", range(1), 0)


def judged(statement, version, network, **options):
    data = {"networks": [network], **options}
    return judge_check(statement, version, Check("hostile", data))


PAIR = [[0, 1, 0.01], [1, 0, 0.01], [0, 0, 0.99], [1, 1, 0.99]]


@pytest.mark.parametrize(
    "network",
    [
        # lambda_2 = .98 with weights of .01: a = 1/2 is no lower bound of theirs
        {"name": "edge-list", "clients": 2, "edges": PAIR},
        # P^3 = I: |lambda_2| = 1
        {"name": "directed-ring", "clients": 3, "self_loops": False},
        {"name": "complete", "clients": 2, "weights": "lazy"},
    ],
)
def test_where_a_weight_is_below_a_the_remark_is_not_judged(network):
    for version in ("printed", "printed/degree"):
        found = judged(rem1.STATEMENT, version, network)
        assert found.verdict == "INCONCLUSIVE", found.reason
    assert "proves nothing" in judged(rem1.STATEMENT, "printed", network).reason


def test_weights_of_exactly_one_over_n_are_enough():
    for name in ("complete", "star"):  # Metropolis on the star: 1/n, the diagonal off by rounding
        for n in (3, 7, 49):
            found = judged(rem1.STATEMENT, "printed", {"name": name, "clients": n})
            assert found.verdict == "HOLDS", found.reason


@pytest.mark.parametrize(
    "network",
    [
        {"name": "directed-ring", "clients": 4, "weights": "lazy"},
        {"name": "directed-ring", "clients": 4, "self_loops": False},
        {"name": "path", "clients": 4},
        {"name": "edge-list", "clients": 2, "edges": PAIR},
    ],
)
def test_a_network_whose_old_edges_would_change_too_cannot_grow(network):
    with pytest.raises(ValueError, match="gets new weights, not only new edges; need uniform"):
        PrintedRates(networks=[network], extra=[[[0, 2]]])


@pytest.mark.usefixtures("few_lags")
def test_rates_that_are_both_one_in_float64_are_told_apart_by_their_logarithms():
    # 1 - 2^-63 before, 1 - 3^-62 after, each under its root
    ring = {"name": "directed-ring", "clients": 64}
    found = judged(rem1_trend.STATEMENT, "printed/degree", ring, extra=[[[0, 2]]])
    assert (found.measured, found.bound, found.verdict) == (1.0, 1.0, "INCONCLUSIVE")
    assert "log10" in found.reason
    # all chords halve the diameter: 1 - 64^-63 falls to 1 - 64^-32
    chords = [[i, (i + 2) % 64] for i in range(64)]
    assert judged(rem1_trend.STATEMENT, "printed", ring, extra=[chords]).verdict == "HOLDS"
    assert judged(rem1_trend.STATEMENT, "printed", ring, extra=[[[0, 2]]]).verdict == "HOLDS"
