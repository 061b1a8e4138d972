"""PDBO's faults: whose they are, what shows each of them, and how large they are in the paper."""

from dataclasses import replace
from fractions import Fraction
from math import isqrt

import pytest

from theorylab.experiments import experiment
from theorylab.statements import BUILT_IN, Check, Severity
from theorylab.statements._entries import causes_of
from theorylab.statements.pdbo import _causes
from theorylab.statements.pdbo._symbols import eta_A
from theorylab.statements.pdbo.appc6 import STATEMENT as APPC6
from theorylab.verdicts import judge_check

OWN = causes_of("theorylab.statements.pdbo")
STATEMENTS = {name: BUILT_IN[name] for name in BUILT_IN if name.startswith("pdbo.")}
AGAINST = ("VIOLATED", "UNSATISFIABLE")
VERSIONS = [
    (statement, name, version)
    for statement in STATEMENTS.values()
    for name, version in statement.versions.items()
]


def exhibits(version):
    return [check for check in version.checks if check.expect in AGAINST and not check.control]


def test_what_is_refuted_names_its_causes_and_what_stands_names_none():
    for statement, name, version in VERSIONS:
        assert bool(exhibits(version)) == bool(version.causes), (statement.id, name)
        if len(version.causes) > 1:  # each has an exhibit of its own
            alone = {check.causes for check in exhibits(version) if len(check.causes) == 1}
            assert alone == {(cause,) for cause in version.causes}, (statement.id, name)


def test_every_cause_refutes_a_version_of_a_statement_that_prints_its_line():
    used = {cause.id: set() for cause in OWN.values()}
    assert len(used) == len(OWN)
    for statement, _, version in VERSIONS:
        for cause in version.causes:
            used[cause.id].add(statement.id)
    for cause in OWN.values():
        assert used[cause.id] & set(cause.homes), cause.id
        assert set(cause.homes) <= used[cause.id], cause.id


def test_a_correction_says_what_it_mends():
    for statement, name, version in VERSIONS:
        others = {c for each in statement.versions.values() for c in each.causes}
        assert set(version.mends) <= others, (statement.id, name)
        if name.startswith("corrected"):
            assert version.mends or not others, (statement.id, name)


@pytest.mark.parametrize(
    ("cause", "version", "option"),
    [
        (_causes.U_FOR_W, "printed/c-twice", {"message": "w"}),
        (_causes.C_TWICE, "printed/line22", {"reading": "appendix-b", "message": "u"}),
    ],
)
def test_each_cause_of_algorithm_5_is_shown_by_an_instance_that_the_other_leaves_alone(
    cause, version, option
):
    """The exhibit of one, in the version where the other stands: nothing is left to see."""
    alg5 = STATEMENTS["pdbo.alg5"]
    (shown,) = [c for c in exhibits(alg5.versions["printed"]) if c.causes == (cause,)]
    assert judge_check(alg5, "printed", shown).verdict == "VIOLATED"
    found = judge_check(alg5, version, Check("mended", {**shown.instance, **option}))
    assert found.verdict == "HOLDS", found.reason


@pytest.mark.parametrize(("factor", "mended"), [(2, 0), (1 / (1 - eta_A), 1)])
def test_a_factor_of_theorem_11_mends_the_exhibit_of_its_own_cause_alone(factor, mended):
    thm11 = STATEMENTS["pdbo.thm11"]
    told = thm11.versions["printed"]
    one = replace(told, terms={**told.terms, "bias": factor * told.terms["bias"]})
    for number in (0, 1):
        found = judge_check(replace(thm11, versions={"x": one}), "x", told.checks[number])
        assert found.verdict == ("HOLDS" if number == mended else "VIOLATED")


def test_the_omega_that_is_handed_on_is_one_fault_of_seven_statements():
    refuted = {s.id for s, _, v in VERSIONS if _causes.OMEGA in v.causes}
    names = "asm4 thm1 asm8 asm9 lem6 appa2 eq15"
    assert refuted == {f"pdbo.{name}" for name in names.split()}
    assert _causes.OMEGA.severity is Severity.EMPTY


def test_the_sum_in_theorem_11_s_proof_is_the_home_of_the_factor_that_it_loses():
    assert _causes.LOST_REST.homes == ("pdbo.thm11_sum",)
    assert _causes.LOST_REST in STATEMENTS["pdbo.thm11"].versions["printed"].causes


def test_what_is_said_of_any_maps_mends_no_fault_of_sgp():
    for name in ("asm8", "asm9", "lem6"):
        assert STATEMENTS[f"pdbo.{name}"].versions["printed"].mends == ()


def test_the_return_of_the_last_m_is_one_fault_of_three_algorithms():
    assert _causes.RETURN.homes == ("pdbo.alg3", "pdbo.alg4", "pdbo.alg5")


def test_an_exhibit_with_more_than_one_client_comes_first_where_there_is_one():
    for statement, name, version in VERSIONS:
        clients = [check.instance.get("clients", 2) for check in exhibits(version)]
        known = statement.id in ("pdbo.thm11", "pdbo.thm11_gap", "pdbo.thm11_cross")
        alone = known and name == "printed"  # false for n = 1 only
        assert not clients or clients[0] > 1 or alone, (statement.id, name)


N = 100  # Section 6.1


def test_what_assumption_8_allows_at_the_papers_number_of_clients():
    assert Fraction(1, 2 * N) == Fraction(1, 200)  # eta_A / (2 kappa), eta_A < 1, kappa >= n
    assert "below 1/200 on" in _causes.OMEGA.effect


def test_theorem_11s_bias_at_the_papers_number_of_clients():
    """Proved over printed, over eta_A: each falls in eta_A, as r <= 1/2."""
    r = Fraction(1 + isqrt(N), 2 * N)
    assert isqrt(N) ** 2 == N
    for eta in (Fraction(k, 50) for k in range(1, 50)):
        of_y = 2 * r / (1 - r * eta) ** 2 / (N / (1 - eta))
        of_lambda = 2 / (1 - r * eta) / (N / (1 - eta))
        assert of_y < Fraction(1, 900)
        assert of_lambda < Fraction(1, 50)
    assert "below 1/900 of" in _causes.LOST_REST.effect
    assert "below 1/50 of" in _causes.ONE_CLIENT.effect


@pytest.mark.parametrize(("number", "share"), [(0, "33 %"), (1, "3 %")])
def test_the_floor_of_z_is_the_share_that_is_told(number, share):
    check = exhibits(APPC6.versions["printed"])[number]
    z = experiment("sgp-approach", **check.instance).point.z
    found = judge_check(APPC6, "printed", check).measured
    assert f"{100 * (found / (z**2).sum()) ** 0.5:.0f} %" == share
    assert f" {share} " in _causes.DRAWN_EDGES.fails
