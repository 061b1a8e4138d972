"""Table 1: what is off and by how much."""

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedalt.tab1 import STATEMENT
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    swapped = found["printed", "as-transcribed"]
    assert swapped.measured == pytest.approx(1.17, rel=1e-12)  # 87.67 - 86.50
    assert "achieves" in swapped.reason
    outperform = found["printed/outperform", "as-transcribed"]
    assert outperform.measured == pytest.approx(1.72, rel=1e-12)  # 80.50 - 78.78
    assert "100-Pat5" in outperform.reason
    drop = found["printed/drop", "as-transcribed"]
    # DFedSalt's 67.03 - 58.73 = 8.30 against Ditto's 48.85 - 48.65 = .20, each of two digits
    assert (drop.measured, drop.bound) == (pytest.approx(8.1, rel=1e-12), pytest.approx(0.02))
    assert "CIFAR-100" in drop.reason
    assert found["printed/direction", "as-transcribed"].measured == 1


def test_on_cifar_10_the_drop_is_the_least():
    (check,) = STATEMENT.versions["printed/drop"].checks
    ten, hundred = check.instance["claims"]
    for claim, verdict in ((ten, "HOLDS"), (hundred, "VIOLATED")):
        alone = Check("alone", {**check.instance, "claims": [claim]})
        assert judge_check(STATEMENT, "printed/drop", alone).verdict == verdict


def test_the_other_way_round_the_direction_is_right():
    (check,) = STATEMENT.versions["printed/direction"].checks
    (claim,) = check.instance["claims"]
    alone = Check("alone", {**check.instance, "claims": [{**claim, "relation": "<="}]})
    assert judge_check(STATEMENT, "printed/direction", alone).verdict == "HOLDS"


@pytest.mark.parametrize(
    ("row", "cell", "entry"),
    [
        ("DFedAlt", "10-Dir.3", "86.52"),
        ("Fed-RoD", "10-Dir.3", "85.66"),
        ("DFedSalt", "100-Pat5", "80.80"),
        ("FedBABU", "10-Pat2", "91.34"),
        ("Local", "100-Dir.3", "39.40"),
    ],
)
def test_another_digit_in_the_table_is_found(changed_entry, row, cell, entry):
    assert changed_entry(STATEMENT, "corrected", row, cell, entry) == "VIOLATED"
