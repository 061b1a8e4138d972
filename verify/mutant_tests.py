"""Which tests a mutant of ``mutants.py`` meets: a copy of the tree, and what its tests execute."""

from __future__ import annotations

import ast
import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mutant_operators import Mutant, recording
from mutant_worker import ANY

HERE = pathlib.Path(__file__).resolve().parent
NEAREST = 6  # files of tests that may see what no function holds
FIRST = 2.0  # seconds of tests that are tried before all others of a mutant
SEEN = "SEEN: set[str] = set()\nseen = SEEN.add\n"
NOT_COPIED = ("__pycache__", "build", "dist", "out", "*.egg-info")
NOT_KEPT = {"THEORYLAB_KEPT": ""}  # no result of one code is served to another


@dataclass(frozen=True)
class Record:
    """Of the tests: file, seconds and executed statements; of every name: who uses it.

    ``daily``: the tests of the daily tier, where it was asked for. ``near``: of every module the
    files of tests that import it, the nearest first.
    """

    tests: dict[str, dict[str, Any]]
    users: dict[str, set[str]]
    modules: list[str]
    daily: Collection[str] = ()
    near: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def chosen(self, module: str, mutant: Mutant, patience: float, among: set[str]) -> list[str]:
        """Tests for a mutant, in the order in which they run.

        First those that execute what is changed, then the others of their files. What no function
        holds may be seen by whoever imports the module: then the nearest files follow, too. Where
        nothing says who sees it, all that execute any of the module come first.
        """
        first = self._that_run(watched(module, mutant, self.users))
        first = first or self._that_run({f"{module}:{ANY}"})
        files = {self.tests[name]["file"] for name in first}
        if not mutant.anchors:
            files |= self._beside(module)
        others = {name for name, row in self.tests.items() if row["file"] in files} - first
        order: list[str] = []
        total = 0.0
        for names in (first & among, others & among):
            for name in sorted(names, key=lambda name: (self.tests[name]["seconds"], name)):
                total += self.tests[name]["seconds"]
                if total > patience and order:
                    return order
                order.append(name)
        return order

    def reaches(self, module: str, mutant: Mutant) -> bool:
        """Whether any test executes what is changed; or stands near to what no function holds."""
        near = set() if mutant.anchors else self._beside(module)
        return bool(near or self._that_run(watched(module, mutant, self.users)))

    def _beside(self, module: str) -> set[str]:
        files = {row["file"] for row in self.tests.values()}
        return set([name for name in self.near.get(module, ()) if name in files][:NEAREST])

    def _that_run(self, statements: set[str]) -> set[str]:
        return {name for name, row in self.tests.items() if statements.intersection(row["seen"])}

    def chunks(
        self, module: str, mutant: Mutant, patience: float, grace: float, tier: str
    ) -> list[dict[str, Any]]:
        """The runs of tests that a mutant meets, each with its tier and the seconds it may take.

        Of each tier the fast tests run first; of ``both`` the daily ones before all others.
        """
        every = set(self.tests)
        daily = every.intersection(self.daily)
        kinds = {"daily": daily, "full": every} if tier != "both" else {}
        kinds = {tier: kinds[tier]} if kinds else {"daily": daily, "full": every - daily}
        seconds = {name: row["seconds"] for name, row in self.tests.items()}
        made = []
        for kind, among in kinds.items():
            parts: tuple[list[str], list[str]] = ([], [])
            total = 0.0
            for name in self.chosen(module, mutant, patience, among):
                total += seconds[name]
                parts[total > FIRST].append(name)
            made += [
                {
                    "tests": part,
                    "seconds": grace + 10 * sum(seconds[name] for name in part),
                    "tier": kind,
                }
                for part in parts
                if part
            ]
        return made

    def without(self, tests: Collection[str]) -> Record:
        """The record of the other tests."""
        kept = {name: row for name, row in self.tests.items() if name not in tests}
        return replace(self, tests=kept)


def watched(module: str, mutant: Mutant, users: Mapping[str, set[str]]) -> set[str]:
    """The statements that a test must run to see the mutant."""
    anchors = {f"{module}:{number}" for number in mutant.anchors}
    return anchors or set().union(*(users.get(name, set()) for name in mutant.names))


class Worker:
    """A process in a copy of the tree: see ``mutant_worker.py``."""

    def __init__(self, copy: pathlib.Path, what: str, first: Any) -> None:
        environment = os.environ | NOT_KEPT | {"PYTHONPATH": str(copy)}
        environment["CI"] = "1"  # no random examples
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if what == "serve":  # a mutant may have its source's size and second
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "mutant_worker.py"), what],
            cwd=copy, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self.tell(first)

    def tell(self, what: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("mutants: a worker ended without an answer; its message is above")
        return json.loads(line)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def copied(tree: pathlib.Path, copy: pathlib.Path) -> None:
    """The tree without what is hidden, built, or an environment."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        built = set(shutil.ignore_patterns(".*", *NOT_COPIED)(folder, names))
        return built | {n for n in names if (pathlib.Path(folder) / n / "pyvenv.cfg").exists()}

    shutil.copytree(tree, copy, ignore=left_out)


def record_in(
    copies: Sequence[pathlib.Path],
    sources: Mapping[str, str],
    mutants: Sequence[tuple[str, Mutant]],
    files: Mapping[str, Sequence[str]],
    near: Mapping[str, Sequence[str]],
    budget: float,
    daily: Collection[str],
) -> tuple[Record, list[str]]:
    """Run tests with the statements of the mutants watched; also the tests that fail.

    files: of every room its files of tests, the most wanted first; near: of every module. Each
    copy runs its share of them, the daily tests of a file first, until the room's share of
    ``budget`` seconds is used up.

    The modules are left behind as ``ast`` writes them, which must be no change.
    """
    users: dict[str, set[str]] = {}
    for module, source in sources.items():
        text, named = recording(source, module)
        for name, numbers in named.items():
            users.setdefault(name, set()).update(f"{module}:{number}" for number in numbers)
        for copy in copies:
            (copy / "_mutants_seen.py").write_text(SEEN)
            (copy / module).write_text(text)
    wanted = sorted(set().union(*(watched(module, each, users) for module, each in mutants)))
    workers = []
    for k, copy in enumerate(copies):
        shares = {  # a room after the other begins with another copy
            room: names[(k + turn) % len(copies) :: len(copies)]
            for turn, (room, names) in enumerate(files.items())
        }
        job = {"files": shares, "budget": budget / len(copies), "wanted": wanted}
        workers.append(Worker(copy, "record", job | {"daily": sorted(daily)}))
    rows: dict[str, dict[str, Any]] = {}
    failed: list[str] = []
    modules: list[str] = []
    for worker in workers:
        with worker:
            found = worker.answer()
        rows |= found["tests"]
        failed += found["failed"]
        modules += [name for name in found["modules"] if name not in set(modules)]
    for module, source in sources.items():
        for copy in copies:
            path = copy / module
            path.write_text(ast.unparse(ast.parse(source)) + "\n")
            for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                compiled.unlink()
    return Record(rows, users, modules, daily, near), failed
