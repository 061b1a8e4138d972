"""Is the guard guarded? Plant small faults in what makes verdicts, and see whether a test fails.

    python verify/mutants.py [--count N] [--seed N] [--minutes M] [--json FILE]
                             [--modules GLOB ...] [--tests PATH ...] [--tree DIR]

--count mutants are drawn from all changes that ``mutant_operators.py`` knows: a comparison, a
constant, an operator, a condition, an ``and``, a ``min``, a returned value, a dropped statement.
The tests run once in a private copy of the tree and tell which statements each of them executes;
once more in the way that mutants meet them, to show that without a fault all of them pass. Then a
mutant meets the tests that execute its statement, the fastest first, then the others of their
files, until one fails or they have taken --patience seconds of the processor.

    killed     a test failed, or the mutated module could not be imported
    timeout    tests took ten times as long as without the mutant, and --grace seconds of the
               processor more; counts as killed
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
import ast
import concurrent.futures
import contextlib
import json
import math
import pathlib
import queue
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from mutant_graph import preloadable
from mutant_operators import Mutant, planted, sites
from mutant_tests import HERE, Record, Worker, copied, record_in

MODULES = (
    *("theorylab/verdicts/*.py", "theorylab/runs/confidence.py"),
    *("theorylab/runs/record.py", "theorylab/runs/checkpoint.py"),
)
TESTS = (  # of the modules and of what stands directly on them: a mutant is met within a minute
    *("tests/verdicts", "tests/runs/test_betting.py", "tests/runs/test_confidence.py"),
    *("tests/runs/test_record.py", "tests/runs/test_saved_numbers.py"),
    *("tests/runs/test_forged_files.py", "tests/cli/test_verify.py"),
    *("tests/statements/test_severity.py", "tests/quality/test_dfedsgpsm_thm1.py"),
)
ENOUGH = 0.9  # share of killed mutants from which on the exit status is 0


@dataclass(frozen=True)
class Outcome:
    """What became of one mutant; ``test``: the one that failed."""

    module: str
    operator: str
    change: str
    outcome: str
    test: str
    seconds: float


def drawn(sources: dict[str, str], count: int, seed: int) -> list[tuple[str, Mutant]]:
    """``count`` different mutants in random order, or all there are; a function of the seed."""
    every = [(module, site) for module, source in sources.items() for site in sites(source)]
    random.Random(seed).shuffle(every)  # a smaller count is the beginning of a larger one
    return [(module, planted(sources[module], site)) for module, site in every[:count]]


def control(workers: Sequence[Worker], record: Record, sources: dict[str, str]) -> str:
    """A test that fails where nothing is changed, run as the mutants are; empty if none does.

    Each worker takes its share of the tests, with one module as ``ast`` writes it: that must be no
    change either.
    """
    names = sorted(record.tests)
    shares = [names[k :: len(workers)] for k in range(len(workers))]
    for k, (worker, share) in enumerate(zip(workers, shares, strict=True)):
        path = list(sources)[k % len(sources)]
        seconds = 60 + 20 * sum(record.tests[name]["seconds"] for name in share)
        chunks = [{"tests": share, "seconds": seconds}] if share else []
        source = ast.unparse(ast.parse(sources[path]))
        worker.tell({"path": path, "source": source, "until": math.inf, "chunks": chunks})
    answers = [worker.answer() for worker in workers]
    failed = [a["test"] or a["outcome"] for a in answers if a["outcome"] != "survived"]
    return failed[0] if failed else ""


def hunted(
    workers: Sequence[Worker],
    record: Record,
    mutants: Sequence[tuple[str, Mutant]],
    patience: float,
    grace: float,
    until: float,
) -> list[Outcome]:
    """What becomes of every mutant, each with the next worker that is free."""
    free: queue.Queue[Worker] = queue.Queue()
    for worker in workers:
        free.put(worker)

    def judged(item: tuple[str, Mutant]) -> Outcome:
        module, mutant = item
        chunks = record.chunks(record.chosen(module, mutant, patience), grace)
        worker = free.get()
        began, found = time.time(), {"outcome": "late", "test": ""}
        if began < until:
            job = {"path": module, "source": mutant.source, "until": until, "chunks": chunks}
            worker.tell(job)
            found = worker.answer()
        free.put(worker)
        seconds = round(time.time() - began, 1)
        return Outcome(module, mutant.operator, mutant.change, **found, seconds=seconds)

    outcomes = []
    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        for k, outcome in enumerate(pool.map(judged, mutants), start=1):
            outcomes.append(outcome)
            told = f"[{k}/{len(mutants)}] {outcome.outcome} {outcome.seconds} s {outcome.module}"
            _say(f"{told} {outcome.test}")
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
    parser.add_argument("--grace", type=float, default=20.0, help="seconds that a start may take")
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
        _say(f"{len(record.tests)} tests watched in {time.time() - began:.0f} s")
        preload = preloadable(copies[0], record.modules, sources)
        until = began + 60 * given.minutes
        with contextlib.ExitStack() as stack:
            workers = [stack.enter_context(Worker(copy, "serve", preload)) for copy in copies]
            if broken := control(workers, record, sources):
                return _refused(f"{broken} fails in a fork without a mutant; need tests that pass")
            _say(f"no test fails without a mutant; {time.time() - began:.0f} s so far")
            outcomes = hunted(workers, record, mutants, given.patience, given.grace, until)
    lines, share = summary(outcomes, given.seed)
    print("\n".join(lines))
    if given.json is not None:
        rows = [asdict(outcome) for outcome in outcomes]
        content = {"seed": given.seed, "share": share, "mutants": rows}
        given.json.write_text(json.dumps(content, indent=1) + "\n")
    return 0 if share >= ENOUGH else 1


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _refused(line: str) -> int:
    print(f"mutants: {line}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
