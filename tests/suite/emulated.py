"""``theorylab._emulated``, built when a test first wants it: an install goes without.

Whoever imports it in a process of the tests, a test or the code under test, gets the one that the
sources give as they are now. A process that a test starts does not: the test imports it first.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.abc
import os
import subprocess
import sys
import sysconfig
from types import ModuleType

import filelock

from . import costs, tree

NAME = "theorylab._emulated"
COMMAND = ("setup.py", "-q", "build_emulated")
_SOURCES = ("csrc/core", "csrc/cuda", "csrc/emulated", "csrc/kernels", "setup.py")
_TARGET = tree.ROOT / f"theorylab/_emulated{sysconfig.get_config_var('EXT_SUFFIX')}"
_NOTE = tree.ROOT / "build/emulated.made_of"
_failed: list[str] = []  # why, in this process: other tests are not to wait for the same


def _made_of() -> str:
    """The sources, and what compiles them."""
    digest = hashlib.sha256("\0".join(os.environ.get(name, "") for name in ("CC", "CXX")).encode())
    for name in _SOURCES:
        path = tree.ROOT / name
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _is_built() -> bool:
    return _TARGET.exists() and _NOTE.exists() and _NOTE.read_text() == _made_of()


def build() -> None:
    """Build it in place, once for all processes, unless it is there.

    Raises:
        ImportError: it cannot be built, and why.
    """
    if _failed:
        raise ImportError(_failed[0], name=NAME)
    if _is_built():
        return
    _NOTE.parent.mkdir(exist_ok=True)
    with costs.apart(), filelock.FileLock(_NOTE.with_suffix(".lock")):
        if _is_built():  # by the process that this one waited for
            return
        _NOTE.unlink(missing_ok=True)
        made_of = _made_of()
        settings = {k: v for k, v in os.environ.items() if k != "THEORYLAB_SANITIZE"}
        settings["THEORYLAB_CUDA"] = "0"  # which need not be looked for
        answer = subprocess.run(
            [sys.executable, *COMMAND], cwd=tree.ROOT, env=settings, capture_output=True, text=True
        )
        if answer.returncode:
            lines = (answer.stderr or answer.stdout or "it says nothing").splitlines()
            why = next((line for line in lines if "error" in line.lower()), lines[-1]).strip()
            _failed.append(f"{NAME}: python {' '.join(COMMAND)} failed: {why}")
            raise ImportError(_failed[0], name=NAME)
        _NOTE.write_text(made_of)
    importlib.invalidate_caches()


class Finder(importlib.abc.MetaPathFinder):
    """Has it built before the usual finders look for it, where theorylab is that of this tree."""

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> None:
        if name == NAME and str(_TARGET.parent) in map(str, path or ()):
            build()


def install() -> None:
    if not any(type(finder).__qualname__ == Finder.__qualname__ for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())
