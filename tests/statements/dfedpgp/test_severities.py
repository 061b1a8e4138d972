"""Which statements of DFedPGP are false as printed."""

from theorylab.statements import BUILT_IN

MINE = {id_: s for id_, s in BUILT_IN.items() if id_.startswith("dfedpgp.")}


def false(version):
    verdicts = {check.expect for check in version.checks if not check.control}
    return bool(verdicts & {"VIOLATED", "UNSATISFIABLE"})


def test_false_as_printed_are_these():
    found = {
        id_ for id_, s in MINE.items() if "printed" in s.versions and false(s.versions["printed"])
    }
    lemmas = {f"dfedpgp.eq{k}" for k in (6, 15, 17, 18, 25, 28, 29, 31)} | {"dfedpgp.lem2"}
    tables = {f"dfedpgp.tab{k}" for k in (1, 8)}
    assert found == lemmas | tables | {"dfedpgp.thm1_growth", "dfedpgp.cor1_growth"}
