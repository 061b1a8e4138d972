"""What breaks a claim outside its scope is told, kept and replayed as what the claim needs."""

import json
import pathlib

import pytest

from theorylab.commands.falsify import work as command
from theorylab.falsify import Finding
from theorylab.falsify.scope import Scope, written
from theorylab.statements import Check
from theorylab.verdicts import judge_check, selected

TEXT = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
NOISY = {
    "problem": {"name": "quadratic", "H": [[[2.0]]], "c": [[-0.82]], "sigma": 1.0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 8,
    "algorithm": {"eta": 0.25},
    "x0": 0.0,
}


OLDER = {"schema_number": 2, "needs": [], "verdict": "VIOLATED", "refuted": True}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The textbook theorem's file; the next search of it comes to noise."""
    file = tmp_path / "own.py"
    file.write_text(TEXT)
    ((statement, _),) = selected([str(file)]).values()
    result = judge_check(statement, "printed", Check("search", NOISY), seeds=1024)
    assert result.verdict == "VIOLATED"  # noise alone stays above 2 f0/(T eta) = .6724
    scope = Scope(statement, "printed")
    (nearest,) = scope.checks
    made = Finding(
        *(statement.id, "printed", False, NOISY, result, 1024, 0, 7, 3, 1, "sweeps", 2.0),
        needs=scope.needs(NOISY),
        also=("decay = 1",),
        nearest=nearest,
        began=written(statement, scope.checks[nearest]),
        written=written(statement, NOISY),
    )
    monkeypatch.setattr(command, "falsify", lambda *_, **__: made)
    return file


def test_a_need_is_told_in_three_lines_with_exit_code_1_and_is_never_called_violated(
    run, own, tmp_path
):
    kept = tmp_path / "kept.json"
    done = run("falsify", own, "--json", kept)
    assert done.code == 1
    assert "textbook.thm1 [printed]: your claim needs: no noise. An instance without" in done.out
    assert "it needs, too: decay = 1." in done.out
    assert "difference: another loss; noise: none -> gaussian (sigma = 1); T: 200 -> 8" in done.out
    assert done.out.splitlines()[-1] == "Exit code 1: what the claim needs."
    assert "VIOLATED" not in done.out + kept.read_text()
    data = json.loads(kept.read_text())
    assert (data["verdict"], data["refuted"], data["needs"]) == ("NEEDS", False, ["no noise"])
    assert data["began"]["instance"]["algorithm"]["rho"] == 0.0  # at its default in the check


@pytest.mark.parametrize(
    ("fields", "code", "line"),
    [
        ({}, 0, "your claim needs: no noise, measured"),
        ({"needs": ["one client"]}, 1, "needs: one client in the file, no noise now"),
        ({"needs": [], "verdict": "VIOLATED"}, 1, "VIOLATED in the file, NEEDS now"),
        # an older file, which knew no scope
        (OLDER, 0, "your claim needs: no noise, measured"),
    ],
)
def test_a_replay_judges_the_scope_again(run, own, tmp_path, fields, code, line):
    kept = tmp_path / "kept.json"
    run("falsify", own, "--json", kept)
    kept.write_text(json.dumps(json.loads(kept.read_text()) | fields))
    done = run("replay", kept, "--source", own)
    assert done.code == code
    assert line in done.out


@pytest.mark.parametrize("fields", [{}, OLDER, {"needs": ["one client"]}])
def test_explain_speaks_of_the_need_that_is_judged(run, own, tmp_path, fields):
    kept = tmp_path / "kept.json"
    run("falsify", own, "--json", kept)
    kept.write_text(json.dumps(json.loads(kept.read_text()) | fields))
    done = run("explain", kept, "--source", own)
    assert done.code == ("one client" in str(fields))
    assert done.out.splitlines()[0] == "textbook.thm1 [printed]: your claim needs: no noise"
    assert "In interval arithmetic: it stands" in done.out
    assert "VIOLATED" not in done.out
