"""The state of a search: what is known so far, and how one more instance is looked at."""

from __future__ import annotations

import math
from collections.abc import Callable

from theorylab.falsify.assumption_limits import edges
from theorylab.falsify.instances import Instance
from theorylab.falsify.moves import Choices
from theorylab.falsify.population import Population, structure
from theorylab.falsify.repairs import repaired
from theorylab.falsify.scope import Breaking, Outside, Scope
from theorylab.falsify.score import FINAL_SEEDS, Judge, frozen, proven, text_of, tight_in
from theorylab.falsify.screen import OUTSIDE
from theorylab.verdicts import Result

# Of the budget, at the end of each stage.
SHARES = {"sweeps": 0.6, "changes": 0.9, "doubts": 0.97}
_REFUSED = 4  # a kind refused so often, and never judged, is only tried every so many times
_DOUBTS = 6  # sampled instances whose mean is beyond the bound


class SearchState:
    """What one search knows.

    ``found``: the instance that breaks the claim inside its scope, with its result; ``found_by``:
    the moves that lead from a check to it. ``doubts``: sampled instances whose mean is beyond the
    bound, with the score of the mean, the largest first. ``costs``: the seconds that a kind of
    instance takes. ``limits``: by the text of an instance, what it becomes at the limits of its
    assumptions.
    """

    def __init__(
        self,
        judge: Judge,
        began: float,
        budget: float,
        others: Choices,
        progress: Callable[[str, float, float], None] | None,
    ) -> None:
        self.judge, self.began, self.budget, self.progress = judge, began, budget, progress
        self.others, self.population = others, Population()
        self.scope = Scope(judge.statement, judge.version)
        self.outside = Outside(self.scope)
        self.found: tuple[Instance, Result] | None = None
        self.stage, self.how, self.found_by = "sweeps", "", ""
        self.doubts: list[tuple[float, Instance]] = []
        self.costs: dict[tuple[str, ...], float] = {}
        self.limits: dict[str, list[tuple[str, Instance]]] = {}
        self._refused: dict[tuple[str, ...], int] = {}  # how often a kind was; -1: it is none such
        self._moves: dict[str, str] = {}  # that led to each instance of the population
        self._before = ""  # the moves that led to the instance that is being changed

    def used(self) -> float:
        """The share of the budget that is used."""
        return (self.judge.clock() - self.began) / self.budget

    def going(self) -> bool:
        """Whether the stage goes on."""
        last = "doubts" if self.stage == "changes" and not self.doubts else self.stage
        return self.found is None and self.used() < SHARES[last]

    def is_frozen(self, instance: Instance) -> bool:
        """Whether nothing of the instance may move."""
        return frozen(self.judge.statement, instance)

    def after(self, instance: Instance, how: str) -> None:
        """Note that the next instances are made of this one, by the move ``how``."""
        self._before, self.how = self._moves.get(text_of(instance), ""), how

    def look(self, instance: Instance, repeated: bool = False) -> float:
        """Judge an instance, keep what it shows, and give its score.

        An instance outside the assumptions is judged once more at the limit that brings it inside,
        and the larger score counts. In place of an instance that is refused the nearest one is
        judged that may not be. ``repeated``: the instance is itself such a limit.
        """
        if self.outside.knows(instance):
            return -math.inf
        began, kind = self.judge.clock(), structure(instance)
        refused = self._refused.get(kind, 0)
        if refused >= _REFUSED and refused % _REFUSED:
            self._refused[kind] += 1
            return -math.inf
        score, result = self.judge(instance)
        if self.judge.cut:
            return score
        if not self.judge.fresh:
            return score
        if score == -math.inf:
            other = next(repaired(instance, self.judge.refused), None)
            if other is not None:
                return self.look(other, repeated)
            if refused >= 0:
                self._refused[kind] = refused + 1
            return score
        self._refused[kind] = -1
        spent = self.judge.clock() - began
        if score > OUTSIDE:
            self.costs[kind] = (self.costs.get(kind, spent) + spent) / 2
        if self._breaks(instance, result):
            return -math.inf
        screen = self.judge.screen
        needs = "; ".join(self.scope.needs(instance))
        kept = self.population.add(score, instance, screen.tight or tight_in(result), needs)
        self._moves[text_of(instance)] = self._history()
        if self.progress is not None:
            self.progress(self.stage, self.used(), self.population.top)
        if repeated or self.is_frozen(instance):
            return score
        limits = edges(screen, instance)
        if score > OUTSIDE and kept:
            self.limits[text_of(instance)] = list(limits)
        first = None if score > OUTSIDE else next(limits, None)
        return score if first is None else max(score, self.look(first[1], repeated=True))

    def _breaks(self, instance: Instance, result: Result | None) -> bool:
        """Keep what breaks the claim, or may; whether it does so outside the claim's scope."""
        if proven(result) and self.found is None:
            confirmed = self.confirmed(instance)
            return confirmed is not None and self.take(instance, confirmed, self._history())
        if self.judge.screen.doubt > 0:
            self.doubts.append((self.judge.screen.doubt, instance))
            self.doubts.sort(key=lambda item: -item[0])
            del self.doubts[_DOUBTS:]
        return False

    def take(self, instance: Instance, result: Result, how: str) -> bool:
        """Keep an instance that breaks the claim; whether it lies outside the claim's scope."""
        found = self.outside.take(Breaking(instance, result, how, self.stage), self.confirmed)
        if found is not None:
            self.found, self.found_by = found[:2], how
            return False
        self.population.drop(self.outside.knows)
        self.doubts = [each for each in self.doubts if not self.outside.knows(each[1])]
        return True

    def _history(self) -> str:
        """The moves that lead from a check to the instance at hand."""
        if not self._before or self._before.endswith(self.how):
            return self._before or self.how
        return f"{self._before}, then {self.how}"

    def confirmed(self, instance: Instance) -> Result | None:
        """The result with many new runs, where it is VIOLATED: a search looks often, so that a
        sampled limit may have slipped."""
        result = self.sure(instance, self.judge.seed + 1)
        return result if proven(result) else None

    def sure(self, instance: Instance, seed: int) -> Result | None:
        """The result with many runs of this seed."""
        judge = self.judge
        told = (judge.statement, judge.version, FINAL_SEEDS, seed, judge.deadline)
        return Judge(*told, clock=judge.clock)(instance)[1]
