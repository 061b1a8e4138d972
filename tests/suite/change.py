"""What to run while one changes the code, and which trees passed it."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Sequence

from . import tree

KEPT = tree.ROOT / ".theorylab" / "changed.json"
ALWAYS = ("tests/test_layout.py", "tests/test_verify_counts.py")
SLICE = 12  # one file of so many is in a tree's slice
PATH = os.environ.get("PATH", os.defpath)
MOST = 50  # trees that are remembered


def older_than_its_sources(root: pathlib.Path = tree.ROOT) -> bool:
    """Whether theorylab._core was built before what it is made of was changed."""
    folders = [root / "csrc" / name for name in ("core", "kernels", "host")]
    made_of = [path.stat().st_mtime for each in folders for path in each.iterdir()]
    built = [path.stat().st_mtime for path in root.glob("theorylab/_core*.so")]
    return not built or max(made_of) > max(built)


def files_for(files: list[str], draw: str, root: pathlib.Path = tree.ROOT) -> list[str]:
    """The files of tests for a change: those near it, the tree's slice, and what is quick."""
    every = sorted(p.relative_to(root).as_posix() for p in (root / "tests").rglob("test_*.py"))
    drawn = [name for name in every if tree.rank(draw, name) % SLICE == 0]
    return list(dict.fromkeys([*ALWAYS, *tree.near(files, root), *drawn]))


def passed(path: pathlib.Path = KEPT) -> list[str]:
    """The trees that passed, the newest last; none where nothing can be read."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    return found if isinstance(found, list) and all(isinstance(t, str) for t in found) else []


def remember(draw: str, path: pathlib.Path = KEPT) -> None:
    """The tree passed; one line where that cannot be written."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(exist_ok=True)
        fresh.write_text(json.dumps([*(t for t in passed(path) if t != draw), draw][-MOST:]))
        os.replace(fresh, path)
    except OSError as error:
        print(f"tests.changed: {error.filename}: {error.strerror}; this is not remembered")


def main(arguments: Sequence[str]) -> int:
    """The command; its exit code."""
    parser = argparse.ArgumentParser("python -m tests.changed", description=__doc__)
    parser.add_argument("--base", default="", metavar="REV", help="what it is a change of")
    parser.add_argument("--again", action="store_true", help="also a tree that passed")
    given = parser.parse_args(arguments)
    draw, files = tree.tree_id(), tree.changed(base=given.base)
    if files is None:
        print("tests.changed: no change is known; need a checkout of git and a --base that it has")
        return 2
    if older_than_its_sources():
        print("tests.changed: theorylab._core is older than csrc; need pip install -e . once more")
        return 2
    chosen = files_for(files, draw)
    python = [file for file in files if file.endswith(".py") and (tree.ROOT / file).is_file()]
    ruff = shutil.which("ruff", path=os.pathsep.join([os.path.dirname(sys.executable), PATH]))
    commands = [[ruff, "check", "-q", *python], [ruff, "format", "-q", "--check", *python]]
    if ruff is None:
        print("tests.changed: no lint; need pip install ruff")
    if ruff is None or not python:
        commands = []
    suite = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--tier", "daily", *chosen]
    key = " ".join([draw, hashlib.sha256("\n".join([sys.version, *chosen]).encode()).hexdigest()])
    if key in passed() and not given.again:
        print(f"tree {draw} passed before; --again runs it again")
        return 0
    print(f"tree {draw}: {len(files)} files changed, {len(chosen)} files of tests", flush=True)
    codes = [subprocess.run(each, cwd=tree.ROOT).returncode for each in (*commands, suite)]
    if any(codes):
        return 1
    if ruff is not None:
        remember(key)
    return 0
