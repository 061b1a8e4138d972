"""Every structural move of a check is made, however good an instance was found by then."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from theorylab.falsify.check_moves import CheckMoves, joint_moves
from theorylab.falsify.checks import known_choices, starts
from theorylab.falsify.costs import bulk
from theorylab.falsify.neighbour_moves import NeighbourMoves
from theorylab.falsify.score import Judge
from theorylab.falsify.search_state import SearchState
from theorylab.falsify.structural_moves import structural
from theorylab.statements import BUILT_IN

EQ8 = BUILT_IN["dfedalt.eq8"]


def searching(statement, version, budget=1e6):
    judge = Judge(statement, version, 2, 0, budget, clock=lambda: 0.0)
    others = known_choices(statement, version, starts(statement, version))
    made = SearchState(judge, 0.0, budget, others, None)
    made.population.add(0.0, {"better": "than all"}, "")
    return made


def check_moves(state):
    return CheckMoves(state, NeighbourMoves(state))


@pytest.fixture
def looks(monkeypatch):
    """What is looked at, with the seconds that each may take; every score is the same."""
    seen = []

    def look(self, instance, repeated=False):
        seen.append((instance, self.how, self.judge.longest))
        return -1.0

    monkeypatch.setattr(SearchState, "look", look)
    return seen


@pytest.fixture
def one_check():
    """eq. (8) with its longest check alone."""
    every = [check for version in EQ8.versions.values() for check in version.checks]
    check = max(every, key=lambda check: check.instance["rounds"])
    version = replace(EQ8.versions["printed/line-4"], checks=(check,))
    return replace(EQ8, versions={"printed/line-4": version})


def test_all_structural_moves_of_a_check_and_of_its_smallest_copy_are_made(looks, one_check):
    state = searching(one_check, "printed/line-4")
    turns = check_moves(state)
    while turns.look():
        assert state.judge.longest == math.inf  # of all other looks
    (check,) = starts(one_check, "printed/line-4", cut=False)
    small = min(starts(one_check, "printed/line-4"), key=bulk)
    word = {"per-round": "per-step", "per-step": "per-round"}[check["algorithm"]["batch"]]
    other = {**check, "algorithm": {**check["algorithm"], "batch": word}}
    made = [instance for instance, _, _ in looks]
    for origin in (check, small, other):
        assert all(moved in made for _, moved in structural(origin))
    limits = {how: longest for _, how, longest in looks}
    assert limits.pop("a word") == math.inf  # the checks themselves have all of their time
    assert set(limits.values()) == {state.budget / 200}


def test_what_is_dear_has_no_more_of_the_time(one_check, monkeypatch):
    now, spent = [0.0], {"small": 0.0, "whole": 0.0}
    (check,) = starts(one_check, "printed/line-4", cut=False)

    def look(self, instance, repeated=False):
        dear = instance["rounds"] == check["rounds"]
        now[0] += 1.0 if dear else 0.1
        spent["whole" if dear else "small"] += 1.0 if dear else 0.1
        return -1.0

    monkeypatch.setattr(SearchState, "look", look)
    state = searching(one_check, "printed/line-4")
    state.judge.clock = lambda: now[0]
    turns = check_moves(state)
    while now[0] < 40:
        assert turns.look()
    assert spent["whole"] == pytest.approx(spent["small"], rel=0.25)


def test_checks_take_turns():
    statement = BUILT_IN["dfedalt.eq19"]
    state = searching(statement, "corrected")
    turns = check_moves(state)
    whole = starts(statement, "corrected", cut=False)
    assert len(whole) > 1
    tried = []
    state.look = lambda instance, repeated=False: -1.0
    state.after = lambda instance, how: tried.append(instance)
    for _ in range(len(whole)):
        assert turns.look()
    assert [check for check in tried if check in whole][-1] == whole[-1]


def test_a_check_that_cannot_be_judged_has_no_moves(looks, monkeypatch):
    monkeypatch.setattr(SearchState, "look", lambda *_, **__: -math.inf)
    assert not check_moves(searching(EQ8, "printed/line-4")).look()


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
    state = SearchState(judges[1], 0.0, 1e6, {}, None)
    turns = check_moves(state)
    state.look(check.instance)
    while state.found is None:
        assert turns.look()
    found = state.found[0]["algorithm"]
    assert found["eta_u"] > 1e4 * check.instance["algorithm"]["eta_u"]


def test_what_was_cut_is_judged_by_nobody_else(steps_squared, monkeypatch):
    # Judged outside the search's own look, what refutes would be remembered and never found.
    told = steps_squared(2)
    turns = check_moves(searching(told, "made"))
    judged, whole = [], Judge._judged

    def cut(self, instance):
        judged.append(instance)
        found = whole(self, instance)
        self.cut = self.longest < math.inf
        return found

    monkeypatch.setattr(Judge, "_judged", cut)
    while turns.look():
        if len(judged) > 60:
            break
    assert len(judged) > 60
    assert all(one != then for one, then in itertools.pairwise(judged))


RUN = {
    "problem": {"name": "own", "share": 0.5, "seed": 3, "centers": [1.0, 2.0]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 6,
    "at": [6],
    "algorithm": {"eta": 0.25, "delay": 1},
    "x0": 0.0,
    "constants": {"R": 9.0},
}


def drawn(seed=0, instance=RUN):
    return list(joint_moves(instance, np.random.Generator(np.random.Philox(seed))))


def moved(instance, at=()):
    """The paths at which an instance differs from the check."""
    found = []
    for key, value in instance.items():
        here = RUN
        for step in at:
            here = here[step]
        if isinstance(value, dict):
            found += moved(value, (*at, key))
        elif value != here[key]:
            found.append((*at, key))
    return found


@pytest.fixture(scope="module")
def all_of_them():
    return drawn()


def test_pairs_come_before_triples_and_more_rounds_first(all_of_them):
    counts = [label.count(",") + 1 for label, _ in all_of_them]
    assert counts == sorted(counts)
    assert set(counts) == {2, 3}
    pairs = [label for label, _ in all_of_them if label.count(",") == 1]
    longer = ["rounds +" in label or "fixed eta T +" in label for label in pairs]
    assert longer == sorted(longer, reverse=True)
    assert any(longer)


def test_what_is_no_number_of_the_run_stays(all_of_them):
    for _, made in all_of_them:
        assert made["constants"] == RUN["constants"]
        assert made["problem"]["seed"] == 3
        assert made["problem"]["centers"][1] == 2.0  # of a list the first moves alone
        assert made["rounds"] <= 3000
        assert len(moved(made)) >= 2


def test_a_count_stays_one_a_share_comes_near_1_first_and_what_is_0_becomes_a_number(all_of_them):
    made = dict(all_of_them)
    late = made["together: rounds +1, delay +1"]
    assert (late["rounds"], late["algorithm"]["delay"]) == (60, 10)
    assert type(late["algorithm"]["delay"]) is int
    near = next(one for label, one in made.items() if label.endswith("rounds +1, share +1"))
    assert near["problem"]["share"] == pytest.approx(0.95, rel=1e-15)
    beyond = next(one for label, one in made.items() if label.endswith("rounds +1, share +2"))
    assert beyond["problem"]["share"] == 50.0  # it may be no share
    away = next(one for label, one in made.items() if label.endswith("rounds +1, x0 +1"))
    assert away["x0"] == 10.0
    coupled = next(
        one for label, one in made.items() if label == "together: x0 +1, rounds at fixed eta T +1"
    )
    assert (coupled["rounds"], coupled["algorithm"]["eta"]) == (60, pytest.approx(0.025))


def test_the_first_number_of_a_list_is_named_by_its_option_and_place(all_of_them):
    made = dict(all_of_them)
    first = made["together: rounds +1, centers[0] +1"]
    assert first["problem"]["centers"] == [10.0, 2.0]
    assert not [label for label in made if ", 0 " in label or ": 0 " in label]


def test_the_order_is_a_function_of_the_draw():
    labels = [[label for label, _ in drawn(seed)] for seed in (1, 1, 2)]
    assert labels[0] == labels[1] != labels[2]
    assert sorted(labels[0]) == sorted(labels[2])


def test_an_experiment_has_its_numbers_moved():
    made = dict(drawn(0, {"place": {"step": 0.3}, "terms": 2}))
    assert made["together: step -1, terms +1"] == {
        "place": {"step": pytest.approx(0.03)},
        "terms": 20,
    }


def test_rounds_of_an_experiment_may_be_several():
    made = drawn(instance={"share": 0.25, "scale": 2.0, "rounds": [1, 10, 100]})
    assert {tuple(instance["rounds"]) for _, instance in made} > {(1, 10, 100)}
