"""Consensus: the distance stays on a ring of four without self-loops, else falls as 1/K."""

import pytest

from theorylab.experiments import experiment
from theorylab.statements.deprl import _sweeps as made
from theorylab.statements.deprl.cor1_consensus import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect


def test_on_the_ring_of_four_the_distance_is_half_the_noise_whatever_k():
    run = {k: made.RATE_RING_OF_FOUR[k] for k in ("problem", "topology", "clients", "algorithm")}
    K = [10, 10**3, 10**6, 10**8]
    rows = experiment("deprl-measure", **run, rounds=K, corollary=True)
    for row in rows.observe("distance", range(1), 0).rows:
        # sigma^2 (K-1)/(2K), sigma = 1; K products of matrices of norm 1, K N eps each
        T = row.at["T"]
        assert float(row.values[0]) == pytest.approx((T - 1) / (2 * T), rel=1e-14 * T + 1e-13)


def test_on_the_pair_it_falls_as_one_over_k():
    found = judge_check(STATEMENT, "corrected", STATEMENT.versions["corrected"].checks[1])
    assert found.measured == pytest.approx(0.1, rel=1e-3)
