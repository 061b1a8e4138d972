"""The stages of a search: sweeps, random changes, and more runs of what few runs left open."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from theorylab.falsify.check_moves import CheckMoves, JointMoves
from theorylab.falsify.direct_search import Ascents
from theorylab.falsify.instances import Instance
from theorylab.falsify.ladders import climbed, is_longer, ladders
from theorylab.falsify.moves import in_passes, leaps, moves, sweeps
from theorylab.falsify.neighbour_moves import NeighbourMoves
from theorylab.falsify.population import KEPT, structure
from theorylab.falsify.ranking import in_turns
from theorylab.falsify.score import beyond, kind_of, proven
from theorylab.falsify.search_state import SearchState
from theorylab.falsify.structural_moves import drawn_move
from theorylab.verdicts import Result

_LEAPS = 0.25  # share of the random changes that leap over whole scales
_STRUCTURAL, _SLIDING = 0.4, 0.55  # shares of the changes: structural, and, up to, ladders
_DEAR = 3.0  # times what the cheapest kind costs, from which on a parent is drawn more seldom
_STALE = 400  # random changes in a row that are all known, refused or outside: there are no others


class Stages:
    """The stages of one search. What one stage has begun the next one goes on with.

    ``undecided``: an instance whose many runs leave it open. ``exhausted``: no move was left before
    the time was over.
    """

    def __init__(self, state: SearchState) -> None:
        self.state = state
        self.neighbours = NeighbourMoves(state)
        self.checks = CheckMoves(state, self.neighbours)
        self.ascents, self.joint = Ascents(state), JointMoves(state)
        self.undecided: Result | None = None
        self.exhausted = False
        self._stale = 0

    def sweep(self, first: Sequence[Instance]) -> None:
        """Look at the starts; then move numbers of the nearest, in turns with all other moves."""
        state, kinds = self.state, set[str]()
        for instance in first:
            # The first of a kind imports what the kind needs, and no import may be cut short.
            state.judge.interrupts = kind_of(instance) in kinds
            kinds.add(kind_of(instance))
            state.how = "a check"
            state.look(instance)
            if not state.going():
                return
        state.judge.interrupts = True
        # The nearest starts first; the k-th nearest has its turn in every k-th pass.
        order = sorted(first, key=lambda each: -state.judge(each)[0])
        turns = in_passes([self._swept(each) for each in order if not state.is_frozen(each)])

        def numbers() -> bool:
            if (changed := next(turns, None)) is not None:
                state.look(changed)
            return changed is not None

        shares = {
            numbers: 1.0, self.checks.look: 3.0, self.neighbours.look: 3.0,
            self.ascents.look: 1.0, self.joint.look: 1.5,
        }  # fmt: skip
        in_turns(shares, state.going, state.judge.clock)

    def _swept(self, instance: Instance) -> Iterator[Instance]:
        for made in sweeps(instance, self.state.others):
            self.state.after(instance, "one number or part")
            yield made

    def change(self, draw: np.random.Generator) -> None:
        """Change instances of the population at random, in turns with all other moves."""

        def random() -> bool:
            return self._change_one(draw)

        shares = {
            random: 1.0, self.checks.look: 1.0, self.neighbours.look: 1.0,
            self.ascents.look: 0.7, self.joint.look: 0.7,
        }  # fmt: skip
        in_turns(shares, self.state.going, self.state.judge.clock)
        self.exhausted = self.state.going()

    def _change_one(self, draw: np.random.Generator) -> bool:
        """One random change; False where there are no others."""
        state = self.state
        if self._stale >= _STALE or (parent := self._parent(draw)) is None:
            return False
        state.after(parent, "random changes")
        kind, count = draw.random(), 1 + int(draw.integers(3))
        if kind < _STRUCTURAL:
            made = parent
            for _ in range(1 + int(draw.integers(2))):
                made = drawn_move(made, draw) or made
            if draw.random() < 0.5:
                made = _slid(made, draw) or leaps(made, draw, 1, state.others)
        elif kind < _SLIDING:
            made = _slid(parent, draw) or moves(parent, draw, count, state.others)
        else:
            change = leaps if draw.random() < _LEAPS else moves
            made = change(parent, draw, count, state.others)
        looked = state.look(made) > -math.inf and state.judge.fresh
        self._stale = 0 if looked else self._stale + 1
        return True

    def _parent(self, draw: np.random.Generator) -> Instance | None:
        """Drawn from the population; one that is dear to judge comes as much more seldom."""
        state = self.state
        cheap = min(state.costs.values(), default=0.0)
        for _ in range(2 * KEPT):
            parent = state.population.drawn(draw)
            if parent is None:
                return None
            dear = state.costs.get(structure(parent), 0.0)
            if not state.is_frozen(parent) and draw.random() * dear <= _DEAR * cheap:
                return parent
        best = (member.instance for member in state.population.best)
        return next((each for each in best if not state.is_frozen(each)), None)

    def doubt(self) -> None:
        """More runs of the sampled instances whose mean is beyond the bound, the farthest first."""
        state = self.state
        for _, instance in [*state.doubts]:
            if not state.going():
                return
            result = state.sure(instance, state.judge.seed)
            confirmed = state.confirmed(instance) if proven(result) else None
            if confirmed is not None:
                state.take(instance, confirmed, "more runs")
            elif result is not None and self.undecided is None and beyond(result):
                self.undecided = result


def _slid(instance: Instance, draw: np.random.Generator) -> Instance | None:
    """Some decades along one of its ladders."""
    names = ladders(instance)
    if not names:
        return None
    name = names[int(draw.integers(len(names)))]
    decades = float(draw.normal(scale=0.5 if is_longer(name) else 1.5))
    return climbed(name, instance, decades)
