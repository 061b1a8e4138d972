"""Is the guard guarded? Plant small faults in what makes verdicts, and see whether a test fails.

    python verify/mutants.py [--count N] [--seed N] [--minutes M] [--json FILE]
                             [--modules GLOB ...] [--tests PATH ...] [--tree DIR]

--count mutants are drawn from all changes that ``mutant_operators.py`` knows: a comparison, a
constant, an operator, a condition, an ``and``, a ``min``, a returned value, a dropped statement.
The tests run once in a private copy of the tree and tell which statements each of them executes.
Then a mutant meets the tests that execute its statement, the fastest first, then the others of
their files, until one fails or they have taken --patience seconds of the processor.

    killed     a test failed, or the mutated module could not be imported
    timeout    a test took ten times as long as without the mutant, and 20 s; counts as killed
    survived   all those tests passed; the change is printed, and a person has to read it

Exit status 0 if at least 90 % are killed, 1 if fewer, 2 on bad input, or where a test fails without
a mutant. Where --minutes are over the rest is not run; a share of fewer is printed, as the order is
random too. The same seed and sources give the same mutants. The tree is only read.

mutmut, cosmic-ray and mutatest were considered: none draws a sample from a seed and also runs the
tests of one line, the fastest first, and the first two start Python once more for every mutant or
mutate only functions; here verdicts rest on module constants, too.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from mutant_graph import preloadable
from mutant_operators import Mutant, planted, recording, sites

HERE = pathlib.Path(__file__).resolve().parent
MODULES = ("theorylab/verdicts/*.py", "theorylab/runs/confidence.py", "theorylab/runs/record.py")
TESTS = (
    *("tests/verdicts", "tests/runs", "tests/cli", "tests/statements/test_severity.py"),
    "tests/quality/test_dfedsgpsm_thm1.py",
)
ENOUGH = 0.9  # share of killed mutants from which on the exit status is 0
FIRST = 2.0  # seconds of tests that are tried before all others of a mutant
SEEN = "SEEN: set[str] = set()\nseen = SEEN.add\n"
NOT_COPIED = ("__pycache__", "build", "dist", "out", "*.egg-info")


@dataclass(frozen=True)
class Outcome:
    """What became of one mutant; ``test``: the one that failed."""

    module: str
    operator: str
    change: str
    outcome: str
    test: str
    seconds: float


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

    def chunks(self, order: Sequence[str]) -> list[dict[str, Any]]:
        """The tests in two runs, the fast ones first, with the seconds that each run may take."""
        parts: tuple[list[str], list[str]] = ([], [])
        total = 0.0
        for name in order:
            total += self.tests[name]["seconds"]
            parts[total > FIRST].append(name)
        return [
            {"tests": part, "seconds": 20 + 10 * sum(self.tests[name]["seconds"] for name in part)}
            for part in parts
            if part
        ]


class Worker:
    """A process in a copy of the tree: see ``mutant_worker.py``."""

    def __init__(self, copy: pathlib.Path, what: str, first: Any, *, compiled: bool) -> None:
        environment = os.environ | {"PYTHONPATH": str(copy), "CI": "1"}  # CI: no random examples
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if not compiled:  # a mutant may have its source's size and second
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
    with Worker(copy, "record", list(tests), compiled=True) as worker:
        found = worker.answer()
    for module, source in sources.items():
        path = copy / module
        path.write_text(source)
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
    return Record(found["tests"], users, found["modules"]), found["failed"]


def drawn(sources: dict[str, str], count: int, seed: int) -> list[tuple[str, Mutant]]:
    """``count`` different mutants in random order, or all there are; a function of the seed."""
    every = [(module, site) for module, source in sources.items() for site in sites(source)]
    some = random.Random(seed).sample(every, min(count, len(every)))
    return [(module, planted(sources[module], site)) for module, site in some]


def hunted(
    copies: Sequence[pathlib.Path],
    record: Record,
    mutants: Sequence[tuple[str, Mutant]],
    preload: Sequence[str],
    patience: float,
    until: float,
) -> list[Outcome]:
    """What becomes of every mutant, each in the next copy that is free."""
    free: queue.Queue[Worker] = queue.Queue()
    workers = [Worker(copy, "serve", list(preload), compiled=False) for copy in copies]
    for worker in workers:
        free.put(worker)

    def judged(item: tuple[str, Mutant]) -> Outcome:
        module, mutant = item
        order = record.chosen(module, mutant, patience)
        began, found = time.time(), {"outcome": "late", "test": ""}
        if began < until:
            worker = free.get()
            job = {"path": module, "source": mutant.source, "until": until}
            worker.tell(job | {"chunks": record.chunks(order)})
            found = worker.answer()
            free.put(worker)
        seconds = round(time.time() - began, 1)
        return Outcome(module, mutant.operator, mutant.change, **found, seconds=seconds)

    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        for k, outcome in enumerate(pool.map(judged, mutants), start=1):
            outcomes.append(outcome)
            told = f"[{k}/{len(mutants)}] {outcome.outcome} {outcome.seconds} s {outcome.module}"
            print(told, outcome.test, file=sys.stderr, flush=True)
    for worker in workers:
        worker.__exit__()
    return outcomes


def summary(outcomes: Sequence[Outcome], seed: int) -> tuple[list[str], float]:
    """The survivors, the table of the modules, and the share of killed ones."""
    run = [outcome for outcome in outcomes if outcome.outcome != "late"]
    lines = []
    for outcome in run:
        if outcome.outcome == "survived":
            lines += ["", f"survived: {outcome.module} ({outcome.operator})", outcome.change]
    lines += ["", f"{'module':40s}{'killed':>8s}{'timeout':>9s}{'survived':>10s}{'share':>8s}"]
    share = 0.0
    for module in (*sorted({outcome.module for outcome in run}), "all"):
        kinds = Counter(o.outcome for o in run if module in (o.module, "all"))
        share = (kinds["killed"] + kinds["timeout"]) / max(1, kinds.total())
        counts = f"{kinds['killed']:8d}{kinds['timeout']:9d}{kinds['survived']:10d}{share:8.1%}"
        lines.append(f"{module:40s}{counts}")
    lines.append(f"seed {seed}; {len(run)} mutants run, {len(outcomes) - len(run)} not for time")
    return lines, share


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=400, help="mutants to plant")
    parser.add_argument("--seed", type=int, default=0, help="decides which")
    parser.add_argument("--minutes", type=float, default=60.0, help="then no more are run")
    parser.add_argument("--patience", type=float, default=30.0, help="seconds of tests a mutant")
    parser.add_argument("--workers", type=int, default=2, help="mutants tested at a time")
    parser.add_argument(
        "--json", type=pathlib.Path, help="write every mutant and what became of it"
    )
    parser.add_argument("--modules", nargs="+", default=MODULES, help="globs, from the tree's root")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="files and folders of tests")
    parser.add_argument("--tree", type=pathlib.Path, default=HERE.parent, help="the tree's root")
    given = parser.parse_args(arguments)
    began = time.time()
    if given.count < 1 or given.workers < 1 or not given.minutes > 0 or not given.patience > 0:
        return _refused("need --count and --workers >= 1, --minutes and --patience > 0")
    paths = sorted({path for glob in given.modules for path in given.tree.glob(glob)})
    sources = {str(path.relative_to(given.tree)): path.read_text() for path in paths}
    if not any(sites(source) for source in sources.values()):
        return _refused(f"nothing to change in {' '.join(given.modules)} under {given.tree}")
    if missing := [name for name in given.tests if not (given.tree / name).exists()]:
        return _refused(f"no tests {missing[0]!r} under {given.tree}")
    mutants = drawn(sources, given.count, given.seed)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [pathlib.Path(folder) / str(k) for k in range(given.workers)]
        copied(given.tree, copies[0])
        record, failed = record_in(copies[0], sources, given.tests)
        if failed or not record.tests:
            what = f"{failed[0]} fails" if failed else "no test runs"
            return _refused(f"{what} without a mutant; need tests that pass")
        for copy in copies[1:]:
            shutil.copytree(copies[0], copy)
        told = f"{len(record.tests)} tests watched in {time.time() - began:.0f} s"
        print(told, file=sys.stderr, flush=True)
        preload = preloadable(copies[0], record.modules, sources)
        until = began + 60 * given.minutes
        outcomes = hunted(copies, record, mutants, preload, given.patience, until)
    lines, share = summary(outcomes, given.seed)
    print("\n".join(lines))
    if given.json is not None:
        rows = [asdict(outcome) for outcome in outcomes]
        content = {"seed": given.seed, "share": share, "mutants": rows}
        given.json.write_text(json.dumps(content, indent=1) + "\n")
    return 0 if share >= ENOUGH else 1


def _refused(line: str) -> int:
    print(f"mutants: {line}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
