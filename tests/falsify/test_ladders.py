"""Ladders move several numbers together, and keep what they are named for."""

import math

import pytest

from theorylab.falsify.ladders import LADDERS, climbed, times
from theorylab.runs import simulate

RUN = {
    "problem": {"name": "quadratic", "H": [[[1.0]], [[2.0]]], "c": [[1.0], [-1.0]]},
    "topology": {"name": "complete"},
    "clients": 2,
    "rounds": 10,
    "algorithm": {"eta": 0.01, "alpha": 0.9, "rho": 0.1, "local_steps": 4},
    "x0": [[1.0], [3.0]],
    "at": [5, 10],
}


@pytest.mark.parametrize("name", LADDERS)
def test_a_ladder_makes_another_instance_or_none_and_leaves_its_own(name):
    before = repr(RUN)
    for decades in (-2.0, -0.5, 0.5, 2.0):
        made = climbed(name, RUN, decades)
        assert made is None or made != RUN
    assert repr(RUN) == before


def test_fixed_products_stay_fixed():
    made = climbed("local steps at fixed eta K", RUN, 2)
    assert made["algorithm"]["local_steps"] == 400
    assert made["algorithm"]["eta"] * 400 == pytest.approx(0.04)
    made = climbed("rounds at fixed eta T", RUN, 1)
    assert (made["rounds"], made["at"]) == (100, [50, 100])
    assert made["algorithm"]["eta"] * 100 == pytest.approx(0.1)


def test_momentum_goes_to_one_by_decades_and_a_step_of_heads_is_none():
    assert climbed("momentum to 1", RUN, 2)["algorithm"]["alpha"] == pytest.approx(1 - 1e-3)
    heads = {**RUN, "algorithm": {"alpha": 0.5, "beta": 0.1, "tau": 2}}
    assert climbed("momentum to 1", heads, 2) is None
    assert climbed("head step", heads, -1)["algorithm"] == {"alpha": 0.05, "beta": 0.1, "tau": 2}


@pytest.mark.parametrize(("name", "f", "x"), [("units of f", 1, 0), ("units of x", 0, 1)])
def test_other_units_give_the_same_path(name, f, x):
    from theorylab.verdicts.instance import Instance, built

    def gap(instance):
        setting = built("here", Instance.model_validate(instance), "sgp")
        parts = (setting.problem, setting.topology, setting.algorithm)
        trace = simulate(*parts, rounds=3, runs=1, x0=setting.start, columns=("loss",))
        return trace.columns["loss"][0, -1]

    plain = {**RUN, "algorithm": {"eta": 0.01}}
    del plain["at"]
    made = climbed(name, plain, 2)
    assert gap(made) == pytest.approx(gap(plain) * 10.0 ** (2 * f + 4 * x), rel=1e-9)


def test_numbers_in_lists_are_multiplied_and_words_are_not():
    assert times([[1, 2.0], ["a", True]], 3) == [[3, 6.0], ["a", True]]


def test_what_has_nothing_to_move_gives_none():
    quiet = {**RUN, "algorithm": {"eta": 0.01}, "x0": 0.0}
    for name in ("noise", "radius", "start", "momentum to 1", "local steps", "eta_u"):
        assert climbed(name, quiet, 1) is None
    assert all(climbed(name, {"share": 0.5}, 1) is None for name in LADDERS)
    assert climbed("steps", RUN, 400) is None or not math.isfinite(
        climbed("steps", RUN, 308)["algorithm"]["eta"]
    )
