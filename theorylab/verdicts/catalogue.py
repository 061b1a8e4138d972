"""Which statements there are, and the jobs that a selection of them makes."""

from __future__ import annotations

import functools
import hashlib
import json
import math
import pathlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from types import ModuleType
from typing import Any

import theorylab
from theorylab.files import named_files
from theorylab.imports import codes, imported
from theorylab.registry import matching, meant, near
from theorylab.statements import BUILT_IN, Statement
from theorylab.user_file import fingerprint, guarded, load

MOST_SEEDS = 1 << 31  # no machine makes so many runs
GRADIENTS = 1e9  # that the runs of one check may compute: every built-in check needs less than 1e7


@dataclass(frozen=True)
class Job:
    """One check of one version of one statement: all that determines its result.

    ``instance``: JSON of one's own, judged in place of a check's. ``rows``: keep every place.
    ``control``: that instance is one, outside what is claimed. ``files``: what the instance names
    on the disk, and its content then (see ``named_files``); None of a built-in check: looked up.
    """

    id: str
    version: str
    check: str
    source_file: str | None  # a user's file, None for the built-in statements
    seeds: int = 64
    seed: int = 0
    budget: float = GRADIENTS
    instance: str = ""
    rows: bool = False
    control: bool = False
    files: str | None = None

    def key(self) -> str:
        """SHA-256 of the job, of what its instance names, of the package's code, and of others'.

        That is the user's file, all that is imported, and the local modules that these import.
        Of what is installed only the packages that name themselves to theorylab count.
        """
        text = json.dumps(asdict(self) | {"files": self._files()})
        own = fingerprint(self.source_file) if self.source_file else {}
        more = [code.model_dump() for code in codes()]
        parts = (text, json.dumps([own, more], sort_keys=True), code_hash())
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    def _files(self) -> str:
        if self.files is not None or self.source_file or self.id not in BUILT_IN:
            return self.files or ""
        statement = BUILT_IN[self.id]
        version = statement.versions.get(self.version)
        checks = () if version is None else version.checks
        found = [files_of(statement, c.instance) for c in checks if c.name == self.check]
        return found[0] if found else ""


def files_of(statement: Statement, instance: Any) -> str:
    """``named_files`` of an instance of the statement."""
    names = {"algorithm": statement.algorithm, "experiment": statement.experiment}
    return named_files(instance, {kind: name for kind, name in names.items() if name})


@functools.cache
def code_hash() -> str:
    """Hash of every source file of the package, a paper's TOML too, so that a change makes new
    jobs."""
    root = pathlib.Path(theorylab.__file__).parent
    digest = hashlib.sha256(theorylab.__version__.encode())
    for path in sorted([*root.rglob("*.py"), *root.rglob("*.toml"), *root.glob("_core*")]):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def loaded(path: str) -> dict[str, Statement]:
    """The statements of a user's file: its STATEMENT, or its STATEMENTS in order.

    An imported file is not run again. Raises ValueError with one line naming the file, and the line
    where it broke.
    """
    known = next((each for each in imported() if str(each.path) == path), None)
    if known is not None:
        return _stated(known.module, path, needed=True)
    try:
        there = pathlib.Path(path).is_file()
        module = load(pathlib.Path(path)) if there else None
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}; need a Python file") from None
    if module is None:
        raise ValueError(f"{path}: no such file; need a Python file that defines STATEMENT")
    return _stated(module, path, needed=True)


def _stated(module: ModuleType, path: str, needed: bool) -> dict[str, Statement]:
    """The statements of a module; where one is ``needed``, it has to have one."""
    with guarded():
        found = getattr(module, "STATEMENTS", None) or [getattr(module, "STATEMENT", None)]
        if not needed and found == [None]:
            return {}
        if not isinstance(found, list | tuple):
            raise ValueError(f"{path}: STATEMENTS is {type(found).__name__}; need a list")
        made: dict[str, Statement] = {}
        for statement in found:
            if not isinstance(statement, Statement):
                raise ValueError(f"{path}: defines no STATEMENT; need STATEMENT = Statement(...)")
            if not any(version.checks for version in statement.versions.values()):
                raise ValueError(f"{path}: {statement.id} has no checks; need at least one Check")
            if statement.id in made:
                raise ValueError(f"{path}: {statement.id} comes twice; need an id of its own each")
            made[statement.id] = statement
    return made


