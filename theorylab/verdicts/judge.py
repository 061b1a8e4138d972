"""Run one check and say what it proves."""

from __future__ import annotations

import contextlib
import functools
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from theorylab import symbols
from theorylab.extras import MissingDataError
from theorylab.known import Known
from theorylab.metrics import METRICS
from theorylab.runs import Trace
from theorylab.runs.price import Purse, TooDearError
from theorylab.statements import EQUAL, Check, Statement, TooLongError, within, worst_of
from theorylab.user_file import guarded, told
from theorylab.verdicts.amplified import sound
from theorylab.verdicts.both import both
from theorylab.verdicts.bound import bound_at
from theorylab.verdicts.case import Case, Place, Seen
from theorylab.verdicts.catalogue import Job, statement_of
from theorylab.verdicts.curve import (
    curve_shown,
    log10_of,
    ratio_of,
    rows_of,
    usable,
)
from theorylab.verdicts.decide import Decision, decided, failed_somewhere
from theorylab.verdicts.edge import carried, decided_exactly
from theorylab.verdicts.evidence import settled
from theorylab.verdicts.measure import Running
from theorylab.verdicts.measured import Measured
from theorylab.verdicts.noticed import with_notices
from theorylab.verdicts.observe import FIRST_BATCH, Observed, runs_for
from theorylab.verdicts.pairs import Tightest
from theorylab.verdicts.reach import out_of_reach
from theorylab.verdicts.recorded import Recorded
from theorylab.verdicts.result import AssumptionResult, PlaceResult, Result, Verdict, finite
from theorylab.verdicts.support import ASSUMED, given_for
from theorylab.verdicts.sweep import is_swept
from theorylab.verdicts.swept import Swept
from theorylab.verdicts.witness import against_all

MOST_TERMS = 20_000_000  # of all sums of a check's assumptions, bounds or curves


def judge(job: Job, progress: Callable[[float], None] | None = None) -> Result:
    """Judge one job. The same job gives the same result, but for ``seconds``.

    Args:
        job: one of ``jobs``.
        progress: called with the share of the runs done, in [0, 1].

    Returns:
        The verdict, with both sides, the constants and the reason.

    Raises:
        ValueError: one line naming statement, version and check, when the instance is wrong.
        UserFaultError: what a user's file raised, with the file and its line.
        MissingExtraError, MissingDataError: a package that is needed is not installed.

    >>> judge(jobs(["dfedsgpsm.lem1"], versions=["printed"])[0]).verdict
    'HOLDS'
    """
    statement = statement_of(job.id, job.source_file)
    checks = statement.versions[job.version].checks
    if job.instance:  # where all are controls, the version claims nothing of any instance
        control = job.control or (bool(checks) and all(each.control for each in checks))
        check = Check(job.check, json.loads(job.instance), control=control)
    else:
        check = next(c for c in checks if c.name == job.check)
    with told(job.source_file):
        result = judge_check(
            statement,
            job.version,
            check,
            seeds=job.seeds,
            seed=job.seed,
            budget=job.budget,
            progress=progress,
            rows=job.rows,
        )
    return result.model_copy(update={"expected": ""}) if job.instance else result


