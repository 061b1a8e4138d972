"""Statements are counted once each, by the worst fault that no mend of a milder one removes."""

import pytest

from theorylab.report.tally import Claim, expected_claims, refutation, seen_claims, tally
from theorylab.statements import (
    BUILT_IN,
    Assumption,
    Cause,
    Check,
    Line,
    Severity,
    Source,
    Statement,
    Version,
)
from theorylab.symbols import L, T, eta, f0, f_star
from theorylab.verdicts import judge_check


def cause(severity, home="a.one", name="fault"):
    words = {"clause": "a clause", "fails": "It fails.", "repair": "Mend it."}
    line = Line(home, "there", words="as printed")
    return Cause(id=f"own/{name}", severity=severity, lines=(line,), **words)


LETTER = cause("misprint", name="letter")
FACTOR = cause("wrong constant", name="factor")
ORDER = cause("wrong order", name="order")
EMPTY = cause("empty", name="empty")
ASKED = cause("missing hypothesis", name="asked")


def of(*versions, name="a.one"):
    """Claims of one statement: (version, causes, mends)."""
    return [Claim(name, version, causes, mends) for version, causes, mends in versions]


def test_a_statement_counts_once_by_its_fairest_reading():
    claims = [
        *of(("printed", (ORDER,), ()), ("printed/other", (LETTER,), ()), ("corrected", (), ())),
        *of(("printed", (), ()), ("printed/other", (FACTOR,), ()), name="a.two"),
        *of(("printed", (), ()), ("implied", (ASKED,), ()), name="a.three"),
        *of(("printed", (ORDER,), ()), name="a.four"),
        *of(("printed", (), ()), name="a.five"),
        *of(("printed", (EMPTY,), ()), name="a.one_empty"),
    ]
    claims[-1] = Claim("a.six", "printed", (cause("empty", "a.six"),))
    count = tally(claims)
    assert count.statements == 6
    assert {name: n for name, n in count.false.items() if n} == {"wrong order": 1, "empty": 1}
    assert (count.inherited, count.readings, count.implied) == (1, 1, 1)
    assert (count.total, count.empty) == (1, 1)
    assert count.sentence.startswith(
        "1 of 6 statements is false as printed (1 wrong order), and 1 "
    )
    assert "; 1 empty: no instance" in count.sentence


def test_where_no_reading_is_the_fairest_all_must_be_false():
    assert refutation(of(("printed/x", (ORDER,), ()), ("printed/y", (LETTER,), ()))).kind == "own"
    assert refutation(of(("printed/x", (ORDER,), ()), ("printed/y", (), ()))).kind == "reading"


def test_a_worse_fault_that_a_mend_of_a_milder_one_removes_does_not_count():
    group = of(("printed/x", (LETTER, ORDER), ()), ("printed/y", (), (LETTER,)))
    assert refutation(of(*[(c.version, c.causes, c.mends) for c in group])).kind == "reading"
    printed = of(("printed", (LETTER, ORDER), ()), ("corrected", (), (LETTER,)))
    assert refutation(printed).severity == "misprint"


def test_a_worse_fault_that_stays_when_the_milder_ones_are_mended_counts():
    group = of(
        ("printed", (LETTER,), ()),
        ("printed/letter-mended", (ORDER,), (LETTER,)),
        ("corrected", (), (LETTER, ORDER)),
    )
    found = refutation(group)
    assert (found.kind, found.severity, found.claim.version) == (
        "own",
        "wrong order",
        "printed/letter-mended",
    )
    assert found.causes == (ORDER, LETTER)


def test_a_reading_that_mends_nothing_is_no_cause_of_what_is_printed():
    group = of(("printed", (LETTER,), ()), ("printed/other", (ORDER,), ()))
    assert refutation(group).severity == "misprint"


def test_a_version_that_is_undecided_removes_nothing():
    group = of(("printed", (LETTER, ORDER), ()))
    group.append(Claim("a.one", "corrected", (), (LETTER,), stands=False))
    assert refutation(group).severity == "wrong order"


def test_what_the_fairest_reading_mends_itself_is_no_cause_of_it():
    group = of(("printed", (LETTER,), (ASKED,)), ("printed/bare", (ORDER, ASKED), (LETTER,)))
    assert refutation(group).causes == (ORDER, LETTER)


def test_a_fault_of_its_own_line_counts_before_one_that_another_line_has():
    foreign = cause("wrong order", "b.one", "foreign")
    found = refutation(of(("printed", (LETTER, foreign), ())))
    assert (found.kind, found.severity, found.causes) == ("own", "misprint", (LETTER, foreign))


def test_what_is_false_counts_before_what_is_empty():
    assert refutation(of(("printed", (EMPTY, ORDER), ()))).severity == "wrong order"


def test_a_version_that_mends_a_worse_fault_removes_no_milder_one():
    group = of(("printed", (LETTER, ORDER), ()), ("corrected", (), (ORDER,)))
    assert refutation(group).causes == (ORDER, LETTER)


def test_a_fault_is_a_statement_s_own_where_one_of_its_lines_is():
    shared = Cause(
        id="own/shared",
        clause="a clause",
        fails="It fails.",
        repair="Mend it.",
        severity="wrong order",
        lines=tuple(Line(name, "there", words="as printed") for name in ("a.one", "b.one")),
    )
    kinds = {
        name: refutation(of(("printed", (shared,), ()), name=name)).kind
        for name in ("a.one", "b.one", "b.two")
    }
    assert kinds == {"a.one": "own", "b.one": "own", "b.two": "inherited"}


def test_what_a_correction_or_a_user_s_own_version_refutes_is_not_the_paper_s():
    count = tally([Claim("a.one", "corrected", (LETTER,)), Claim("a.two", "mine", (LETTER,))])
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
        causes=(cause("wrong constant", "own.claim"),),
    )
    own = Statement(
        id="own.claim",
        source=Source("own", "Claim", "for the tests"),
        algorithm="sgp",
        quantity="mean_squared_gradient",
        versions={"printed": version},
    )
    result = judge_check(own, "printed", version.checks[0])
    for claims in (expected_claims([own]), seen_claims([result])):
        assert [claim.severity for claim in claims] == [severity]
        assert tally(claims).total == (1 if severity else 0)


def test_results_of_the_catalogue_are_counted_by_its_causes():
    claim = BUILT_IN["dfedsgpsm.lem5_last"]
    check = next(c for c in claim.versions["printed"].checks if c.expect == "VIOLATED")
    (seen,) = seen_claims([judge_check(claim, "printed", check)])
    expected = next(c for c in expected_claims([claim]) if c.version == "printed")
    assert seen == expected


def test_no_correction_is_expected_to_be_false():
    assert [c for c in expected_claims() if c.version.startswith("corrected") and c.causes] == []


def test_severities_are_told_from_the_mildest_to_the_worst():
    assert [each.value for each in Severity] == [
        "harmless", "misprint", "missing hypothesis", "wrong constant", "wrong order", "empty",
    ]  # fmt: skip


def test_a_reading_that_is_seen_alone_says_nothing_of_what_is_printed():
    claim = BUILT_IN["dfedsgpsm.thm1"]
    reading = next(
        name for name, v in claim.versions.items() if name[:8] == "printed/" and v.causes
    )
    check = next(c for c in claim.versions[reading].checks if c.expect == "VIOLATED" and c.quick)
    found = refutation(seen_claims([judge_check(claim, reading, check)]))
    assert (found.kind, found.claim.version) == ("reading", reading)
