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
_FOLDERS = (".ci", "csrc", "docs", "tests", "theorylab", "verify")
_KINDS = {
    *(".py", ".pyi", ".cpp", ".hpp", ".cu", ".cuh", ".j2"),
    *(".json", ".toml", ".md", ".txt", ".svg", ""),
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


def changed(root: pathlib.Path = ROOT, base: str = "", head: str = "") -> list[str] | None:
    """The files that differ from ``base``, from the root; None where nobody can tell.

    Without a base it is CI_BASE, or the newest commit that is not of HEAD's own change: HEAD~1, or
    the first one that is older by hours. ``head``: a commit; without one what lies in the tree.
    """
    if CHANGED in os.environ:
        return os.environ[CHANGED].split("\n") if os.environ[CHANGED] else []
    base = base or os.environ.get(BASE, "") or _before(root)
    sides = [base, head] if head else [base]
    there = _git(root, "diff", "--name-only", "--no-renames", *sides, "--") if base else None
    fresh = [] if head else _git(root, "ls-files", "--others", "--exclude-standard")
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
    """The files of tests that a change names.

    Its own, those named like what it changes, and those that import it; of what no name tells
    those that guard it.
    """
    names, modules = set(), set()
    for file in files:
        path = pathlib.PurePath(file)
        names |= set(_named(path)) | {t for start, t in _GUARDS.items() if file.startswith(start)}
        if path.parts[0] == "theorylab" and path.suffix == ".py":
            modules.add(".".join(path.with_suffix("").parts))
        elif path.parts[0] == "tests" and not path.name.startswith("test_"):
            folder = root / path.parent  # a conftest, or what its tests read
            below = folder.glob("test_*.py") if len(path.parts) > 2 else ()
            names |= {each.relative_to(root).as_posix() for each in below}
    for path in (root / "tests").rglob("test_*.py") if modules else ():
        words = set(re.findall(r"theorylab[\w.]*", path.read_text()))
        if words & modules:
            names.add(path.relative_to(root).as_posix())
    return sorted({each.relative_to(root).as_posix() for name in names for each in root.glob(name)})


_GUARDS = {
    "csrc/": "tests/kernels/test_*.py",
    "setup.py": "tests/kernels/test_*.py",
    ".ci/": "tests/test_gate.py",
    "docs/": "tests/test_docs.py",
    "README.md": "tests/test_readme.py",
    "pyproject.toml": "tests/test_extras.py",
}


def _named(path: pathlib.PurePath) -> list[str]:
    stem = path.stem.lstrip("_")
    if path.parts[0] == "tests" and path.name.startswith("test_"):
        return [path.as_posix()]
    if path.suffix != ".py" or path.parts[0] not in ("theorylab", "verify"):
        return []
    if path.parts[0] == "verify":
        return [f"tests/test_verify_{stem}.py"]
    if path.stem == "__init__":
        return ["tests/test_lazy.py", "tests/test_api.py"]
    folder = {"commands": "cli"}.get(path.parts[1], path.parts[1])
    inside = "/".join(("tests", folder, *path.parts[2:-1], f"test_{stem}.py"))
    return [inside, f"tests/test_{stem}.py"]