@guarded()
def judge_check(
    statement: Statement,
    version: str,
    check: Check,
    *,
    seeds: int = 64,
    seed: int = 0,
    budget: float = Job.budget,
    going: Callable[[], bool] = lambda: True,
    progress: Callable[[float], None] | None = None,
    rows: bool = False,
    exactly: bool = True,
    screening: bool = False,
) -> Result:
    """Judge one version of a statement on one instance.

    Args:
        statement: the claim.
        version: the name of one of its versions.
        check: one of that version's checks, or another instance.
        seeds: largest number of runs.
        seed: of all their randomness.
        budget: most gradients that the runs compute together, known before they are played: no
            verdict depends on a clock. Sums have a limit of their own, of ``MOST_TERMS``.
        going: asked before more runs are added; of a search, which alone has seconds.
        progress: called with the share of the runs done.
        rows: keep the measured side at every place, too.
        exactly: decide what rounding alone leaves open by its script, in balls and in fractions.
        screening: of a search: what rounding amplifies, and the curve, are left to what it reports.

    Returns:
        The verdict, with both sides, the constants and the reason.

    Raises:
        ValueError: one line naming statement, version and check, when the instance is wrong.
        UserFaultError: that of a loaded file, naming its line, whatever its code raised.
        MissingExtraError, MissingDataError: a package that is needed is not installed.

    >>> from theorylab.statements import BUILT_IN
    >>> claim = BUILT_IN["dfedsgpsm.lem1"]
    >>> result = judge_check(claim, "printed", claim.versions["printed"].checks[0])
    >>> result.verdict, result.measured <= result.bound
    ('HOLDS', True)
    """
    began = time.perf_counter()
    content = statement.versions[version]
    if content.relation == EQUAL:
        half: dict[str, Any] = {"seeds": seeds, "seed": seed, "budget": budget / 2, "rows": rows}
        half |= {"going": going, "progress": progress, "exactly": exactly, "screening": screening}
        return both(functools.partial(judge_check, **half), statement, version, check)
    case = Case(statement, version, content, check, statement.quantity_of(content))
    try:
        subject = subject_of(case)
        constants = subject.constants(case)
        with within(MOST_TERMS):
            if isinstance(subject, Swept | Recorded):
                assumptions, every = subject.settled(case), subject.everywhere
            else:
                ready = [a for a in content.assumes if a.free <= set(constants)]
                assumptions = [settled(a, constants, subject.content) for a in ready]
                every = (constants,)
        given = subject.given if isinstance(subject, Recorded) else ""
        described = subject.described(case)
        shown = _Shown(case, assumptions, constants, described, began, rows, given, not screening)
        if (against := against_all(case, constants, subject)) is not None:
            return _result(shown, *against)
        asking = {a.name for a in content.assumes if a.asks is not None}
        failed = [a for a in assumptions if a.holds is False]
        surely = [a for a in failed if a.name not in asking]  # a later one may divide by 0 then
        empty = {} if surely else out_of_reach(content.assumes, *every)
        failed = surely or [a for a in failed if a.name not in empty]
        if failed:
            worst = f"{failed[0].name}: {failed[0].reason}"
            return _result(shown, Verdict.ASSUMPTION_FAILS, worst)
        if empty:
            return _result(shown, Verdict.VACUOUS, next(iter(empty.values())))
        most = runs_for(case, constants, seeds)
        total, tightest = min(FIRST_BATCH, most), Tightest(content)
        with Purse(budget):
            try:
                seen = subject.seen(case, constants, total, most, seed)
            except TooDearError as error:
                return _result(shown, Verdict.INCONCLUSIVE, str(error))
            while True:
                if progress is not None:
                    progress(min(1.0, seen.runs / most))
                try:
                    with within(MOST_TERMS):
                        seen = replace(seen, places=tightest(seen.places))
                        broken = failed_somewhere(case, seen.behind or seen.places)
                        open_ones = [a for a in (*assumptions, broken) if a and a.holds is None]
                        if broken is None or broken.holds is None:
                            found = decided(case, open_ones, seen.places)
                except TooLongError as error:
                    found = Decision(Verdict.INCONCLUSIVE, str(error), seen.places[0])
                    break
                if broken is not None and broken.holds is False:
                    reason = f"{broken.name}: {broken.reason}"
                    return _result(shown, Verdict.ASSUMPTION_FAILS, reason, seen, seen.places[0])
                if found.final or seen.done or not going() or not found.verdict.undecided:
                    break
                try:
                    seen = subject.seen(case, constants, min(2 * seen.runs, most), most, seed)
                except TooDearError as error:
                    found = replace(found, reason=f"{found.reason}; {error}")
                    break
        if not screening:
            found = sound(case, subject, constants, seen, found, (seen.runs, most, seed))
        found = carried(case, assumptions, found)
        if isinstance(subject, Recorded):  # which has no script
            found = subject.allowed(case, found)
        elif exactly:
            shows = functools.partial(_result, shown, Verdict.INCONCLUSIVE, "", seen)
            found = decided_exactly(case, assumptions, seen, found, shows, seed)
        found = with_notices(subject, found)
        trace = subject.trace if isinstance(subject, Running) else None
        told = (found.place, trace, found.rests_on, found.noticed)
        return _result(shown, found.verdict, found.reason, seen, *told)
    except ValueError as error:
        if isinstance(error, MissingDataError):
            raise  # nothing is wrong with the instance
        text = str(error).removeprefix(f"{case.where}: ")
        raise ValueError(f"{case.where}: {text}") from None