def _brought() -> dict[str, tuple[Statement, str]]:
    """The statements of imported files, and which file has each."""
    found: dict[str, tuple[Statement, str]] = {}
    for each in imported():
        for name, statement in _stated(each.module, str(each.path), needed=False).items():
            if name in found or name in BUILT_IN:
                other = found[name][1] if name in found else "theorylab itself"
                raise ValueError(f"{name} is in {other} and in {each.path}; need one of them")
            found[name] = (statement, str(each.path))
    return found


def selected(selection: Sequence[str]) -> dict[str, tuple[Statement, str | None]]:
    """Statement and source file for ids, papers, glob patterns and paths to .py files, in order.

    An empty selection is every statement that is known. Raises ValueError for what is unknown.
    """
    brought = _brought()
    known = [*BUILT_IN, *brought]  # names alone: a statement is imported where it is selected
    found: dict[str, tuple[Statement, str | None]] = {}
    for item in selection or ["*"]:
        if item.endswith(".py"):
            own = str(pathlib.Path(item).resolve())
            for name, statement in loaded(item).items():
                other = found.get(name, (statement, own))[1]
                if other != own:
                    raise ValueError(
                        f"{name} is in {item} and {other or 'built in'}; need one of them"
                    )
                found[name] = (statement, own)
            continue
        matches = matching(item, known)
        if not matches:
            hint = meant(item, known, "an id that list shows")
            raise ValueError(f"no statement {item!r}; {hint}")
        for name in matches:
            here = brought[name] if name in brought else (BUILT_IN[name], None)
            other = found.get(name, here)[1]
            if other != here[1]:
                raise ValueError(
                    f"{name} is {here[1] or 'built in'} and in {other}; need one of them"
                )
            found[name] = here
    return found


def statement_of(name: str, source_file: str | None = None) -> Statement:
    """The statement of that name; ``source_file``: the user's file that it is in.

    Raises ValueError as ``selected`` does, and where the file has no such statement.
    """
    found = selected([source_file or name])
    if name not in found:
        raise ValueError(f"{source_file}: no statement {name!r}; need {near(name, sorted(found))}")
    return found[name][0]


def jobs(
    selection: Sequence[str],
    *,
    quick: bool = False,
    seeds: int = Job.seeds,
    seed: int = Job.seed,
    budget: float = Job.budget,
    versions: Sequence[str] = (),
    check: str | None = None,
) -> list[Job]:
    """The jobs of a selection: each check of each version of each statement.

    Args:
        selection: ids of built-in statements, papers, or paths of files with statements.
        quick: leave out the checks that take long.
        seeds: largest number of runs a check.
        seed: what all runs' randomness derives from.
        budget: gradients that the runs of a check may compute; what costs more is told its
            price, and INCONCLUSIVE.
        versions: only these; empty for all.
        check: only those of this name, measured with all their places; None for all.

    Returns:
        One ``Job`` a check, in the order of the selection, for ``judge``.

    Raises:
        ValueError: on an unknown selection, version or check, or an option out of range.

    >>> first = jobs(["dfedsgpsm.lem1"], versions=["printed"])[0]
    >>> first.id, first.version
    ('dfedsgpsm.lem1', 'printed')
    """
    if seeds < 1:
        raise ValueError(f"verify: seeds is {seeds}; need at least 1")
    if seeds > MOST_SEEDS:
        raise ValueError(f"verify: seeds is {seeds}; need at most {MOST_SEEDS}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"verify: seed is {seed}; need 0 <= seed < 2^64")
    if not 0 < budget < math.inf:
        raise ValueError(f"verify: budget is {budget}; need gradients > 0, and finite")
    found = selected(selection)
    known = {name for statement, _ in found.values() for name in statement.versions}
    for version in versions:
        if version not in known:
            raise ValueError(f"no version {version!r}; need {near(version, sorted(known))}")
    every = check is not None
    rows = [
        (Job(name, version, each.name, file, seeds, seed, budget, rows=every), statement, each)
        for name, (statement, file) in found.items()
        for version, content in statement.versions.items()
        if not versions or version in versions
        for each in content.checks
    ]
    if check is not None and check not in {job.check for job, *_ in rows}:
        names = sorted({job.check for job, *_ in rows})
        raise ValueError(f"no check {check!r}; need {near(check, names)}")
    return [
        replace(job, files=files_of(statement, each.instance))
        for job, statement, each in rows
        if (each.quick or not quick) and (check is None or each.name == check)
    ]
