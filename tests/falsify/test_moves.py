"""Changes of an instance: one thing at a time, the original untouched."""

import copy
import json

import numpy as np
import pytest

from theorylab.falsify.instances import numbers_in, replaced
from theorylab.falsify.moves import (
    anywhere,
    choices,
    first_losses,
    is_anywhere,
    leaps,
    moves,
    sweeps,
)
from theorylab.falsify.structural_moves import structural
from theorylab.problems import FormulaProblem, Moves, Option, Options, Quadratic, problem

INSTANCE = {
    "problem": {"name": "quadratic", "mu": 0.5, "flag": True, "seed": 3},
    "topology": {"name": "edge-list", "edges": [[0, 1], [1, 0]]},
    "clients": 2,
    "x0": [0.0, 1.5],
}


def test_numbers_are_found_at_every_depth_and_flags_and_names_are_none():
    found = dict(numbers_in(INSTANCE))
    assert found == {
        ("problem", "mu"): 0.5,
        ("problem", "seed"): 3,
        ("topology", "edges", 0, 0): 0,
        ("topology", "edges", 0, 1): 1,
        ("topology", "edges", 1, 0): 1,
        ("topology", "edges", 1, 1): 0,
        ("clients",): 2,
        ("x0", 0): 0.0,
        ("x0", 1): 1.5,
    }


def test_a_sweep_changes_one_number_or_one_part_and_nothing_else():
    before = copy.deepcopy(INSTANCE)
    for changed in sweeps(INSTANCE):
        if changed["problem"]["name"] != "quadratic" or (
            changed["topology"]["name"] != "edge-list"
        ):
            continue
        old, new = dict(numbers_in(INSTANCE)), dict(numbers_in(changed))
        flags = int(changed["problem"]["flag"] is False)
        assert sum(old[at] != new[at] for at in old) == 1 - flags
    assert before == INSTANCE


def test_sweeps_reach_the_scales_of_every_kind():
    found = [dict(numbers_in(changed)) for changed in sweeps(INSTANCE)]
    shares = {numbers.get(("problem", "mu")) for numbers in found}
    assert {0.999, 0.01, 5e-7, 5e5} <= shares
    assert {1, 16, 512} <= {numbers.get(("clients",)) for numbers in found}
    assert {1e-3, 10.0} <= {numbers.get(("x0", 0)) for numbers in found}


def test_a_sweep_begins_with_the_boldest_scale_of_every_number():
    instance = {"a": 5.0, "b": [3.0, 2.0], "flag": True}
    first = [next(turn) for turn in [sweeps(instance)] for _ in range(4)]
    assert first == [
        {**instance, "a": 5000.0},
        {**instance, "b": [3000.0, 2.0]},
        {**instance, "b": [3.0, 2000.0]},
        {**instance, "flag": False},
    ]
    assert len({repr(made) for made in sweeps(instance)}) == 3 * 10 + 1


def test_a_leap_sets_one_thing_after_the_other_to_a_scale_or_a_choice_of_its_own():
    before = copy.deepcopy(INSTANCE)
    draw = np.random.Generator(np.random.Philox(4))
    swept = {repr(made) for made in sweeps(INSTANCE)} | {repr(INSTANCE)}
    found = {repr(leaps(INSTANCE, draw, 1, choices([INSTANCE]))) for _ in range(300)}
    assert before == INSTANCE
    assert len(found) > 40
    assert any("'star'" in made for made in found)
    assert any("'flag': False" in made for made in found)
    # a sweep leaves out a loss of the same name, a leap does not
    assert {made for made in found - swept if "'dim': 1, 'mu': 1.0" not in made} == set()
    assert leaps({"kind": "plain"}, draw, 3, {}) == {"kind": "plain"}


def test_random_moves_are_a_function_of_the_generator_and_leave_the_parent_alone():
    before = copy.deepcopy(INSTANCE)
    one, two = (
        [moves(INSTANCE, np.random.Generator(np.random.Philox(7))) for _ in range(1)]
        for _ in range(2)
    )
    assert one == two
    draw = np.random.Generator(np.random.Philox(1))
    many = [moves(INSTANCE, draw) for _ in range(200)]
    assert before == INSTANCE
    assert len({repr(made) for made in many}) > 150
    assert {made["topology"]["name"] for made in many} > {"edge-list", "star"}


def test_counts_stay_integers_and_shares_stay_shares_or_scale():
    draw = np.random.Generator(np.random.Philox(2))
    for _ in range(200):
        made = moves(INSTANCE, draw)
        assert isinstance(made["clients"], int)
        assert made["clients"] >= 0


def test_replacing_goes_into_lists():
    assert replaced(INSTANCE, ("topology", "edges", 1, 0), 9)["topology"]["edges"] == [
        [0, 1],
        [9, 0],
    ]


