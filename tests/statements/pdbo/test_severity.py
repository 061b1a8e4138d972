"""What a false version of PDBO stands on, and whose fault it is."""

from theorylab.statements import BUILT_IN, Severity

VERSIONS = [
    (f"{statement.id} [{name}]", version)
    for statement in BUILT_IN.values()
    if statement.id.startswith("pdbo.")
    for name, version in statement.versions.items()
]
SGP = "SGP, Eq. (4a)/(4b)"


def test_what_no_instance_of_a_class_can_satisfy_is_empty_and_names_the_class():
    for where, version in VERSIONS:
        empty = version.unsatisfiable is not None
        assert empty == (version.severity is Severity.EMPTY), where
        if empty:
            assert version.unsatisfiable.within in version.note + SGP + "StoU, 0 < dbar < 1", where
            assert "for " in version.note, where


def test_assumptions_that_no_sgp_meets_are_met_by_other_maps():
    for number in (8, 9, 10):
        versions = BUILT_IN[f"pdbo.asm{number}"].versions
        assert versions["printed/sgp"].unsatisfiable.within == SGP
        assert any(check.expect == "HOLDS" for check in versions["printed"].checks)
    theorem = BUILT_IN["pdbo.thm1"].versions
    assert theorem["printed"].unsatisfiable.within == SGP
    assert [check.expect for check in theorem["printed/any-maps"].checks] == ["HOLDS"]


def test_what_is_false_for_one_client_alone_says_so():
    for name in ("thm11", "thm11_gap", "thm11_cross"):
        version = BUILT_IN[f"pdbo.{name}"].versions["printed"]
        assert version.causes[0].clause.startswith("both maps move and one is counted")
        assert "false for n = 1 only" in version.note
