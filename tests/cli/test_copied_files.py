"""Files that a user copies (docs/ci, docs/cluster, .pre-commit-hooks.yaml) run as they stand."""

import functools
import os
import pathlib
import runpy
import shlex
import subprocess

import pytest
import yaml

from theorylab.campaigns import Rows

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "docs/cluster"
THEOREM = (ROOT / "tests/verdicts/user_theorem.py").read_text()
FALSE = THEOREM.replace("2 * (f0", "(f0 - f0 + 1e-9) * (f0").replace("thm1", "thm2")


def action():
    """The command of the workflow that judges; another one installs."""
    steps = yaml.safe_load((ROOT / "docs/ci/theorems.yml").read_text())["jobs"]["judge"]["steps"]
    (line,) = (step["run"] for step in steps if step.get("run", "").startswith("theorylab"))
    return shlex.split(line)


def hook():
    (found,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert found["pass_filenames"] is False  # it would add names to those of args
    return [*shlex.split(found["entry"]), *found["args"]]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """theorems/ with a theorem that is true, and with what is no theorem."""
    monkeypatch.chdir(tmp_path)
    theorems = tmp_path / "theorems"
    (theorems / ".venv").mkdir(parents=True)
    (theorems / "one.py").write_text(THEOREM)
    for name in ("_shared.py", "conftest.py", ".venv/two.py"):
        (theorems / name).write_text("raise RuntimeError")
    return theorems


@pytest.mark.parametrize("command", [action, hook])
def test_ci_passes_on_a_folder_of_true_theorems_and_fails_on_a_false_one(folder, run, command):
    program, *words = command()
    assert program == "theorylab"
    done = run(*words, "--jobs", 1)
    assert done.code == 0
    assert "1 check" in done.out
    (folder / "deeper").mkdir()
    (folder / "deeper/two.py").write_text(FALSE)
    done = run(*words, "--jobs", 1)
    assert done.code == 1
    assert "textbook.thm2" in done.out
    assert "VIOLATED" in done.out


def test_a_folder_without_a_theorem_and_a_file_without_one_are_refused(folder, refused):
    (folder / "one.py").write_text("STATMENT = 1")
    assert "one.py: defines no STATEMENT" in refused("verify", "theorems")
    (folder / "one.py").unlink()
    assert "theorems: no theorem file in this folder" in refused("verify", "theorems")


def test_a_folder_named_like_a_statement_or_a_paper_is_not_run(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    for name in ("dfedsgpsm.lem1", "dfedsgpsm"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "other.py").write_text("raise RuntimeError")
    done = run("list", "dfedsgpsm.lem1")
    assert done.code == 0
    assert "dfedsgpsm.lem1" in done.out
    assert "RuntimeError" not in run("list", "dfedsgpsm").err


@pytest.fixture
def plan(tmp_path, monkeypatch, grid):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "grid.toml"
    file.write_text(grid('"problem.seed" = [0, 1, 2]'))
    return file


def test_the_tasks_of_the_job_array_compute_every_cell_once(plan, run, tmp_path):
    (tmp_path / "theorylab").write_text('#!/bin/sh\nfor word; do echo "$word"; done\n')
    (tmp_path / "theorylab").chmod(0o755)
    for task, tasks, shards in (("1", "2", []), ("2", "1", ["2"])):  # the second submitted alone
        slurm = {"ARRAY_TASK_ID": task, "ARRAY_TASK_COUNT": tasks, "CPUS_PER_TASK": "1"}
        told = {f"SLURM_{name}": value for name, value in slurm.items()}
        path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
        words = ["bash", str(CLUSTER / "sweep.sbatch"), str(plan), "out", *shards]
        done = subprocess.run(
            words, env={**os.environ, **told, "PATH": path}, capture_output=True, check=True
        )
        assert run(*done.stdout.decode().splitlines()).code == 0
    assert run("sweep", "merge", "out/1", "out/2", "--out", "all").code == 0
    rows = Rows.of(tmp_path / "all")
    assert (len(rows), rows.cells) == (3, 3)


def test_the_dask_file_computes_every_cell(plan, monkeypatch, capsys):
    distributed = pytest.importorskip("distributed")
    here = functools.partial(distributed.LocalCluster, processes=False)  # what starts is not tested
    monkeypatch.setattr(distributed, "LocalCluster", here)
    runpy.run_path(str(CLUSTER / "dask_sweep.py"))["main"](str(plan), "out")
    assert "3 rows are in out" in capsys.readouterr().out
