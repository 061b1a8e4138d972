"""In which order checks go to processes, how many at a time, and with how many threads each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from threadpoolctl import threadpool_limits

from theorylab.kernels import get_threads, set_threads
from theorylab.verdicts.catalogue import Job, selected

MOST = 8  # checks that a process takes at once: so many are lost where it is killed
_COUNTS = ("rounds", "clients", "local_steps", "dim", "seeds", "runs", "steps", "last")


def chunks(work: Sequence[tuple[int, Job]], processes: int = 1) -> list[list[tuple[int, Job]]]:
    """``work`` in parts of one statement each, at most ``MOST`` checks, the dearest part first.

    There are as many parts as processes, or as there are checks.

    The checks of a statement share networks and losses, whose constants a process keeps. What a
    check costs is guessed from the counts of its instance: the guess only decides how evenly
    processes end.
    """
    most = min(MOST, -(-len(work) // processes))
    by_statement: dict[tuple[str, str | None], list[tuple[int, Job]]] = {}
    for index, job in work:
        by_statement.setdefault((job.id, job.source_file), []).append((index, job))
    parts = []
    for group in by_statement.values():
        dear = sorted(((effort(item[1]), item) for item in group), key=lambda each: -each[0])
        parts += [dear[low : low + most] for low in range(0, len(dear), most)]
    parts.sort(key=lambda part: -sum(cost for cost, _ in part))
    return [[item for _, item in part] for part in parts]


def effort(job: Job) -> float:
    """A guess of what judging costs: all counts of the instance multiplied, of a sweep their sum.

    Instances of one's own, and those of a user's file, which is not run for this, come first.
    """
    if job.instance or job.source_file:
        return math.inf
    statement = selected([job.source_file or job.id])[job.id][0]
    check = next(c for c in statement.versions[job.version].checks if c.name == job.check)
    return _product(check.instance)


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
