"""Left-hand sides of DePRL's claims about a run; phi is ``State.x``, theta ``State.v``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import State
from theorylab.known import Known
from theorylab.metrics._base import Metric
from theorylab.metrics._dfedsgpsm_terms import squares
from theorylab.metrics._squares import Squares
from theorylab.problems import joined
from theorylab.runs import Row, Setting
from theorylab.runs.rounding import descent_off, run_off

Floats = NDArray[Any]
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


class Descent(HeadsAndShared, name="deprl.descent"):
    """f(phibar(k+1), theta(k+1)) - f(phibar(k), theta(k)), Eq. (12) (C1, C2_term, C3, C4, lag)."""

    plain = "F(bar(U), V) - F(bar(U0), V0)"

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


class Distance(HeadsAndShared, Squares, name="deprl.distance"):
    """(1/K) sum_{k<K} (1/N) sum_i ||phi_i(k) - phibar(k)||^2, the last term of ``Measure`` (T)."""

    plain: ClassVar[Any] = (("1 / {n}", "U0 - bar(U0)"),)

    value = "seen"

    def vectors(self, before: State, after: State) -> dict[str, Floats]:
        away = before.x - before.x.mean(axis=1, keepdims=True)
        return {"seen": away.reshape(len(away), -1) / math.sqrt(self.problem.clients)}

    def off(self, before: State, after: State) -> dict[str, Any]:
        return {"seen": 2 * self._run_off(before, after)[1]}

    def _run_off(self, before: State, after: State) -> tuple[Any, Any]:
        mean = before.x.mean(axis=1, keepdims=True)
        pairs = (mean, before.v), (mean, after.v), (before.x, before.v)
        return run_off(self.problem, [joined(*pair) for pair in pairs], before.t + 1, self.tau)


class Measure(Distance, name="deprl.measure"):
    """(1/K) sum_{k<K} M(k), M(k) of Eq. (10) as printed, at every K >= 1 (T)."""

    plain = (
        ("1", "body(bar(U0), V).mean(-2)"),
        ("{tau} * alpha / beta", "heads(bar(U0), V0).mean(-2)"),
        *Distance.plain,
    )

    each: ClassVar[bool] = False

    def vectors(self, before: State, after: State) -> dict[str, Floats]:
        problem, shared = self.problem, self.shared
        mean = before.x.mean(axis=1, keepdims=True)
        slope = problem.gradient(joined(mean, after.v))[..., :shared].mean(axis=1)
        heads = problem.gradient(joined(mean, before.v))[..., shared:]
        apart = super().vectors(before, after)["seen"]
        if self.each:
            weight = math.sqrt(self.ratio * self.kept / problem.clients)
            parts = (math.sqrt(2) * slope, weight * heads.reshape(len(mean), -1), self.L * apart)
        else:
            parts = (slope, math.sqrt(self.ratio * self.tau) * heads.mean(axis=1), apart)
        return {"seen": np.concatenate(parts, axis=1)}

    def off(self, before: State, after: State) -> dict[str, Any]:
        slope, model = self._run_off(before, after)
        # the weights of gradients, 2 and the number of head steps, are at most these
        gradients = math.sqrt(max(2.0, self.tau)) * slope * math.sqrt(1 + self.ratio)
        models = 2 * model * (self.L if self.each else 1.0)
        pairs = zip(np.atleast_1d(gradients), np.atleast_1d(models), strict=True)
        return {"seen": np.array([math.hypot(*pair) for pair in pairs])}


class MeasureEach(Measure, name="deprl.measure_each"):
    """The same with 2 ||grad_phi f||^2 + alpha m/beta (1/N) sum_i ||grad_theta F_i||^2 + L^2 times
    the distance, m the head steps that lead to theta(k+1).
    """

    plain = (
        ("2", "body(bar(U0), V).mean(-2)"),
        ("{kept} * alpha / beta / {n}", "heads(bar(U0), V0)"),
        ("L**2 / {n}", "U0 - bar(U0)"),
    )

    each = True


class Gradient(Distance, name="deprl.gradient"):
    """(1/K) sum_{k<K} ||grad_phi f(phibar(k), theta(k+1))||^2, ``Measure``'s first term (T)."""

    plain = (("1", "body(bar(U0), V).mean(-2)"),)

    def vectors(self, before: State, after: State) -> dict[str, Floats]:
        mean = before.x.mean(axis=1, keepdims=True)
        slopes = self.problem.gradient(joined(mean, after.v))[..., : self.shared]
        return {"seen": slopes.mean(axis=1)}

    def off(self, before: State, after: State) -> dict[str, Any]:
        return {"seen": self._run_off(before, after)[0]}
