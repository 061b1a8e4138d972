"""What an instance may cost: dear ones share some time, and what looks broken is judged."""

import math

import pytest

from theorylab.falsify import score as score_module
from theorylab.falsify.score import Judge
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
