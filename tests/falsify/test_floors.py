"""What a proof against an order lacks is counted, so that a search can walk towards one."""

import math

import pytest

from theorylab.falsify.floors import unmet
from theorylab.falsify.score import Judge, scored
from theorylab.statements import BUILT_IN

CONSENSUS = BUILT_IN["deprl.cor1_consensus"].versions["printed/no-self-loops"]
MET = {
    **dict.fromkeys(("deprl_flat", "deprl_doubly", "deprl_connected", "deprl_independent"), 1.0),
    "deprl_aperiodic": 0.0,
    "deprl_phi_noise": 1.0,
}


@pytest.mark.parametrize(
    ("change", "lacking"),
    [
        ({}, 0),
        ({"deprl_flat": 0.0}, 1),
        ({"deprl_flat": 0.0, "deprl_aperiodic": 1.0}, 2),
        ({"deprl_phi_noise": 0.0}, 1),  # the lower bound is 0
        ({"deprl_phi_noise": 0.0, "deprl_flat": 0.0}, 2),
    ],
)
def test_relations_that_fail_and_a_bound_of_0_are_counted(change, lacking):
    assert unmet(CONSENSUS, {**MET, **change}) == lacking


def test_what_is_not_known_is_not_counted_and_no_order_lacks_nothing():
    assert unmet(CONSENSUS, {"deprl_flat": 0.0}) == 1
    assert unmet(BUILT_IN["dfedsgpsm.thm1"].versions["printed"], MET) == 0


def test_of_two_instances_that_grow_alike_the_one_that_a_proof_is_nearer_to_scores_higher():
    check = CONSENSUS.checks[0].instance
    judge = Judge(BUILT_IN["deprl.cor1_consensus"], "printed/no-self-loops", 16, 0, math.inf)
    swap = {"name": "directed-ring", "self_loops": False}
    body, zero = {"B": [[[1.0]]] * 2, "C": [[[0.0]]] * 2}, [[0.0]] * 2
    rest = {"name": "coupled-quadratic", **body, "a": zero, "b": zero, "sigma_u": 1.0}
    run = {**check, "clients": 2, "x0": 2.0, "topology": swap}
    bent, flat = ({**run, "problem": {**rest, "A": [[[slope]]] * 2}} for slope in (1.0, 0.0))
    score, result = judge(bent)
    assert score == scored(result) - 1  # losses that depend on the shared part
    assert score < judge(flat)[0]
