"""What a checkout has beside this package: peers of other libraries, benches of the program."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from theorylab.kernels import get_threads, set_threads

VERIFY = Path(__file__).resolve().parents[2] / "verify"
ABSENT = "a wheel has none of other libraries; verify/peers of a checkout has them"


@functools.cache
def beside(name: str) -> ModuleType | None:
    """The module verify/peers/NAME.py of this checkout, by its path; None in a wheel."""
    path = VERIFY / "peers" / f"{name}.py"
    if not (path.is_file() and (VERIFY.parent / "pyproject.toml").is_file()):
        return None
    spec = importlib.util.spec_from_file_location(f"theorylab_peers_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def commit() -> str | None:
    """Of this checkout, with a mark where its files were changed; None where git knows of none."""
    asked = ["git", "-C", str(VERIFY.parent), "describe", "--always", "--abbrev=12", "--dirty"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def torch_here() -> Any:
    """torch, where a checkout times it and it is installed; else None."""
    if beside("mix") is None:
        return None
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """As many for own kernels as for torch, if it is there, and afterwards as many as before."""
    before, torch = get_threads(), torch_here()
    of_torch = None if torch is None else torch.get_num_threads()
    set_threads(count)
    if torch is not None:
        torch.set_num_threads(count)
    try:
        yield
    finally:
        set_threads(before)
        if torch is not None:
            torch.set_num_threads(of_torch)
