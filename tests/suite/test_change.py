"""One command runs what a change touches and a slice of the rest, once for each tree."""

import json
import os
import subprocess
import sys

import pytest
from theorylab_suite import change, tree


@pytest.fixture
def world(monkeypatch, tmp_path):
    """What it runs, and what that answers; a tree and a change of its own."""
    seen = type("World", (), {})()
    seen.ran, seen.code, seen.tree, seen.files = [], 0, "ab12", ["theorylab/user_file.py"]
    seen.old, seen.ruff = False, "ruff"

    def run(words, **_):
        seen.ran.append(words)
        return subprocess.CompletedProcess(words, seen.code)

    monkeypatch.setattr(change.subprocess, "run", run)
    monkeypatch.setattr(change.tree, "tree_id", lambda: seen.tree)
    monkeypatch.setattr(change.tree, "changed", lambda base="": seen.files)
    monkeypatch.setattr(change, "older_than_its_sources", lambda: seen.old)
    monkeypatch.setattr(change.shutil, "which", lambda *_, **__: seen.ruff)
    monkeypatch.setattr(change, "KEPT", tmp_path / "kept" / "changed.json")
    monkeypatch.setattr(change.passed, "__defaults__", (change.KEPT,))
    monkeypatch.setattr(change.remember, "__defaults__", (change.KEPT,))
    return seen


def test_the_change_the_slice_and_what_is_quick_are_run(world):
    assert change.main([]) == 0
    suite = world.ran[-1]
    assert set(change.ALWAYS) <= set(suite)
    assert "tests/verdicts/test_user_file.py" in suite
    assert suite[suite.index("--tier") + 1] == "daily"
    files = [word for word in suite if word.startswith("tests/")]
    assert 20 < len(files) < 200
    assert len(files) == len(set(files))


def test_every_file_is_in_the_slice_of_some_tree():
    every = {p.relative_to(tree.ROOT).as_posix() for p in (tree.ROOT / "tests").rglob("test_*.py")}
    met = {name for k in range(150) for name in change.files_for([], f"{k:04x}")}
    assert met == every


def test_a_tree_that_passed_is_not_run_again_unless_it_is_asked_for(world, capsys):
    assert change.main([]) == 0
    count = len(world.ran)
    assert change.main([]) == 0
    assert len(world.ran) == count
    assert "passed before" in capsys.readouterr().out
    assert change.main(["--again"]) == 0
    assert len(world.ran) == 2 * count
    world.tree = "cd34"
    assert change.main([]) == 0
    assert len(world.ran) == 3 * count


def test_a_tree_that_passed_as_another_change_or_without_lint_is_run_again(world):
    assert change.main([]) == 0
    count = len(world.ran)
    world.files = ["theorylab/kept.py"]
    world.ruff = None
    assert change.main([]) == 0
    assert change.main([]) == 0
    assert len(world.ran) == count + 2
    world.ruff = "ruff"
    assert change.main([]) == 0
    assert len(world.ran) == 2 * count + 2


def test_what_was_built_before_csrc_was_changed_is_not_tested(world, tmp_path, capsys):
    world.old = True
    assert change.main([]) == 2
    assert world.ran == []
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.parametrize(("built", "old"), [(3, False), (1, True), (None, True)])
def test_a_core_is_old_by_what_it_is_made_of(tmp_path, built, old):
    files = {"csrc/core/a.cuh": 1, "csrc/kernels/b.cuh": 2, "csrc/host/c.cpp": 1}
    if built is not None:
        files["theorylab/_core.so"] = built
    for name, when in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
        os.utime(path, (when, when))
    assert change.older_than_its_sources(tmp_path) == old


def test_a_tree_that_failed_is_run_again(world):
    world.code = 1
    assert change.main([]) == 1
    count = len(world.ran)
    assert change.main([]) == 1
    assert len(world.ran) == 2 * count


def test_what_is_remembered_and_damaged_is_forgotten(world):
    change.KEPT.parent.mkdir()
    for text in ("{", "{}", "[1]", ""):
        change.KEPT.write_text(text)
        assert change.passed() == []
    change.remember("ab")
    assert json.loads(change.KEPT.read_text()) == ["ab"]


def test_what_cannot_be_remembered_is_one_line(world, capsys):
    change.KEPT.parent.write_text("")
    assert change.main([]) == 0
    assert capsys.readouterr().out.count("this is not remembered") == 1


def test_without_a_change_that_is_known_it_says_what_it_needs(world, capsys):
    world.files = None
    assert change.main(["--base", "no-such-commit"]) == 2
    assert world.ran == []
    assert capsys.readouterr().out.count("\n") == 1


def test_the_command_starts():
    given = {k: v for k, v in os.environ.items() if k != "PYTEST_ADDOPTS"}
    command = [sys.executable, "-m", "tests.changed", "--no-such-word"]
    done = subprocess.run(command, cwd=tree.ROOT, env=given, capture_output=True, text=True)
    assert done.returncode == 2
    assert "unrecognized arguments: --no-such-word" in done.stderr