def test_an_instance_without_numbers_comes_back():
    draw = np.random.Generator(np.random.Philox(2))
    assert moves({"kind": "plain"}, draw) == {"kind": "plain"}
    assert list(sweeps({"kind": "plain"})) == []


@pytest.mark.parametrize("value", [0.0, 0.5, 3.0, 4])
def test_every_number_has_other_scales(value):
    assert list(sweeps({"a": value}))


NESTED = {"place": {"network": {"name": "sto-d", "seed": 1}, "step": 0.1}, "family": "random"}


def test_parts_move_over_what_other_instances_have_there_and_networks_at_any_depth():
    others = choices([NESTED, {"family": "scalar", "place": None, "exact": False}])
    assert others["family",] == ["random", "scalar"]
    assert others["exact",] == [False, True]
    names = [network["name"] for network in others["place", "network"]]
    assert {"sto-d", "star", "complete"} <= set(names)
    assert ("place", "network", "name") not in others  # a name without its options is no network
    swept = [s["place"]["network"]["name"] for s in sweeps(NESTED, others)]
    assert "star" in swept
    assert "scalar" in [s["family"] for s in sweeps(NESTED, others)]
    draw = np.random.Generator(np.random.Philox(3))
    assert {moves(NESTED, draw, others=others)["family"] for _ in range(100)} == {
        "random",
        "scalar",
    }


FAMILIES = {"huber", "logistic-l2", "piecewise-quadratic", "rosenbrock"}


@pytest.mark.parametrize("personal", [False, True])
@pytest.mark.parametrize("clients", [1, 2, 5])
def test_every_start_can_be_built_and_is_of_the_kind_that_was_asked_for(clients, personal):
    found = dict(first_losses(clients, personal))
    for options in found.values():
        assert json.loads(json.dumps(options)) == options
        given = dict(options)
        made = problem(given.pop("name"), clients, **given)
        assert (made.shared < made.dim) == personal
    names = {options["name"] for options in found.values()}
    plain = {"quadratic", "log-cosh", "clipped-linear", "pinwheel", "saddle"}
    heads = {"coupled-quadratic", "sin-sin", "rippled"}
    assert (heads if personal else plain) | FAMILIES == names


def test_the_losses_of_any_number_of_clients_can_be_built_for_three():
    found = {options["name"]: options for options in anywhere()}
    assert FAMILIES | {"quadratic", "log-cosh", "clipped-linear", "sin-sin"} <= set(found)
    for options in found.values():
        assert is_anywhere(options)
        given = dict(options)
        assert problem(given.pop("name"), 3, **given).clients == 3
    assert not is_anywhere({"name": "quadratic"})
    assert not is_anywhere({"name": "unheard-of"})


def valley(**more):
    class Valley(FormulaProblem, name="my-valley", **more):
        options = Options(
            center=Option(0.0, each=True, shape="d", moves=(-0.5, 4.0), length=True),
            steep=Option(2.0, each=True, above=0, moves=(1.0, 8.0), curvature=True),
        )

        @staticmethod
        def client_loss(x, center, steep):
            return steep * np.logaddexp(x - center, center - x).sum()

    return Valley


def test_a_users_own_loss_joins_the_search_before_all_others(registries):
    kind = valley()
    first, *rest = first_losses(2, False)
    assert first == ("my-valley, as it is", {"name": "my-valley", "center": 0.0, "steep": 2.0})
    own = [options for _, options in rest if options["name"] == "my-valley"]
    lists = [(each["center"], each["steep"]) for each in own]  # within moves, and above 0
    assert lists == [([[1.0], [-0.5]], [2.0, 2.0]), ([[4.0], [-0.5]], [2.0, 2.0])]
    assert kind.moves.ranges == {"center": (-0.5, 4.0), "steep": (1.0, 8.0)}
    run = {"problem": {"name": "quadratic", "dim": 1}, "topology": {"name": "ring"}, "clients": 2,
           "rounds": 3, "algorithm": {"eta": 0.1}}  # fmt: skip
    assert dict(structural(run))["loss: my-valley, apart"]["problem"]["center"] == [[1.0], [-0.5]]
    assert {"name": "my-valley", "center": 0.0, "steep": 2.0} in choices([run])["problem",]
    (personal, *_) = first_losses(2, True)
    assert personal[1] | {"dim": 2, "shared": 1} == personal[1]


def test_a_class_says_its_own_starts(registries):
    class Flat(Quadratic, name="my-flat"):
        moves = Moves(starts=lambda n, personal: [] if personal else [("flat", {"mu": 1e-3})])

    found = dict(first_losses(2, False))
    assert found["my-flat, flat"] == {"name": "my-flat", "mu": 1e-3}
    assert not [label for label, _ in first_losses(2, True) if label.startswith("my-")]
