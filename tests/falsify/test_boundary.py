"""Options reach what limits them, by the assumption's own relation."""

import numpy as np
import pytest
import sympy as sp

from theorylab.falsify.boundary import SHARE, touching, turned
from theorylab.falsify.screen import OUTSIDE, Limit, Screen, _Formula
from theorylab.known import How, Known
from theorylab.statements import BUILT_IN, Assumption
from theorylab.symbols import BY_NAME, L, T, eta

K = BY_NAME["K"]


def known(**values):
    return {BY_NAME[name]: Known(value, How.EXACT, "given") for name, value in values.items()}


def limits_of(*rules):
    return [Limit(Assumption(f"cap {k}", rule=rule)) for k, rule in enumerate(rules)]


INSTANCE = {"algorithm": {"eta": 0.5, "local_steps": 4}}


@pytest.mark.parametrize("value", [1e-9, 0.01, 0.5, 300.0])
def test_a_step_comes_to_its_cap_from_either_side(value):
    instance = {"algorithm": {"eta": value, "local_steps": 4}}
    limits = limits_of(8 * eta * K * L <= 1, eta * L < 1)
    made = dict(touching(limits, instance, known(eta=value, K=4.0, L=2.0)))
    assert list(made) == ["cap: eta"]
    reached = made["cap: eta"]["algorithm"]["eta"]
    assert reached == pytest.approx(SHARE / 64, rel=1e-6)
    assert reached < 1 / 64
    assert instance["algorithm"]["eta"] == value


def test_where_nothing_limits_it_an_option_stays():
    constants = known(eta=0.5, K=4.0, L=2.0)
    assert not list(touching(limits_of(eta * L > 0), INSTANCE, constants))
    assert not list(touching(limits_of(K * L < 9), INSTANCE, constants))
    assert not list(touching(limits_of(sp.Eq(K, 4)), INSTANCE, constants))


def test_a_step_that_an_equality_ties_is_made_first():
    limits = limits_of(sp.Eq(eta * L, 1), eta * L < 3)
    made = list(touching(limits, {"algorithm": {"eta": 0.2}}, known(eta=0.2, L=4.0)))
    assert made[0] == ("tied", {"algorithm": {"eta": 0.25}})


def test_what_no_step_can_mend_stays():
    assert not list(touching(limits_of(eta * L < -1), INSTANCE, known(eta=0.5, L=2.0)))


def test_another_number_of_the_same_name_is_not_the_option():
    assert not list(touching(limits_of(eta * L < 1), INSTANCE, known(eta=0.25, L=2.0)))


def test_an_instance_outside_a_theorem_comes_inside():
    told = BUILT_IN["deprl.thm1"]
    screen = Screen(told, "printed/graph")
    checks = told.versions["printed/graph"].checks
    inside = dict(next(check.instance for check in checks if check.expect == "HOLDS"))
    assert screen(inside, 16, 0) > OUTSIDE
    outside = {**inside, "algorithm": {**inside["algorithm"], "beta": 1e3}}
    assert screen(outside, 16, 0) < OUTSIDE
    moved = list(touching(screen.assumes, outside, screen.constants))
    assert moved
    assert max(screen(made, 16, 0) for _, made in moved) > OUTSIDE


def seen(told, instance):
    screen = Screen(told, "made")
    assert OUTSIDE < screen(instance, 16, 0) < 0
    return screen


def test_a_cap_that_lets_a_term_turn_its_sign_is_told_and_no_other(steps_squared, five_steps):
    told = steps_squared(2)
    screen = seen(told, five_steps(told))
    ((label, made),) = turned(screen, five_steps(told))
    assert label == "cap: eta_u"
    assert screen(made, 16, 0) > 0
    as_printed = steps_squared(1)
    assert not list(turned(seen(as_printed, five_steps(told)), five_steps(told)))


def test_nothing_turns_where_nothing_is_known(steps_squared, five_steps):
    told = steps_squared(2)
    screen = seen(told, five_steps(told))
    screen.forget()
    assert not list(turned(screen, five_steps(told)))


def test_a_bound_that_numpy_has_no_word_for_is_no_number_of_the_screen():
    assert np.isnan(_Formula(sp.harmonic(T)).at({T: Known(4.0, How.EXACT, "")}))
