"""An equality: what is off on either side breaks it, and both sides have to hold."""

from fractions import Fraction

import pytest

from theorylab import scripts
from theorylab.explain import rechecked
from theorylab.explain.judged import judged as lines_of
from theorylab.falsify import falsify
from theorylab.statements import Assumption, Check, Quantity, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star, mu, n, sigma_l
from theorylab.verdicts import judge_check

BOWL = {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}
RUN = {"problem": BOWL, "topology": {"name": "complete"}, "clients": 1, "rounds": 6}
RUN |= {"algorithm": {"eta": 0.25}, "x0": 2.0}
NOISY = {**RUN, "problem": {**BOWL, "sigma": 0.1}}
EXACT = (1 - mu * eta) ** (2 * T) * (f0 - f_star)
GAP = 2 * Fraction(3, 4) ** 12  # f(x^6) of x^2/2 from 2


def statement(bound, tight=0, rules=(), run=RUN, **options):
    version = Version({"b": bound}, rules, (Check("one", run),), relation="==", tight=tight)
    source, where = Source("mine", "Lemma 1", "the gap"), Quantity("suboptimality", "last")
    return Statement("mine.equal", source, where, {"claim": version}, "sgp", **options)


def judged(*given, run=RUN, **options):
    claim = statement(*given, run=run, **options)
    return claim, judge_check(claim, "claim", claim.versions["claim"].checks[0])


@pytest.mark.parametrize(
    ("factor", "tight", "verdict", "relation"),
    [
        (1, 0, "HOLDS", "<="),
        (1.005, 0.01, "HOLDS", "<="),
        (0.995, 0.01, "HOLDS", "<="),
        (0.98, 0.01, "VIOLATED", "<="),
        (1.02, 0.01, "VIOLATED", ">="),
        (1 + 1e-6, 0, "VIOLATED", ">="),
        (1 - 1e-6, 0, "VIOLATED", "<="),
        (100, 0, "VIOLATED", ">="),
        (-1, 0.5, "VIOLATED", "<="),
    ],
)
def test_a_bound_that_is_off_on_either_side_is_violated(factor, tight, verdict, relation):
    _, result = judged(factor * EXACT, tight)
    assert (result.verdict, result.relation) == (verdict, relation)
    assert result.measured == pytest.approx(float(GAP), rel=1e-12)
    assert ("of an equality" in result.reason) == (verdict == "VIOLATED")


def test_a_negative_bound_has_its_room_on_both_sides():
    """f - f* - 2 f* ... of the loss x^2/2 - 1, whose value at the end is negative."""
    from theorylab.statements._sides import side

    version = Version({"b": -EXACT}, relation="==", tight=0.1)
    at = {mu: 1, eta: 0.25, T: 6, f0: 2, f_star: 0}
    ends = [float(side(version, each).bound.subs(at)) for each in (">=", "<=")]
    assert ends == pytest.approx([-1.1 * float(GAP), -0.9 * float(GAP)])


def test_rounding_alone_is_decided_in_fractions_on_both_sides():
    _, result = judged(EXACT)
    assert result.verdict == "HOLDS"
    assert "the left side equals the bound" in result.reason


def test_noise_breaks_the_equality_from_above():
    _, result = judged(EXACT, run=NOISY)
    assert (result.verdict, result.relation) == ("VIOLATED", "<=")


def test_an_assumption_that_fails_is_told_as_ever():
    _, result = judged(EXACT, 0, (Assumption("no noise", rule=sigma_l <= 0),), run=NOISY)
    assert (result.verdict, result.reason[:9]) == ("ASSUMPTION_FAILS", "no noise:")


@pytest.mark.parametrize(("factor", "sign"), [(0.5, "<="), (2, ">=")])
def test_script_and_recheck_show_the_side_that_decides(factor, sign):
    claim, result = judged(factor * EXACT, 0.25)
    text = scripts.script(claim, result)
    assert f"{sign} bound" in text.splitlines()[-1]
    room = 1.25 if sign == "<=" else 0.75
    assert result.bound == pytest.approx(factor * room * float(GAP), rel=1e-12)
    assert rechecked(claim, result).holds is True
    assert any("[tight = " in line for line in lines_of(claim, result))


@pytest.mark.parametrize(("power", "relation"), [(3 * T, "<="), (T, ">=")])
def test_a_search_breaks_either_side(power, relation):
    """Both hold within .45 at T = 1, where the search begins."""
    meant = {"one client": n <= 1, "no noise": sigma_l <= 0, "one L": mu >= L, "step": eta * L <= 1}
    rules = tuple(Assumption(name, rule=rule) for name, rule in meant.items())
    claim = statement((1 - mu * eta) ** power * (f0 - f_star), 0.45, rules, {**RUN, "rounds": 1})
    found = falsify(claim, "claim", budget=4, shrink=False)
    assert (found.refuted, found.result.relation) == (True, relation)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"tight": 0.1}, "tight is 0.1.*; need a number >= 0 with '=='"),
        ({"tight": -0.1, "relation": "=="}, "tight is -0.1.*; need a number >= 0"),
        ({"relation": "="}, "relation is '='; need '<=', '>=' or '=='"),
    ],
)
def test_what_fits_no_equality_is_one_line(options, line):
    with pytest.raises(ValueError, match=line):
        Version({"b": EXACT}, **options)


def test_a_chance_has_no_equality():
    likely = Quantity("suboptimality", "last", chance=0.1)
    version = Version({"b": EXACT}, relation="==")
    with pytest.raises(ValueError, match="'==' came with a chance"):
        Statement("mine.chance", Source("a", "b", "c"), likely, {"claim": version}, "sgp")
