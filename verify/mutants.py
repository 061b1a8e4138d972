"""Is the guard guarded? Plant small faults in the package, and see whether a test fails.

    python verify/mutants.py [--count N] [--seed N] [--minutes M] [--json FILE]
                             [--tier daily|full|both] [--rooms ROOM ...]
                             [--modules GLOB ...] [--tests PATH ...] [--tree DIR]

--count mutants are drawn from all changes that ``mutant_operators.py`` knows: a comparison, a
constant, an operator, a condition, an ``and``, a ``min``, a returned value, a dropped statement.
Each room (a folder of theorylab: verdicts, runs, constants, falsify, statements, kernels) has its
changes in a random order of its own, and the rooms take turns: so each gets its share, however
many lines it has. Only Python is changed. The same seed and sources give the same mutants.

Watched are the tests that import a drawn module: for each room the files that are named like one or
import one directly, then those that import it through others; of ``statements`` also the checks of
the statements that import it. They run once in private copies of the tree, and tell which of the
mutants' statements each of them executes. What is capped: a room has --budget seconds of the
processor for this, a file of it a quarter of them (its daily tests first), and a room has at most
--files of them. The rest of the suite is not asked, so a survivor may be seen by a test far away;
how many survivors no watched test runs at all is said.

Then a mutant meets the tests that execute its statement, the fastest first, then the others of
their files (of what no function holds, of the nearest files, too), until one fails or they have
taken --patience seconds of the processor. With ``--tier daily`` these are tests of the daily tier,
as ``pytest --tier daily --collect-only`` lists them; with ``full`` all; with ``both`` the daily
ones and, for what survives them, all others.

    killed     a test failed, or the mutated module could not be imported
    timeout    tests took ten times as long as without the mutant, and --grace seconds of the
               processor more; counts as killed
    survived   all those tests passed; the change is printed, and a person has to read it

A mutant that can be seen in a text alone (``mutant_texts.py``) has a row of its own and is in no
rate. What killed is run once more without a mutant, in the way that mutants meet it: a test that
fails then is left out, and its mutants are judged without it.

Exit status 0 if at least 90 % are killed, 1 if fewer, 2 on bad input, or where a test that --tests
names fails without a mutant; other tests that do are left out and named. Where --minutes are over
the rest is not run; a share of fewer is printed, as the order is random too. The tree is only read.

A mutant lies on disk in a copy of the tree while it is judged, so what is kept by the hash of the
package's text is not found; besides, a copy holds no hidden folder, and its processes keep none
(THEORYLAB_KEPT is empty), so no mutant is given a result of the package as it is.

mutmut, cosmic-ray and mutatest were considered: none draws a sample from a seed and also runs the
tests of one line, the fastest first, and the first two start Python once more for every mutant or
mutate only functions; here verdicts rest on module constants, too.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import pathlib
import queue
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

from mutant_graph import preloadable
from mutant_operators import Mutant, planted, sites
from mutant_summary import Outcome, room_of, share, summary
from mutant_tests import HERE, Record, Worker, copied, record_in
from mutant_tiers import daily_tests, wanted_files

ROOMS = ("verdicts", "runs", "constants", "falsify", "statements", "kernels")
ENOUGH = 0.9  # share of killed mutants from which on the exit status is 0
Planted = tuple[str, Mutant]  # in which module


def drawn(sources: dict[str, str], count: int, seed: int) -> list[Planted]:
    """``count`` different mutants, or all there are: of each room in turn, in random order."""
    rooms: dict[str, list[tuple[str, int]]] = {}
    every = {module: sites(source) for module, source in sources.items()}
    for module, found in every.items():
        rooms.setdefault(room_of(module), []).extend((module, k) for k in range(len(found)))
    for room, places in rooms.items():
        random.Random(f"{seed} {room}").shuffle(places)  # a smaller count begins a larger one
    turns = itertools.chain.from_iterable(itertools.zip_longest(*rooms.values()))
    chosen = itertools.islice((place for place in turns if place is not None), count)
    return [(module, planted(sources[module], every[module][k])) for module, k in chosen]


def broken(workers: Sequence[Worker], record: Record, names: Sequence[str], path: str) -> set[str]:
    """Which of the tests fail where nothing is changed, run as the mutants are."""
    found: set[str] = set()
    shares = [list(names[k :: len(workers)]) for k in range(len(workers))]
    while any(shares):
        for worker, part in zip(workers, shares, strict=True):
            seconds = 60 + 20 * sum(record.tests[name]["seconds"] for name in part)
            chunks = [{"tests": part, "seconds": seconds, "tier": ""}] if part else []
            worker.tell({"path": path, "source": None, "until": math.inf, "chunks": chunks})
        for k, answer in enumerate([worker.answer() for worker in workers]):
            if answer["outcome"] == "survived":
                shares[k] = []
            elif answer["test"] in shares[k]:
                found.add(answer["test"])
                shares[k].remove(answer["test"])
            else:  # pytest itself ended, or never did: nothing says which of them it was
                found |= set(shares[k])
                shares[k] = []
    return found


def hunted(
    workers: Sequence[Worker],
    record: Record,
    mutants: Sequence[Planted],
    given: argparse.Namespace,
    until: float,
) -> list[Outcome]:
    """What becomes of every mutant, each with the next worker that is free."""
    free: queue.Queue[Worker] = queue.Queue()
    for worker in workers:
        free.put(worker)

    def judged(item: Planted) -> Outcome:
        module, mutant = item
        chunks = record.chunks(module, mutant, given.patience, given.grace, given.tier)
        worker = free.get()
        began, found = time.time(), {"outcome": "late", "test": "", "tier": ""}
        if began < until:
            job = {"path": module, "source": mutant.source, "until": until, "chunks": chunks}
            worker.tell(job)
            found = worker.answer()
        free.put(worker)
        return Outcome(
            room=room_of(module),
            module=module,
            operator=mutant.operator,
            text=mutant.text,
            change=mutant.change,
            reached=record.reaches(module, mutant),
            seconds=round(time.time() - began, 1),
            **found,
        )

    outcomes = []
    with ThreadPoolExecutor(len(workers)) as pool:
        for k, o in enumerate(pool.map(judged, mutants), start=1):
            outcomes.append(o)
            _say(f"[{k}/{len(mutants)}] {o.outcome} {o.seconds} s {o.module} {o.tier} {o.test}")
    return outcomes


def certain(
    workers: Sequence[Worker],
    record: Record,
    mutants: Sequence[Planted],
    given: argparse.Namespace,
    until: float,
) -> list[Outcome]:
    """The same, where no test that killed one fails without a mutant."""
    outcomes = hunted(workers, record, mutants, given, until)
    sure: set[str] = set()
    while killers := {o.test for o in outcomes if o.test in record.tests} - sure:
        wrong = broken(workers, record, sorted(killers), mutants[0][0])
        sure |= killers - wrong
        record = record.without(wrong)
        again = [k for k, o in enumerate(outcomes) if o.test in wrong]
        if again:
            _say(f"left out, as they fail without a mutant: {', '.join(sorted(wrong))}")
            found = hunted(workers, record, [mutants[k] for k in again], given, until)
            for k, outcome in zip(again, found, strict=True):
                outcomes[k] = outcome
    return outcomes


def main(arguments: Sequence[str]) -> int:
    given = _options().parse_args(arguments)
    began = time.time()
    amounts = (given.minutes, given.patience, given.budget)
    if min(given.count, given.workers, given.files) < 1 or not all(a > 0 for a in amounts):
        return _refused(
            "need --count, --workers and --files >= 1, --minutes, --patience and --budget > 0"
        )
    globs = given.modules or [f"theorylab/{room}/**/*.py" for room in given.rooms]
    paths = sorted({path for glob in globs for path in given.tree.glob(glob)})
    every = {str(path.relative_to(given.tree)): path.read_text() for path in paths}
    mutants = drawn(every, given.count, given.seed)
    if not mutants:
        return _refused(f"nothing to change in {' '.join(globs)} under {given.tree}")
    sources = {module: every[module] for module in sorted({module for module, _ in mutants})}
    if missing := [name for name in given.tests or ["tests"] if not (given.tree / name).exists()]:
        return _refused(f"no tests {missing[0]!r} under {given.tree}")
    try:
        daily = set() if given.tier == "full" else daily_tests(given.tree)
    except ValueError as error:
        return _refused(str(error))
    files, near = wanted_files(
        given.tree, [module for module, _ in mutants], given.tests, given.files
    )
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copies = [pathlib.Path(folder) / str(k) for k in range(given.workers)]
        copied(given.tree, copies[0])
        for copy in copies[1:]:
            shutil.copytree(copies[0], copy)
        record, failed = record_in(copies, sources, mutants, files, near, given.budget, daily)
        if (failed and given.tests) or not record.tests:
            what = f"{failed[0]} fails" if failed else "no test runs"
            return _refused(f"{what} without a mutant; need tests that pass")
        if failed:
            _say(f"left out, as they fail without a mutant: {', '.join(failed)}")
        known = len(daily.intersection(record.tests))
        _say(f"{len(record.tests)} tests watched, {known} daily, in {time.time() - began:.0f} s")
        preload = preloadable(copies[0], record.modules, sources)
        until = began + 60 * given.minutes
        with contextlib.ExitStack() as stack:
            workers = [stack.enter_context(Worker(copy, "serve", preload)) for copy in copies]
            outcomes = certain(workers, record, mutants, given, until)
    print("\n".join(summary(outcomes, given.seed, given.tier)))
    if given.json is not None:
        rows = [asdict(outcome) for outcome in outcomes]
        shares = {"share": share(outcomes), "daily_share": share(outcomes, "daily")}
        content = {"seed": given.seed, "tier": given.tier, **shares, "mutants": rows}
        given.json.write_text(json.dumps(content, indent=1) + "\n")
    return 0 if share(outcomes) >= ENOUGH else 1


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add = parser.add_argument
    add("--count", type=int, default=120, help="mutants to plant")
    add("--seed", type=int, default=0, help="decides which")
    add("--minutes", type=float, default=60.0, help="then no more are run")
    add("--patience", type=float, default=30.0, help="seconds of a tier's tests a mutant")
    add("--grace", type=float, default=20.0, help="seconds that a start may take")
    add("--budget", type=float, default=150.0, help="seconds of tests that are watched for a room")
    add("--files", type=int, default=40, help="files of tests that are watched for a room")
    add("--workers", type=int, default=2, help="mutants tested at a time")
    add("--tier", choices=("daily", "full", "both"), default="full", help="which tests count")
    add("--json", type=pathlib.Path, help="write every mutant and what became of it")
    add("--rooms", nargs="+", choices=ROOMS, default=ROOMS, help="folders of theorylab")
    add("--modules", nargs="+", help="globs, from the tree's root, in place of rooms")
    add("--tests", nargs="+", help="files and folders of tests; without it all")
    add("--tree", type=pathlib.Path, default=HERE.parent, help="the tree's root")
    return parser


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _refused(line: str) -> int:
    print(f"mutants: {line}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
