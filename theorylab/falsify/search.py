"""Search the instances of a statement for the largest measured side against the bound.

A version's own checks are judged first. Then three stages share the time (``stages``):

- Sweeps take every number over its scales and every part over its choices. In turns with them come
  structural moves and ladders (``neighbour_moves``), the moves that belong to the checks
  (``check_moves``), and all numbers of the best instance of every kind at once (``direct_search``).
- Random changes of all these kinds take the place of the sweeps.
- Last come more runs of what a few runs left open.

An instance whose left side is exact (it is deterministic, or has exact moments or a finite law) is
decided at once, so such instances are looked at first.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import pkgutil
import time
from collections.abc import Callable

import numpy as np

from theorylab.algorithms import ALGORITHMS
from theorylab.experiments import EXPERIMENTS
from theorylab.falsify.checks import known_choices, refuted_by_check, starts
from theorylab.falsify.finding import Finding, Smaller
from theorylab.falsify.instances import Instance, copied
from theorylab.falsify.moves import Choices
from theorylab.falsify.scope import written
from theorylab.falsify.score import FINAL_SEEDS, Judge, beyond
from theorylab.falsify.screen import Measured
from theorylab.falsify.search_state import SearchState
from theorylab.falsify.shrinking import Small, smallest
from theorylab.falsify.stages import Stages
from theorylab.metrics import METRICS
from theorylab.problems import PROBLEMS
from theorylab.statements import EQUAL, SIDES, Statement, one_sided
from theorylab.topologies import TOPOLOGIES
from theorylab.verdicts import Result
from theorylab.verdicts.instance import sharing_problems

# Of these the functions that a search calls import more; networkx is no part of a base install.
_OTHERS = (
    *("networkx", "scipy.linalg", "scipy.optimize", "scipy.special", "scipy.sparse.csgraph"),
    "sympy.codegen.ast",
)
_ROOMS = ("topologies", "runs", "metrics", "constants", "verdicts", "falsify")
MOST_SECONDS = 366 * 86400


@functools.cache
def preload() -> None:
    """Import every member of every kind, the rooms that judge, and what they import late."""
    for name in _OTHERS:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for room in _ROOMS:
        package = importlib.import_module(f"theorylab.{room}")
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for members in (ALGORITHMS, EXPERIMENTS, METRICS, PROBLEMS, TOPOLOGIES):
        for name in members:
            members[name]


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
        statement: the claim.
        version: the name of one of its versions.
        budget: seconds of the processor.
        seed: of the search and of all runs.
        seeds: most runs of a sampled instance while searching.
        shrink: make a counterexample small; False: give the first one that stands.
        progress: called with the stage, the share of the time used and the best score so far.
        clock: of the seconds; alarms, which end one instance that takes too long, go by the
            processor's in any case, and by ``theorylab.falsify.time_limit`` they harm nothing.
        kept: measurements to use and to add to, by searches of versions that differ in the bound.
        known: judge the version's own checks first, before the clock starts; False: search only,
            as one would who knows of no counterexample.

    Of an equality each side has half of the seconds.

    Returns:
        The counterexample, or the instance that came nearest to one.

    Raises:
        ValueError: on an unknown version, a version without any check, a budget out of range, or a
            scope that names nothing of the claim or leaves out every check, and where nothing can
            move: every part is fixed, or the checks have constants that are numbers.

    >>> from theorylab.statements import BUILT_IN
    >>> finding = falsify(BUILT_IN["deprl.thm1"])
    >>> finding.refuted, finding.known  # one of its own checks refutes it
    (True, True)
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
    state = SearchState(judge, began, budget, others, progress)
    stages = Stages(state)
    if there is not None and not state.scope.needs(there[0]):
        state.found, state.stage = there[:2], "known"
        return _finished(stages, shrink, check=there[2])
    if known and (state.scope.fixed or all(map(state.is_frozen, first))):
        raise ValueError(f"falsify: {statement.id} [{version}]: nothing to move: {_why(state)}")
    in_order: tuple[tuple[str, Callable[[], None]], ...] = (
        ("sweeps", lambda: stages.sweep(first)),
        ("changes", lambda: stages.change(np.random.Generator(np.random.Philox(seed)))),
        ("doubts", stages.doubt),
    )
    with sharing_problems():
        for stage, run in in_order:
            state.stage = stage
            run()
            if state.found is not None:
                break
    return _finished(stages, shrink)


def _why(state: SearchState) -> str:
    if state.scope.fixed:
        return "its scope fixes every part; need one that is free"
    return (
        "constants that are numbers hold for their instance alone; need functions of the instance, "
        "as Version(constants=...) takes them"
    )


def _finished(stages: Stages, shrink: bool, check: str = "") -> Finding:
    """What the search found, made small, or the instance that came nearest."""
    state, judge, scope = stages.state, stages.state.judge, stages.state.scope
    statement, version, seeds, seed = judge.statement, judge.version, judge.seeds, judge.seed
    instance: Instance = {}
    result: Result | None = None
    needs: tuple[str, ...] = ()
    least: Small | None = None
    found, how, stage = state.found, state.found_by, state.stage
    if found is None and state.outside.told:
        needs, first = state.outside.least()
        found, how, stage = first[:2], first.how, first.stage

    def allowed(made: Instance) -> bool:
        return {*scope.needs(made)} <= {*needs}

    if found is not None:
        seeds, told = FINAL_SEEDS, Small(*found, judge.seed + (not check))
        if shrink:
            seconds = max(5.0, state.budget / 2)  # not those of the search
            told, least = smallest(told, judge, scope, allowed, seconds)
        instance, result, seed = told
        needs = scope.needs(instance)
    elif state.population.best:
        instance = state.population.best[0].instance
        plain = Judge(statement, version, seeds, judge.seed, judge.deadline, clock=judge.clock)
        _, result = plain(instance)
    nearest = scope.nearest(instance) if found is not None and scope.checks else ""
    undecided = stages.undecided or (result if beyond(result) else None)
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
        seconds=round(judge.clock() - state.began, 1),
        refusal=judge.refusal,
        known=bool(check),
        how=how,
        check=check,
        undecided=None if found is not None else undecided,
        exhausted=stages.exhausted,
        needs=needs,
        nearest=nearest,
        began=written(statement, scope.checks[nearest]) if nearest else {},
        written=written(statement, instance) if nearest else {},
        also=tuple(" and ".join(each) for each in state.outside.told if {*each} != {*needs}),
    )
