"""Search the instances of a statement for the largest measured side against the bound.

A version's own checks are judged first. Then three stages share the time. Sweeps take every number
over its scales and every part over its choices; structural moves and ladders (``structure``,
``products``) go on from what was found so far; and of the best of every kind all numbers move
together (``ascent``). Then random changes of all these kinds take the place of the sweeps, and
last come more runs of what a few runs left open. Instances whose left side is exact
(deterministic, exact moments, finite laws) decide at once, so they are looked at first.

A check is a point; what it leaves out matters as much. So an experiment's options are completed by
``describe``, a run's by those that the claim has a symbol for, a name is tried with all others that
the experiment's own refusal lists, and a long run is looked at cut short, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from theorylab.falsify.finding import Finding, Smaller
from theorylab.falsify.hunt import FINAL_SEEDS, Hunt
from theorylab.falsify.known import refuted_by_check
from theorylab.falsify.moves import Choices, Instance, copied
from theorylab.falsify.preload import preload
from theorylab.falsify.scope import written
from theorylab.falsify.score import Judge, beyond
from theorylab.falsify.screen import Measured
from theorylab.falsify.smallest import Small, smallest
from theorylab.falsify.starts import known_choices, starts
from theorylab.statements import EQUAL, SIDES, Statement, one_sided
from theorylab.verdicts import Result
from theorylab.verdicts.instance import sharing_problems

MOST_SECONDS = 366 * 86400


def falsify(
    statement: Statement,
    version: str = "printed",
    *,
    budget: float = 60.0,
    seed: int = 0,
    seeds: int = 16,
    shrink: bool = True,
    progress: Callable[[str, float, float], None] | None = None,
    clock: Callable[[], float] = time.process_time,
    kept: Measured | None = None,
    known: bool = True,
) -> Finding:
    """Search for ``budget`` seconds of the processor, up to the first counterexample that stands.

    What breaks the claim outside its scope (``theorylab.falsify.scope``) says what the claim needs;
    the search then goes on for one inside. It ends before its time where all moves are made.

    Args:
        version: of the statement. seed: of the search and of all runs.
        seeds: most runs of a sampled instance while searching.
        shrink: make a counterexample small; False: give the first one that stands.
        progress: called with the stage, the share of the time used and the best score so far.
        clock: of the seconds; alarms, which end one instance that takes too long, go by the
            processor's in any case, and by ``theorylab.falsify.alarm`` they harm nothing.
        kept: measurements to use and to add to, by searches of versions that differ in the bound.
        known: judge the version's own checks first, before the clock starts; False: search only,
            as one would who knows of no counterexample.

    Of an equality each side has half of the seconds.

    Raises:
        ValueError: on an unknown version, a version without any check, a budget out of range, or a
            scope that names nothing of the claim or leaves out every check, and where nothing can
            move: every part is fixed, or the checks have constants that are numbers.
    """
    if version not in statement.versions:
        names = ", ".join(statement.versions)
        raise ValueError(f"falsify: {statement.id} has no version {version!r}; need one of {names}")
    if not 0 < budget <= MOST_SECONDS:
        raise ValueError(
            f"falsify: budget is {budget}; need seconds > 0, at most {MOST_SECONDS} (a year)"
        )
    if statement.versions[version].relation == EQUAL:
        found = []
        for side in SIDES:
            found.append(
                falsify(
                    one_sided(statement, version, side), version, budget=budget / 2, seed=seed,
                    seeds=seeds, shrink=shrink, progress=progress, clock=clock, known=known,
                )
            )  # fmt: skip
            if found[-1].refuted:
                break
        return max(found, key=lambda one: (one.refuted, bool(one.needs), bool(one.undecided)))
    preload()
    there = None
    if known:
        there = refuted_by_check(
            statement, version, seeds=FINAL_SEEDS, seed=seed, budget=budget, clock=clock, kept=kept
        )
    began = clock()

    def begin() -> tuple[list[Instance], Choices]:
        instances = starts(statement, version)
        return instances, known_choices(statement, version, instances)

    first, others = begin() if kept is None else kept.begun(begin)
    if not first:
        raise ValueError(f"falsify: {statement.id} has no check to start from; need at least one")
    judge = Judge(
        statement, version, seeds, seed, began + budget, budget / 30, True, clock=clock, kept=kept
    )
    hunt = Hunt(judge, began, budget, others, progress)
    if there is not None and not hunt.scope.needs(there[0]):
        hunt.found, hunt.stage = there[:2], "known"
        return _finished(hunt, statement, version, shrink, check=there[2])
    if known and (hunt.scope.fixed or all(map(hunt.is_frozen, first))):
        raise ValueError(f"falsify: {statement.id} [{version}]: nothing to move: {_why(hunt)}")
    stages: tuple[tuple[str, Callable[[], None]], ...] = (
        ("sweeps", lambda: hunt.sweep(first)),
        ("changes", lambda: hunt.change(np.random.Generator(np.random.Philox(seed)))),
        ("doubts", hunt.doubt),
    )
    with sharing_problems():
        for stage, run in stages:
            hunt.stage = stage
            run()
            if hunt.found is not None:
                break
    return _finished(hunt, statement, version, shrink)


def _why(hunt: Hunt) -> str:
    if hunt.scope.fixed:
        return "its scope fixes every part; need one that is free"
    return (
        "constants that are numbers hold for their instance alone; need functions of the instance, "
        "as Version(constants=...) takes them"
    )


def _finished(
    hunt: Hunt, statement: Statement, version: str, shrink: bool, check: str = ""
) -> Finding:
    judge, seeds, seed = hunt.judge, hunt.judge.seeds, hunt.judge.seed
    instance: Instance = {}
    result: Result | None = None
    needs: tuple[str, ...] = ()
    least: Small | None = None
    found, how, stage = hunt.found, hunt.found_by, hunt.stage
    if found is None and hunt.outside.told:
        needs, first = hunt.outside.least()
        found, how, stage = first[:2], first.how, first.stage

    def allowed(made: Instance) -> bool:
        return {*hunt.scope.needs(made)} <= {*needs}

    if found is not None:
        seeds, told = FINAL_SEEDS, Small(*found, judge.seed + (not check))
        if shrink:
            seconds = max(5.0, hunt.budget / 2)  # not those of the search
            told, least = smallest(told, judge, hunt.scope, allowed, seconds)
        instance, result, seed = told
        needs = hunt.scope.needs(instance)
    elif hunt.pool.best:
        instance = hunt.pool.best[0].instance
        plain = Judge(statement, version, seeds, judge.seed, judge.deadline, clock=judge.clock)
        _, result = plain(instance)
    scope = hunt.scope
    nearest = scope.nearest(instance) if found is not None and scope.checks else ""
    undecided = hunt.undecided or (result if beyond(result) else None)
    return Finding(
        statement=statement.id,
        version=version,
        refuted=found is not None and not needs,
        smaller=None
        if least is None
        else Smaller(
            copied(least.instance), least.result, least.seed, written(statement, least.instance)
        ),
        instance=copied(instance),  # what is made of the search's own parts is not the caller's
        result=result,
        seeds=seeds,
        seed=seed,
        tried=judge.evaluations,
        inside=judge.inside,
        invalid=judge.invalid,
        stage=stage,
        seconds=round(judge.clock() - hunt.began, 1),
        refusal=judge.refusal,
        known=bool(check),
        how=how,
        check=check,
        undecided=None if found is not None else undecided,
        exhausted=hunt.exhausted,
        needs=needs,
        nearest=nearest,
        began=written(statement, scope.checks[nearest]) if nearest else {},
        written=written(statement, instance) if nearest else {},
        also=tuple(" and ".join(each) for each in hunt.outside.told if {*each} != {*needs}),
    )
