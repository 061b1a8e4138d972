"""What a tree is, by the contents of its files, and what a change touches."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHANGED = "CI_CHANGED"  # the changed files, one a line, where there is no git to ask
BASE = "CI_BASE"  # what a change is a change of
_TOGETHER = 4 * 3600  # seconds: commits as near as that are one change
_FOLDERS = ("csrc", "docs", "tests", "theorylab", "verify")
_KINDS = {
    *(".py", ".pyi", ".cpp", ".hpp", ".cu", ".cuh", ".j2"),
    *(".json", ".toml", ".md", ".txt", ".svg"),
}


def tree_id(root: pathlib.Path = ROOT) -> str:
    """The tree's contents as twelve hex digits: the same in a checkout and in a copy of it."""
    paths = [path for path in root.iterdir() if path.suffix in _KINDS]
    for name in _FOLDERS:
        paths += [path for path in (root / name).rglob("*") if path.suffix in _KINDS]
    digest = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(root)} {content}\n".encode())
    return digest.hexdigest()[:12]


def rank(tree: str, name: str) -> int:
    """The place of a name in this tree's order: a draw that anyone repeats."""
    return int.from_bytes(hashlib.sha256(f"{tree} {name}".encode()).digest()[:8])


def changed(root: pathlib.Path = ROOT, base: str = "") -> list[str] | None:
    """The files that differ from ``base``, from the root; None where nobody can tell.

    Without a base it is CI_BASE, or the newest commit that is not of HEAD's own change: HEAD~1, or
    the first one that is older by hours.
    """
    if CHANGED in os.environ:
        return os.environ[CHANGED].split("\n") if os.environ[CHANGED] else []
    base = base or os.environ.get(BASE, "") or _before(root)
    there = _git(root, "diff", "--name-only", base, "--") if base else None
    fresh = _git(root, "ls-files", "--others", "--exclude-standard")
    return None if there is None or fresh is None else sorted({*there, *fresh})


def _before(root: pathlib.Path) -> str:
    when = _git(root, "log", "-1", "--format=%ct") or [""]
    if not when[0].isdigit():
        return ""
    older = f"--before={int(when[0]) - _TOGETHER}"
    found = _git(root, "rev-list", "-1", older, "HEAD") or _git(root, "rev-parse", "-q", "HEAD~1")
    return found[0] if found else ""


def _git(root: pathlib.Path, *words: str) -> list[str] | None:
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
    except OSError:
        return None
    return None if done.returncode else done.stdout.splitlines()


def near(files: list[str], root: pathlib.Path = ROOT) -> list[str]:
    """The files of tests that a change names: its own, those named like what it changes, those
    that import it."""
    names, modules = set(), set()
    for file in files:
        path = pathlib.PurePath(file)
        stem = path.stem.lstrip("_")
        if path.parts[0] == "tests" and path.name.startswith("test_"):
            names.add(file)
        elif path.parts[0] == "verify" and path.suffix == ".py":
            names.add(f"tests/test_verify_{stem}.py")
        elif path.parts[0] == "theorylab" and path.suffix == ".py":
            folder = {"commands": "cli"}.get(path.parts[1], path.parts[1])
            names.add("/".join(("tests", folder, *path.parts[2:-1], f"test_{stem}.py")))
            names.add(f"tests/test_{stem}.py")
            modules.add(".".join(path.with_suffix("").parts))
    for path in (root / "tests").rglob("test_*.py") if modules else ():
        words = set(re.findall(r"theorylab[\w.]*", path.read_text()))
        if words & modules:
            names.add(path.relative_to(root).as_posix())
    return sorted(name for name in names if (root / name).is_file())