def _severity(case: Case, verdict: Verdict) -> str:
    """Of what the check shows, where the verdict tells against the claim."""
    severity = worst_of(case.version.causes_of(case.check)) or ""
    return severity if verdict.tells_against(severity) and not case.check.control else ""


def subject_of(case: Case) -> Running | Measured | Observed | Swept | Recorded:
    """What the case measures, built from its instance; ValueError, one line, on a wrong one."""
    if case.recorded:
        return Recorded(case)
    moves = is_swept(case.statement, case.name, case.check.instance)
    return Swept(case, _ordinary) if moves else _ordinary(case)


def _ordinary(case: Case) -> Running | Measured | Observed:
    if case.statement.experiment:
        return Observed(case)
    rows = case.quantity.over == "rows" or case.quantity.column in METRICS
    return Measured(case) if rows else Running(case)


@dataclass(frozen=True)
class _Shown:
    """What a result says of its case whatever the verdict."""

    case: Case
    assumptions: Sequence[AssumptionResult]
    constants: Mapping[sp.Symbol, Known]
    instance: dict[str, Any]
    began: float
    rows: bool
    given: str
    curve: bool


def _result(
    shown: _Shown,
    verdict: Verdict,
    reason: str,
    seen: Seen | None = None,
    place: Place | None = None,
    trace: Trace | None = None,
    pairs: str = "",
    noticed: str = "",
) -> Result:
    case, version = shown.case, shown.case.version
    constants = shown.constants if place is None else place.constants
    needed = usable(version.bound, constants)
    bound = terms = curve = None
    rows: list[PlaceResult] = []
    if needed is not None:
        with contextlib.suppress(TooLongError), within(MOST_TERMS):  # the reason says it
            bound = bound_at(version.bound, needed)
            terms = {k: bound_at(term, needed) for k, term in version.terms.items()}
            if shown.curve and seen is not None and place is not None:
                curve = curve_shown(case, needed, seen, trace)
    if shown.rows and seen is not None:
        with contextlib.suppress(TooLongError), within(MOST_TERMS):
            rows = rows_of(version, seen)
    given = "" if seen is None else given_for(version, verdict, seen.places)
    reason += f"; {ASSUMED}" * (ASSUMED in given) + case.units_note
    given = "; ".join(filter(None, (given, shown.given)))
    middle = None if place is None else place.centre
    interval = None if place is None else place.interval
    severity = _severity(case, verdict)
    causes = version.causes_of(case.check) if severity else ()
    clauses = [*(cause.clause for cause in causes), case.check.carries, pairs]
    return Result(
        id=case.statement.id,
        version=case.name,
        check=case.check.name,
        verdict=verdict.name,
        expected=case.check.expect,
        measured=None if middle is None else finite(middle),
        ci=(None, None) if interval is None else (finite(interval.low), finite(interval.high)),
        bound=None if bound is None else finite(float(bound)),
        log10_bound=log10_of(bound),
        ratio=ratio_of(version.relation, middle, bound),
        terms={k: finite(float(v)) for k, v in (terms or {}).items()},
        log10_terms={k: log10_of(v) for k, v in (terms or {}).items()},
        assumptions=list(shown.assumptions),
        constants={
            symbols.name_of(s): known.as_json()
            for s, known in sorted(constants.items(), key=lambda item: symbols.name_of(item[0]))
        },
        instance=shown.instance,
        interval="" if interval is None else interval.method,
        reason=reason,
        runs=0 if seen is None else seen.runs,
        relative_error=None if place is None else place.relative_error,
        place="" if place is None else place.label,
        places=0 if seen is None else len(seen.places),
        rows=rows,
        control=case.check.control,
        severity=severity,
        noticed=noticed,
        given=given,
        causes=[cause.id for cause in causes],
        rests_on="; ".join(part for part in clauses if part and severity),
        curve=curve,
        quantity=case.text,
        formula=version.formula,
        relation=version.relation,
        source=f"{case.statement.source.paper}, {case.statement.source.locator}: "
        f"{case.statement.source.text}",
        paper=case.statement.source.paper,
        seconds=round(time.perf_counter() - shown.began, 3),
    )
