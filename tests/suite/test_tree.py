"""A tree is its contents: a copy without git has the same draw, and knows the same change."""

import os
import shutil
import subprocess

import pytest
from theorylab_suite import tree

FILES = {
    "theorylab/runs/play.py": "PLAY = 1\n",
    "theorylab/commands/run.py": "from theorylab.runs.play import PLAY\n",
    "tests/runs/test_play.py": "",
    "tests/cli/test_run.py": "",
    "tests/runs/test_other.py": "from theorylab.runs.play import PLAY\n",
    "tests/runs/test_far.py": "from theorylab.runs.player import PLAY\n",
    "tests/test_lazy.py": "",
    "tests/kernels/test_bits.py": "",
    "verify/bits.py": "",
    "tests/test_verify_bits.py": "",
    "README.md": "a page\n",
}


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A checkout with one commit, whatever the session's own change is."""
    for name in (tree.CHANGED, tree.BASE):
        monkeypatch.delenv(name, raising=False)
    for name, text in FILES.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(tmp_path / "tree", "init", "-q")
    commit(tmp_path / "tree", 0)
    return tmp_path / "tree"


def git(root, *words, **more):
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(
        ["git", *name, *words], cwd=root, env={**os.environ, **more}, check=True,
        capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip


def commit(root, hours):
    """What there is, so many hours after the first one."""
    git(root, "add", "-A")
    when = f"{1700000000 + 3600 * hours} +0000"
    git(root, "commit", "-qm", "a", GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)
    return git(root, "rev-parse", "HEAD")


def test_a_copy_without_git_and_with_what_is_built_is_the_same_tree(root, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".git"))
    (copy / "theorylab" / "_core.so").write_bytes(b"built")
    (copy / "results.sqlite").write_bytes(b"kept")
    assert tree.tree_id(copy) == tree.tree_id(root)


@pytest.mark.parametrize("name", FILES)
def test_every_change_of_contents_is_another_tree(root, name):
    before = tree.tree_id(root)
    (root / name).write_text("changed\n")
    assert tree.tree_id(root) != before


def test_a_change_is_what_differs_from_the_commit_before_it_and_what_is_new(root):
    (root / "README.md").write_text("another\n")
    commit(root, 10)
    (root / "verify/bits.py").write_text("1\n")
    (root / "verify/new.py").write_text("1\n")
    assert tree.changed(root) == ["README.md", "verify/bits.py", "verify/new.py"]


def test_a_commit_is_compared_as_it_is_whatever_lies_in_the_tree(root):
    (root / "verify/bits.py").rename(root / "verify/moved.py")
    commit(root, 10)
    (root / "verify/moved.py").unlink()
    (root / "README.md").write_text("another\n")
    assert tree.changed(root, head="HEAD") == ["verify/bits.py", "verify/moved.py"]


def test_commits_of_the_same_hours_are_one_change(root):
    for hours, name in ((10, "README.md"), (11, "verify/bits.py"), (12, "tests/runs/test_far.py")):
        (root / name).write_text("changed\n")
        last = commit(root, hours)
    assert tree.changed(root) == ["README.md", "tests/runs/test_far.py", "verify/bits.py"]
    assert tree.changed(root, base=last) == []
    assert tree.changed(root, base=f"{last}~1") == ["tests/runs/test_far.py"]


def test_the_base_and_the_change_may_be_given(root, monkeypatch):
    first = git(root, "rev-parse", "HEAD")
    (root / "README.md").write_text("another\n")
    commit(root, 1)
    monkeypatch.setenv(tree.BASE, first)
    assert tree.changed(root) == ["README.md"]
    monkeypatch.setenv(tree.CHANGED, "a.py\nb.py")
    assert tree.changed(root) == ["a.py", "b.py"]
    monkeypatch.setenv(tree.CHANGED, "")
    assert tree.changed(root) == []


def test_where_nobody_can_tell_the_change_is_not_nothing(root, tmp_path):
    assert tree.changed(tmp_path) is None
    assert tree.changed(root, base="no-such-commit") is None


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("theorylab/runs/play.py", ["tests/runs/test_other.py", "tests/runs/test_play.py"]),
        ("theorylab/commands/run.py", ["tests/cli/test_run.py"]),
        ("verify/bits.py", ["tests/test_verify_bits.py"]),
        ("tests/runs/test_far.py", ["tests/runs/test_far.py"]),
        ("tests/runs/test_gone.py", []),
        ("theorylab/runs/__init__.py", ["tests/test_lazy.py"]),
        ("tests/runs/conftest.py", [f"tests/runs/test_{k}.py" for k in ("far", "other", "play")]),
        ("csrc/host/isa.cpp", ["tests/kernels/test_bits.py"]),
        ("setup.py", ["tests/kernels/test_bits.py"]),
        ("LICENSE", []),
    ],
)
def test_near_a_change_are_its_tests_and_those_that_import_it(root, file, tests):
    assert tree.near([file], root) == tests
