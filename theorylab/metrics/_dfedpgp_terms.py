"""A round of Algorithm 1 of dfedpgp, and what rounding can do to the numbers made of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.algorithms import LocalStep, State
from theorylab.known import UNIT, Known
from theorylab.metrics._dfedsgpsm_terms import Floats as Floats
from theorylab.metrics._dfedsgpsm_terms import squares as squares
from theorylab.problems import Problem, joined
from theorylab.runs import Setting
from theorylab.runs.rounding import farthest, gradient_off, run_off, walk_off

STEPS = ("eta_u", "eta_v", "steps_u", "steps_v")
PLAIN = {"momentum": 0.0, "weight_decay": 0.0, "rho": 0.0, "decay": 1.0}
BENDS = ("dfedpgp_L_u", "dfedpgp_L_v", "dfedpgp_L_uv", "dfedpgp_L_vu")


def steps_of(metric: str, setting: Setting) -> dict[str, Any]:
    """The options of Algorithm 1 as printed; ValueError, one line, on others."""
    options: dict[str, Any] = {**PLAIN, **setting.algorithm.options()}
    for name in STEPS:
        if name not in options or not isinstance(options[name], int | float):
            raise ValueError(
                f"metric {metric}: {name} of {setting.algorithm.name} is {options.get(name)!r}; "
                "need one number"
            )
    for name, value in PLAIN.items():
        if options[name] != value:
            raise ValueError(
                f"metric {metric}: {name} is {options[name]!r}; need {value:g}, for Algorithm 1 "
                "prints none"
            )
    return options


def run_rooms(setting: Setting, before: State, after: State) -> tuple[Any, Any]:
    """How far rounding puts (a gradient, a model) off in norm, at the start of round t; of several
    rounds as ``run_off``."""
    assert before.v is not None
    assert after.v is not None
    mean = np.broadcast_to(before.x.mean(axis=1, keepdims=True), before.x.shape)
    # of every u with every v: no coordinate of such a point is farther out
    point = joined(farthest((before.x, before.z, mean)), farthest((before.v, after.v)))
    steps = int(sum(getattr(setting.algorithm, name) for name in ("steps_u", "steps_v")))
    return run_off(setting.problem, [point], before.t, steps)


@dataclass(frozen=True)
class Played:
    """One round of R runs.

    u, w, z: before it. vs[k], us[k]: the local iterates, k = 0 .. K. gv[k], gu[k]: the stochastic
    gradients of the steps; at_v[k], at_u[k]: the points (z, v) where they are taken. after:
    u^{t+1}.
    """

    t: int
    u: Floats
    w: Floats
    z: Floats
    vs: list[Floats]
    us: list[Floats]
    gv: list[Floats]
    gu: list[Floats]
    at_v: list[Floats]
    at_u: list[Floats]
    after: Floats

    @staticmethod
    def of(before: State, steps: Sequence[LocalStep], after: State) -> Played:
        assert before.v is not None
        heads, bodies = ([step for step in steps if step.part == part] for part in "vu")
        return Played(
            before.t,
            before.x,
            before.w,
            before.z,
            [before.v, *(step.after for step in heads)],
            [before.x, *(step.after for step in bodies)],
            [step.used for step in heads],
            [step.used for step in bodies],
            [step.point for step in heads],
            [step.point for step in bodies],
            after.x,
        )

    @property
    def mean(self) -> Floats:
        """ubar, (R, 1, d_u)."""
        return np.asarray(self.u.mean(axis=1, keepdims=True))


def common(problem: Problem, u: Floats, v: Floats | None) -> Floats:
    """grad_u F(u, V) at one u (R, 1, d_u) for all clients, (R, d_u)."""
    return np.asarray(problem.gradient(joined(u, v))[..., : problem.shared].mean(axis=1))


def slopes_at_z(problem: Problem, p: Played) -> Floats:
    """||grad_u F(z_i^t, V^{t+1})||^2 of every client i, (R, n)."""
    each = range(problem.clients)
    own = [squares(common(problem, p.z[:, i : i + 1], p.vs[-1])) for i in each]
    return np.stack(own, axis=1)


def slopes(problem: Problem, points: Sequence[Floats], part: str) -> list[Floats]:
    """The part's gradients at these points."""
    own = slice(0, problem.shared) if part == "u" else slice(problem.shared, None)
    return [np.asarray(problem.gradient(x)[..., own]) for x in points]


@dataclass(frozen=True)
class Rooms:
    """How far rounding puts the vectors of a round off, in norm.

    eta: step sizes of "u" and "v". known: the constants ``BENDS``.
    """

    problem: Problem
    eta: Mapping[str, float]
    known: Mapping[str, Known]

    def walk(self, p: Played, part: str, grows: bool = True) -> Callable[[int], float]:
        """Of so many local steps, and of the gradients they are bound by.

        grows: not where a claim is about the gradients at the computed models.
        """
        models = p.vs if part == "v" else p.us
        size = max(float(np.linalg.norm(x, axis=2).max()) for x in models)
        L = self.known[f"dfedpgp_L_{part}"].value
        L = grows * (L / float(p.w.min()) if part == "u" else L)
        gradient = self.gradient(p)
        return functools.partial(walk_off, eta=self.eta[part], L=L, size=size, gradient=gradient)

    def gradient(self, p: Played) -> float:
        """Of a gradient at any point of the round; the other side of a lemma has as much, times
        the root of its factor, and is at most three times as far off.
        """
        u, v = (farthest(parts) for parts in ((p.z, *(x / p.w[..., None] for x in p.us)), p.vs))
        everyone = u.max(axis=1, keepdims=True)  # a client's u is tried at all clients' losses
        return 4 * float(gradient_off(self.problem, joined(everyone, v)).max())

    def mean(self, p: Played) -> float:
        """Of a gradient that is a mean over clients, too."""
        return self.gradient(p) + self.problem.clients * UNIT * self.size(p)

    def size(self, p: Played) -> float:
        """What gradients of the round are sums of: numbers of at most this size."""
        L = sum(self.known[name].value for name in BENDS)
        exact = slopes(self.problem, p.at_u, "u") + slopes(self.problem, p.at_v, "v")
        parts: Any = (*exact, L * p.z, L * p.vs[0], L * p.vs[-1])
        return max(float(np.abs(x).max()) for x in parts)
