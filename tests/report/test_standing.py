import pytest

from theorylab.report.standing import Standing, exit_code, exit_meaning, standing


@pytest.mark.parametrize(
    ("verdict", "expected", "stands", "code"),
    [
        ("VIOLATED", "VIOLATED", Standing.AS_EXPECTED, 0),
        ("INCONCLUSIVE", "INCONCLUSIVE", Standing.AS_EXPECTED, 0),
        ("VIOLATED", "HOLDS", Standing.DIFFERS, 1),
        ("HOLDS", "INCONCLUSIVE", Standing.DIFFERS, 1),
        ("INCONCLUSIVE", "HOLDS", Standing.UNDECIDED, 4),
    ],
)
def test_a_verdict_stands_against_the_expected_one(make, verdict, expected, stands, code):
    result = make(verdict=verdict, expected=expected)
    assert standing(result) is stands
    assert exit_code([result]) == code
    assert exit_meaning(code) != exit_meaning(code, own=True)


def test_a_difference_outweighs_an_undecided_check(make):
    fine = make()
    open_ = make(verdict="INCONCLUSIVE", expected="HOLDS")
    wrong = make(verdict="VIOLATED", expected="HOLDS")
    assert exit_code([fine, open_, wrong, open_]) == 1
    assert exit_code([fine, open_]) == 4
    assert exit_code([fine]) == 0


def test_an_error_outweighs_what_is_undecided_and_no_difference(make):
    open_ = make(verdict="INCONCLUSIVE", expected="HOLDS")
    wrong = make(verdict="VIOLATED", expected="HOLDS")
    theirs = make(verdict="ERROR", expected="HOLDS", fault="input")
    ours = make(verdict="ERROR", expected="HOLDS", fault="theorylab")
    assert standing(theirs) is standing(ours) is Standing.NOT_JUDGED
    assert exit_code([open_, theirs, make()]) == 2
    assert exit_code([open_, ours, theirs]) == 3
    assert exit_code([ours, theirs, wrong]) == 1
    assert exit_meaning(3).startswith("no verdict differs from the expected one, but by a fault of")


@pytest.mark.parametrize(
    ("verdict", "code"), [("VIOLATED", 1), ("ERROR", 2), ("INCONCLUSIVE", 4), ("UNSATISFIABLE", 0)]
)
def test_where_nothing_is_expected_the_verdict_alone_tells(make, verdict, code):
    alone = make(verdict=verdict, expected="", fault="input" if verdict == "ERROR" else "")
    assert exit_code([alone, make(verdict="HOLDS", expected="")]) == code
    control = make(verdict=verdict, expected="", control=True)
    assert exit_code([control]) == (2 if verdict == "ERROR" else 0)
