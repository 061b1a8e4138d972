"""The stages of a search: what is looked at next, and what is kept."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from theorylab.falsify.ascent import Ascents
from theorylab.falsify.boundary import edges as edges_of
from theorylab.falsify.climb import climb
from theorylab.falsify.mended import mended
from theorylab.falsify.moves import Choices, Instance, in_passes, leaps, moves, sweeps, worded
from theorylab.falsify.origins import Origins
from theorylab.falsify.outside import Outside, Told
from theorylab.falsify.pool import KEPT, Member, Pool, structure, words_of
from theorylab.falsify.products import climbed, is_longer, ladders
from theorylab.falsify.ranking import Ranking, gained, in_turns
from theorylab.falsify.scope import Scope
from theorylab.falsify.score import Judge, beyond, frozen, kind_of, proven, text_of, tight_in
from theorylab.falsify.screen import OUTSIDE
from theorylab.falsify.structure import drawn_move, structural
from theorylab.falsify.together import Together
from theorylab.verdicts import Result

FINAL_SEEDS = 1024  # runs that confirm a counterexample found with fewer
# Of the budget, at the end of each stage.
SHARES = {"sweeps": 0.6, "changes": 0.9, "doubts": 0.97}
_LEAPS = 0.25  # share of the random changes that leap over whole scales
_STRUCTURAL, _SLIDING = 0.4, 0.55  # shares of the changes: structural, and, up to, ladders
_DEAR = 3.0  # times what the cheapest kind costs, from which on a parent is drawn more seldom
_REFUSED = 4  # a kind refused so often, and never judged, is only tried every so many times
_LEAST = 0.02  # seconds that an instance counts as having had before its first move
_STALE = 400  # random changes in a row that are all known, refused or outside: there are no others
_DOUBTS = 6  # sampled instances whose mean is beyond the bound


class Hunt:
    """A search in progress. ``found``: the instance that stands, with its result; ``found_by``:
    what made it, beginning with what made the instance that it was made from."""

    def __init__(
        self,
        judge: Judge,
        began: float,
        budget: float,
        others: Choices,
        progress: Callable[[str, float, float], None] | None,
    ) -> None:
        self.judge, self.began, self.budget, self.progress = judge, began, budget, progress
        self.others, self.pool = others, Pool()
        self.scope = Scope(judge.statement, judge.version)
        self.outside = Outside(self.scope)
        self.found: tuple[Instance, Result] | None = None
        self.stage, self.how, self.found_by = "sweeps", "", ""
        self.doubts: list[tuple[float, Instance]] = []
        self.undecided: Result | None = None
        self.stale, self.exhausted = 0, False
        self.ranking = Ranking()
        # One step each; False where all are made.
        self.ascend: Callable[[], bool] = functools.partial(Ascents().look, self)
        self.begin: Callable[[], bool] = functools.partial(Origins().look, self)
        self.joint: Callable[[], bool] = functools.partial(Together().look, self)
        self._turns: dict[str, Iterator[None]] = {}
        self._begun: dict[str, float] = {}
        self._cost: dict[tuple[str, ...], float] = {}  # seconds that a kind of instance takes
        self._refused: dict[tuple[str, ...], int] = {}  # how often a kind was; -1: it is none such
        self._done: set[str] = set()
        self._made: dict[str, str] = {}  # what made each instance that the pool took
        self._from = ""  # what made the instance that is being changed
        self._edges: dict[str, list[tuple[str, Instance]]] = {}

    def used(self) -> float:
        return (self.judge.clock() - self.began) / self.budget

    def going(self) -> bool:
        last = "doubts" if self.stage == "changes" and not self.doubts else self.stage
        return self.found is None and self.used() < SHARES[last]

    def look(self, instance: Instance, inside: bool = False) -> float:
        """The score of an instance; of one outside, that of the instance brought inside by smaller
        steps, where that is what it takes. ``inside``: it was brought inside already."""
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
        if not self.judge.fresh or score == -math.inf:
            if self.judge.fresh:
                other = next(mended(instance, self.judge.refused), None)
                if other is not None:
                    return self.look(other, inside)
            if self.judge.fresh and refused >= 0:
                self._refused[kind] = refused + 1
            return score
        self._refused[kind] = -1
        spent = self.judge.clock() - began
        if score > OUTSIDE:
            self._cost[kind] = (self._cost.get(kind, spent) + spent) / 2
        screen = self.judge.screen
        if proven(result) and self.found is None:
            confirmed = self._confirmed(instance)
            if confirmed is not None and self.take(instance, confirmed, self._told()):
                return -math.inf
        elif screen.doubt > 0:
            self.doubts.append((screen.doubt, instance))
            self.doubts.sort(key=lambda item: -item[0])
            del self.doubts[_DOUBTS:]
        needs = "; ".join(self.scope.needs(instance))
        kept = self.pool.add(score, instance, screen.tight or tight_in(result), needs)
        self._made[text_of(instance)] = self._told()
        if self.progress is not None:
            self.progress(self.stage, self.used(), self.pool.top)
        if inside or self.is_frozen(instance):
            return score
        edges = edges_of(screen, instance)
        if score > OUTSIDE and kept:
            self._edges[text_of(instance)] = list(edges)
        first = None if score > OUTSIDE else next(edges, None)
        return score if first is None else max(score, self.look(first[1], inside=True))

    def take(self, instance: Instance, result: Result, how: str) -> bool:
        """Keep an instance that breaks the claim; whether it lies outside the claim's scope."""
        found = self.outside.take(Told(instance, result, how, self.stage), self._confirmed)
        if found is not None:
            self.found, self.found_by = found[:2], how
            return False
        self.pool.drop(self.outside.knows)
        self.doubts = [each for each in self.doubts if not self.outside.knows(each[1])]
        return True

    def _told(self) -> str:
        if not self._from or self._from.endswith(self.how):
            return self._from or self.how
        return f"{self._from}, then {self.how}"

    def after(self, instance: Instance, how: str) -> None:
        """From here on it is this instance that is changed, and in this way."""
        self._from, self.how = self._made.get(text_of(instance), ""), how

    def is_frozen(self, instance: Instance) -> bool:
        return frozen(self.judge.statement, instance)

    def _confirmed(self, instance: Instance) -> Result | None:
        """The result with many runs: a search looks often, so a sampled limit may have slipped."""
        result = self._sure(instance, self.judge.seed + 1)
        return result if proven(result) else None

    def _sure(self, instance: Instance, seed: int) -> Result | None:
        judge = self.judge
        told = (judge.statement, judge.version, FINAL_SEEDS, seed, judge.deadline)
        return Judge(*told, clock=judge.clock)(instance)[1]

    def sweep(self, first: Sequence[Instance]) -> None:
        """The starts; then numbers of the nearest ones, and structural moves, in turns."""
        kinds: set[str] = set()
        for instance in first:
            # The first of a kind imports what the kind needs, and no import may be cut short.
            self.judge.interrupts = kind_of(instance) in kinds
            kinds.add(kind_of(instance))
            self.how = "a check"
            self.look(instance)
            if not self.going():
                return
        self.judge.interrupts = True
        # The nearest starts first; the k-th nearest has its turn in every k-th pass.
        order = sorted(first, key=lambda each: -self.judge(each)[0])
        turns = in_passes([self._swept(each) for each in order if not self.is_frozen(each)])

        def numbers() -> bool:
            if (changed := next(turns, None)) is not None:
                self.look(changed)
            return changed is not None

        own = {numbers: 1.0, self.begin: 3.0, self.advance: 3.0, self.ascend: 1.0, self.joint: 1.5}
        in_turns(own, self.going, self.judge.clock)

    def _swept(self, instance: Instance) -> Iterator[Instance]:
        for made in sweeps(instance, self.others):
            self.after(instance, "one number or part")
            yield made

    def advance(self) -> bool:
        """One structural move, or one ladder, from the instance whose turn it is; False where all
        instances of the pool have had all. The k-th best has its turn when the best has had k
        times as long: what is dear to judge waits."""
        waiting = [
            (self._begun.get(key, _LEAST) * rank, rank, key, member)
            for rank, member in enumerate(self.pool.ranked(), start=1)
            if (key := text_of(member.instance)) not in self._done
            and not self.is_frozen(member.instance)
        ]
        if not waiting:
            return False
        *_, key, member = min(waiting, key=lambda each: each[:2])
        if key not in self._turns:
            self._turns[key] = self._moved(member)
        began = self.judge.clock()
        if next(self._turns[key], self) is self:
            self._done.add(key)
            del self._turns[key]
        self._begun[key] = self._begun.get(key, _LEAST) + self.judge.clock() - began
        return True

    def _moved(self, member: Member) -> Iterator[None]:
        """Boundaries, ladders and structural moves, those first that moved most elsewhere."""
        instance, score = member.instance, member.score
        words = words_of(instance)  # what a move brings depends on them, as on a batch a round
        for label, made in self._edges.pop(text_of(instance), ()):
            self.after(instance, label)
            self.attempt((label, words), score, functools.partial(self.look, made))
            yield
        made_of = self.neighbours(instance).items()
        waiting = {label: functools.partial(self.look, made) for label, made in made_of}
        for name in ladders(instance):
            for sign in (1, -1):
                ends = functools.partial(climb, self, name, sign, instance, score)
                waiting[f"ladder: {name} {sign:+d}"] = ends
        while waiting:
            label = self.ranking.next(waiting, words, member.cell)
            self.after(instance, label)
            self.attempt((label, words), score, waiting.pop(label))
            yield

    def neighbours(self, instance: Instance) -> dict[str, Instance]:
        """What one structural move, or another word, makes of it."""
        return dict((*structural(instance), *worded(instance, self.others)))

    def attempt(self, move: tuple[str, str], score: float, made: Callable[[], float]) -> None:
        began, top = self.judge.clock(), self.pool.top
        reached = made()
        self.ranking.put(move, gained(score, reached, top), self.judge.clock() - began)

    def change(self, draw: np.random.Generator) -> None:
        """Random changes of what the pool holds, in turns with what ``advance`` makes of it."""

        def random() -> bool:
            if self.stale >= _STALE or (parent := self._parent(draw)) is None:
                return False
            self.after(parent, "random changes")
            kind, count = draw.random(), 1 + int(draw.integers(3))
            if kind < _STRUCTURAL:
                made = parent
                for _ in range(1 + int(draw.integers(2))):
                    made = drawn_move(made, draw) or made
                if draw.random() < 0.5:
                    made = self._slid(made, draw) or leaps(made, draw, 1, self.others)
            elif kind < _SLIDING:
                made = self._slid(parent, draw) or moves(parent, draw, count, self.others)
            else:
                change = leaps if draw.random() < _LEAPS else moves
                made = change(parent, draw, count, self.others)
            looked = self.look(made) > -math.inf and self.judge.fresh
            self.stale = 0 if looked else self.stale + 1
            return True

        own = {random: 1.0, self.begin: 1.0, self.advance: 1.0, self.ascend: 0.7, self.joint: 0.7}
        in_turns(own, self.going, self.judge.clock)
        self.exhausted = self.going()

    def _parent(self, draw: np.random.Generator) -> Instance | None:
        """Drawn from the pool; one that is dear to judge comes as much more seldom."""
        cheap = min(self._cost.values(), default=0.0)
        for _ in range(2 * KEPT):
            parent = self.pool.drawn(draw)
            if parent is None:
                return None
            dear = self._cost.get(structure(parent), 0.0)
            if not self.is_frozen(parent) and draw.random() * dear <= _DEAR * cheap:
                return parent
        return next((m.instance for m in self.pool.best if not self.is_frozen(m.instance)), None)

    def _slid(self, instance: Instance, draw: np.random.Generator) -> Instance | None:
        names = ladders(instance)
        if not names:
            return None
        name = names[int(draw.integers(len(names)))]
        decades = float(draw.normal(scale=0.5 if is_longer(name) else 1.5))
        return climbed(name, instance, decades)

    def doubt(self) -> None:
        """More runs of the sampled instances whose mean is beyond the bound, the farthest first."""
        for _, instance in [*self.doubts]:
            if not self.going():
                return
            result = self._sure(instance, self.judge.seed)
            confirmed = self._confirmed(instance) if proven(result) else None
            if confirmed is not None:
                self.take(instance, confirmed, "more runs")
            elif result is not None and self.undecided is None and beyond(result):
                self.undecided = result
