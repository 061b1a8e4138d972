import pytest

from theorylab.report.axis import along


@pytest.mark.parametrize(
    ("statement", "axis", "told"),
    [
        ("dfedsgpsm.thm1", "inverse", "1/(1 − α), where α is the momentum"),
        ("dfedalt.thm1", "rounds", "communication rounds T"),
        ("mine.thm1", "my_parameter", "my parameter"),
        ("mine.thm1", "inverse", "inverse"),
    ],
)
def test_an_axis_is_named_in_words_and_one_of_ones_own_by_its_name(statement, axis, told):
    assert along(statement, axis) == told
