"""Judging many jobs: here one by one, or in processes where there are many."""

from __future__ import annotations

import os
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from theorylab.commands.refusal import DEBUG, Refused, one_line, refusing
from theorylab.extras import MISSING
from theorylab.imports import Source, import_again, sources
from theorylab.processes import apart, as_given
from theorylab.report.standing import Judged
from theorylab.verdicts import Job, NotRun, UserFaultError, judge
from theorylab.verdicts.failed import failed
from theorylab.verdicts.schedule import FEW, cheapest_first, chunks, one_thread, paper_by_paper

_ALONE = 3.0  # processor seconds of fewer, before processes are started for those that are left


def judged(
    work: Sequence[tuple[int, Job]],
    workers: int | None,
    within: Callable[[float], None],
    pages: bool = False,
) -> Iterator[tuple[int, Judged]]:
    """(index, result) of every job, as they finish; one that fails has a row that says why.

    ``workers`` None: processes are started where there are many checks, or where some seconds
    have not been enough for all; before that, each check is judged here, the cheapest first.
    ``pages``: processes judge paper by paper, so that the pages of one are written soon.
    """
    left = list(work)
    if workers == 1 or len(left) < 2 or (workers is None and len(left) < FEW):
        left = cheapest_first(left)
        began = time.process_time()
        with nullcontext() if workers == 1 else one_thread():
            while left and (workers is not None or time.process_time() - began < _ALONE):
                index, job = left.pop(0)
                yield index, _one(job, within)
    if left:
        yield from _in_processes(left, workers, pages)


def _in_processes(
    work: Sequence[tuple[int, Job]], workers: int | None, pages: bool
) -> Iterator[tuple[int, Judged]]:
    import joblib
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    cores = joblib.cpu_count()
    processes = workers or cores
    threads = max(1, cores // processes)
    parts, code = chunks(work, processes), sources()
    if pages:
        parts = paper_by_paper(parts)
    with apart(), joblib.parallel_config(backend="loky", inner_max_num_threads=threads):
        pool = joblib.Parallel(
            n_jobs=min(processes, len(parts)), return_as="generator_unordered", batch_size=1
        )
        judged = pool(joblib.delayed(_in_worker)(part, threads, code) for part in parts)
        left = dict(work)
        try:
            for results, refused in judged:
                for index, result in results:
                    del left[index]
                    yield index, result
                if refused is not None:
                    raise refused
        except TerminatedWorkerError:
            files = {Path(job.source_file).name for _, job in work if job.source_file}
            files |= {each.file for _, each in code}
            for index, job in left.items():
                yield index, failed(job, _ended(files))
        finally:
            with warnings.catch_warnings(action="ignore"):  # what is left is left on purpose
                judged.close()


def _in_worker(
    part: Sequence[tuple[int, Job]], threads: int, code: Sequence[Source]
) -> tuple[list[tuple[int, Judged]], Refused | None]:
    """What a process finds of its part, and why it stopped before the end of it."""
    from theorylab.kernels import set_threads

    as_given()
    set_threads(threads)
    results: list[tuple[int, Judged]] = []
    try:
        with refusing():
            import_again(code)
        for index, job in part:
            results.append((index, _one(job, None)))
    except Refused as error:
        return results, error
    return results, None


def _ended(files: set[str]) -> Exception:
    """A process has ended, nobody knows by which of the checks that it had left."""
    told = (
        "a process that judged its checks has ended without a result (os._exit, or killed, as "
        "where memory is short); need code that returns, or --jobs 1"
    )
    return UserFaultError(f"{', '.join(sorted(files))}: {told}") if files else RuntimeError(told)


def _one(job: Job, within: Callable[[float], None] | None) -> Judged:
    try:
        return judge(job, within)
    except MISSING as error:
        return NotRun(
            id=job.id,
            version=job.version,
            check=job.check,
            extra=getattr(error, "extra", ""),
            package=getattr(error, "package", ""),
            reason=one_line(error),
        )
    except Exception as error:
        result = failed(job, error)
        if result.fault == "theorylab" and os.environ.get(DEBUG) == "1":
            traceback.print_exc()
        return result
