"""``theorylab verify`` and ``theorylab report``: judge, keep, show."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from theorylab.commands.detail import own_code, own_meaning, print_details
from theorylab.commands.own_instance import NO_INSTANCE, Changes, own_jobs
from theorylab.commands.refusal import Refused, check_targets, one_line, refusing, write_target
from theorylab.commands.terminal import Progress, meaning, print_verdicts, progress
from theorylab.extras import MissingExtraError
from theorylab.imports import Source, import_again, sources
from theorylab.report.folder import PAGE, RESULTS, STORE, load, prepare, write
from theorylab.report.standing import Judged, exit_code
from theorylab.report.store import DamagedRowError, Store
from theorylab.tables import csv_text
from theorylab.verdicts import Job, NotRun, Report, Result, UserFaultError, jobs, judge

NO_CHANGES = Changes()


def verify(
    selection: Sequence[str],
    changes: Changes = NO_CHANGES,
    *,
    versions: Sequence[str] = (),
    check: str | None = None,
    quick: bool,
    seeds: int,
    seed: int,
    budget: float,
    workers: int,
    out: Path | None,
    json_target: str | None,
    csv_target: str | None = None,
    long: bool = False,
) -> int:
    """Judge the selection and show it; the exit code. Raises Refused before any work is done.

    With ``changes`` every version of one statement is judged on the instance that they make.
    """
    asked = None
    with refusing():
        work = jobs(
            selection,
            quick=quick,
            seeds=seeds,
            seed=seed,
            budget=budget,
            versions=versions,
            check=check,
        )
    if changes.any:
        if quick:
            raise Refused("verify: --quick chooses checks; need it without an instance")
        asked = own_jobs(selection, changes, versions, check, seeds=seeds, seed=seed, budget=budget)
        work = [*asked.jobs]
    if not work:
        what = " ".join(selection) or "everything"
        raise Refused(f"verify: no check of {what} is left with --quick; need one without it")
    if out is not None:
        with refusing(f"--out {out}"):
            prepare(out, (job.id for job in work))
    check_targets(json_target, csv_target)
    refusals: dict[int, str] = {}
    judged = _judged(work, 1 if asked else workers, out, refusals)
    results = [each for each in judged if isinstance(each, Result)]
    left_out = [each for each in judged if isinstance(each, NotRun)]
    if left_out and not results:
        raise Refused(f"verify: {left_out[0].reason}")
    if refusals and (not results or versions):
        origin = (
            ""
            if asked is None
            else (
                f" (the instance: {asked.origin}; --check takes another one, "
                "--set 'problem={...}' a whole other problem)"
            )
        )
        raise Refused(f"verify: {next(iter(refusals.values()))}{origin}")
    if out is not None:
        with refusing(f"--out {out}"):
            write(out, results, left_out)
    code = exit_code(judged) if asked is None else own_code(results)
    why = [*refusals.values(), *(each.reason for each in left_out)]
    last = meaning(judged) if asked is None else own_meaning(results, why)
    if json_target is not None:
        report = Report(schema=1, results=results, not_run=left_out)
        write_target("--json", json_target, report.to_json())
    if csv_target is not None:
        write_target("--csv", csv_target, csv_text(results))
    if "-" in (json_target, csv_target):
        print(last, file=sys.stderr)
        return code
    if asked is not None or check is not None:
        print_details(results, "" if asked is None else asked.origin, why, long)
    else:
        print_verdicts(judged, long)
    print(last)
    return code


def rebuild(folder: Path) -> int:
    """Make the pages, figures and tables of a folder again from its results.json."""
    with refusing():
        report = load(folder / RESULTS)
    with refusing(str(folder)):
        prepare(folder, (result.id for result in report.results))
        write(folder, report.results, report.not_run)
    print(f"{folder / PAGE}: {len(report.results)} checks. Exit code 0: the report is written.")
    return 0


def _judged(
    work: Sequence[Job], workers: int, out: Path | None, refusals: dict[int, str]
) -> list[Judged]:
    """What becomes of the jobs, in their order; what the folder's store holds is not run again.

    ``refusals`` gets those of instances of one's own that a version cannot be judged on.
    """
    results: dict[int, Judged] = {}
    with progress(len(work)) as shown:
        if out is None:
            for index, result in _run(list(enumerate(work)), workers, shown, refusals):
                results[index] = result
                shown.finished(work[index], result, stored=False)
        else:
            with refusing():
                store = Store(out / STORE)
            with store:
                keys = [_key(job) for job in work]
                for index, job in enumerate(work):
                    found = _stored(store, keys[index], job, shown)
                    if found is not None:
                        results[index] = found
                        shown.finished(job, found, stored=True)
                left = [(index, job) for index, job in enumerate(work) if index not in results]
                for index, result in _run(left, workers, shown, refusals):
                    if isinstance(result, Result):
                        with refusing():
                            store.put(keys[index], result)
                    results[index] = result
                    shown.finished(work[index], result, stored=False)
    return [results[index] for index in sorted(results)]


def _key(job: Job) -> str:
    with refusing(job.source_file or ""):
        return job.key()


def _stored(store: Store, key: str, job: Job, shown: Progress) -> Result | None:
    try:
        found = store.get(key)
    except DamagedRowError as error:
        shown.note(f"theorylab: {error}; it is computed again")
        return None
    if found is not None and (found.id, found.version, found.check) != (
        job.id, job.version, job.check,
    ):  # fmt: skip
        shown.note(f"theorylab: {store.path}: row {key[:12]} is another check's; computed again")
        return None
    return found


def _run(
    work: Sequence[tuple[int, Job]], workers: int, shown: Progress, refusals: dict[int, str]
) -> Iterator[tuple[int, Judged]]:
    """(index, result) as they finish."""
    if workers == 1 or len(work) < 2:
        for index, job in work:
            try:
                result = _one(job, shown.within)
            except Refused as error:
                if not job.instance:
                    raise
                refusals[index] = str(error)
                continue
            yield index, result
        return
    import joblib
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    workers = min(workers, len(work))
    threads, code = max(1, (os.cpu_count() or 1) // workers), sources()
    with joblib.parallel_config(backend="loky", inner_max_num_threads=threads):
        pool = joblib.Parallel(n_jobs=workers, return_as="generator_unordered")
        try:
            yield from pool(
                joblib.delayed(_in_worker)(index, job, threads, code) for index, job in work
            )
        except TerminatedWorkerError as error:
            files = {Path(job.source_file).name for _, job in work if job.source_file}
            files |= {each.file for _, each in code}
            if not files:
                raise
            raise Refused(
                f"{', '.join(sorted(files))}: a process that judged its checks has ended without a "
                "result (os._exit, or killed, as where memory is short); need code that returns, "
                "or --jobs 1"
            ) from error


def _in_worker(index: int, job: Job, threads: int, code: Sequence[Source]) -> tuple[int, Judged]:
    from theorylab.kernels import set_threads

    set_threads(threads)
    with refusing():
        import_again(code)
    return index, _one(job, None)


def _one(job: Job, within: Callable[[float], None] | None) -> Judged:
    try:
        return judge(job, within)
    except MissingExtraError as error:
        return NotRun(
            id=job.id,
            version=job.version,
            check=job.check,
            extra=error.extra,
            reason=one_line(error),
        )
    except (ValueError, TypeError) as error:
        # judge names the check in what it says of a wrong instance, or the user's file; anything
        # else is a bug
        if job.instance or str(error).startswith(job.id) or isinstance(error, UserFaultError):
            raise Refused(one_line(error)) from error
        raise
    except NO_INSTANCE as error:
        if not job.instance:
            raise
        what = f"{type(error).__name__}: {error}"  # an option that nobody has looked at yet
        raise Refused(
            one_line(f"{job.id} [{job.version}]: no such instance ({what}); need other options")
        ) from error
