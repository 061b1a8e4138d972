"""Run one check and say what it proves."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import sympy as sp

from theorylab import symbols
from theorylab.known import How, Known
from theorylab.runs import Interval, Trace, mean_interval, point, runs_needed
from theorylab.statements import Check, Quantity, Statement, Version
from theorylab.verdicts.catalogue import Job, selected
from theorylab.verdicts.curve import bound_at, curve_of, first_below
from theorylab.verdicts.evidence import (
    constant_name,
    gathered,
    settled,
    value_on_side,
    wrong_side,
)
from theorylab.verdicts.instance import Instance, Setting, built, parsed
from theorylab.verdicts.measure import Measured, traced
from theorylab.verdicts.result import AssumptionResult, Result, Verdict, finite

# Own kernels round to 1e-16 a step, but problems use BLAS and a run takes up to 1e5 steps; a
# contraction keeps the error near eps times the number of steps. A verdict needs more room.
ROUNDING = 1e-9
FIRST_BATCH = 16


@dataclass(frozen=True)
class _Case:
    """One check with its constants, ready to run."""

    statement: Statement
    name: str
    version: Version
    check: Check
    quantity: Quantity
    instance: Instance
    constants: dict[sp.Symbol, Known]
    began: float


@dataclass(frozen=True)
class _Limits:
    seeds: int
    seed: int
    budget: float


def judge(job: Job, progress: Callable[[float], None] | None = None) -> Result:
    """Judge one job. The same job gives the same result, but for ``seconds``.

    Raises ValueError, one line naming statement, version and check, when the instance is wrong.
    """
    statement = selected([job.source_file or job.id])[job.id][0]
    check = next(c for c in statement.versions[job.version].checks if c.name == job.check)
    return judge_check(
        statement,
        job.version,
        check,
        seeds=job.seeds,
        seed=job.seed,
        budget=job.budget,
        progress=progress,
    )


def judge_check(
    statement: Statement,
    version: str,
    check: Check,
    *,
    seeds: int = 64,
    seed: int = 0,
    budget: float = 600.0,
    progress: Callable[[float], None] | None = None,
) -> Result:
    """Judge one version of a statement on one instance.

    Args:
        seeds: largest number of runs. seed: what all their randomness derives from.
        budget: seconds after which no more runs are added.
        progress: called with the share of the runs done.

    Raises:
        ValueError: one line naming statement, version and check, when the instance is wrong.
    """
    began = time.perf_counter()
    content = statement.versions[version]
    where = f"{statement.id} [{version}] {check.name}"
    instance = parsed(where, check.instance)
    setting = built(where, instance, statement.algorithm)
    quantity = statement.quantity_of(content)
    wanted = content.free
    for expr in (statement.trivial, quantity.ceiling):
        if expr is not None:
            wanted |= expr.free_symbols
    try:
        names = [(s, constant_name(content, s)) for s in sorted(wanted, key=str)]
        constants = gathered(where, instance, setting, names)
        case = _Case(statement, version, content, check, quantity, instance, constants, began)
        assumptions = [settled(a, constants) for a in content.assumes]
        failed = [a for a in assumptions if a.holds is False]
        if failed:
            worst = f"{failed[0].name}: {failed[0].reason}"
            return _result(case, assumptions, Verdict.ASSUMPTION_FAILS, worst)
        ceiling = _known_number(case, quantity.ceiling)

        def verdict_of(seen: Measured) -> tuple[Verdict, str]:
            return _decided(case, assumptions, seen, ceiling)

        limits = _Limits(seeds, seed, budget)
        trace, seen = _run(case, limits, setting, ceiling, verdict_of, progress)
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(where) else f"{where}: {text}") from None
    verdict, reason = verdict_of(seen)
    return _result(case, assumptions, verdict, reason, seen, trace, ceiling)


def _known_number(case: _Case, expr: sp.Expr | None) -> float | None:
    """``expr`` as a number where there is one and every constant in it is known from its side."""
    if expr is None:
        return None
    values = {s: case.constants[s] for s in expr.free_symbols}
    if wrong_side(values) or not all(known.finite for known in values.values()):
        return None
    return float(bound_at(expr, values))


def _run(
    case: _Case,
    limits: _Limits,
    setting: Setting,
    ceiling: float | None,
    verdict_of: Callable[[Measured], tuple[Verdict, str]],
    progress: Callable[[float], None] | None,
) -> tuple[Trace, Measured]:
    """Add runs, in batches that double, until the verdict is decided or the seeds are used."""
    total = min(FIRST_BATCH, limits.seeds)
    trace: Trace | None = None
    while True:
        trace = traced(case.instance, setting, case.quantity, trace, total, limits.seed)
        if "magnitude" in {symbols.name_of(s) for s in case.version.free}:
            case.constants[symbols.magnitude] = Known(
                float(trace.columns["update_magnitude"].max()) * (1 + ROUNDING),
                How.UPPER,
                "largest sum of absolute values over rounds, clients and runs",
            )
        seen = _seen(trace, case.quantity, ceiling)
        if progress is not None:
            progress(len(trace.runs) / limits.seeds)
        decided = verdict_of(seen)[0] is not Verdict.INCONCLUSIVE
        out = trace.exact or seen.pathwise or len(trace.runs) >= limits.seeds
        if decided or out or time.perf_counter() - case.began > limits.budget:
            return trace, seen
        total = min(2 * len(trace.runs), limits.seeds)


def _seen(trace: Trace, quantity: Quantity, ceiling: float | None) -> Measured:
    values = trace.reduced(quantity.column, quantity.over)
    if quantity.pathwise:
        top = float(values.max())
        interval = Interval(top, top, True, f"largest of {len(values)} realisations")
    elif trace.exact:
        interval = point(float(values[0]), ROUNDING)
    else:
        interval = mean_interval(values, ceiling)
    return Measured(values, interval, quantity.pathwise, trace.exact)


def _decided(
    case: _Case, assumptions: list[AssumptionResult], seen: Measured, ceiling: float | None
) -> tuple[Verdict, str]:
    """The verdict and a sentence that says why."""
    open_ones = [a for a in assumptions if a.holds is None]
    if open_ones:
        return Verdict.INCONCLUSIVE, f"{open_ones[0].name}: {open_ones[0].reason}"
    needed = {s: case.constants[s] for s in case.version.bound.free_symbols}
    if missing := wrong_side(needed):
        return Verdict.INCONCLUSIVE, f"not known from the side needed: {missing[0]}"
    if infinite := [s for s, known in needed.items() if not known.finite]:
        name = symbols.name_of(infinite[0])
        return Verdict.INCONCLUSIVE, f"{name} is infinite: {needed[infinite[0]].source}"
    bound = bound_at(case.version.bound, needed)
    low, high = seen.interval.low, seen.interval.high
    if low > bound * (1 + ROUNDING):
        return Verdict.VIOLATED, f"the lower limit {low:.6g} exceeds the bound {float(bound):.6g}"
    note = ""
    trivial = _known_number(case, case.statement.trivial)
    if trivial is not None and bound >= trivial:
        known = f"{case.statement.trivial} = {trivial:.6g} holds without the theorem"
        first = first_below(case.version.bound, needed, trivial)
        if first is None:
            return Verdict.VACUOUS, f"{known}, and the bound is never below it"
        note = f"; {known}, and the bound is below that only from T = {first:.3g} on"
    if high <= bound:
        kind = "" if seen.interval.rigorous_above else " (asymptotic limit: no ceiling is known)"
        return Verdict.HOLDS, f"the upper limit {high:.6g} is below the bound{kind}{note}"
    more = "" if seen.exact else _forecast(seen, float(bound), ceiling)
    return Verdict.INCONCLUSIVE, f"[{low:.6g}, {high:.6g}] straddles {float(bound):.6g}{more}"


def _forecast(seen: Measured, bound: float, ceiling: float | None) -> str:
    total, most = len(seen.values), 1 << 14
    need = runs_needed(seen.values, bound, ceiling, most)
    if need >= most:
        return f"; more than {most - total} further runs would be needed"
    return f"; about {need - total} more runs would decide"


def _result(
    case: _Case,
    assumptions: list[AssumptionResult],
    verdict: Verdict,
    reason: str,
    seen: Measured | None = None,
    trace: Trace | None = None,
    ceiling: float | None = None,
) -> Result:
    needed = {s: case.constants.get(s) for s in case.version.bound.free_symbols}
    usable = {
        s: known
        for s, known in needed.items()
        if known is not None and known.finite and value_on_side(s, known) is not None
    }
    bound = terms = None
    if len(usable) == len(needed):
        bound = bound_at(case.version.bound, usable)
        terms = {k: bound_at(term, usable) for k, term in case.version.terms.items()}
    middle = None if seen is None else float(seen.centre)
    curve = None
    if trace is not None and seen is not None and bound is not None and not seen.pathwise:
        curve = curve_of(case.version.bound, usable, case.quantity, trace, ceiling)
    return Result(
        id=case.statement.id,
        version=case.name,
        check=case.check.name,
        verdict=verdict.name,
        expected=case.check.expect,
        measured=middle,
        ci=(None, None)
        if seen is None
        else (finite(seen.interval.low), finite(seen.interval.high)),
        bound=None if bound is None else finite(float(bound)),
        log10_bound=None if bound is None or bound <= 0 else float(mpmath.log10(bound)),
        ratio=None if not bound or middle is None else finite(float(middle / bound)),
        terms={k: finite(float(v)) for k, v in (terms or {}).items()},
        assumptions=assumptions,
        constants={
            symbols.name_of(s): known.as_json()
            for s, known in sorted(
                case.constants.items(), key=lambda item: symbols.name_of(item[0])
            )
        },
        instance={"algorithm_name": case.statement.algorithm, **case.instance.model_dump()},
        interval="" if seen is None else seen.interval.method,
        reason=reason,
        runs=0 if trace is None else len(trace.runs),
        curve=curve,
        quantity=case.quantity.text,
        formula=" + ".join(sp.latex(term) for term in case.version.terms.values()),
        source=f"{case.statement.source.paper}, {case.statement.source.locator}: "
        f"{case.statement.source.text}",
        seconds=round(time.perf_counter() - case.began, 3),
    )
