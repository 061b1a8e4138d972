"""DFedAlt's faults: what shows one is gone without it; lines that papers share; sizes in print."""

import itertools
import math
from dataclasses import replace

import pytest

from theorylab.statements import BUILT_IN, Check, Severity
from theorylab.statements.dfedalt import _causes as causes
from theorylab.statements.dfedalt import _instances as made
from theorylab.verdicts import judge_check

ONE = {"constants": {"dfedalt_unit": 1}}
BENT = made.BENT_NOISE


def in_natural_units(instance):
    """The same models, of losses whose L_u = A + r is 1."""
    problem = instance["problem"]
    L = problem["A"] + problem["r"]
    smaller = {**problem, "A": problem["A"] / L, "r": problem["r"] / L}
    return made.changed({**instance, "problem": smaller}, eta_u=instance["algorithm"]["eta_u"] * L)


@pytest.mark.parametrize(
    ("name", "version", "exhibit", "without"),
    [
        # one local step has no way within the round, and no sum of gradients
        ("eq9", "printed", made.MANY_STEPS, made.changed(made.MANY_STEPS, steps_u=1)),
        ("eq12", "printed", made.MANY_STEPS, made.changed(made.MANY_STEPS, steps_u=1)),
        ("eq15", "printed", made.HEADS_AT_CAP, made.changed(made.HEADS_AT_CAP, steps_v=1)),
        # in units where L_u is 1, the printed 2 is large
        ("eq13", "printed/cap", made.TILTED_FAR, in_natural_units(made.TILTED_FAR)),
        # where samples are fresh, noise that bends does no harm
        ("eq8", "printed/line-4", made.changed(BENT, batch="per-round"), BENT),
        ("lem3", "printed", made.LARGE, made.changed(made.LARGE, eta_u=0.05)),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_shows_a_fault_holds_where_the_fault_is_not(name, version, exhibit, without):
    statement = BUILT_IN[f"dfedalt.{name}"]
    shown = [check.instance for check in statement.versions[version].checks]
    assert {**exhibit, **ONE} in shown or exhibit in shown
    found = judge_check(statement, version, Check("without", {**without, **ONE}))
    assert found.verdict == "HOLDS", found.reason


def test_at_the_cap_of_lemma_2_the_heads_go_as_far_as_64_steps_of_a_quadratic():
    found = judge_check(
        BUILT_IN["dfedalt.eq15"], "printed", Check("cap", {**made.HEADS_AT_CAP, **ONE})
    )
    way = 1 - (1 - 1 / 128) ** 64  # v^2/2 from 1: the slope is 1, L_v is 1
    # a hundred roundings
    assert found.measured == pytest.approx(-way, rel=1e-13)
    assert found.bound == pytest.approx(-0.5 + way**2 / 2, rel=1e-13)


@pytest.mark.parametrize("name", ["dfedalt.eq15", "dfedpgp.eq28"])
def test_where_noise_bends_the_way_no_factor_before_the_descent_is_small_enough(name):
    S, eta = 1000, 1 / 8000

    def slope(v):
        return S * (math.cos(v) + v / 8 - 1 / 2)

    ways = []  # two steps of every head from v = 0, under all signs of the noise
    for first, second in itertools.product((-1, 1), repeat=2):
        v = -eta * (slope(0) + first * 8 * math.pi * S)
        ways.append(v - eta * (slope(v) + second * 8 * math.pi * S))
    push, leap = slope(0) * sum(ways) / 4, sum(way**2 for way in ways) / 4
    (shown,) = [c for c in BUILT_IN[name].versions["printed"].checks if c.name == "bent-heads"]
    assert shown.causes == (causes.UNITS,)
    found = judge_check(BUILT_IN[name], "printed", shown)
    # a hundred roundings
    assert found.measured == pytest.approx(push, rel=1e-12)
    assert found.bound == pytest.approx(leap / 2 - 2 * eta * slope(0) ** 2, rel=1e-12)
    assert push > leap / 2  # a factor of 0 does not help
    assert leap / 2 < 0.063 * 155  # from S = 155 on, push being .0629 S


@pytest.mark.parametrize("share", [1, 0.5, 0])
def test_half_of_the_descent_mends_the_first_head_gradient_and_no_factor_the_units(share):
    eq15 = BUILT_IN["dfedalt.eq15"]
    printed = eq15.versions["printed"]
    less = replace(printed, terms={**printed.terms, "gain": share * printed.terms["gain"]})
    for check in printed.checks:
        if check.expect == "VIOLATED":
            found = judge_check(replace(eq15, versions={"less": less}), "less", check).verdict
            stands = share < 1 and check.causes == (causes.FIRST_HEADS,)
            assert found == ("HOLDS" if stands else "VIOLATED"), check.name
    assert causes.FIRST_HEADS.severity is Severity.WRONG_CONSTANT
    assert causes.UNITS.severity is Severity.WRONG_ORDER


SHARED = {  # a fault, and the lines of both papers
    causes.ONE_MINIBATCH: {"dfedalt.eq8", "dfedpgp.eq23"},
    causes.LOST_LOCAL: {"dfedalt.eq9", "dfedpgp.eq24"},
    causes.LOST_SQUARE: {"dfedalt.eq12", "dfedpgp.eq25"},
    causes.FIRST_HEADS: {"dfedalt.eq15", "dfedpgp.eq28"},
    causes.UNITS: {"dfedalt.eq13", "dfedalt.eq15", "dfedpgp.eq28"},
}


@pytest.mark.parametrize("cause", SHARED, ids=lambda cause: cause.id)
def test_a_line_that_dfedpgp_prints_too_is_one_fault(cause):
    assert set(cause.homes) == SHARED[cause]
    for home in cause.homes:
        assert cause.line_of(home).statement == home


def test_where_the_letter_is_all_that_a_row_is_about_it_is_what_is_printed():
    versions = BUILT_IN["dfedalt.alg1"].versions
    assert versions["printed"].causes == versions["printed/received"].mends == (causes.LINE_13,)


def test_the_lost_noise_is_as_small_in_the_papers_runs_as_its_cause_says():
    T, m, images, batch, epochs = 500, 100, 50_000, 128, 5
    K_u = epochs * math.ceil(images / m / batch)
    # sigma_u^2/(m K_u L_u sqrt T) over sigma_u^2/(L_u T (1 - lambda)^2), but for (1 - lambda)^2
    share = math.sqrt(T) / (m * K_u)
    assert K_u == 20
    assert f"{share:.4f}"[1:] == ".0112"
    assert (m * K_u) ** 2 == 4e6  # T where the share is 1
    for number in ("T = 500", "m = 100", "K_u = 20", ".0112", "4e6/(1 - lambda)^4"):
        assert number in causes.LOST_NOISE.effect
