"""``speedup``: a problem from a file, and the table of claims, with the studies replaced."""

import functools
import json

import pytest

from theorylab.commands.speedup import work as command
from theorylab.problems import PROBLEMS
from theorylab.speedup import speedup as whole_study
from theorylab.speedup.claims import CLAIMS

BOWL = """
import numpy as np

from theorylab.problems import Problem


class Bowl(Problem, name="{name}"):
    dim = 2

    def __init__(self, clients, depth=1.0):
        self._clients, self.depth = clients, depth

    @property
    def clients(self):
        return self._clients

    def describe(self):
        return {{"depth": self.depth}}

    def gradient(self, x, i, sample):
        return self.depth * x
"""


@pytest.fixture
def tiny():
    """A study of moments: milliseconds."""
    return functools.partial(
        whole_study, "sgp", clients=[2, 4], rounds=4, transient=False, problem="quadratic"
    )


@pytest.fixture
def asked(monkeypatch, tiny):
    """What the command asks of a study, which is a small one whatever comes."""
    calls = []

    def study(name, **options):
        known = options["problem"] in PROBLEMS if "problem" in options else None
        calls.append({"algorithm": name, "known": known, **options})
        return tiny()

    monkeypatch.setattr(command, "study", study)
    return calls


@pytest.fixture
def bowl(tmp_path):
    (tmp_path / "bowl.py").write_text(BOWL.format(name="test-bowl"))
    return tmp_path / "bowl.py"


def test_a_file_brings_its_problem_by_its_name_and_its_options(run, asked, bowl):
    done = run("speedup", "sgp", "--problem", bowl, "--problem-option", "depth=2", "--seed", 3)
    assert done.code in (0, 1, 4), done.err
    assert [each["algorithm"] for each in asked] == ["sgp"]
    assert (asked[0]["problem"], asked[0]["known"]) == ("test-bowl", True)
    assert (asked[0]["problem_options"], asked[0]["seed"]) == ({"depth": 2}, 3)
    assert "test-bowl" not in PROBLEMS  # it is gone with the command


def test_a_file_that_brings_no_problem_or_two_is_one_line(refused, asked, tmp_path):
    none = tmp_path / "none.py"
    none.write_text("x = 1\n")
    assert "none.py registers no problem; need one" in refused("speedup", "sgp", "--problem", none)
    two = tmp_path / "two.py"
    two.write_text(BOWL.format(name="bowl-a") + BOWL.format(name="bowl-b").replace("Bowl", "Two"))
    line = refused("speedup", "sgp", "--problem", two)
    assert "two.py registers bowl-a, bowl-b; need one" in line
    away = refused("speedup", "sgp", "--problem", tmp_path / "away.py")
    assert "away.py" in away
    assert asked == []


def test_the_code_of_the_file_is_on_record(run, asked, bowl):
    text = run("speedup", "sgp", "--problem", bowl, "--json", "-").out
    assert [each["file"] for each in json.loads(text)["imports"]] == [bowl.name]


@pytest.fixture
def claimed(monkeypatch, tiny):
    """Every claim gets the same small study."""
    monkeypatch.setattr(command, "judged_claims", lambda say: [(each, tiny()) for each in CLAIMS])


def test_claims_are_a_row_and_a_reason_each(run, claimed, tiny):
    done = run("speedup", "--claims")
    assert done.code == 0
    lines = done.out.splitlines()
    for each in CLAIMS:
        assert f"{each.id}, {each.locator}: {tiny().reason}" in lines
    assert sum(tiny().verdict.name in line for line in lines) >= len(CLAIMS)


def test_claims_as_json_say_what_was_claimed_and_found(run, claimed, tiny, tmp_path):
    printed = run("speedup", "--claims", "--json", "-")
    rows = json.loads(printed.out)  # and nothing else is printed
    assert [(row["id"], row["locator"]) for row in rows] == [(c.id, c.locator) for c in CLAIMS]
    assert {row["verdict"] for row in rows} == {tiny().verdict.name}
    assert run("speedup", "--claims", "--json", tmp_path / "a.json").code == 0
    assert json.loads((tmp_path / "a.json").read_text()) == rows


def test_claims_and_an_algorithm_contradict_each_other(refused, claimed):
    assert "--claims came with sgp; need one of the two" in refused("speedup", "sgp", "--claims")
    assert "no algorithm came; need a name, FILE.py, or --claims" in refused("speedup")
