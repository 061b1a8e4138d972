"""Which statements there are, and the jobs that a selection of them makes."""

from __future__ import annotations

import difflib
import fnmatch
import functools
import hashlib
import importlib.util
import json
import math
import pathlib
import sys
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import theorylab
from theorylab.statements import BUILT_IN, Statement


@dataclass(frozen=True)
class Job:
    """One check of one version of one statement: all that determines its result."""

    id: str
    version: str
    check: str
    source_file: str | None  # a user's file, None for the built-in statements
    seeds: int
    seed: int
    budget: float

    def key(self) -> str:
        """SHA-256 of the job, the package's code and the user's file."""
        text = json.dumps(asdict(self), sort_keys=True)
        own = pathlib.Path(self.source_file).read_text("utf-8") if self.source_file else ""
        return hashlib.sha256("\0".join((text, own, _code_hash())).encode()).hexdigest()


@functools.cache
def _code_hash() -> str:
    """Hash of every source file of the package, so that a change of code makes new jobs."""
    root = pathlib.Path(theorylab.__file__).parent
    digest = hashlib.sha256(theorylab.__version__.encode())
    for path in sorted([*root.rglob("*.py"), *root.glob("_core*")]):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def loaded(path: str) -> dict[str, Statement]:
    """The statements of a user's file: its STATEMENT, or its STATEMENTS in order.

    Raises ValueError with one line naming the file, and the line where it broke.
    """
    file = pathlib.Path(path)
    if not file.is_file():
        raise ValueError(f"{path}: no such file; need a Python file that defines STATEMENT")
    name = "theorylab_user_" + hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:12]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses in the file look themselves up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [f.lineno for f in frames if pathlib.Path(f.filename).resolve() == file.resolve()]
        at = error.lineno if isinstance(error, SyntaxError) else lines[-1]
        what = str(error).splitlines()[0] if str(error) else ""
        raise ValueError(f"{path}, line {at}: {type(error).__name__}: {what}") from None
    found = getattr(module, "STATEMENTS", None) or [getattr(module, "STATEMENT", None)]
    for statement in found:
        if not isinstance(statement, Statement):
            raise ValueError(f"{path}: defines no STATEMENT; need STATEMENT = Statement(...)")
        if not any(version.checks for version in statement.versions.values()):
            raise ValueError(f"{path}: {statement.id} has no checks; need at least one Check")
    return {statement.id: statement for statement in found}


def selected(selection: Sequence[str]) -> dict[str, tuple[Statement, str | None]]:
    """Statement and source file for ids, glob patterns and paths to .py files, in order.

    An empty selection is every built-in statement. Raises ValueError for what is unknown.
    """
    found: dict[str, tuple[Statement, str | None]] = {}
    for item in selection or ["*"]:
        if item.endswith(".py"):
            found |= {k: (s, str(pathlib.Path(item).resolve())) for k, s in loaded(item).items()}
            continue
        matches = [k for k in BUILT_IN if fnmatch.fnmatchcase(k, item)]
        if not matches:
            near = difflib.get_close_matches(item, BUILT_IN, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else "; need an id that list shows"
            raise ValueError(f"no statement {item!r}{hint}")
        found |= {k: (BUILT_IN[k], None) for k in matches}
    return found


def jobs(
    selection: Sequence[str],
    *,
    quick: bool = False,
    seeds: int = 64,
    seed: int = 0,
    budget: float = 600.0,
) -> list[Job]:
    """The jobs of a selection: each check of each version of each statement.

    Args:
        quick: leave out the checks that take long.
        seeds: largest number of runs a check.
        seed: what all runs' randomness derives from.
        budget: seconds after which a check stops adding runs.

    Raises:
        ValueError: on an unknown selection or an option out of range.
    """
    if seeds < 1:
        raise ValueError(f"verify: seeds is {seeds}; need at least 1")
    if seeds > 2**32:
        raise ValueError(f"verify: seeds is {seeds}; need at most 2^32")
    if not 0 <= seed < 2**64:
        raise ValueError(f"verify: seed is {seed}; need 0 <= seed < 2^64")
    if not 0 < budget < math.inf:
        raise ValueError(f"verify: budget is {budget}; need seconds > 0, and finite")
    return [
        Job(name, version, check.name, file, seeds, seed, budget)
        for name, (statement, file) in selected(selection).items()
        for version, content in statement.versions.items()
        for check in content.checks
        if check.quick or not quick
    ]
