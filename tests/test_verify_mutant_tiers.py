"""Planted faults by tiers: which mutant meets which test, and what is counted apart."""

import importlib
import json
import os
import pathlib
import subprocess
import sys

import pytest

VERIFY = pathlib.Path(__file__).resolve().parents[1] / "verify"
LIMITS = '''"""Limits."""


def above(x):
    return x > 2


def seldom(x):
    return x < 0


def told(x) -> str:
    many = not x
    return f"x is {x}, of {'many' if many else 'one'} run"


def never(x):
    return -x
'''
TESTS = """import os
import pathlib
import subprocess
import sys

import pytest
from small import above, seldom, told


def test_daily():
    assert above(3)
    assert told(2)


@pytest.mark.dear
def test_the_limit_is_below():
    assert not above(2)
    assert not above(1)


@pytest.mark.dear
def test_a_command_meets_the_mutant_and_no_kept_result():
    assert os.environ["THEORYLAB_KEPT"] == ""
    assert not pathlib.Path(".theorylab").exists()
    command = [sys.executable, "-c", "from small import seldom; print(seldom(-1), seldom(0))"]
    assert subprocess.check_output(command, text=True).split() == ["True", "False"]
    assert seldom(-1)
"""
TIERS = """import pytest


def pytest_addoption(parser):
    parser.addoption("--tier", default="daily")


def pytest_configure(config):
    config.addinivalue_line("markers", "dear: not daily")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--tier") == "daily":
        items[:] = [item for item in items if not item.get_closest_marker("dear")]
"""


@pytest.fixture
def mutants(monkeypatch):
    monkeypatch.syspath_prepend(str(VERIFY))
    return importlib.import_module("mutants")


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    for name, text in (
        ("small/__init__.py", "from small.limits import above, seldom, told\n"),
        ("small/limits.py", LIMITS),
        ("tests/test_limits.py", TESTS),
        ("tests/tiers.py", TIERS),
        ("conftest.py", "pytest_plugins = ['tests.tiers']\n"),
        (".theorylab/results-1.sqlite", "of the package as it is"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def command(tree, *arguments):
    done = subprocess.run(
        [sys.executable, str(VERIFY / "mutants.py"), "--tree", str(tree), "--modules",
         "small/limits.py", "--grace", "2", *arguments],
        capture_output=True, text=True, timeout=600, env={**os.environ, "PYTHONPATH": str(tree)},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_what_the_daily_tier_loses_and_what_both_lose_is_told(tree, tmp_path):
    file = tmp_path / "mutants.json"
    code, out, err = command(tree, "--count", "1000", "--tier", "both", "--json", str(file))
    content = json.loads(file.read_text())
    fate = {
        row["change"].replace("- return ", "").replace("\n+ return ", " -> "): (
            *(row["outcome"], row["tier"]),
            *(["a text"] if row["text"] else []),
        )
        for row in content["mutants"]
    }
    assert code == 1, err
    assert fate["x > 2 -> x <= 2"] == ("killed", "daily")
    assert fate["x > 2 -> x >= 2"] == ("killed", "full")
    assert fate["x < 0 -> x <= 0"] == ("killed", "full")  # seen by a command alone
    assert fate["-x -> x"] == ("survived", "")
    assert fate["- many = not x\n+ many = x"] == ("survived", "", "a text")
    counted = [row for row in content["mutants"] if not row["text"]]
    dead = [row for row in counted if row["outcome"] == "killed"]
    assert content["share"] == len(dead) / len(counted)
    assert content["daily_share"] == sum(o["tier"] == "daily" for o in dead) / len(counted)
    lost = sum(row["tier"] == "full" for row in dead)
    assert f"the daily tier loses {lost} beside the full one" in out
    assert "only full kills: small/limits.py (comparison) by tests/test_limits.py::test_the" in out
    assert "(return; no test that was watched runs it)" in out
    assert f"texts, apart  {len(content['mutants']) - len(counted):9d}" in out


def test_a_tier_alone_meets_its_own_tests_and_both_meet_each_test_once(mutants):
    names = importlib.import_module("mutant_tests")
    rows = {
        name: {"file": "t.py", "seconds": seconds, "seen": ["m.py:5"]}
        for name, seconds in (("quick", 0.1), ("dear", 0.2), ("slow", 5.0), ("slowest", 99.0))
    }
    record = names.Record(rows, {}, [], {"quick", "slow", "gone"})
    mutant = mutants.Mutant("", "", "constant", (5,), (), False)
    met = {
        tier: [
            (chunk["tier"], *chunk["tests"]) for chunk in record.chunks("m.py", mutant, 9, 1, tier)
        ]
        for tier in ("daily", "full", "both")
    }
    daily = [("daily", "quick"), ("daily", "slow")]
    assert met["daily"] == daily
    assert met["full"] == [("full", "quick", "dear"), ("full", "slow")]  # 99 s are too many
    assert met["both"] == [*daily, ("full", "dear")]


def test_no_daily_tests_are_one_line(tree):
    (tree / "tests/tiers.py").unlink()
    (tree / "conftest.py").write_text("")
    code, out, err = command(tree, "--tier", "daily")
    assert (code, out) == (2, "")
    assert err.startswith("mutants: pytest lists no daily tests: ")
    assert err.count("\n") == 1


def test_a_test_that_no_option_names_and_that_fails_by_itself_is_left_out(tree):
    text = TESTS + "\n\ndef test_broken():\n    assert above(0)\n"
    (tree / "tests/test_limits.py").write_text(text)
    code, _, err = command(tree, "--count", "3")
    assert code in (0, 1)
    assert "left out, as they fail without a mutant: tests/test_limits.py::test_broken" in err


def test_a_test_that_fails_only_beside_mutants_kills_none(tree):
    once = (
        "import pathlib\n\n\ndef test_once():\n    assert above(3)\n    open('once', 'x').close()\n"
    )
    (tree / "tests/test_once.py").write_text("from small import above\n" + once)
    _, out, err = command(tree, "--count", "4", "--workers", "1")
    assert "left out, as they fail without a mutant: tests/test_once.py::test_once" in err
    outcomes = [line for line in err.splitlines() if line.startswith("[")]
    assert any("test_once" in line for line in outcomes)  # the mutants are judged again without it
    assert "4 mutants run" in out
