"""Constants enter a bound from their valid side, at any size."""

import itertools
import math
from dataclasses import replace

import mpmath
import pytest
import sympy

from theorylab.known import How, Known
from theorylab.problems import LogCosh
from theorylab.statements import Assumption, evaluate
from theorylab.symbols import C, L, T, delta, eta, name_of, q
from theorylab.verdicts.evidence import constants_named, settled, value_on_side, wrong_side
from theorylab.verdicts.instance import Instance, built


def known(value, how=How.EXACT, **more):
    return Known(value, how, "a test", **more)


@pytest.mark.parametrize(
    ("symbol", "how", "usable"),
    [
        (L, How.EXACT, True), (L, How.UPPER, True), (L, How.LOWER, False), (L, How.ESTIMATE, False),
        (delta, How.EXACT, True), (delta, How.UPPER, False), (delta, How.LOWER, True),
        (T, How.EXACT, True), (T, How.UPPER, False), (T, How.LOWER, False),
    ],
)  # fmt: skip
def test_only_the_valid_side_is_plugged_in(symbol, how, usable):
    assert (value_on_side(symbol, known(2.0, how)) is not None) == usable
    assert bool(wrong_side({symbol: known(2.0, how)})) != usable


def test_a_certified_constant_gives_its_far_end():
    enclosed = known(2.0, How.CERTIFIED, lower=1.9, upper=2.1)
    assert value_on_side(L, enclosed) == 2.1
    assert value_on_side(delta, enclosed) == 1.9
    assert value_on_side(T, enclosed) is None


def test_a_constant_that_was_asked_for_gives_a_bound_the_safe_end_of_what_was_made():
    drawn = known(2.0, lower=1.9999, upper=2.0001, asked=(2, 2))
    assert value_on_side(L, drawn) == 2.0001
    assert value_on_side(delta, drawn) == 1.9999
    assert value_on_side(T, drawn) == 2.0


def test_numbers_beyond_float64_are_plugged_in_all_the_same():
    # 1 - q = 1e-25 and C = 1e400: float64 would make C^2 / (1 - q)^2 infinite or 0/0
    tiny = -1e-25 / math.log(10)
    values = {
        C: value_on_side(C, known(math.inf, How.UPPER, log10_value=400.0)),
        q: value_on_side(q, known(1.0, How.UPPER, log10_value=tiny)),
    }
    bound = evaluate(C**2 / (1 - q) ** 2, values)
    # log10 q is a float64: 16 digits
    assert float(mpmath.log10(bound)) == pytest.approx(850, rel=1e-15, abs=0)
    assert settled(
        Assumption("q < 1", rule=q < 1), {q: known(1.0, How.UPPER, log10_value=tiny)}
    ).holds


def test_a_broken_rule_is_certain_only_if_no_value_could_mend_it():
    rule = Assumption("cap", rule=eta < delta / L)
    step = {eta: known(0.5), delta: known(1.0)}
    assert settled(rule, {**step, L: known(1.9, How.UPPER)}).holds is True
    assert settled(rule, {**step, L: known(2.1, How.UPPER)}).holds is None  # L may be smaller
    assert settled(rule, {**step, L: known(2.1, How.UPPER, lower=2.05)}).holds is False
    assert settled(rule, {**step, L: known(2.1)}).holds is False
    assert settled(rule, {**step, L: known(1.9, How.LOWER)}).holds is None
    exactly = settled(rule, {**step, L: known(4.0)})
    assert exactly.holds is False
    assert exactly.margin == -0.5  # 0.25 - 0.5, of the larger side


@pytest.mark.parametrize(
    ("rule", "holds", "margins"),
    [  # for eta = 1, 2, 4 against L = 2: the room left, of the larger side
        (eta < L, (True, False, False), (0.5, 0.0, -0.5)),
        (eta <= L, (True, True, False), (0.5, 0.0, -0.5)),
        (eta > L, (False, False, True), (-0.5, 0.0, 0.5)),
        (eta >= L, (False, True, True), (-0.5, 0.0, 0.5)),
        (sympy.Eq(eta, L), (False, True, False), (-0.5, 0.0, -0.5)),
    ],
)
def test_every_relation_is_decided_on_both_sides_and_at_equality(rule, holds, margins):
    found = [settled(Assumption("r", rule=rule), {eta: known(x), L: known(2.0)}) for x in (1, 2, 4)]
    assert tuple(result.holds for result in found) == holds
    assert tuple(result.margin for result in found) == margins
    for x, result in zip((1, 2, 4), found, strict=True):
        names = ("eta", "L") if str(rule.lhs) == str(eta) else ("L", "eta")
        numbers = {"eta": x, "L": 2}
        small, large = sorted(numbers.values())
        if x == 2:
            parts = ("equal",)
        else:
            parts = (*(f"{name} = {numbers[name]}" for name in names), f"by {large - small}")
        told = result.reason if x == 2 or not result.holds else " ".join(parts)
        assert all(part in told for part in parts) or isinstance(rule, sympy.Eq)
        assert result.reason == "" or x == 2 or not result.holds


