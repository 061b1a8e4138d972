"""Where a search begins: checks completed and cut, other readings and controls left out."""

import itertools
import signal
from dataclasses import replace

import pytest

from theorylab.falsify import falsify
from theorylab.falsify.checks import completed, known_choices, starts
from theorylab.falsify.costs import LARGEST, LONGEST, bulk
from theorylab.falsify.score import Judge, claims, kind_of
from theorylab.statements import BUILT_IN, Check

EQ9 = BUILT_IN["pdbo.eq9"]
THM1 = BUILT_IN["dfedsgpsm.thm1"]


def test_a_long_run_comes_with_a_short_copy():
    found = starts(THM1, "corrected")
    edges = [i for i in found if i["topology"]["name"] == "edge-list"]
    worked = [i for i in edges if i["algorithm"]["local_steps"] == 1]
    assert {i["rounds"] for i in worked} == {1, 3, 6, 64, 2000, 12000}


def test_a_short_copy_looks_at_no_round_beyond_its_own():
    found = starts(BUILT_IN["dfedalt.thm1_bound"], "corrected")
    assert {6, 64, 10**6} <= {instance["rounds"] for instance in found}
    assert all(max(instance["at"]) <= instance["rounds"] for instance in found)


def test_other_readings_long_runs_are_cut_and_a_versions_own_are_not(planted):
    told = planted(1.0, instance={"share": 0.25, "count": 1, "rounds": 10**6, "clients": 50})
    start = starts(told, "printed")[-1]
    assert (start["rounds"], start["clients"]) == (10**6, 50)
    bare = replace(told.versions["printed"], checks=())
    both = replace(told, versions={"printed": bare, "corrected": told.versions["printed"]})
    start = starts(both, "printed")[-1]
    assert (start["rounds"], start["clients"]) == (LONGEST, LARGEST)


def test_a_shorter_copy_is_looked_at_in_rounds_that_it_has():
    found = starts(BUILT_IN["deprl.thm1"], "corrected")
    looked = [i for i in found if "at" in i]
    assert {6, 64} <= {i["rounds"] for i in looked}
    assert all(i["at"] == sorted(set(i["at"])) and i["at"][-1] <= i["rounds"] for i in looked)


def test_a_small_copy_has_three_of_everything_that_is_counted_and_nothing_else_changed():
    instance = {"share": 0.25, "count": 1, "terms": [1, 5, 60], "at": [9], "seed": 12, "x0": [7, 8]}
    told = BUILT_IN["pdbo.lem6"]
    check = replace(told.versions["printed/r3"].checks[0], instance=instance)
    version = replace(told.versions["printed/r3"], checks=(check,))
    first = starts(replace(told, versions={"printed/r3": version}), "printed/r3")[0]
    assert first == {**instance, "terms": [1, 3], "at": [3]}


@pytest.mark.parametrize("many", [8, 10**5])  # a dense matrix of 10^5 has 80 GB
@pytest.mark.parametrize(("name", "clients"), [("ring", 4), ("complete", 3), ("star", 3)])
def test_a_small_copy_does_not_average_at_once_where_the_check_does_not(name, clients, many):
    version = THM1.versions["corrected"]
    check = next(
        c for c in version.checks if not c.control and isinstance(c.instance["clients"], int)
    )
    instance = {**check.instance, "topology": {"name": name}, "clients": many, "rounds": 20}
    own = replace(version, checks=(Check("own", instance, "HOLDS"),))
    found = starts(replace(THM1, versions={"corrected": own}), "corrected")
    assert {i["clients"] for i in found if i["rounds"] == 1} == {clients}


def test_another_readings_estimator_is_no_start_and_is_never_judged():
    # Eq. (9) to the letter is biased; that says nothing of the corrected estimator.
    assert {i["reading"] for i in starts(EQ9, "corrected")} == {"eq10"}
    judge = Judge(EQ9, "corrected", 16, 0, 1e12)
    other = EQ9.versions["printed"].checks[0].instance
    assert judge(other) == (float("-inf"), None)
    assert judge.invalid == 1
    assert len(claims(EQ9, "corrected")) == 1


def test_another_readings_estimator_refutes_nothing():
    found = falsify(EQ9, "corrected", budget=400, clock=itertools.count().__next__)
    assert not found.refuted
    assert found.inside > 10


def test_a_control_is_no_start(planted):
    told = planted(1.0, instance={"share": 0.25, "count": 1})
    version = told.versions["printed"]
    control = Check("control", {"share": 0.9, "count": 9}, "VIOLATED", control=True)
    both = replace(version, checks=(*version.checks, control))
    found = starts(replace(told, versions={"printed": both}), "printed")
    assert [i["share"] for i in found] == [0.25]


def test_options_that_a_check_leaves_out_are_filled_in_and_never_change_what_is_given():
    norms = BUILT_IN["pdbo.lem6"]
    short = {"family": "scalar", "terms": [1]}
    found = completed(norms, short)
    assert found == {
        **short,
        **{"alpha": 0.9, "beta": 0.1, "eta_A": 0.5, "eta_B": 2.0, "size": 3, "outputs": 2},
    }
    assert completed(norms, {"family": "none such"}) == {"family": "none such"}


def test_a_name_is_tried_with_all_that_the_refusal_lists():
    norms = BUILT_IN["pdbo.lem6"]
    found = known_choices(norms, "printed/r3", [{"family": "scalar", "terms": [1]}])
    assert {"scalar", "negative", "alternating", "random", "nilpotent"} <= set(found["family",])


def test_the_bulk_of_an_instance_multiplies_its_counts():
    made = {"clients": 3, "terms": [1, 2, 6], "seed": 9, "place": {"problem": {"dim": 2}}}
    assert bulk(made) == 3 * 6 * 2
    assert bulk({"share": 0.5}) == 1


def test_an_endless_instance_ends_with_its_share_of_the_budget(planted, monkeypatch):
    finished, given = [], []

    def endless(*_, **__):
        given.append(signal.getitimer(signal.ITIMER_PROF)[0])
        if given[0]:  # its alarm rings now, and not when those seconds are over
            signal.raise_signal(signal.SIGPROF)
        finished.append("after all")

    monkeypatch.setattr("theorylab.falsify.score.judge_check", endless)
    options = {"patience": 50.0, "interrupts": True, "clock": lambda: 0.0}
    judge = Judge(planted(1.0), "printed", 16, 0, 60.0, **options)
    assert judge({"share": 0.5, "count": 1}) == (float("-inf"), None)
    assert not finished
    assert 0 < given[0] <= 2 * 50.0 + 0.01  # the system rounds up to one of its ticks


def test_kinds_differ_by_whatever_has_a_name():
    one = {"maps": "sgp", "network": {"name": "ring"}, "share": 0.5, "place": {"dim": 2}}
    assert kind_of(one) == kind_of({**one, "share": 0.1, "place": {"dim": 9}})
    assert (
        len(
            {
                kind_of(one),
                kind_of({**one, "maps": "x"}),
                kind_of({**one, "network": {"name": "star"}}),
            }
        )
        == 3
    )


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
