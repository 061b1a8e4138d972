import pytest

from theorylab.report.standing import EXIT_MEANING, Standing, exit_code, standing


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
    assert code in EXIT_MEANING


def test_a_difference_outweighs_an_undecided_check(make):
    fine = make()
    open_ = make(verdict="INCONCLUSIVE", expected="HOLDS")
    wrong = make(verdict="VIOLATED", expected="HOLDS")
    assert exit_code([fine, open_, wrong, open_]) == 1
    assert exit_code([fine, open_]) == 4
    assert exit_code([fine]) == 0
