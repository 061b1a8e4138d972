"""The exit code of ``falsify`` is what it found, and it is the one that is printed."""

import json
import pathlib

import pytest

TRUE = (pathlib.Path(__file__).parents[1] / "verdicts" / "user_theorem.py").read_text()
FALSE = TRUE.replace("2 * (f0", "(f0 - f_star) / (T * eta) / 1000 + 0 * (f0")


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (TRUE, 0, ("no counterexample", "Exit code 0.")),  # however long it searches
        (FALSE, 1, ("VIOLATED", "Exit code 1: a counterexample.")),  # its own check is one
    ],
)
def test_the_exit_code_says_whether_there_is_a_counterexample(run, tmp_path, text, code, words):
    own, kept = tmp_path / "own.py", tmp_path / "kept.json"
    own.write_text(text)
    done = run("falsify", own, "--budget", 0.2, "--json", kept)
    assert done.code == code
    assert all(word in done.out for word in words)
    assert done.out.splitlines()[-1].endswith(words[1])
    assert json.loads(kept.read_text())["refuted"] == bool(code)
