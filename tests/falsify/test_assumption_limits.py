"""Options reach what limits them, by the assumption's own relation."""

import numpy as np
import pytest
import sympy as sp

from theorylab.falsify.assumption_limits import SHARE, sign_changes, tied, touching
from theorylab.falsify.screen import OUTSIDE, Limit, Screen, _Formula
from theorylab.known import How, Known
from theorylab.statements import BUILT_IN, Assumption
from theorylab.symbols import BY_NAME, L, T, alpha, eta, mu

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
    ((label, made),) = sign_changes(screen, five_steps(told))
    assert label == "cap: eta_u"
    assert screen(made, 16, 0) > 0
    as_printed = steps_squared(1)
    assert not list(sign_changes(seen(as_printed, five_steps(told)), five_steps(told)))


def test_nothing_turns_where_nothing_is_known(steps_squared, five_steps):
    told = steps_squared(2)
    screen = seen(told, five_steps(told))
    screen.forget()
    assert not list(sign_changes(screen, five_steps(told)))


def test_a_bound_that_numpy_has_no_word_for_is_no_number_of_the_screen():
    assert np.isnan(_Formula(sp.harmonic(T)).at({T: Known(4.0, How.EXACT, "")}))


STEP, MOMENTUM = ("algorithm", "eta"), ("algorithm", "alpha")
RUN = {"algorithm": {"eta": 0.5, "alpha": 0.25}, "problem": {"L": 25.0}}
POLYAK = sp.Eq(eta, 4 / (sp.sqrt(L) + sp.sqrt(mu)) ** 2)


def constants(**values):
    symbols = {"L": L, "mu": mu, "eta": eta, "alpha": alpha}
    return {symbols[name]: Known(value, How.EXACT, "given") for name, value in values.items()}


KNOWN = constants(L=25.0, mu=1.0, eta=0.5, alpha=0.25)


def test_a_tuned_step_follows_the_curvature():
    made = tied([POLYAK], RUN, {eta: STEP}, KNOWN)
    assert made["algorithm"] == {"eta": float(sp.Rational(1, 9)), "alpha": 0.25}
    assert RUN["algorithm"]["eta"] == 0.5  # what was given is as it was


def test_two_options_follow_where_one_stands_in_the_rule_of_the_other():
    rules = [sp.Eq(alpha, eta * L / 100), POLYAK]  # the first is right after the second alone
    made = tied(rules, RUN, {eta: STEP, alpha: MOMENTUM}, KNOWN)
    assert made["algorithm"] == {
        "eta": float(sp.Rational(1, 9)),
        "alpha": float(sp.Rational(1, 36)),
    }


def test_what_stands_alone_on_no_side_is_solved_for():
    made = tied(
        [sp.Eq(sp.sqrt(alpha), 1 - 2 / (sp.sqrt(L / mu) + 1))], RUN, {alpha: MOMENTUM}, KNOWN
    )
    assert made["algorithm"]["alpha"] == float(sp.Rational(4, 9))


def test_of_two_solutions_the_nearest_is_taken():
    rule = sp.Eq(alpha**2 - alpha, -sp.Rational(6, 25))  # 2/5 and 3/5
    near = tied([rule], RUN, {alpha: MOMENTUM}, KNOWN)
    far = tied([rule], RUN, {alpha: MOMENTUM}, constants(alpha=0.7))
    assert (near["algorithm"]["alpha"], far["algorithm"]["alpha"]) == (0.4, 0.6)


@pytest.mark.parametrize(
    "rule",
    [
        sp.Eq(eta, 1 / (2 * mu)),  # kept already
        sp.Eq(eta, mu - L),  # no step above 0
        sp.Eq(L, 25 * mu),  # ties no option
        eta <= 1 / L,
    ],
)
def test_nothing_is_made_where_nothing_has_to_follow(rule):
    assert tied([rule], RUN, {eta: STEP}, KNOWN) is None
