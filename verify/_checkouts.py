"""Checkouts beside this one: folders that are built, and commits, which are built here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "build" / "compare"


def checkout(text: str) -> Path:
    """The folder of a checkout that is built; a commit's is made.

    Raises:
        ValueError: one line: no folder and no commit, no checkout, or one that does not build.
    """
    folder = Path(text)
    if not folder.is_dir():
        folder = _worktree(text)
    if not (folder / "theorylab" / "__init__.py").is_file():
        raise ValueError(f"{text}: a folder without theorylab/__init__.py; need a checkout")
    if not [*(folder / "theorylab").glob("_core*.so")]:
        raise ValueError(f"{text}: not built; need python setup.py build_ext --inplace there")
    return folder.resolve()


def _worktree(commit: str) -> Path:
    asked = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"]
    found = subprocess.run(asked, capture_output=True, text=True)
    name = found.stdout.strip()
    if found.returncode or not name:
        raise ValueError(f"{commit}: no folder and no commit here; need one of them")
    folder = CACHE / name[:12]
    if not folder.is_dir():
        adding = ["git", "-C", str(ROOT), "worktree", "add", "--force", "--detach"]  # a lost one
        _done([*adding, str(folder), name], ROOT, commit)
    if not [*(folder / "theorylab").glob("_core*.so")]:
        building = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        _done(building, folder, f"{commit}: does not build")
    return folder


def _done(words: Sequence[str], folder: Path, what: str) -> None:
    environment = {**os.environ, "THEORYLAB_CUDA": "0"}
    ended = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    if ended.returncode:
        last = (ended.stderr or ended.stdout).strip().splitlines()[-1:]
        raise ValueError(f"{what}: {''.join(last)}")
