"""(3) for every step size below the cap: growth as derived and proved; none at Corollary 1's."""

import dataclasses

import pytest

from theorylab.statements import Check, evaluate
from theorylab.statements.dfedpgp import _floors, thm1
from theorylab.statements.dfedpgp import _instances as made
from theorylab.statements.dfedpgp import _symbols as pgp
from theorylab.statements.dfedpgp._instances import UNEVEN
from theorylab.statements.dfedpgp.thm1_growth import STATEMENT
from theorylab.symbols import T
from theorylab.verdicts import judge_check


def test_the_growth_is_what_the_argument_gives(judged):
    found = judged(STATEMENT)
    for version in ("printed", "printed/proof-cap"):
        # a left side that stays over a bracket in 1/sqrt T
        result = found[version, "vanishing-steps"]
        assert result.measured == pytest.approx(10**0.5, rel=0.02)
        assert "which outgrows the bracket" in result.reason
    assert found["printed", "at-the-cap"].measured > 1e6
    assert found["printed/corollary-steps", "rounds"].measured == pytest.approx(1, rel=0.02)


def test_planted_errors_are_refuted(missed):
    """As claims about the window: nothing is proved against an order that is true."""
    content = STATEMENT.versions["printed/corollary-steps"]
    windowed = dataclasses.replace(content, order=dataclasses.replace(content.order, window=True))
    statement = dataclasses.replace(STATEMENT, versions={"window": windowed})
    bound = content.terms["bounded"]
    variants = {f"times {k}/10": {"bounded": bound * k / 10} for k in (3, 5, 6, 7, 8)}
    assert missed(statement, "window", variants) == set()


def test_what_the_theorem_prints_is_judged_here_and_eq_32_there():
    assert "printed" in STATEMENT.versions
    assert all(
        name.startswith("corrected") or name.split("/")[-1].startswith("eq32")
        for name in thm1.STATEMENT.versions
    )


def plain(eta, steps, curvature, rounds):
    """The average of Delta/L over t = 1 .. T of gradient descent on L/2 x^2 from 1."""
    x, total = 1.0, 0.0
    for _ in range(rounds):
        for _ in range(steps):
            x -= eta * curvature * x
        total += curvature * x**2
    return total / rounds


@pytest.mark.parametrize("curvature", [0.3, 2.0])
@pytest.mark.parametrize(("steps", "way"), [(1, 0.01), (3, 0.5), (4, 2.0)])
@pytest.mark.parametrize("rounds", [8, 1000])
def test_vanishing_steps_stay_above_the_lower_bound(curvature, steps, way, rounds):
    eta = way / (steps * rounds)
    numbers = {pgp.L_u: curvature, pgp.way_u: way, pgp.slope_u: curvature}
    heads = {pgp.L_v: 1.0, pgp.way_v: 1.0, pgp.slope_v: 0.0}
    lower = float(evaluate(_floors.VANISHING.lower, {**numbers, **heads}))
    measured = plain(eta, steps, curvature, rounds)
    # every product and sum rounds once
    assert 0 < lower <= measured * (1 + 4 * steps * rounds * 2.0**-52)


@pytest.mark.parametrize(("steps", "factor"), [(1, 2.2), (2, 3.0), (1, 2.0)])
def test_diverging_steps_stay_above_the_last_round_alone(steps, factor):
    L, rounds = 3.0, 12
    numbers = {pgp.L_u: L, pgp.eta_u: factor / L, pgp.K_u: steps, pgp.slope_u: L, T: rounds}
    lower = float(evaluate(_floors.DIVERGING.lower, numbers))
    measured = plain(factor / L, steps, L, rounds)
    assert lower <= measured * (1 + 1e-13)
    # the rounds before add a geometric sum
    ends = (factor - 1) ** (2 * steps)
    assert measured / lower == pytest.approx(sum(ends**-k for k in range(rounds)), rel=1e-12)


def tried(instance, version="printed", **changes):
    return judge_check(STATEMENT, version, Check("planted", {**instance, **changes}))


def altered(instance, **steps):
    sets = {**instance["sweep"]["set"], **{f"algorithm.{k}": text for k, text in steps.items()}}
    return {**instance, "sweep": {**instance["sweep"], "set": sets}}


QUIET = made.VANISHING["problem"]


@pytest.mark.parametrize(
    ("instance", "why"),
    [
        ({**made.VANISHING, "problem": {**QUIET, "sigma_u": 1e-3}}, "Eq(dfedpgp_sigma_u, 0)"),
        ({**made.VANISHING, "problem": {**QUIET, "heterogeneity": 1.0}}, "dfedpgp_isotropic"),
        ({**made.VANISHING, "topology": UNEVEN}, "Eq(dfedpgp_balanced, 1)"),
        ({**made.VANISHING, "x0": [[1.0, 1.0], [1.0, 1.0], [0.5, 1.0]]}, "dfedpgp_start_spread"),
        (altered(made.VANISHING, eta_u="0.5/(L_u*steps_u*sqrt(at))"), "dfedpgp_way_u moves"),
        (altered(made.AT_THE_CAP, eta_v="1.5/L_v"), "Eq(dfedpgp_tame, 1)"),
        ({**made.AT_THE_CAP, "x0": [[1.0, 1.0], [1.0, 1.0], [0.5, 1.0]]}, "dfedpgp_start_spread"),
    ],
    ids=["noise", "diverse", "uneven", "apart", "longer steps", "v beyond 1/L_v", "cap apart"],
)
def test_where_the_proof_does_not_apply_nothing_is_refuted(instance, why):
    found = tried(instance)
    assert found.verdict != "VIOLATED"
    if found.verdict == "INCONCLUSIVE":
        assert why in found.reason


def test_steps_that_descend_are_not_shown_to_diverge():
    # at 1.9/L_u each step turns u around and shortens it
    found = tried(altered(made.AT_THE_CAP, eta_u="1.9/L_u"))
    assert found.verdict != "VIOLATED", found.reason


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize(("share", "holds"), [(0.999, True), (1.001, False)])
def test_the_cap_is_theorem_1_s(steps, share, holds):
    # alone delta = 1: 1/(4 sqrt(2 L_u K_u))
    run = altered(made.AT_THE_CAP, eta_u=repr(share / (4 * (2 * 1e3 * steps) ** 0.5)))
    found = tried({**run, "algorithm": {**run["algorithm"], "steps_u": steps}})
    (cap,) = (a.holds for a in found.assumptions if a.name.startswith("Theorem 1: eta_u <"))
    assert cap is holds
