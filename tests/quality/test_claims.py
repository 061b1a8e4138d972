"""Claims of known truth: no verdict on one is wrong, and the command tells a wrong one."""

import importlib
import pathlib
import subprocess
import sys

import pytest

VERIFY = pathlib.Path(__file__).resolve().parents[2] / "verify"
CLAIMS = pathlib.Path(__file__).parent / "claims"


@pytest.fixture
def claims(monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    return importlib.import_module("claims")


def test_no_verdict_on_a_claim_of_known_truth_is_wrong(claims):
    known = claims.known_claims()
    rows = claims.judged(known)
    outcomes = {claim.name: claim.outcome(rows) for claim in known}
    assert {name: outcome for name, outcome in outcomes.items() if outcome == "wrong"} == {}
    assert {name: outcome for name, outcome in outcomes.items() if outcome == "silent"} == {}
    assert sum(outcome == "decided" for outcome in outcomes.values()) >= 30


def row(verdict, reason="", check="one"):
    return {"id": "a.b", "version": "claim", "check": check, "verdict": verdict, "reason": reason}


@pytest.mark.parametrize(
    ("rows", "outcome"),
    [
        ([row("VIOLATED", "a leak")], "decided"),
        ([row("VIOLATED")], "silent"),
        ([row("INCONCLUSIVE", "a leak")], "open"),
        ([row("HOLDS", "a leak")], "wrong"),
        ([row("ERROR", "a leak")], "wrong"),
        ([row("VIOLATED", "a leak"), row("HOLDS", "a leak")], "wrong"),
        ([row("VIOLATED", "a leak"), row("HOLDS", "a leak", "two")], "decided"),
        ([row("VIOLATED", "a leak", "two")], "wrong"),
        ([], "wrong"),
    ],
)
def test_the_worst_row_is_the_outcome(claims, rows, outcome):
    claim = claims.Claim(
        "n", "f.py", "a.b", "VIOLATED", "FALSE", "", ("INCONCLUSIVE",), "leak", ("one",)
    )
    assert claim.outcome(rows) == outcome


def test_every_claim_has_a_truth_its_file_and_an_answer_that_is_a_word(claims):
    from theorylab.words import Verdict

    known = claims.known_claims()
    assert len({claim.name for claim in known}) == len(known) >= 40
    for claim in known:
        assert claim.truth.startswith(("TRUE", "FALSE", "on this instance"))
        assert {claim.best, *claim.allowed} <= set(Verdict.__members__)
        false = {"TRUE": "VIOLATED", "FALSE": "HOLDS"}.get(claim.truth)
        assert false not in (claim.best, *claim.allowed)


def test_oracles_know_nothing_of_the_tool():
    for file in (CLAIMS / "oracles").glob("*.py"):
        assert "theorylab" not in file.read_text(), file


def test_an_unknown_name_is_one_line(claims):
    done = subprocess.run(
        [sys.executable, VERIFY / "claims.py", "nosuch"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "no claim is called nosuch" in done.stderr