def test_zero_against_zero_has_no_room_and_is_no_error():
    assert settled(Assumption("r", rule=eta <= L), {eta: known(0.0), L: known(0.0)}).margin == 0
    for rule, holds in ((sympy.true, True), (sympy.false, False)):
        assert settled(Assumption("r", rule=rule), {}).holds is holds


def test_a_lower_constant_that_is_only_bounded_may_still_mend_a_rule():
    # delta is wanted large: known from below as 1, it may be up to 3
    rule = Assumption("cap", rule=eta < delta)
    assert settled(rule, {eta: known(2.0), delta: known(1.0, How.LOWER)}).holds is None
    inside = known(1.0, How.LOWER, upper=3.0)
    assert settled(rule, {eta: known(2.0), delta: inside}).holds is None
    assert settled(rule, {eta: known(4.0), delta: inside}).holds is False
    found = settled(rule, {eta: known(2.0), delta: inside})
    assert found.reason == "eta = 2 exceeds delta = 1 by 1, but a constant in it is only a bound"
    assert found.margin == -0.5


def test_an_infinite_constant_in_a_rule_breaks_it():
    rule = Assumption("cap", rule=eta < 1 / L)
    found = settled(rule, {eta: known(2.0), L: known(math.inf)})
    assert (found.holds, found.reason) == (False, "L is infinite: a test")


def test_an_infinite_constant_breaks_what_needs_it_finite():
    result = settled(Assumption("smooth", finite=(L,)), {L: known(math.inf)})
    assert result.holds is False
    assert "L is infinite: a test" in result.reason


def test_of_several_infinite_constants_the_first_by_name_is_told_in_every_process():
    # A set of symbols has another order in every process, so each pair has to come out right.
    infinite = Known(math.inf, How.EXACT, "given")
    for pair in itertools.combinations((C, L, T, delta, eta, q), 2):
        first = min(map(name_of, pair))
        rule = Assumption("both", sum(pair) < 1)
        assert settled(rule, dict.fromkeys(pair, infinite)).reason.startswith(f"{first} is")


class Drawn(LogCosh):
    """Whose draws are its user's own, so that nothing says how they hang together."""

    def sample(self, seed, runs, round, step):
        return super().sample(seed, runs, round, step)


@pytest.mark.parametrize(
    ("problem", "value", "how"),
    [(LogCosh, 3.0, How.EXACT), (Drawn, 1.0, How.LOWER)],
)
def test_clients_whose_draws_nobody_knows_count_as_one(problem, value, how):
    names = {
        "problem": {"name": "log-cosh"},
        "topology": {"name": "ring"},
        "algorithm": {"eta": 0.1},
    }
    instance = Instance(**names, clients=3, rounds=2)
    setting = replace(built("here", instance, "dfedavg"), problem=problem(3, sigma=0.5))
    found = constants_named(instance, setting, ["f0"])["noise_clients"]
    assert (found.value, found.how) == (value, how)


@pytest.mark.parametrize("kind", [How.UPPER, How.LOWER, How.ESTIMATE, How.CERTIFIED, How.EXACT])
def test_what_would_do_is_what_does(kind):
    """A refusal names each kind of knowledge that the symbol's side takes, and none that it does
    not."""
    known = Known(2.0, kind, "given", lower=1.0, upper=3.0)
    for letter in (C, delta, eta):
        takes = {how for how in How if value_on_side(letter, replace(known, how=how)) is not None}
        for clause in wrong_side({letter: known}):
            named = clause.rpartition("known as ")[2].replace(" or ", ", ").split(", ")
            assert {*named} == {how.value for how in takes}
        assert (kind in takes) == (wrong_side({letter: known}) == [])
