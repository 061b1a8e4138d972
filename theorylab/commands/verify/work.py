"""``theorylab verify``: judge, keep, show."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from theorylab.campaigns.kept_results import KeptResults, Results, folder
from theorylab.commands.origin import provenance
from theorylab.commands.progress import writing
from theorylab.commands.refusal import (
    Refused,
    one_line,
    refusing,
    tell,
)
from theorylab.commands.scripted import chosen, scripted
from theorylab.commands.verify import Verify
from theorylab.commands.verify.judging import judged as judged_jobs
from theorylab.commands.verify.progress import Progress, progress
from theorylab.commands.verify.terminal import (
    meaning,
    name_of,
    print_verdicts,
    told_verdict,
    verdicts_of,
    why,
)
from theorylab.files import changed
from theorylab.report.standing import Judged, Standing, exit_code, standing
from theorylab.verdicts import Job, NotRun, Report, Result, jobs, selected
from theorylab.words import REFUSED

if TYPE_CHECKING:
    from theorylab.commands.verify.own_instance import Asked

# What only some answers need is imported where it is needed: the first row is waited for.


def verify(asked: Verify) -> int:
    """Judge the selection and show it; the exit code. Raises Refused before any work is done.

    On an instance, or a record, that is asked for every version of one statement is judged.
    """
    selection, out, quiet = asked.selection, asked.out, asked.quiet
    own, wanted = None, verdicts_of(asked.only)
    with refusing():
        work = jobs(
            selection,
            quick=asked.quick,
            seeds=asked.seeds,
            seed=asked.seed,
            budget=asked.budget,
            versions=asked.version,
            check=asked.check,
        )
    if asked.changes or asked.record:
        if asked.quick:
            raise Refused("verify: --quick chooses checks; need it without an instance")
        own = _own(asked)
        work = [*own.jobs]
    if not work:
        what = " ".join(selection) or "everything"
        raise Refused(f"verify: no check of {what} is left with --quick; need one without it")
    if out is not None:
        from theorylab.report.folder import prepare

        with refusing(f"--out {out}"):
            prepare(out, (job.id for job in work))
    # without a folder two runs give the same file
    source = {} if out is None else provenance(asked.seed)
    workers = 1 if own else asked.jobs
    judged = _judged(work, workers, asked) if out is None else _kept(work, workers, asked, source)
    results, left_out = _parted(judged)
    if left_out and not results:
        raise Refused(f"verify: {left_out[0].reason}")
    code = exit_code(judged)
    lacks = [each.reason for each in left_out]
    last = meaning(judged, own is not None)
    if asked.json_target is not None:
        report = Report(schema=1, results=results, not_run=left_out, origin=source)
        asked.write_json(report.to_json())
    asked.write_csv(results)
    scripts = [] if asked.script_target is None else [_scripted(results, asked)]
    if all(standing(each) is Standing.NOT_JUDGED for each in judged):
        origin = "" if own is None or asked.record else own.origin
        line = _none_judged(results, work[0].source_file, origin, alone=own is not None)
        if asked.record:  # whose fault is no line of the theorem's file
            line = f"verify: {line.partition(f'{name_of(results[0])}: ')[2]}"
        if line and code == REFUSED:
            raise Refused(line)
        if line:
            tell(f"theorylab: {one_line(line)}", file=sys.stderr)
            return code
    if not asked.speaks:
        tell("\n".join([*scripts, last]), file=sys.stderr)
        return code
    if own is None and not quiet and len({each.id for each in judged}) == 1:
        from theorylab.commands.explain.work import print_sentences

        print_sentences([each for each in results if not each.fault])
    if quiet:
        pass
    elif own is not None or asked.check is not None:
        from theorylab.commands.verify.detail import print_details

        print_details(results, "" if own is None else own.origin, lacks, asked.long)
    else:
        shown = [each for each in judged if not wanted or told_verdict(each) in wanted]
        print_verdicts(shown, asked)
    if len(judged) < len(work) and not quiet:
        tell(f"--fail-fast: {len(work) - len(judged)} more checks were not judged.")
    tell("\n".join([*scripts, last]))
    return code


def _own(asked: Verify) -> Asked:
    """The jobs of a record, or of an instance of one's own."""
    if asked.record:
        from theorylab.commands.verify.recorded import record_jobs

        return record_jobs(asked)
    from theorylab.commands.verify.own_instance import own_jobs

    return own_jobs(asked.selection, asked, asked.version)


def _scripted(results: Sequence[Result], asked: Verify) -> str:
    """Write the script of one of the results; the line that says of which."""
    result = chosen(results)
    statements = selected(asked.selection).values()
    statement = next(each for each, _ in statements if each.id == result.id)
    line = scripted(statement, result, str(asked.script_target), asked.seed)
    return line if len(results) == 1 else f"{line} It is of {name_of(result)}."


