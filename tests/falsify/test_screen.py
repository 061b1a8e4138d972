"""The screening finds what the judge finds, and leaves the verdict to it."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from theorylab.experiments import EXPERIMENTS
from theorylab.falsify import moves
from theorylab.falsify.checks import known_choices, starts
from theorylab.falsify.score import Judge
from theorylab.falsify.screen import FAR, OUTSIDE, Measured, Screen, excess
from theorylab.statements import BUILT_IN
from theorylab.statements.deprl._instances import RING_RUN, after
from theorylab.symbols import B, T, n, symbol
from theorylab.verdicts import observe as observe_module

planted_share = symbol("planted_share", "s", "an option in (0, 1)")
planted_step = symbol("planted_step", "s_1", "the same option, as a step size")
planted_row = symbol("planted_row", "r_1", "number of the row")

CASES = [
    ("dfedsgpsm.lem3", "corrected"),  # many places, some exact laws
    ("pdbo.lem6", "printed/r3"),  # sums up to a symbol, which no array can be
    ("pdbo.thm11", "corrected"),
    ("deprl.asm4", "corrected"),  # sampled
    ("dfedalt.eq19", "corrected"),  # both sides negative
]


def judges(name, version, **options):
    return Judge(BUILT_IN[name], version, 16, 0, math.inf, **options)


@pytest.mark.parametrize(("name", "version"), CASES)
def test_a_score_is_the_judges_on_random_instances(name, version):
    first = starts(BUILT_IN[name], version)
    others = known_choices(BUILT_IN[name], version, first)
    draw = np.random.Generator(np.random.Philox(3))
    judge, screen = judges(name, version), judges(name, version, screening=True)
    compared = 0
    for k in range(12):
        base = first[k % len(first)]
        instance = moves(base, draw, 2, others) if k >= 4 else base
        (full, _), (fast, shown) = judge(instance), screen(instance)
        assert shown is None or fast == full
        assert (full > OUTSIDE) == (fast > OUTSIDE)
        if full > OUTSIDE:
            compared += 1
            # a result shows the place with the largest mean, a score the one with the largest
            # lower limit; a bound in float64 has lost a few digits to cancellation at most
            assert fast >= full - 1e-6 * (1 + abs(full))
    assert compared >= 2
    assert (judge.evaluations, judge.inside) == (screen.evaluations, screen.inside)


def test_what_looks_broken_comes_with_the_judges_verdict(planted):
    told = planted(10.0)
    judge = Judge(told, "printed", 16, 0, math.inf, screening=True)
    score, result = judge({"share": 0.9, "count": 2})
    assert result.verdict == "VIOLATED"
    assert score == pytest.approx(math.log(1.8), rel=1e-6)
    score, result = judge({"share": 0.9, "count": 1})
    assert result is None
    assert score == pytest.approx(math.log(0.9), rel=1e-6)


def test_an_instance_outside_an_assumption_is_never_near(planted):
    told = planted(10.0, rule=planted_share < 0.6)
    screen = Screen(told, "printed")
    near, far = (screen({"share": s, "count": 99}, 16, 0) for s in (0.61, 0.99))
    assert far < near < OUTSIDE
    assert screen({"share": 0.59, "count": 99}, 16, 0) > 0


@pytest.mark.parametrize(("most", "inside"), [(0.5, False), (2, True)])
def test_an_assumption_that_fails_at_one_place_puts_the_instance_outside(planted, most, inside):
    told = planted(1.0, rule=planted_row < most, column="rows")
    assert (Screen(told, "printed")({"share": 0.5, "count": 4}, 16, 0) > OUTSIDE) == inside


def test_an_assumption_within_rounding_of_its_limit_is_settled_with_all_digits(planted):
    # .6 is 6/10: the first rule holds, by 1e-17, where float64 sees equality
    told = planted(10.0, rule=planted_share < sp.Rational(6, 10) + sp.Rational(1, 10**17))
    assert Screen(told, "printed")({"share": 0.6, "count": 99}, 16, 0) > 0
    told = planted(10.0, rule=planted_share < sp.Rational(6, 10))
    assert Screen(told, "printed")({"share": 0.6, "count": 99}, 16, 0) < OUTSIDE


def test_a_bound_beyond_float64_still_has_a_score(planted):
    share = planted_share
    told = planted(1.0)
    for term, score in (
        (sp.Integer(10) ** 500 * share, -FAR),
        (10**400 * share / (10**400 + share), math.log(2)),
        (sp.Rational(1, 10**500) * share, FAR),
    ):
        version = replace(told.versions["printed"], terms={"bound": term})
        screen = Screen(replace(told, versions={"printed": version}), "printed")
        assert screen({"share": 0.5, "count": 1}, 16, 0) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize(
    ("low", "bound", "score"),
    [
        (2.0, 1.0, math.log(2)),
        (1.0, 2.0, -math.log(2)),
        (-1.0, -2.0, math.log(2)),
        (-2.0, -1.0, -math.log(2)),
        (1.0, -1.0, FAR),
        (-1.0, 1.0, -FAR),
        (0.0, 0.0, -FAR),
        (0.0, -1e-9, FAR),
        (0.0, 1.0, -FAR),
        (1e-300, 1e300, -600 * math.log(10)),
    ],
)
def test_the_excess_is_positive_exactly_where_the_limit_is_above(low, bound, score):
    assert excess(low, bound) == pytest.approx(max(score, -FAR))
    assert (excess(low, bound) > 0) == (low > bound)


def test_the_symbols_of_a_bound_are_arguments_by_place():
    thm1 = BUILT_IN["dfedsgpsm.thm1"]
    version = replace(thm1.versions["corrected"], terms={"a": B**2 * T**2 / n}, assumes=())
    screen = Screen(replace(thm1, versions={"corrected": version}), "corrected")
    assert screen.bound.function(*({B: 2.0, T: 3.0, n: 8.0}[s] for s in screen.bound.order)) == 4.5


def test_what_one_version_measured_serves_another_that_wants_no_other_symbol(planted):
    share = planted_share
    told, kept, calls = planted(10.0), Measured(), []
    bare = replace(told.versions["printed"], terms={"bound": 4 * planted_step})
    more = replace(told.versions["printed"], terms={"bound": 6 * share})
    kind = EXPERIMENTS["test-planted"]

    def counted(bound):
        # The judge's own memory holds some observations: none of them may answer here.
        for k in range(2, observe_module._MOST_KEPT + 4):
            Screen(told, "printed")({"share": 0.5, "count": k}, 16, 0)
        screen = Screen(replace(told, versions={"printed": bound}), "printed", kept)
        before = kind.observe

        def observe(self, *arguments):
            calls.append(arguments)
            return before(self, *arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind, "observe", observe)
            return screen({"share": 0.75, "count": 1}, 16, 0)

    assert counted(bare) == pytest.approx(0.0, abs=1e-6)
    assert counted(more) == pytest.approx(math.log(3 / 4.5), rel=1e-6)  # a symbol was missing
    assert counted(more) == pytest.approx(math.log(3 / 4.5), rel=1e-6)
    assert len(calls) == 2


def test_what_one_version_would_not_measure_another_measures():
    statement, kept = BUILT_IN["deprl.thm1"], Measured()
    ring = {**RING_RUN, **after(100)}
    assert Screen(statement, "printed/small-heads", kept)(ring, 16, 0) < OUTSIDE
    alone = Screen(statement, "printed/no-self-loops")(ring, 16, 0)
    assert Screen(statement, "printed/no-self-loops", kept)(ring, 16, 0) == alone


def test_every_built_in_bound_can_be_evaluated_in_float64():
    """A name that the printed code lacks would leave every bound to mpmath, and no term tight."""
    for told in BUILT_IN.values():
        for name in told.versions:
            screen = Screen(told, name)
            formulas = [screen.bound, *screen.terms.values()]
            formulas += [side for test in screen.assumes for side in test.sides or ()]
            for formula in formulas:
                given = [3 if s.is_integer else 1.5 for s in formula.order]
                try:
                    with np.errstate(all="ignore"):
                        formula.function(*given)
                except (ArithmeticError, ValueError):  # no number there
                    pass


def test_a_bound_with_a_minimum_has_its_value_at_all_places_at_once():
    told = BUILT_IN["dfedpgp.thm1"]
    screen = Screen(told, "printed/eq32")
    assert screen.bound.expr.has(sp.Min)
    check = next(c for c in told.versions["printed/eq32"].checks if c.name == "three-steps")
    assert math.isfinite(screen(check.instance, 2, 0))
    assert screen.bound.together
    assert screen.tight in screen.content.terms
