"""A version's own checks are judged before the clock starts."""

import itertools
from dataclasses import replace

import pytest

from theorylab.falsify import falsify
from theorylab.statements import Check


def ticks():
    return itertools.count().__next__


def with_check(told, check):
    version = told.versions["printed"]
    return replace(told, versions={"printed": replace(version, checks=(*version.checks, check))})


@pytest.mark.parametrize("expect", ["VIOLATED", "HOLDS"])
def test_what_an_own_check_refutes_is_found_whatever_the_budget(planted, expect):
    far = Check("far", {"share": 1 - 2.0**-40, "count": 3}, expect=expect)
    told = with_check(planted(1e12), far)
    found = falsify(told, budget=3, clock=ticks(), shrink=False)
    assert (found.refuted, found.known, found.tried, found.stage) == (True, True, 0, "known")
    assert (found.instance, found.check, found.how) == (far.instance, "far", "")
    searched = falsify(told, budget=3, clock=ticks(), shrink=False, known=False)
    assert not searched.known


def test_a_control_refutes_nothing(planted):
    far = Check("far", {"share": 1 - 2.0**-40, "count": 3}, control=True)
    assert not falsify(with_check(planted(1e12), far), budget=3, clock=ticks()).known


def test_a_mean_beyond_the_bound_whose_limit_is_not_is_undecided(planted):
    # One run in ten is 5: the mean of 16 runs is 5/8, of 1024 is .503; both limits lie around .5.
    start = {"share": 0.5, "count": 1}
    found = falsify(
        planted(0.5, column="noisy", instance=start), budget=1e-6, clock=ticks(), known=False
    )
    assert not found.refuted
    assert found.undecided is not None
    assert found.undecided.verdict == "INCONCLUSIVE"
    assert found.undecided.ratio > 1
