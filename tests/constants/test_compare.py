import math

import numpy as np
import pytest

from theorylab.constants import contraction, slack_table, topology_constants
from theorylab.known import How, Known
from theorylab.topologies import topology

EPS = np.finfo(float).eps
NAMES = ("directed-ring", "directed-exponential", "path", "star", "random-out", "erdos-renyi")


def table_of(built, horizon=40):
    known = topology_constants(built, horizon)
    return known, {row.envelope: row for row in slack_table(built, known)}


def made_up(**changed):
    """Constants of no topology at all, to see what a row is made of."""
    values = {"C": 4.0, "q": 0.5, "C_sgp": 100.0, "q_sgp": 0.9, "gap_sgp": 0.1}
    values |= {"C_deprl": 1e6, "q_deprl": 0.99, "gap_deprl": 0.01}
    values |= {"lambda2": 0.25, "spectral_gap": 0.75} | changed
    return {name: Known(value, How.UPPER, "made up") for name, value in values.items()}


def test_a_row_is_the_arithmetic_of_its_pair():
    tight, rate, sgp, deprl = slack_table(topology("ring", 8), made_up())
    assert [r.envelope for r in (tight, rate, sgp, deprl)] == [
        "tight", "|lambda_2|", "SGP lemma", "DePRL"
    ]  # fmt: skip
    for row, C, q in ((tight, 4, 0.5), (rate, 1, 0.25), (sgp, 100, 0.9), (deprl, 1e6, 0.99)):
        assert row.log10_c == pytest.approx(math.log10(C), abs=4 * EPS)
        assert row.log10_q == pytest.approx(math.log10(q), rel=64 * EPS)  # 1 - q is rounded
        assert row.log10_ratio == pytest.approx(math.log10(C / (1 - q)), rel=8 * EPS)
        rounds = math.log(C / 1e-3) / -math.log(q)
        assert row.log10_rounds == pytest.approx(math.log10(rounds), rel=64 * EPS)
        assert row.orders == pytest.approx(math.log10(C / (1 - q) / 8), abs=32 * EPS)


def test_the_rounds_are_where_the_envelope_falls_to_a_thousandth():
    _, rows = table_of(topology("directed-ring", 12))
    for row in rows.values():
        lag = np.array([10**row.log10_rounds])
        # 3 decades times the rounding of log10_rounds times ln 10
        assert row.heights(lag)[0] == pytest.approx(-3, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_every_proven_envelope_is_above_the_measured_contraction(name):
    built = topology(name, 12)
    _, rows = table_of(built)
    measured = contraction(built, 40)
    for row in rows.values():
        if row.how is How.UPPER:
            assert np.all(row.heights(measured.lags) >= measured.log10)
    assert np.min(rows["tight"].heights(measured.lags) - measured.log10) < 1e-6  # it touches
    for printed in ("SGP lemma", "DePRL"):
        assert rows[printed].orders > 1


def test_the_contraction_is_that_of_the_products_written_out():
    built, horizon = topology("random-out", 5, degree=2, seed=4), 12
    P = [built.matrix(t).toarray() for t in range(horizon)]
    largest = np.zeros(horizon + 1)
    for s in range(horizon + 1):
        phi = np.eye(5)
        for t in range(s, horizon + 1):
            w = np.linalg.multi_dot([*P[:t][::-1], np.ones((5, 1))]) if t else np.ones((5, 1))
            M = phi / w - 1 / 5
            largest[t - s] = max(largest[t - s], np.linalg.norm(M, 2))
            phi = P[t] @ phi if t < horizon else phi
    found = contraction(built, horizon)
    assert found.lags.tolist() == list(range(horizon + 1))
    # sums of 5 terms over 12 rounds, twice, absolute against entries of size 1
    assert np.allclose(10**found.log10, largest, rtol=1e-9, atol=5 * 24 * 8 * EPS)
    assert found.norm == "2-norm"


def test_the_contraction_stops_where_there_is_nothing_left_to_see():
    found = contraction(topology("complete", 6), 50)
    assert found.lags.tolist() == [0, 1]
    assert found.log10[1] < -12
    assert "bound on" in contraction(topology("ring", 130), 2).norm


def test_the_rate_of_a_periodic_topology_is_that_of_one_round():
    rows = slack_table(topology("one-peer-exponential", 8), made_up())  # period 3
    assert rows[1].log10_q == pytest.approx(math.log10(0.25) / 3, rel=8 * EPS)


def test_a_rate_of_zero_is_named_and_costs_one_round():
    _, rows = table_of(topology("one-peer-exponential", 8))
    rate = rows["|lambda_2|"]
    assert rate.source.startswith("of the product over one period of 3 rounds: all columns of P")
    assert (rate.log10_gap, rate.log10_q, rate.log10_rounds) == (0, -math.inf, 0)
    assert rate.heights(np.arange(3.0)).tolist() == [0, -math.inf, -math.inf]


def test_a_rate_that_rounding_hides_is_taken_for_zero():
    rows = slack_table(topology("ring", 8), made_up(lambda2=8 * EPS, spectral_gap=1 - 8 * EPS))
    assert rows[1].source == "0 within rounding; made up"
    assert rows[1].how is How.ESTIMATE  # with C = 1 an upper bound on the rate bounds no product
    assert rows[1].log10_q == -math.inf


def test_numbers_beyond_float64_have_a_table():
    built = topology("star", 160)
    _, rows = table_of(built, horizon=3)
    assert rows["DePRL"].log10_ratio > 650  # a float64 ends at 10^308
    assert all(math.isfinite(row.orders) for row in rows.values())


def test_a_row_without_constants_says_why():
    _, rows = table_of(topology("complete", 4))
    sgp = rows["SGP lemma"]
    assert sgp.log10_c is sgp.log10_ratio is sgp.log10_rounds is sgp.orders is None
    assert sgp.heights(np.arange(3.0)) is None
    assert "lambda = 1 - 4 * 4^-1 = 0.0 <= 0" in sgp.source
    apart = topology("edge-list", 3, edges=[[0, 1], [1, 0]], allow_disconnected=True)
    _, rows = table_of(apart, 5)
    assert all(row.log10_c is None for name, row in rows.items() if name != "DePRL")
    assert rows["DePRL"].orders is None
    assert rows["DePRL"].how is How.ESTIMATE


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="contraction: horizon is 0; need at least 1"):
        contraction(topology("ring", 4), 0)
    one_way = topology(
        "edge-list",
        2,
        edges=[[0, 1], [1, 1]],
        weights="uniform",
        self_loops=False,
        allow_disconnected=True,
    )
    with pytest.raises(ValueError, match=r"contraction: client \d has weight 0 at round 1"):
        contraction(one_way, 3)
