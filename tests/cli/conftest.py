"""The command line with the judge replaced: exit codes and files are tested in milliseconds."""

import contextlib
import itertools
import pathlib
import runpy
import types

import pytest

from theorylab import cli
from theorylab.commands.falsify import work as falsify
from theorylab.commands.verify import judging
from theorylab.commands.verify import work as verify
from theorylab.falsify import score

_HAND_MADE = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "report" / "conftest.py"))


@pytest.fixture
def make():
    return _HAND_MADE["make"]


@pytest.fixture
def results():
    return _HAND_MADE["example"]()


@pytest.fixture
def run(capsys):
    """``run("verify", "--seeds", "0")`` -> (exit code, stdout, stderr)."""

    def invoke(*arguments):
        code = cli.run(list(map(str, arguments)))
        return types.SimpleNamespace(code=code, **capsys.readouterr()._asdict())

    return invoke


@pytest.fixture
def refused(run):
    """Run, and insist on exit code 2, an empty stdout and one line on stderr; that line."""

    def invoke(*arguments):
        done = run(*arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("theorylab: ")
        assert done.err.count("\n") == 1
        assert done.err.endswith("\n")
        assert "Traceback" not in done.err
        return done.err

    return invoke


@pytest.fixture
def counted(monkeypatch):
    """``falsify --budget N``: N looks of the search at its clock, which are as many everywhere.

    What else goes by the wall is off: alarms, which end an instance.
    """
    looks = types.SimpleNamespace(process_time=itertools.count().__next__)
    monkeypatch.setattr(falsify, "time", looks)
    monkeypatch.setattr(score, "at_most", lambda *_: contextlib.nullcontext())


@pytest.fixture
def judged(monkeypatch):
    """Let ``verify`` see the given results, a job each; returns the list of jobs judged so far."""

    def plan(results):
        by_job, calls = {}, []
        for index, result in enumerate(results):
            job = verify.Job(result.id, result.version, result.check, None, 64, index, 1.0)
            by_job[job] = result

        def judge(job, progress=None):
            calls.append(job)
            return by_job[job]

        monkeypatch.setattr(verify, "jobs", lambda selection, **options: list(by_job))
        monkeypatch.setattr(judging, "judge", judge)
        monkeypatch.setattr(judging, "cheapest_first", list)  # there may be no such check
        return calls

    return plan


@pytest.fixture
def grid():
    """``grid('"problem.seed" = [0, 1]')``: the TOML of a campaign of tiny runs over these axes."""
    run = """
columns = ["loss"]
[instance]
algorithm = { name = "sgp", eta = 0.1 }
problem = { name = "quadratic", dim = 2 }
topology = { name = "ring" }
clients = 2
rounds = 3
[axes]
"""
    return lambda *axes: run + "\n".join(axes) + "\n"
