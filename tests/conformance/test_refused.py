"""Bad input is one line and exit code 2, or a row that says what could not be checked."""

import json

import pytest

from theorylab import cli

PLAIN = """
from dataclasses import dataclass
from theorylab.algorithms import Algorithm
from theorylab.problems import Problem
from theorylab.topologies import Topology
"""
STILL = """
class Still(Algorithm, name="still"):
    def __init__(self, {given}):
        {body}

    def step(self, state, net):
        return net.next(state, x=net.mix(state.x))
"""


@pytest.fixture
def checked(tmp_path, monkeypatch, capsys):
    """checked(text of a file, ...) -> (exit code, findings, stderr)."""
    monkeypatch.chdir(tmp_path)

    def invoke(text, *more):
        (tmp_path / "mine.py").write_text(PLAIN + text)
        code = cli.run(["check", "mine.py", "--json", "-", *more])
        out = capsys.readouterr()
        return code, json.loads(out.out)["findings"] if out.out else [], out.err

    return invoke


def test_a_file_that_is_not_there(capsys):
    assert cli.run(["check", "nowhere.py"]) == 2
    assert capsys.readouterr().err == (
        "theorylab: check: nowhere.py: no such file; need a Python file, FILE.py\n"
    )


def test_a_file_that_brings_nothing(checked):
    code, findings, line = checked("x = 1")
    assert (code, findings) == (2, [])
    assert line.startswith("theorylab: check: mine.py brings nothing; need")
    assert line.count("\n") == 1


def test_a_file_that_fails_when_it_is_loaded(checked):
    code, _, line = checked("1 / 0")
    assert (code, line) == (2, "theorylab: mine.py, line 6: ZeroDivisionError: division by zero\n")


@pytest.mark.parametrize(("kind", "base", "line"), [
    ("problem", "Problem", "def loss(self, x): ...\n    def gradient(self, x): ..."),
    ("topology", "Topology", "def _build(self, t, run): ..."),
])  # fmt: skip
def test_a_constructor_that_raises_is_a_row(checked, kind, base, line):
    text = f'class Bad({base}, name="bad"):\n    def __init__(self, clients):\n        1 / 0\n'
    code, (row,), _ = checked(f"{text}\n    {line}")
    assert (code, row["kind"], row["result"]) == (2, kind, "raises")
    assert row["by"] == "mine.py, line 8: ZeroDivisionError: division by zero"


def test_a_constructor_of_an_algorithm_that_raises_is_a_row(checked):
    code, (row,), _ = checked(STILL.format(given="", body="raise KeyError('x')"))
    assert (code, row["result"], row["by"]) == (2, "raises", "mine.py, line 9: KeyError: 'x'")


def test_what_a_class_leaves_out_is_a_row(checked):
    code, (row,), _ = checked('class Half(Problem, name="half"):\n    def loss(self, x): ...')
    assert (code, row["result"]) == (2, "raises")
    assert row["by"] == "problem: half (mine.py, line 6) lacks gradient; need it"


def test_a_constructor_that_leaves_out_its_base_s_is_a_row(checked):
    body = "def loss(self, x): ...\n    def gradient(self, x): ..."
    text = f'class Own(Problem, name="own"):\n    def __init__(self, clients): ...\n    {body}'
    code, (row,), _ = checked(text)
    assert (code, row["result"]) == (2, "raises")
    assert "own: __init__ does not call super().__init__(clients, dim); need it" in row["by"]


def test_an_option_without_a_default_is_asked_for_and_taken(checked):
    text = STILL.format(given="table", body="self.table = table")
    code, (row,), _ = checked(text)
    assert (code, row["result"], row["by"]) == (0, "not checked", "needs option table")
    code, findings, _ = checked(text, "--set", "table=[1,2]")
    assert code == 0
    assert {each["result"] for each in findings} == {"holds"}


def test_an_option_that_nothing_takes_is_refused(checked):
    code, _, line = checked(STILL.format(given="a=1", body="self.a = a"), "--set", "b=1")
    assert (code, line) == (2, "theorylab: check: nothing here has an option 'b'; need one of a\n")


def test_a_step_that_gives_no_next_state_is_a_lie(checked):
    text = 'class Same(Algorithm, name="same"):\n    def step(self, s, net):\n        return s'
    code, (row,), _ = checked(text)
    assert (code, row["result"]) == (1, "LIE")
    assert row["by"].startswith("same: step gave a state of round 0 after round 0")


def test_a_step_that_fails_is_a_lie_on_its_line(checked):
    text = 'class Bad(Algorithm, name="bad"):\n    def step(self, s, net):\n        return s.y'
    code, (row,), _ = checked(text)
    assert (code, row["result"]) == (1, "LIE")
    assert row["by"].startswith("mine.py, line 8: AttributeError")
