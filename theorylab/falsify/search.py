"""Search the instances of a statement for the largest measured side against the bound.

Three stages share the time: sweeps of every number over its scales and of every part over its
choices, from every check of the statement; random changes of the best instances; and scipy's
``direct`` (CMA-ES where the package ``cma`` is there) over the logarithms of the best instance's
real numbers. Instances whose left side is exact (deterministic, exact moments, finite laws) decide
at once, so they are looked at first.

A check is a point; what it leaves out matters as much. So an experiment's options are completed by
``describe``, a name is tried with all others that the experiment's own refusal lists, and a long
run is looked at cut short, too.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.falsify.moves import Choices, Instance, leaps, moves, numbers_in, replaced, sweeps
from theorylab.falsify.score import Judge, frozen, kind_of, proven
from theorylab.falsify.screen import Measured
from theorylab.falsify.shrink import shrunk
from theorylab.falsify.starts import known_choices, starts
from theorylab.statements import Statement
from theorylab.verdicts import Result

FINAL_SEEDS = 1024  # runs that confirm a counterexample found with fewer
_KEPT = 24  # parents of random changes
MOST_SECONDS = 366 * 86400
_SHARES = {"sweeps": 0.4, "changes": 0.85, "direct": 0.95}  # of the budget, at the end of each
_DIMENSIONS = 8  # real numbers that direct moves together
_LEAPS = 0.25  # share of the random changes that leap over whole scales
_WORTH_CMA = 6.0  # seconds left from which on CMA-ES is used: importing it takes two


@dataclass(frozen=True)
class Finding:
    """result: of ``instance``, the one nearest to breaking the claim, or breaking it.

    refuted: VIOLATED, confirmed with ``seeds`` runs. tried, inside, invalid: instances judged,
    within the assumptions, and that were none. stage: where it was found. refusal: why the first
    that was none was none.
    """

    statement: str
    version: str
    refuted: bool
    instance: Instance
    result: Result | None
    seeds: int
    seed: int
    tried: int
    inside: int
    invalid: int
    stage: str
    seconds: float
    refusal: str = ""


def falsify(
    statement: Statement,
    version: str = "printed",
    *,
    budget: float = 60.0,
    seed: int = 0,
    seeds: int = 16,
    shrink: bool = True,
    progress: Callable[[str, float, float], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    kept: Measured | None = None,
) -> Finding:
    """Search for ``budget`` seconds, and stop at the first counterexample that stands.

    Args:
        version: of the statement. seed: of the search and of all runs.
        seeds: most runs of a sampled instance while searching.
        shrink: make a counterexample small; False: give the first one that stands.
        progress: called with the stage, the share of the time used and the best score so far.
        clock: of the seconds; ``time.process_time`` makes a search on a busy machine comparable.
        kept: measurements to use and to add to, by searches of versions that differ in the bound.

    Raises:
        ValueError: on an unknown version, a version without any check, or a budget out of range.
    """
    if version not in statement.versions:
        known = ", ".join(statement.versions)
        raise ValueError(f"falsify: {statement.id} has no version {version!r}; need one of {known}")
    if not 0 < budget <= MOST_SECONDS:
        raise ValueError(
            f"falsify: budget is {budget}; need seconds > 0, at most {MOST_SECONDS} (a year)"
        )
    began = clock()

    def begin() -> tuple[list[Instance], Choices]:
        instances = starts(statement, version)
        return instances, known_choices(statement, version, instances)

    first, others = begin() if kept is None else kept.begun(begin)
    if not first:
        raise ValueError(f"falsify: {statement.id} has no check to start from; need at least one")
    judge = Judge(
        statement, version, seeds, seed, began + budget, budget / 10, True, clock=clock, kept=kept
    )
    hunt = _Hunt(judge, began, budget, others, progress)
    stages: tuple[tuple[str, Callable[[], None]], ...] = (
        ("sweeps", lambda: hunt.sweep(first)),
        ("changes", lambda: hunt.change(np.random.Generator(np.random.Philox(seed)))),
        ("direct", hunt.direct),
    )
    for name, run in stages:
        hunt.stage = name
        run()
        if hunt.found is not None:
            break
    return _finished(hunt, statement, version, shrink)


class _Hunt:
    def __init__(
        self,
        judge: Judge,
        began: float,
        budget: float,
        others: Choices,
        progress: Callable[[str, float, float], None] | None,
    ) -> None:
        self.judge, self.began, self.budget, self.progress = judge, began, budget, progress
        self.others = others
        self.pool: list[tuple[float, Instance]] = []
        self.found: tuple[Instance, Result] | None = None
        self.stage = "sweeps"

    def used(self) -> float:
        return (self.judge.clock() - self.began) / self.budget

    def going(self) -> bool:
        return self.found is None and self.used() < _SHARES[self.stage]

    def look(self, instance: Instance) -> float:
        score, result = self.judge(instance)
        if score == -math.inf:
            return score
        if proven(result) and self.found is None:
            confirmed = self._confirmed(instance)
            if confirmed is not None:
                self.found = (instance, confirmed)
        self.pool.append((score, instance))
        self.pool.sort(key=lambda item: -item[0])
        del self.pool[_KEPT:]
        if self.progress is not None:
            self.progress(self.stage, self.used(), self.pool[0][0])
        return score

    def _frozen(self, instance: Instance) -> bool:
        return frozen(self.judge.statement, instance)

    def _parents(self) -> list[Instance]:
        """The instances that may be changed, the best first."""
        return [instance for _, instance in self.pool if not self._frozen(instance)]

    def _confirmed(self, instance: Instance) -> Result | None:
        """The result with many runs: a search looks often, so a sampled limit may have slipped."""
        judge = self.judge
        sure = Judge(
            judge.statement,
            judge.version,
            FINAL_SEEDS,
            judge.seed + 1,
            judge.deadline,
            clock=judge.clock,
        )
        _, result = sure(instance)
        return result if proven(result) else None

    def sweep(self, first: Sequence[Instance]) -> None:
        kinds: set[str] = set()
        for instance in first:
            # The first of a kind imports what the kind needs, and no import may be cut short.
            self.judge.interrupts = kind_of(instance) in kinds
            kinds.add(kind_of(instance))
            self.look(instance)
            if not self.going():
                return
        self.judge.interrupts = True
        # The nearest starts first; the k-th nearest has its turn in every k-th pass.
        order = sorted(first, key=lambda instance: -self.judge(instance)[0])
        free = [instance for instance in order if not self._frozen(instance)]
        turns = [(k, sweeps(instance, self.others)) for k, instance in enumerate(free, start=1)]
        for count in itertools.count(1):
            for k, turn in list(turns):
                changed = next(turn, None) if count % k == 0 else {}
                if changed is None:
                    turns.remove((k, turn))
                elif changed:
                    self.look(changed)
                if not self.going():
                    return
            if not turns:
                return

    def change(self, draw: np.random.Generator) -> None:
        while self.going() and (parents := self._parents()):
            # Rank selection: the k-th best is picked with a weight that falls geometrically.
            rank = min(int(draw.geometric(0.15)) - 1, len(parents) - 1)
            change = leaps if draw.random() < _LEAPS else moves
            self.look(change(parents[rank], draw, 1 + int(draw.integers(3)), self.others))

    def direct(self) -> None:
        parents = self._parents()
        if not parents or self.found is not None:
            return
        base = parents[0]
        paths = [
            (at, value)
            for at, value in numbers_in(base)
            if isinstance(value, float) and value > 0 and at[-1] != "seed" and at[0] != "constants"
        ][:_DIMENSIONS]
        if not paths:
            return

        def negative(logs: Any) -> float:
            made: Mapping[str, Any] = base
            for (at, value), log in zip(paths, logs, strict=True):
                made = replaced(made, at, value * 10.0 ** float(log))
            if not self.going():
                return 0.0
            return -max(self.look(dict(made)), -1e9)

        left = (_SHARES["direct"] - self.used()) * self.budget
        there = importlib.util.find_spec("cma") is not None
        if there and len(paths) > 1 and left > _WORTH_CMA:
            cma: Any = importlib.import_module("cma")
            options = {"bounds": [-3.0, 3.0], "verbose": -9, "seed": self.judge.seed + 1}
            walk = cma.CMAEvolutionStrategy([0.0] * len(paths), 0.3, options)
            while self.going() and not walk.stop():
                asked = walk.ask()
                walk.tell(asked, [negative(logs) for logs in asked])
            return

        # scipy's own stopping rules do not know the clock: the callback ends it.
        def stop(_: Any) -> None:
            if not self.going():
                raise StopIteration

        try:
            from scipy.optimize import direct  # slow to import

            direct(negative, [(-1.5, 1.5)] * len(paths), maxfun=4000, callback=stop)
        except StopIteration:
            return


def _finished(hunt: _Hunt, statement: Statement, version: str, shrink: bool) -> Finding:
    judge, seeds, seed = hunt.judge, hunt.judge.seeds, hunt.judge.seed
    instance: Instance = {}
    result: Result | None = None
    if hunt.found is not None:
        seeds, seed = FINAL_SEEDS, judge.seed + 1
        instance, result = hunt.found
        # Shrinking has its own time, half of the search's: a small example is the point.
        deadline = judge.clock() + max(5.0, hunt.budget / 2)
        sure = Judge(statement, version, FINAL_SEEDS, seed, deadline, clock=judge.clock)
        if shrink:
            instance, result = shrunk(instance, result, sure)
        one_is_enough = statement.quantity_of(statement.versions[version]).pathwise
        if result.runs > 1 and not one_is_enough and instance != hunt.found[0]:
            # The smallest of many that the same runs refute may owe it to them: runs of its own.
            deadline = judge.clock() + max(5.0, hunt.budget / 2)
            own = Judge(statement, version, FINAL_SEEDS, seed + 1, deadline, clock=judge.clock)
            _, again = own(instance)
            instance, result = (instance, again) if proven(again) else hunt.found
            seed += proven(again)
    elif hunt.pool:
        _, instance = hunt.pool[0]
        plain = Judge(statement, version, seeds, judge.seed, judge.deadline, clock=judge.clock)
        _, result = plain(instance)
    return Finding(
        statement=statement.id,
        version=version,
        refuted=hunt.found is not None,
        instance=instance,
        result=result,
        seeds=seeds,
        seed=seed,
        tried=judge.evaluations,
        inside=judge.inside,
        invalid=judge.invalid,
        stage=hunt.stage,
        seconds=round(judge.clock() - hunt.began, 1),
        refusal=judge.refusal,
    )
