"""Every false version says how it is false and on what that rests; one cause is counted once."""

import pytest

from theorylab.statements import BUILT_IN

MINE = {id_: s for id_, s in BUILT_IN.items() if id_.startswith("dfedpgp.")}
VERSIONS = [
    pytest.param(name, v, id=f"{id_}-{name}")
    for id_, s in MINE.items()
    for name, v in s.versions.items()
]


def false(version):
    verdicts = {check.expect for check in version.checks if not check.control}
    return bool(verdicts & {"VIOLATED", "UNSATISFIABLE"})


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_a_severity_stands_where_a_claim_is_false_and_nowhere_else(name, version):
    assert (version.severity is not None) == false(version)
    assert bool(version.rests_on) == false(version)
    assert len(version.rests_on) <= 60
    assert not (name == "corrected" and false(version))


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_what_is_inherited_is_false_there_too_and_its_own(name, version):
    if not version.inherits:
        return
    source = MINE[version.inherits]
    assert any(false(v) and not v.inherits for v in source.versions.values())


def test_false_as_printed_are_these():
    found = {
        id_ for id_, s in MINE.items() if "printed" in s.versions and false(s.versions["printed"])
    }
    lemmas = {f"dfedpgp.eq{k}" for k in (6, 15, 17, 18, 23, 25, 28)} | {"dfedpgp.lem2"}
    assert found == lemmas | {"dfedpgp.thm1_growth", "dfedpgp.cor1_growth"}
