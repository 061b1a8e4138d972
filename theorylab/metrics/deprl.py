"""Left-hand sides of DePRL's claims about a run; phi is ``State.x``, theta ``State.v``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from theorylab.algorithms import State
from theorylab.known import Known
from theorylab.metrics._base import Metric
from theorylab.metrics._dfedsgpsm_terms import squares
from theorylab.problems import joined
from theorylab.runs import Row, Setting
from theorylab.runs.rounding import descent_off, run_off, squared_room

PLAIN = {"steps_phi": 1, "momentum": 0.0, "decay": 1.0}


class HeadsAndShared(Metric):
    """Rounds of Algorithm 1 as printed, with one tau: heads first, then the representation."""

    numbers = ("deprl_L",)

    def __init__(self, setting: Setting, known: Mapping[str, Known]) -> None:
        super().__init__(setting, known)
        options: dict[str, Any] = {"tau": 0, "head": "", **PLAIN, **setting.algorithm.options()}
        if not isinstance(options["tau"], int) or options["tau"] < 1:
            raise ValueError(
                f"metric {self.name}: tau of {setting.algorithm.name} is {options['tau']!r}; need "
                "one number of steps"
            )
        for name, value in PLAIN.items():
            if options[name] != value:
                raise ValueError(f"metric {self.name}: {name} is {options[name]!r}; need {value:g}")
        self.problem, self.shared = setting.problem, setting.problem.shared
        self.L, self.tau = known["deprl_L"].value, options["tau"]
        self.kept = self.tau - (options["head"] == "printed")
        self.ratio = options["alpha"] / options["beta"]


class Descent(HeadsAndShared):
    """f(phibar(k+1), theta(k+1)) - f(phibar(k), theta(k)), Eq. (12) (C1, C2_term, C3, C4, lag)."""

    name = "deprl.descent"
    axis = "deprl_lag"

    def rows(self, before: State, after: State) -> Iterable[Row]:
        problem, L = self.problem, self.L
        assert before.v is not None
        assert after.v is not None
        mean, next_mean = (s.x.mean(axis=1, keepdims=True) for s in (before, after))
        old, new = joined(mean, before.v), joined(mean, after.v)
        later = joined(next_mean, after.v)
        moved, turned = next_mean - mean, after.v - before.v
        first = (problem.gradient(new)[..., : self.shared] * moved).sum(axis=2)
        third = (problem.gradient(old)[..., self.shared :] * turned).sum(axis=2)
        at = {
            "deprl_C1": first.mean(axis=1),
            "deprl_C2_term": L / 2 * squares(moved).sum(axis=1),
            "deprl_C3": third.mean(axis=1),
            "deprl_C4": L / 2 * squares(turned).mean(axis=1),
            "deprl_lag": before.t + 1.0,
        }
        room = float(descent_off(problem, (old, new, later), (moved, turned)).max())
        change = problem.loss(later).mean(axis=1) - problem.loss(old).mean(axis=1)
        yield Row(change, at, f"k={before.t}", rounding=room)


class Measure(HeadsAndShared):
    """(1/K) sum_{k<K} M(k), M(k) of Eq. (10) as printed, at every K >= 1 (T)."""

    name = "deprl.measure"
    axis = "T"
    each: ClassVar[bool] = False

    def start(self, state: State) -> None:
        self.total, self.room = np.zeros(len(state.x)), 0.0

    def rows(self, before: State, after: State) -> Iterable[Row]:
        yield from self.last(before)
        value, room = self._measure(before, after)
        self.total, self.room = self.total + value, self.room + room

    def last(self, state: State) -> Iterable[Row]:
        if K := state.t:
            at = {"T": float(K)}
            yield Row(self.total / K, at, f"K={K}", rounding=self.room / K)

    def _measure(self, before: State, after: State) -> tuple[Any, float]:
        """M of a round, and what rounding can do to it."""
        problem, shared = self.problem, self.shared
        assert before.v is not None
        assert after.v is not None
        mean = before.x.mean(axis=1, keepdims=True)
        old, new = joined(mean, before.v), joined(mean, after.v)
        G = problem.gradient(new)[..., :shared].mean(axis=1)
        H = problem.gradient(old)[..., shared:]
        distance = squares(before.x - mean).mean(axis=1)
        if self.each:
            G = np.sqrt(2) * G
            heads = self.kept * squares(H).mean(axis=1)
        else:
            heads = self.tau * squares(H.mean(axis=1))
        factor = self.L**2 if self.each else 1.0
        parts = (1.0, squares(G)), (self.ratio, heads), (factor, distance)
        points = (old, new, joined(before.x, before.v))
        slope, model = run_off(problem, points, before.t + 1, self.tau)
        # the weights of the squares of gradients, 2 and the number of head steps, are in theirs
        weigh = max(2.0, self.tau) ** 0.5 * slope
        room = sum(
            share * squared_room(float(part.max()), off)
            for (share, part), off in zip(parts, (weigh, weigh, 2 * model), strict=True)
        )
        return sum(share * part for share, part in parts), room


class MeasureEach(Measure):
    """The same with 2 ||grad_phi f||^2 + alpha m/beta (1/N) sum_i ||grad_theta F_i||^2 + L^2 times
    the distance, m the head steps that lead to theta(k+1).
    """

    name = "deprl.measure_each"
    each = True
