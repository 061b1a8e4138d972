"""A sweep moves whole, and comes to where what is asked of its values holds."""

from dataclasses import replace

import pytest

from theorylab.falsify.assumption_limits import edges
from theorylab.falsify.checks import starts
from theorylab.falsify.costs import LONGEST, limits, too_large
from theorylab.falsify.instances import with_clients
from theorylab.falsify.ladders import climbed, ladders
from theorylab.falsify.score import UNSHOWN, scored, tight_in
from theorylab.falsify.screen import OUTSIDE, Screen
from theorylab.falsify.structural_moves import structural
from theorylab.falsify.sweep_moves import at_values, sweep_moves, sweep_times, values_of
from theorylab.statements import BUILT_IN, Check
from theorylab.verdicts import judge_check

COR1 = BUILT_IN["deprl.cor1"]
CROWD = next(c for c in COR1.versions["printed"].checks if c.name == "ring-of-128").instance


def swept(*values, **more):
    return {"sweep": {"parameter": "rounds", "values": list(values), **more}}


def test_all_values_move_by_one_factor_and_counts_stay_counts():
    assert sweep_times(swept(10, 45), 10.0) == swept(100, 450)
    assert sweep_times(swept(10, 45), 1e-3) == swept(1, 1)  # which no sweep is: it is refused
    assert sweep_times(swept(0.5, 0.25), 0.1) == swept(0.05, 0.025)
    assert sweep_times(swept(10), 1.0) is None
    assert sweep_times({"rounds": 10}, 10.0) is None


def test_a_sweep_has_structural_moves_and_what_has_none_has_none():
    made = dict(sweep_moves(swept(200, 400)))
    assert made["sweep: from 1e+07 on"] == swept(10**7, 2 * 10**7)
    assert made["sweep: five decades"] == swept(*(200 * 10**k for k in range(5)))
    assert made["sweep: the last alone"] == swept(400)
    assert not list(sweep_moves({"rounds": 10}))
    assert not list(sweep_moves(swept(1, 2, each=[{}, {}])))
    assert {label for label, _ in structural(CROWD)} >= {"sweep: from 1e+07 on"}


def test_only_a_run_with_a_sweep_is_on_its_ladder():
    assert "sweep" in ladders(CROWD)
    assert values_of(climbed("sweep", CROWD, 2.0)) == [20000]
    assert "sweep" not in ladders({k: v for k, v in CROWD.items() if k != "sweep"})


