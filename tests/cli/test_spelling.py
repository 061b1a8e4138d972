"""One spelling of options, colours, completion, and the ways to start."""

import io
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from rich.console import Console

import theorylab
from theorylab.commands import table

ROOT = Path(__file__).resolve().parents[2]
RUN = ["run", "sgp", "--problem", "quadratic", "--topology", "ring", "--clients", "4"]
RUN += ["--rounds", "3", "--eta", ".1", "--json", "-"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (["--set", "problem.dim=2"], ["--problem-option", "dim=2"]),
        (["--set", "topology.weights=uniform"], ["--topology-option", "weights=uniform"]),
        (["--set", "faults.loss=.1"], ["--loss", ".1"]),
        (["--set", "algorithm.eta=.2"], ["--set", "eta=.2"]),
    ],
)
def test_an_option_by_its_path_is_the_option(run, one, other):
    first, second = run(*RUN, *one), run(*RUN, *other)
    assert first.code == second.code == 0
    assert first.out == second.out


def test_constants_take_the_same_spelling(run):
    network = ["constants", "random-out", "--clients", "5", "--horizon", "4", "--json", "-"]
    first = run(*network, "--set", "degree=2", "--set", "topology.seed=1")
    assert first.code == 0
    assert first.out == run(*network, "--degree", "2", "--option", "seed=1").out


def test_a_part_that_is_not_there_is_refused(refused):
    line = refused("constants", "ring", "--clients", "4", "--set", "problem.dim=2")
    assert "--set is 'problem.dim'; need topology.dim" in line
    line = refused("speedup", "sgp", "--set", "network.degree=2")
    assert "need algorithm.degree or problem.degree or topology.degree" in line


def test_an_unknown_name_is_told_before_what_is_missing(refused):
    assert "no 'nosuch'" in refused("run", "nosuch")
    assert "nosuch: no such file; need one that falsify --json wrote" in refused("replay", "nosuch")


def test_help_shows_one_spelling(run):
    shown = run("run", "--help").out
    assert "--set" in shown
    assert not any(old in shown for old in ("--problem-option", "--topology-option", "--fault "))


def drawn(color_system):
    page = Console(file=io.StringIO(), width=60, color_system=color_system, force_terminal=True)
    rows = [["a", "HOLDS x2, VIOLATED"], ["VIOLATED_TWICE", "b"]]
    page.print(table.rich_table("", ("one", "two"), rows, [20, None]))
    return page.file.getvalue()


def test_a_verdict_has_its_colour_and_nothing_else_has():
    text = drawn("standard")
    assert "\x1b[32mHOLDS\x1b[0m x2, \x1b[31mVIOLATED\x1b[0m" in text
    assert "VIOLATED_TWICE" in text
    assert "\x1b[3" not in drawn(None)


def test_a_table_that_would_fold_is_told():
    cells = [["a" * 10, "b" * 10]]
    assert table.fits(("one", "two"), cells, 24)
    assert not table.fits(("one", "two"), cells, 23)


def started(*command, **more):
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), **more}
    return subprocess.run(command, capture_output=True, text=True, env=given, cwd=ROOT)


def test_a_shell_completes_statements():
    words = {"COMP_WORDS": "theorylab verify dfedalt.thm", "COMP_CWORD": "2"}
    done = started(sys.executable, "-m", "theorylab", _THEORYLAB_COMPLETE="complete_bash", **words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["dfedalt.thm1", "dfedalt.thm1_bound"]


def test_scripts_run_by_name():
    done = started(sys.executable, "verify/__main__.py", "nosuch")
    assert done.returncode == 2
    assert done.stderr.startswith("theorylab.verify: no script 'nosuch'; need one of bits, ")
    done = started(sys.executable, "verify/__main__.py", "bits", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: bits.py")


def test_the_version_stands_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" not in project
    assert f"version: {theorylab.__version__}\n" in (ROOT / "CITATION.cff").read_text()
