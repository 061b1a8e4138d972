"""Search the instances of a statement for the largest measured side against the bound.

Three stages share the time: sweeps of every number over its scales, from every check of the
statement; random changes of the best instances, a few hundred of them kept; and scipy's ``direct``
over the logarithms of the best instance's real numbers. Instances whose left side is exact
(deterministic, exact moments, finite laws) decide at once, so they are looked at first.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import direct

from theorylab.falsify.moves import Instance, moves, numbers_in, replaced, sweeps
from theorylab.falsify.score import LARGEST, LONGEST, Judge, cost, proven
from theorylab.falsify.shrink import shrunk
from theorylab.statements import Statement
from theorylab.verdicts import Result

FINAL_SEEDS = 1024  # runs that confirm a counterexample found with fewer
_KEPT = 24  # parents of random changes
_SHARES = {"sweeps": 0.3, "changes": 0.75, "direct": 0.9}  # of the budget, at the end of each
_DIMENSIONS = 8  # real numbers that direct moves together


@dataclass(frozen=True)
class Finding:
    """result: of ``instance``, the one nearest to breaking the claim, or breaking it.

    refuted: VIOLATED, confirmed with ``seeds`` runs. tried, inside, invalid: instances judged,
    within the assumptions, and that were none. stage: where it was found.
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
    notes: tuple[str, ...] = field(default=())


def falsify(
    statement: Statement,
    version: str = "printed",
    *,
    budget: float = 60.0,
    seed: int = 0,
    seeds: int = 16,
    progress: Callable[[str, float, float], None] | None = None,
) -> Finding:
    """Search for ``budget`` seconds, and stop at the first counterexample that stands.

    Args:
        version: of the statement. seed: of the search and of all runs.
        seeds: most runs of a sampled instance while searching.
        progress: called with the stage, the share of the time used and the best score so far.

    Raises:
        ValueError: on an unknown version, a version without any check, or a budget <= 0.
    """
    if version not in statement.versions:
        known = ", ".join(statement.versions)
        raise ValueError(f"falsify: {statement.id} has no version {version!r}; need one of {known}")
    if not budget > 0:
        raise ValueError(f"falsify: budget is {budget}; need seconds > 0")
    began = time.monotonic()
    first = starts(statement, version)
    if not first:
        raise ValueError(f"falsify: {statement.id} has no check to start from; need at least one")
    judge = Judge(statement, version, seeds, seed, began + budget, patience=budget / 10)
    hunt = _Hunt(judge, began, budget, progress)
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
    return _finished(hunt, statement, version)


def starts(statement: Statement, version: str) -> list[Instance]:
    """The instances of all checks, each once, cut to a size that can be searched, cheapest first.

    Among equals this version's own come first.
    """
    order = [version, *(name for name in statement.versions if name != version)]
    found: dict[str, Instance] = {}
    for name in order:
        for check in statement.versions[name].checks:
            text = json.dumps(check.instance, sort_keys=True)
            found.setdefault(text, json.loads(text))
    return sorted((_cut(i) for i in found.values()), key=cost)


def _cut(instance: Instance) -> Instance:
    made = dict(instance)
    for key, most in (("rounds", LONGEST), ("clients", LARGEST)):
        if isinstance(made.get(key), int):
            made[key] = min(made[key], most)
    return made


class _Hunt:
    def __init__(
        self,
        judge: Judge,
        began: float,
        budget: float,
        progress: Callable[[str, float, float], None] | None,
    ) -> None:
        self.judge, self.began, self.budget, self.progress = judge, began, budget, progress
        self.pool: list[tuple[float, Instance, Result]] = []
        self.found: tuple[Instance, Result] | None = None
        self.stage = "sweeps"

    def used(self) -> float:
        return (time.monotonic() - self.began) / self.budget

    def going(self) -> bool:
        return self.found is None and self.used() < _SHARES[self.stage]

    def look(self, instance: Instance) -> float:
        score, result = self.judge(instance)
        if result is None or score == -math.inf:
            return score
        if proven(result) and self.found is None:
            confirmed = self._confirmed(instance)
            if confirmed is not None:
                self.found = (instance, confirmed)
        self.pool.append((score, instance, result))
        self.pool.sort(key=lambda item: -item[0])
        del self.pool[_KEPT:]
        if self.progress is not None:
            self.progress(self.stage, self.used(), self.pool[0][0])
        return score

    def _confirmed(self, instance: Instance) -> Result | None:
        """The result with many runs: a search looks often, so a sampled limit may have slipped."""
        judge = self.judge
        sure = Judge(judge.statement, judge.version, FINAL_SEEDS, judge.seed + 1, judge.deadline)
        _, result = sure(instance)
        return result if proven(result) else None

    def sweep(self, first: Sequence[Instance]) -> None:
        for instance in first:
            self.look(instance)
            if not self.going():
                return
        turns = [sweeps(instance) for instance in first]
        while turns and self.going():
            for turn in list(turns):
                changed = next(turn, None)
                if changed is None:
                    turns.remove(turn)
                    continue
                self.look(changed)
                if not self.going():
                    return

    def change(self, draw: np.random.Generator) -> None:
        while self.going() and self.pool:
            # Rank selection: the k-th best is picked with a weight that falls geometrically.
            rank = min(int(draw.geometric(0.15)) - 1, len(self.pool) - 1)
            self.look(moves(self.pool[rank][1], draw, count=1 + int(draw.integers(3))))

    def direct(self) -> None:
        if not self.pool or self.found is not None:
            return
        base = self.pool[0][1]
        paths = [
            (at, value)
            for at, value in numbers_in(base)
            if isinstance(value, float) and value > 0 and at[-1] != "seed"
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

        # scipy's own stopping rules do not know the clock: the callback ends it.
        def stop(_: Any) -> None:
            if not self.going():
                raise StopIteration

        try:
            direct(negative, [(-1.5, 1.5)] * len(paths), maxfun=4000, callback=stop)
        except StopIteration:
            return


def _finished(hunt: _Hunt, statement: Statement, version: str) -> Finding:
    judge, seeds = hunt.judge, hunt.judge.seeds
    instance: Instance = {}
    result: Result | None = None
    if hunt.found is not None:
        seeds = FINAL_SEEDS
        instance, result = hunt.found
        # Shrinking has its own time, half of the search's: a small example is the point.
        deadline = time.monotonic() + max(5.0, hunt.budget / 2)
        sure = Judge(statement, version, FINAL_SEEDS, judge.seed + 1, deadline)
        instance, result = shrunk(instance, result, sure)
    elif hunt.pool:
        _, instance, result = hunt.pool[0]
    return Finding(
        statement=statement.id,
        version=version,
        refuted=hunt.found is not None,
        instance=instance,
        result=result,
        seeds=seeds,
        seed=judge.seed + (hunt.found is not None),
        tried=judge.evaluations,
        inside=judge.inside,
        invalid=judge.invalid,
        stage=hunt.stage,
        seconds=round(time.monotonic() - hunt.began, 1),
    )
