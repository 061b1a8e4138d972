"""Each false version tells its own causes and no other's, and what mends one cause shows it."""

import pytest

from theorylab.explain import explained
from theorylab.report.tally import expected_claims
from theorylab.statements import BUILT_IN, Check
from theorylab.verdicts import judge_check
from theorylab.words import Verdict

MENDED = ("HOLDS", "ASSUMPTION_FAILS")
CAUSES = tuple(dict.fromkeys(cause for claim in expected_claims() for cause in claim.causes))


def against(version):
    """The checks of a version that tell against it, each with the causes that it shows."""
    for check in version.checks:
        causes = version.causes_of(check)
        if any(Verdict[check.expect].tells_against(cause.severity.value) for cause in causes):
            yield check, causes


def test_what_explains_a_check_are_its_causes_and_no_other_s(statements, result_of):
    for statement in statements:
        for name, version in statement.versions.items():
            for check, causes in against(version):
                told = explained(result_of(statement, name, check))
                assert told.causes == causes, (statement.id, name, check.name)
                others = [c for c in CAUSES if c not in causes and c.fails in told.fails]
                assert others == [], (statement.id, name, check.name)


def test_what_is_mended_is_a_cause_of_another_version_or_of_another_statement(versions):
    for where, statement, version in versions:
        assert set(version.mends) <= set(CAUSES), where
        other = {c for each in statement.versions.values() for c in each.causes}
        assert not version.causes or set(version.mends) & other or not version.mends, where


def exhibits():
    """(statement, version that mends one cause alone, the exhibit of that cause in another).

    An instance of an experiment says which reading it is of, so that it is no exhibit of another
    reading; and a witness that nothing meets an assumption is judged on no instance.
    """
    for statement in BUILT_IN.values():
        for name, version in statement.versions.items():
            if len(version.mends) != 1 or (statement.experiment and version.causes):
                continue
            for other in statement.versions.values():
                shown = [
                    c
                    for c, causes in against(other)
                    if c.expect == "VIOLATED" and causes == version.mends
                ]
                if shown:
                    label = f"{statement.id} [{name}] {shown[0].name}"
                    yield pytest.param(statement, name, shown[0], id=label)


@pytest.mark.parametrize(("statement", "name", "shown"), [*exhibits()])
def test_where_one_cause_alone_is_mended_its_exhibit_holds_or_is_outside(statement, name, shown):
    """Outside: what mends it is a hypothesis, and the exhibit does not meet it."""
    version = statement.versions[name]
    kept = [c for c in version.checks if shown.instance == c.instance]
    if not kept:
        kept = [c for c in version.checks if shown.name == c.name and c.expect == "HOLDS"]
    if kept:  # every check gets its verdict, which the plugin tests
        assert kept[0].expect in (*MENDED, "VACUOUS")  # the statement says that it is no news
    else:
        again = judge_check(statement, name, Check(shown.name, shown.instance))
        undecided = any(each.holds is None for each in again.assumptions)  # a cap by a bound
        assert again.verdict in MENDED or undecided, again.reason


def test_no_fault_claims_what_a_cited_work_has_that_was_not_at_hand():
    for cause in CAUSES:
        text = " ".join((cause.clause, cause.fails, cause.repair, cause.effect))
        assert "source of" not in text, cause.id
        for words in ("Assran", "works that", "the theorem refers to"):
            assert words not in text or "not at hand" in cause.fails, cause.id


SHARED = {  # a line that papers share, and the statements that it stands in
    "one minibatch a round (line 4)": ("dfedalt.eq8", "dfedpgp.eq23"),
    "consensus by a client's own updates": ("dfedsgpsm.eq6", "dfedpgp.eq15"),
    "the shares of round 0": ("dfedsgpsm.alg1_input", "dfedpgp.alg1_input"),
    "a sum of K_u gradients, squared": ("dfedalt.eq12", "dfedpgp.eq25"),
    "the heads' first gradient": ("dfedalt.eq15", "dfedpgp.eq28"),
    "halves of squares of different units": ("dfedalt.eq15", "dfedpgp.eq28"),
}


@pytest.mark.parametrize("line", SHARED)
def test_a_line_that_papers_share_is_one_cause_and_is_read_in_one_way(line):
    here, there = SHARED[line]
    both = [c for c in CAUSES if here in c.homes and there in c.homes]
    assert len(both) == [*SHARED.values()].count(SHARED[line]), line
    for cause in both:
        kinds = {kind(name, cause) for name in (here, there)}
        assert len(kinds) == 1, (cause.id, kinds)


def kind(name, cause):
    """Whether a cause refutes what is printed there, or another reading alone."""
    refuted = [v for v, each in BUILT_IN[name].versions.items() if cause in each.causes]
    return "printed" if "printed" in refuted else "reading" if refuted else "nothing"
