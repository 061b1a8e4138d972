"""Rates of known graphs, and the remark's formula by hand."""

import math

import numpy as np
import pytest

from theorylab.experiments import PrintedRates, experiment

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
    second = np.sort(np.abs(np.linalg.eigvals(P)))[-2]
    (row,) = made.observe("rate_after", range(1), 0).rows
    assert row.values[0] == pytest.approx(second, rel=1e-9)
    assert row.at["rate_before"].value == pytest.approx(math.cos(math.pi / 4), rel=1e-12)
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
        experiment("printed-rates", networks=[RING]).observe("rate_after", range(1), 0)