def _none_judged(results: Sequence[Result], file: str | None, origin: str, alone: bool) -> str:
    """The one line on checks of which none could be judged; "" where there is more to tell.

    alone: of an instance of one's own, or a record, the first version's reason is the line.
    """
    first = results[0]
    same = {each.reason.replace(f"{name_of(each)}: ", "") for each in results}
    if len(same) > 1 and not alone:
        return ""
    told = file is not None and first.reason.startswith(Path(file).name)
    line = first.reason if told else f"{name_of(first)}: {why(first)}"
    if not origin:
        return line
    return (
        f"verify: {line} (the instance: {origin}; --check takes another one, "
        "--set 'problem={...}' a whole other problem)"
    )


def _judged(work: Sequence[Job], workers: int | None, asked: Verify) -> list[Judged]:
    """What becomes of the jobs, in their order."""
    results: dict[int, Judged] = {}
    own = any(job.source_file is None for job in work)
    kept = KeptResults(folder() if own else None, functools.partial(tell, file=sys.stderr))
    with progress(len(work), asked.quiet, asked.long) as shown:
        for index, result in _run(list(enumerate(work)), workers, asked, shown):
            results[index] = result
            shown.finished(work[index], result, stored=False)
        fresh = [(work[k], each) for k, each in results.items() if isinstance(each, Result)]
        kept.put(fresh)  # for the tests: verify always judges
    return [results[index] for index in sorted(results)]


def _kept(
    work: Sequence[Job], workers: int | None, asked: Verify, source: Mapping[str, str]
) -> list[Judged]:
    """What becomes of the jobs, in their order; what the folder's store holds is not run again.

    A paper's pages are written when its last check is judged, and the overview at the end, or at an
    interrupt, of what was judged.
    """
    from theorylab.report.folder import STORE, Pages
    from theorylab.report.names import paper_of

    out = asked.out
    assert out is not None
    results: dict[int, Judged] = {}
    pages = Pages(out, [job.id for job in work], source)
    waiting = Counter(paper_of(job.id) for job in work)

    def finished(index: int, result: Judged, stored: bool) -> None:
        results[index] = result
        shown.finished(work[index], result, stored=stored)
        paper = paper_of(work[index].id)
        waiting[paper] -= 1
        if not waiting[paper] and not stored:  # of what is stored at the end: judging comes first
            those = [results[k] for k in sorted(results) if paper_of(work[k].id) == paper]
            with contextlib.suppress(Exception):  # what cannot be written is told at the end
                pages.add(_parted(those)[0])

    def finish(unjudged: int = 0) -> list[Judged]:
        judged = [results[index] for index in sorted(results)]
        found, left_out = _parted(judged)
        if found:
            with refusing(f"--out {out}"), writing(str(out)) as told:
                pages.finish(found, left_out, told, unjudged)
        return judged

    try:
        with progress(len(work), asked.quiet, asked.long) as shown:
            with refusing():
                store = Results(out / STORE, lambda line: shown.note(f"theorylab: {line}"))
            with contextlib.closing(store):
                keys = [_key(job) for job in work]
                for index, job in enumerate(work):
                    found = store.get(job, keys[index])
                    if found is not None:
                        finished(index, found, stored=True)
                left = [(index, job) for index, job in enumerate(work) if index not in results]
                for index, result in _run(left, workers, asked, shown):
                    if isinstance(result, Result) and _unchanged(work[index], shown):
                        with refusing():
                            store.put([(keys[index], result)])
                    finished(index, result, stored=False)
        return finish()
    except KeyboardInterrupt:  # another one while the pages are written ends at once
        finish(len(work) - len(results))
        raise


def _run(
    left: Sequence[tuple[int, Job]], workers: int | None, asked: Verify, shown: Progress
) -> Iterator[tuple[int, Judged]]:
    """(index, result) of the jobs as they finish; with --fail-fast up to the first that tells."""
    for index, result in judged_jobs(left, workers, shown.within, pages=asked.out is not None):
        yield index, result
        if asked.fail_fast and standing(result) in (Standing.DIFFERS, Standing.NOT_JUDGED):
            return


def _parted(judged: Sequence[Judged]) -> tuple[list[Result], list[NotRun]]:
    """What was judged, and what an extra is missing for."""
    results = [each for each in judged if isinstance(each, Result)]
    return results, [each for each in judged if isinstance(each, NotRun)]


def _unchanged(job: Job, shown: Progress) -> bool:
    """Whether the files that the key speaks of are what they were."""
    name = changed(job.files or "")
    if name is not None:
        shown.note(f"theorylab: {name} changed meanwhile; {job.id} {job.check} is not kept")
    return name is None


def _key(job: Job) -> str:
    with refusing(job.source_file or ""):
        return job.key()
