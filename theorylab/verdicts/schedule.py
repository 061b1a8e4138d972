"""In which order checks go to processes, how many at a time, and with how many threads each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from threadpoolctl import threadpool_limits

from theorylab.kernels import get_threads, set_threads
from theorylab.statements import Check
from theorylab.verdicts.catalogue import Job, statement_of
from theorylab.verdicts.observe import FIRST_BATCH

MOST = 8  # checks that a process takes at once: so many are lost where it is killed
FEW = 64  # checks whose rows a reader waits for, so that each goes to a process by itself
_SLOW = 1e6
_NOISE = ("sigma", "batch")
_COUNTS = ("rounds", "clients", "local_steps", "dim", "seeds", "runs", "steps", "last")


def chunks(work: Sequence[tuple[int, Job]], processes: int = 1) -> list[list[tuple[int, Job]]]:
    """``work`` in parts of one statement each, at most ``MOST`` checks, the dearest part first.
    Fewer than ``FEW`` checks are parts of one each.

    There are at least as many parts as processes, as long as there are checks for them.

    The checks of a statement share networks and losses, whose constants a process keeps. What a
    check costs is guessed from the counts of its instance: the guess only decides how evenly
    processes end.
    """
    most = min(MOST, -(-len(work) // processes)) if len(work) >= FEW else 1
    parts = []
    for group in _priced(work):
        dear = sorted(group, key=lambda each: -each[0])
        parts += [dear[low : low + most] for low in range(0, len(dear), most)]
    parts.sort(key=lambda part: -sum(cost for cost, _ in part))
    return [[item for _, item in part] for part in parts]


def paper_by_paper(parts: Sequence[list[tuple[int, Job]]]) -> list[list[tuple[int, Job]]]:
    """``parts`` of one paper after those of another, otherwise in their order."""
    papers: dict[str, list[list[tuple[int, Job]]]] = {}
    for part in parts:
        papers.setdefault(part[0][1].id.partition(".")[0], []).append(part)
    return list(itertools.chain(*papers.values()))


def cheapest_first(work: Sequence[tuple[int, Job]]) -> list[tuple[int, Job]]:
    """``work`` in the order of what a check may cost; ``FEW`` or more as they came."""
    if len(work) >= FEW:
        return list(work)
    priced = [each for group in _priced(work) for each in group]
    return [item for _, item in sorted(priced, key=lambda each: each[0])]


def _priced(work: Sequence[tuple[int, Job]]) -> list[list[tuple[float, tuple[int, Job]]]]:
    """The checks of each statement with what they may cost."""
    by_statement: dict[tuple[str, str | None], list[tuple[int, Job]]] = {}
    for index, job in work:
        by_statement.setdefault((job.id, job.source_file), []).append((index, job))
    return [
        list(zip(efforts([job for _, job in group]), group, strict=True))
        for group in by_statement.values()
    ]


def efforts(jobs: Sequence[Job]) -> list[float]:
    """A guess of what judging costs, of jobs of one statement.

    It is all counts of the instance multiplied, of a sweep their sum, and what is drawn is run many
    times. A check that is not quick costs more than those that are. Instances of one's own, and
    those of a user's file, which is not run for this, come first.
    """
    if all(job.instance or job.source_file for job in jobs):
        return [math.inf] * len(jobs)
    versions = statement_of(jobs[0].id).versions
    checks = {(v, c.name): c for v in versions for c in versions[v].checks}
    return [math.inf if job.instance else _effort(checks[job.version, job.check]) for job in jobs]


def _effort(check: Check) -> float:
    drawn = FIRST_BATCH if _drawn(check.instance) else 1
    return _product(check.instance) * drawn * (1.0 if check.quick else _SLOW)


def _drawn(data: Any) -> bool:
    """Whether a part of an instance has noise: a sigma, or batches."""
    if not isinstance(data, Mapping):
        return False
    return any((key in _NOISE and value) or _drawn(value) for key, value in data.items())


def _product(data: Any, key: str = "") -> float:
    if isinstance(data, Mapping):
        return math.prod(_product(value, str(name)) for name, value in data.items())
    if key == "values" and isinstance(data, list | tuple):  # of a sweep
        sizes = [abs(value) for value in data if isinstance(value, int | float)]
        return float(sum(sizes)) if sizes and min(sizes) >= 1 else float(max(1, len(data)))
    counts = isinstance(data, int) and not isinstance(data, bool) and key in _COUNTS
    return float(max(1, data)) if counts else 1.0


@contextmanager
def one_thread() -> Iterator[None]:
    """Kernels and BLAS with one thread inside: the regions of a check are too small for two."""
    before = get_threads()
    set_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        set_threads(before)
