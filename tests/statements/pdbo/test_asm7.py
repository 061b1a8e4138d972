"""Assumption 7: StoD satisfies it, no StoU does."""

import pytest

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.pdbo.asm7 import STATEMENT
from theorylab.verdicts import judge_check


@pytest.mark.parametrize("q", [0.1, 0.5, 0.99])
def test_the_covariance_of_a_pair_is_q_times_one_minus_q(q):
    network = {"name": "sto-u", "low": q, "high": q}
    check = Check("pair", {"network": network, "clients": 3})
    found = judge_check(STATEMENT, "printed/sto-u", check)
    assert found.verdict == "UNSATISFIABLE"
    assert found.constants["edge_covariance"]["value"] == pytest.approx(q * (1 - q), rel=1e-12)


DEPENDENT = [
    {"name": "random-out", "degree": 1},
    {"name": "random-in", "degree": 2},
    {"name": "random-symmetric", "degree": 1},
    {"name": "erdos-renyi", "p": 0.5, "time_varying": True},
]


@pytest.mark.parametrize("network", DEPENDENT, ids=lambda network: network["name"])
def test_edges_drawn_together_do_not_satisfy_it(network):
    instance = {"network": network, "clients": 4}
    found = judge_check(STATEMENT, "printed", Check("drawn together", instance))
    assert found.verdict == "ASSUMPTION_FAILS"
    # the closed form that the assumption is settled with is what all patterns add up to
    one = experiment("hgp-network", **instance)
    listed = one.observe("edge_covariance", range(1), 0).rows[0].values[0]
    told = found.constants["edge_covariance"]["value"]
    assert told == pytest.approx(listed, rel=1e-12)  # at most 2^16 chances added up


def test_the_witness_for_sto_u_is_silent_on_directed_networks():
    check = Check("one way", {"network": DEPENDENT[0], "clients": 4})
    assert judge_check(STATEMENT, "printed/sto-u", check).verdict == "INCONCLUSIVE"


def test_edges_that_are_always_there_are_no_witness():
    network = {"name": "sto-u", "low": 1.0, "high": 1.0}
    check = Check("certain", {"network": network, "clients": 3})
    assert judge_check(STATEMENT, "printed", check).verdict == "HOLDS"
