"""What an instance may cost: dear ones share some time, and what looks broken is judged."""

import math

import pytest

from theorylab.falsify import score as score_module
from theorylab.falsify.score import Judge, scored, unmet
from theorylab.statements import BUILT_IN

STATEMENT = BUILT_IN["dfedalt.eq8"]
CHECK = STATEMENT.versions["printed/line-4"].checks[0].instance


class Clock:
    """Seconds that pass where the test says so."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def judge(monkeypatch):
    """A judge whose screening takes as long as ``took`` says, and the limits that it was given."""
    clock = Clock()
    made = Judge(
        STATEMENT, "printed/line-4", 2, 0, 100.0, 1.0, screening=True, interrupts=True, clock=clock
    )
    made.limits, made.took, made.score = [], 0.01, -1.0

    class At:
        def __init__(self, seconds, processor=False):
            made.limits.append(seconds)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    def screened(*_):
        clock.now += made.took
        return made.score

    made.screen.__class__ = type("Screen", (made.screen.__class__,), {"__call__": screened})
    monkeypatch.setattr(score_module, "at_most", At)
    return made


def instance(k):
    return {**CHECK, "algorithm": {**CHECK["algorithm"], "eta_u": 1e-3 * (k + 1)}}


def test_what_is_much_dearer_than_most_has_a_quarter_of_the_time(judge):
    for k in range(1000):
        judge.took = 0.9 if k % 20 == 0 and judge._allowed() >= 0.9 else 0.01
        judge(instance(k))
    assert 0.15 < judge._dear / judge._spent < 0.3
    assert max(judge.limits) == 2.0  # twice the patience
    assert min(judge.limits) == 0.3


def test_a_short_look_does_not_cut_the_judging_of_what_looks_broken(judge, monkeypatch):
    judged = []
    monkeypatch.setattr(score_module, "judge_check", lambda *a, **_: judged.append(a) or 1 / 0)
    judge.longest, judge.score = 0.05, 1.0
    judge(instance(0))
    assert len(judged) == 1
    assert judge.limits == [0.05, 2.0]  # of the screening, and of the judging


def late(*_):
    raise TimeoutError


def test_what_had_little_time_is_judged_when_it_has_more(judge, monkeypatch):
    judge.longest = 0.05
    whole = type(judge.screen).__call__
    monkeypatch.setattr(type(judge.screen), "__call__", late)
    assert judge(instance(0)) == (-math.inf, None)
    assert judge.cut
    assert judge.known(instance(0)) == -math.inf  # and asking judges nothing
    monkeypatch.setattr(type(judge.screen), "__call__", whole)
    judge.longest = math.inf
    assert judge(instance(0))[0] == -1.0
    assert judge.known(instance(0)) == -1.0
    assert judge.fresh
    assert not judge.cut
    # what had all of its time is not tried again
    monkeypatch.setattr(type(judge.screen), "__call__", late)
    assert judge(instance(1)) == (-math.inf, None)
    monkeypatch.setattr(type(judge.screen), "__call__", whole)
    assert judge(instance(1)) == (-math.inf, None)
    assert not judge.fresh


def test_an_instance_is_judged_once_and_the_longest_has_no_limit_of_its_own(judge):
    assert judge.longest == math.inf
    judge(instance(0))
    judge(instance(0))
    assert len(judge.limits) == 1


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