def test_a_sweep_outside_begins_where_its_assumptions_do():
    pair = with_clients(CROWD, 2)
    screen = Screen(COR1, "printed")
    (made,) = (made for label, made in edges(screen, pair) if label == "cap: rounds")
    first = values_of(made)[0]

    def verdict(rounds):
        moved = sweep_times(pair, rounds / values_of(pair)[0])
        return judge_check(COR1, "printed", Check("x", moved)).verdict

    assert verdict(first) == "HOLDS"
    assert verdict(first * 99 // 100) == "ASSUMPTION_FAILS"


def test_a_falling_sweep_begins_where_its_least_value_is_inside():
    falling = with_clients(CROWD, 2)
    falling["sweep"] = {**falling["sweep"], "values": [800, 400, 200]}
    (made,) = (m for label, m in edges(Screen(COR1, "printed"), falling) if label == "cap: rounds")
    assert values_of(made)[0] == pytest.approx(4 * values_of(made)[-1], rel=1e-5)
    assert judge_check(COR1, "printed", Check("x", made)).verdict == "HOLDS"


@pytest.mark.parametrize(
    "sweep",
    [
        *([1, 2, 3], 3, "all", {"values": [0, 1]}, {"parameter": "rounds"}),
        *({"parameter": "rounds", "values": values} for values in ([0, 1], [], ["a"], 3)),
        {"parameter": 3, "values": [1]},
    ],
)
def test_what_is_no_sweep_of_numbers_has_no_moves_and_no_boundary(sweep):
    instance = {**CROWD, "sweep": sweep}
    assert not values_of(instance)
    assert not list(sweep_moves(instance))
    assert sweep_times(instance, 10.0) is None
    assert "sweep" not in ladders(instance)
    assert not list(edges(Screen(COR1, "printed"), instance))
    assert not too_large(instance, limits(COR1, "printed"))


@pytest.mark.parametrize(
    ("parameter", "at"),
    [("rounds", "rounds"), ("N", "rounds"), ("N", "clients"), ("N", "algorithm.tau")],
)
def test_what_a_sweep_sets_is_no_larger_than_an_instance_may_be(parameter, at):
    instance = with_clients({key: v for key, v in CROWD.items() if key != "law"}, 2)
    sets = {} if parameter == at else {at: "N"}
    instance["sweep"] = {"parameter": parameter, "values": [2, 4], "set": sets}
    most = limits(COR1, "printed")
    assert not too_large(instance, most)
    assert too_large(sweep_times(instance, 1e8), most)


def test_rounds_of_a_strangers_metric_have_no_closed_form():
    mine = replace(COR1, algorithm="strangers-own")
    far = sweep_times(with_clients(CROWD, 2), 1e6)
    assert not too_large(far, limits(COR1, "printed"))
    assert too_large(far, limits(mine, "printed") | {"rounds": LONGEST})


@pytest.mark.parametrize("law", ["moments", None])
def test_a_sweep_over_rounds_that_are_played_is_no_longer_than_a_run(law):
    instance = {**CROWD, "clients": 2, "law": law}
    most = limits(COR1, "printed")
    assert not too_large(sweep_times(instance, LONGEST / 200), most)
    assert too_large(sweep_times(instance, 1e6), most) == (law is None)


def test_where_no_number_of_rounds_is_enough_and_where_few_are_too_few_is_outside():
    vacuous = judge_check(COR1, "printed", Check("x", CROWD))
    assert vacuous.verdict == "VACUOUS"
    assert -100 < scored(vacuous) - OUTSIDE < -1
    pair = with_clients(CROWD, 2)
    few = judge_check(COR1, "printed", Check("x", pair))
    assert few.verdict == "ASSUMPTION_FAILS"
    assert scored(few) == OUTSIDE - 1  # nearer than where one fails for all rounds


def test_the_term_that_is_tight_is_that_of_the_place_that_is_shown():
    told = judge_check(COR1, "printed", Check("x", sweep_times(with_clients(CROWD, 2), 1e5)))
    assert tight_in(told) == max(told.terms, key=told.terms.__getitem__)
    assert tight_in(told.model_copy(update={"terms": {"one": 1.0}})) == ""
    assert tight_in(None) == ""


def test_a_mean_of_which_nothing_is_shown_tells_where_to_look_and_never_counts_as_above():
    told = judge_check(COR1, "printed", Check("x", sweep_times(with_clients(CROWD, 2), 1e5)))

    def seen(measured):
        update = {"ci": (0.0, 9.0), "measured": measured, "bound": 1.0}
        return scored(told.model_copy(update=update))

    assert seen(0.1) < seen(0.5) < -UNSHOWN + 1e-9
    assert seen(5.0) == -UNSHOWN


def test_one_value_is_an_instance_by_itself_and_a_search_of_no_order_starts_there():
    instance = {"rounds": 5, "sweep": {"parameter": "rounds", "values": [10, 40]}}
    assert dict(sweep_moves(instance))["sweep: none, at its last value"] == {"rounds": 40}
    told = BUILT_IN["pdbo.thm11_cross"]
    swept = [each for each in starts(told, "corrected", cut=False) if "sweep" in each]
    last = [at_values(each)[-1] for each in swept]
    assert last
    assert all(each in starts(told, "corrected") for each in last)
    order = BUILT_IN["deprl.cor1_consensus"]
    assert all("sweep" in each for each in starts(order, "printed/no-self-loops"))
