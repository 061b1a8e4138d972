"""Every structural move of a check is made, however good an instance the pool has by then."""

import itertools
import math
from dataclasses import replace

import pytest

from theorylab.falsify import hunt as hunt_module
from theorylab.falsify.hunt import Hunt
from theorylab.falsify.origins import Origins
from theorylab.falsify.score import Judge
from theorylab.falsify.sizes import bulk
from theorylab.falsify.starts import known_choices, starts
from theorylab.falsify.structure import structural
from theorylab.statements import BUILT_IN

EQ8 = BUILT_IN["dfedalt.eq8"]


def searching(statement, version, budget=1e6):
    judge = Judge(statement, version, 2, 0, budget, clock=lambda: 0.0)
    others = known_choices(statement, version, starts(statement, version))
    made = Hunt(judge, 0.0, budget, others, None)
    made.pool.add(0.0, {"better": "than all"}, "")
    return made


@pytest.fixture
def looks(monkeypatch):
    """What is looked at, with the seconds that each may take; every score is the same."""
    seen = []

    def look(self, instance, inside=False):
        seen.append((instance, self.how, self.judge.longest))
        return -1.0

    monkeypatch.setattr(hunt_module.Hunt, "look", look)
    return seen


@pytest.fixture
def one_check():
    """eq. (8) with its longest check alone."""
    every = [check for version in EQ8.versions.values() for check in version.checks]
    check = max(every, key=lambda check: check.instance["rounds"])
    version = replace(EQ8.versions["printed/line-4"], checks=(check,))
    return replace(EQ8, versions={"printed/line-4": version})


def test_all_structural_moves_of_a_check_and_of_its_smallest_copy_are_made(looks, one_check):
    hunt, origins = searching(one_check, "printed/line-4"), Origins()
    while origins.look(hunt):
        assert hunt.judge.longest == math.inf  # of all other looks
    (check,) = starts(one_check, "printed/line-4", cut=False)
    small = min(starts(one_check, "printed/line-4"), key=bulk)
    word = {"per-round": "per-step", "per-step": "per-round"}[check["algorithm"]["batch"]]
    other = {**check, "algorithm": {**check["algorithm"], "batch": word}}
    made = [instance for instance, _, _ in looks]
    for origin in (check, small, other):
        assert all(moved in made for _, moved in structural(origin))
    limits = {how: longest for _, how, longest in looks}
    assert limits.pop("a word") == math.inf  # the origins themselves have all of their time
    assert set(limits.values()) == {hunt.budget / 200}


def test_what_is_dear_has_no_more_of_the_time(one_check, monkeypatch):
    now, spent = [0.0], {"small": 0.0, "whole": 0.0}
    (check,) = starts(one_check, "printed/line-4", cut=False)

    def look(self, instance, inside=False):
        dear = instance["rounds"] == check["rounds"]
        now[0] += 1.0 if dear else 0.1
        spent["whole" if dear else "small"] += 1.0 if dear else 0.1
        return -1.0

    monkeypatch.setattr(hunt_module.Hunt, "look", look)
    hunt = searching(one_check, "printed/line-4")
    hunt.judge.clock = lambda: now[0]
    origins = Origins()
    while now[0] < 40:
        assert origins.look(hunt)
    assert spent["whole"] == pytest.approx(spent["small"], rel=0.25)


def test_checks_take_turns():
    statement = BUILT_IN["dfedalt.eq19"]
    hunt, origins = searching(statement, "corrected"), Origins()
    whole = starts(statement, "corrected", cut=False)
    assert len(whole) > 1
    tried = []
    hunt.look = lambda instance, inside=False: -1.0
    hunt.after = lambda instance, how: tried.append(instance)
    for _ in range(len(whole)):
        assert origins.look(hunt)
    assert [check for check in tried if check in whole][-1] == whole[-1]


def test_a_check_that_cannot_be_judged_has_no_moves(looks, monkeypatch):
    monkeypatch.setattr(hunt_module.Hunt, "look", lambda *_, **__: -math.inf)
    assert not Origins().look(searching(EQ8, "printed/line-4"))


def test_uncut_starts_are_the_checks_alone():
    whole = starts(EQ8, "printed/line-4", cut=False)
    every = starts(EQ8, "printed/line-4")
    assert len(whole) < len(every)
    assert all(instance in every for instance in whole)
    rounds = {check.instance["rounds"] for v in EQ8.versions.values() for check in v.checks}
    assert {instance["rounds"] for instance in whole} <= rounds


def test_what_a_move_makes_worse_is_looked_at_at_a_cap_that_turns_a_sign(steps_squared, five_steps):
    # Squared, the steps make the denominator negative below a cap that does not know of it; far
    # below the cap more steps are farther from the bound than one.
    told = steps_squared(2)
    judges = [Judge(told, "made", 16, 0, 1e6, screening=True, clock=lambda: 0.0) for _ in range(2)]
    (check,) = told.versions["made"].checks
    assert judges[0](five_steps(told))[0] < judges[0](check.instance)[0] < 0
    hunt, origins = Hunt(judges[1], 0.0, 1e6, {}, None), Origins()
    hunt.look(check.instance)
    while hunt.found is None:
        assert origins.look(hunt)
    found = hunt.found[0]["algorithm"]
    assert found["eta_u"] > 1e4 * check.instance["algorithm"]["eta_u"]


def test_what_was_cut_is_judged_by_nobody_else(steps_squared, monkeypatch):
    # Judged outside the search's own look, what refutes would be remembered and never found.
    told = steps_squared(2)
    hunt, origins = searching(told, "made"), Origins()
    judged, whole = [], Judge._judged

    def cut(self, instance):
        judged.append(instance)
        found = whole(self, instance)
        self.cut = self.longest < math.inf
        return found

    monkeypatch.setattr(Judge, "_judged", cut)
    while origins.look(hunt):
        if len(judged) > 60:
            break
    assert len(judged) > 60
    assert all(one != then for one, then in itertools.pairwise(judged))
