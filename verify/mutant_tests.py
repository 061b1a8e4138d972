"""Which tests a mutant of ``mutants.py`` meets: a copy of the tree, and what its tests execute."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mutant_operators import Mutant, recording

HERE = pathlib.Path(__file__).resolve().parent
FIRST = 2.0  # seconds of tests that are tried before all others of a mutant
SEEN = "SEEN: set[str] = set()\nseen = SEEN.add\n"
NOT_COPIED = ("__pycache__", "build", "dist", "out", "*.egg-info")


@dataclass(frozen=True)
class Record:
    """Of the tests: file, seconds and executed statements; of every name: who uses it."""

    tests: dict[str, dict[str, Any]]
    users: dict[str, set[str]]
    modules: list[str]

    def chosen(self, module: str, mutant: Mutant, patience: float) -> list[str]:
        """Tests for a mutant, in the order in which they run."""
        anchors = {f"{module}:{number}" for number in mutant.anchors}
        if not anchors:
            anchors = set().union(*(self.users.get(name, set()) for name in mutant.names))
        first = self._that_run(anchors)
        if not first:  # nothing says who sees it: all that run any of the module
            every = {s for row in self.tests.values() for s in row["seen"]}
            first = self._that_run({s for s in every if s.startswith(f"{module}:")})
        files = {self.tests[name]["file"] for name in first}
        others = {name for name, row in self.tests.items() if row["file"] in files} - first
        order: list[str] = []
        total = 0.0
        for names in (first, others):
            for name in sorted(names, key=lambda name: (self.tests[name]["seconds"], name)):
                total += self.tests[name]["seconds"]
                if total > patience and order:
                    return order
                order.append(name)
        return order

    def _that_run(self, statements: set[str]) -> set[str]:
        return {name for name, row in self.tests.items() if statements.intersection(row["seen"])}

    def chunks(self, order: Sequence[str], grace: float) -> list[dict[str, Any]]:
        """The tests in two runs, the fast ones first, with the seconds that each run may take."""
        seconds = {name: row["seconds"] for name, row in self.tests.items()}
        parts: tuple[list[str], list[str]] = ([], [])
        total = 0.0
        for name in order:
            total += seconds[name]
            parts[total > FIRST].append(name)
        return [
            {"tests": part, "seconds": grace + 10 * sum(seconds[name] for name in part)}
            for part in parts
            if part
        ]


class Worker:
    """A process in a copy of the tree: see ``mutant_worker.py``."""

    def __init__(self, copy: pathlib.Path, what: str, first: Any) -> None:
        environment = os.environ | {"PYTHONPATH": str(copy), "CI": "1"}  # CI: no random examples
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
    copy: pathlib.Path, sources: dict[str, str], tests: Sequence[str]
) -> tuple[Record, list[str]]:
    """Run the tests with every statement of the modules watched; also the tests that fail."""
    users: dict[str, set[str]] = {}
    (copy / "_mutants_seen.py").write_text(SEEN)
    for module, source in sources.items():
        text, named = recording(source, module)
        (copy / module).write_text(text)
        for name, numbers in named.items():
            users.setdefault(name, set()).update(f"{module}:{number}" for number in numbers)
    with Worker(copy, "record", list(tests)) as worker:
        found = worker.answer()
    for module, source in sources.items():
        path = copy / module
        path.write_text(source)
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
    return Record(found["tests"], users, found["modules"]), found["failed"]
