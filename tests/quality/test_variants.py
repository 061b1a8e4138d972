"""Planted variants: what is changed, and what is no variant."""

import pytest
from quality_probe import measured
from quality_variants import FEWEST, is_identity, keeps_units, variants

from theorylab.statements import BUILT_IN

LEM6 = BUILT_IN["pdbo.lem6"]
THM1 = BUILT_IN["dfedsgpsm.thm1"]
SMALL = {
    "problem": {"name": "log-cosh", "dim": 1, "center": 0.0, "sigma": 2.0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 8,
    "algorithm": {"eta": 0.1, "alpha": 0.5, "rho": 0.0, "local_steps": 2},
}


def planted(statement, version, instance):
    case, places = measured(statement, version, instance)
    return case, places, {v.change: v for v in variants(statement, version, places)}


def test_every_kind_of_slip_is_planted_and_the_statement_itself_stays():
    _, _, found = planted(THM1, "corrected", SMALL)
    assert {
        "all x 1/2",
        "noise dropped",
        "noise x 1/2",
        "sigma_l dropped",
        "a factor K too few",
        "a factor alpha too many",
        "cap x 10: corrected: eta_l < 1 / (L a~)",
    } <= set(found)
    assert "sharpness dropped" not in found  # rho = 0 here: nothing is lost
    assert all(v.statement.versions["printed"] is THM1.versions["printed"] for v in found.values())


def test_where_little_can_be_changed_more_constants_are():
    asm5 = BUILT_IN["deprl.asm5"]
    _, _, found = planted(asm5, "printed", asm5.versions["printed"].checks[0].instance)
    assert len(found) == FEWEST
    assert "all x 1/4" in found
    _, _, found = planted(THM1, "corrected", SMALL)
    assert "all x 1/4" not in found


def test_no_variant_divides_by_what_may_be_zero_or_changes_units():
    check = LEM6.versions["printed/r3"].checks[0]
    _, _, found = planted(LEM6, "printed/r3", check.instance)
    assert "a factor rounds_left too few" not in found  # i = M
    assert all(keeps_units(v, "printed/r3") for v in found.values())


@pytest.mark.parametrize(
    ("name", "version", "said"),
    [
        ("dfedsgpsm.lem1", "corrected", True),
        ("pdbo.asm2", "printed", True),
        ("pdbo.lem6", "printed/r3", False),
    ],
)
def test_an_equality_is_told_from_a_bound(name, version, said):
    assert is_identity(BUILT_IN[name].versions[version]) is said
