"""DFedSalt's own two faults are gone without SAM."""

import pytest

from theorylab.statements import BUILT_IN, Check
from theorylab.statements.dfedalt import _causes as alt
from theorylab.statements.dfedsalt import _causes as causes
from theorylab.statements.dfedsalt import _instances as made
from theorylab.verdicts import judge_check


@pytest.mark.parametrize(
    ("name", "version", "exhibit", "cause"),
    [
        ("lem4", "printed/cap", made.NEAR, causes.LOST_PRODUCT),
        ("lem6", "printed/together", made.PULLED, causes.LOST_PRODUCT),
        ("eq22", "printed", made.OUTVOTED, causes.BIAS),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_shows_a_fault_of_sam_holds_without_it(name, version, exhibit, cause):
    statement = BUILT_IN[f"dfedsalt.{name}"]
    content = statement.versions[version]
    assert content.causes == (cause,)
    assert exhibit in [check.instance for check in content.checks if check.expect == "VIOLATED"]
    quiet = Check("without", made.changed(exhibit, rho=0.0))
    assert judge_check(statement, version, quiet).verdict == "HOLDS"


def test_what_the_displays_have_from_dfedalts_is_no_fault_of_their_own_but_for_theorem_2():
    own = {"dfedsalt.lem4", "dfedsalt.eq22", "dfedsalt.thm2"}
    homes = {
        home
        for locator in BUILT_IN
        if locator.startswith("dfedsalt.")
        for version in BUILT_IN[locator].versions.values()
        for cause in version.causes
        for home in cause.homes
    }
    assert {home for home in homes if home.startswith("dfedsalt.")} == own
    assert BUILT_IN["dfedsalt.thm2"].versions["printed"].causes == (alt.LOST_NOISE,)
    assert alt.LOST_NOISE.homes == ("dfedalt.thm1", "dfedsalt.thm2")
