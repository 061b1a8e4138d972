"""Statements are counted once each, and one cause once."""

import pytest

from theorylab.report.tally import Claim, expected_claims, seen_claims, tally
from theorylab.statements import BUILT_IN, Assumption, Check, Severity, Source, Statement, Version
from theorylab.symbols import L, T, eta, f0, f_star
from theorylab.verdicts import judge_check


def test_a_statement_counts_by_its_fairest_reading():
    claims = [
        Claim("a.one", "printed", "wrong order"),
        Claim("a.one", "printed/other", "misprint"),
        Claim("a.one", "corrected", ""),
        Claim("a.two", "printed", ""),
        Claim("a.two", "printed/other", "wrong constant"),
        Claim("a.three", "printed", ""),
        Claim("a.three", "implied", "missing hypothesis"),
        Claim("a.four", "printed", "wrong order", inherits="a.one"),
        Claim("a.five", "printed", ""),
    ]
    count = tally(claims)
    assert count.statements == 5
    assert {name: n for name, n in count.false.items() if n} == {"wrong order": 1}
    assert (count.inherited, count.readings, count.implied) == (1, 1, 1)
    assert count.total == 1
    assert "1 of 5 statements (1 wrong order)" in count.sentence


def test_where_no_reading_is_the_fairest_all_must_be_false_and_the_mildest_counts():
    both = [Claim("a.one", "printed/x", "empty"), Claim("a.one", "printed/y", "misprint")]
    assert tally(both).false["misprint"] == 1
    assert tally([both[0], Claim("a.one", "printed/y", "")]).total == 0


def test_what_a_correction_or_a_user_s_own_version_refutes_is_not_the_paper_s():
    count = tally([Claim("a.one", "corrected", "misprint"), Claim("a.two", "mine", "misprint")])
    assert (count.total, count.readings, count.implied) == (0, 0, 0)


RUN = {
    "problem": {"name": "quadratic", "dim": 1, "mu": 1.0, "L": 2.0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 4,
    "algorithm": {"eta": 0.1},
    "x0": 1.0,
}


@pytest.mark.parametrize(
    ("expect", "control", "severity"),
    [("VIOLATED", False, "wrong constant"), ("VIOLATED", True, ""), ("HOLDS", False, "")],
)
def test_expectations_and_results_are_counted_alike(expect, control, severity):
    scale = 1e-6 if expect == "VIOLATED" else 1e6
    version = Version(
        terms={"all": scale * (f0 - f_star) / (T * eta)},
        assumes=(Assumption("L-smooth", finite=(L,)),),
        checks=(Check("one", RUN, expect, control=control),),
        severity=Severity.WRONG_CONSTANT,
    )
    own = Statement(
        id="own.claim",
        source=Source("own", "Claim", "for the tests"),
        algorithm="sgp",
        quantity="mean_squared_gradient",
        versions={"printed": version},
    )
    result = judge_check(own, "printed", version.checks[0])
    assert (
        expected_claims([own]) == seen_claims([result]) == [Claim("own.claim", "printed", severity)]
    )


def test_every_false_version_of_the_papers_says_how_and_on_what_it_rests():
    silent = [
        f"{statement.id} [{name}]"
        for statement in BUILT_IN.values()
        for name, version in statement.versions.items()
        if any(c.expect in ("VIOLATED", "UNSATISFIABLE") and not c.control for c in version.checks)
        and not (version.severity and version.rests_on)
    ]
    assert silent == []


def test_a_fault_that_is_taken_over_is_that_of_a_statement_that_has_it():
    own = {claim.id for claim in expected_claims() if claim.severity and not claim.inherits}
    taken = {claim.inherits for claim in expected_claims() if claim.inherits}
    assert taken <= own


def test_no_correction_is_expected_to_be_false():
    assert [c for c in expected_claims() if c.version.startswith("corrected") and c.severity] == []
