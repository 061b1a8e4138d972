"""What the lemmas of DFedAlt and DFedSalt compare, from the iterates of a round of Algorithm 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, LocalStep, State
from theorylab.known import UNIT
from theorylab.problems import Problem, exact_batches, joined
from theorylab.runs.rounding import descent_off, farthest, gradient_off, walk_off

Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]  # (u, v)
AS_PRINTED: dict[str, Any] = {"momentum": 0.0, "weight_decay": 0.0, "decay": 1.0, "sam": "body"}
_TOGETHER = 1 << 15  # coordinates of every client's u at everyone's loss
STEPS: dict[str, Any] = {"eta_u": int | float, "eta_v": int | float, "steps_u": int, "steps_v": int}


@dataclass(frozen=True)
class Played:
    """One round of R runs: ``us[k]`` = u^{t,k}, ``vs[k]`` = v^{t,k}, (R, n, .), and u^{t+1}."""

    t: int
    us: list[Floats]
    vs: list[Floats]
    after: Floats

    @staticmethod
    def of(before: State, steps: Sequence[LocalStep], after: State) -> Played:
        us = [before.x, *(step.after for step in steps if step.part == "u")]
        vs = [before.v, *(step.after for step in steps if step.part == "v")]
        return Played(before.t, us, vs, after.x)


def as_printed(where: str, algorithm: Algorithm) -> dict[str, Any]:
    """The options of ``algorithm``, rho 0 where it has none.

    Raises:
        ValueError: one line starting with ``where``, unless they are Algorithm 1's as printed, with
            one step size and one number of steps a part.
    """
    options = {"rho": 0.0, **AS_PRINTED, **algorithm.options()}
    for name, value in AS_PRINTED.items():
        if options[name] != value:
            raise ValueError(
                f"{where}: {name} is {options[name]!r}; need {value!r}, Algorithm 1 as printed"
            )
    for name, kind in STEPS.items():
        if not isinstance(options.get(name), kind):
            raise ValueError(f"{where}: {name} is {options.get(name)!r}; need one for all clients")
    return options


def average(u: Floats) -> Floats:
    """ubar, (R, 1, d_u)."""
    return np.asarray(u.mean(axis=1, keepdims=True))


def apart(u: Floats, w: Floats) -> Floats:
    """(1/m) sum_i ||u_i - w_i||^2, (R,); of u (K, R, n, d) one a step, (K, R)."""
    return np.asarray(((u - w) ** 2).sum(axis=-1).mean(axis=-1))


def spread(u: Floats) -> Floats:
    """(1/m) sum_i ||u_i - ubar||^2, (R,)."""
    return apart(u, average(u))


def shared_gradients(problem: Problem, u: Floats, v: Floats) -> Floats:
    """(1/m) sum_i ||grad_u F(u_i, V)||^2, each client's u at all clients' losses: (R,)."""
    runs, n = u.shape[:2]
    if exact_batches(problem) and u.size * n <= _TOGETHER:
        everyone = u.transpose(1, 0, 2).reshape(n * runs, 1, -1)  # client by client
        each = at_average(problem, everyone, np.tile(v, (n, 1, 1))).reshape(n, runs)
    else:
        each = np.array([at_average(problem, u[:, i : i + 1], v) for i in range(n)])
    total = np.zeros(runs)
    for one in each:
        total += one
    return np.asarray(total / n)


def slope(problem: Problem, u: Floats, v: Floats) -> Floats:
    """grad_u F(ubar, V), (R, d_u)."""
    g = problem.gradient(joined(average(u), v))[..., : problem.shared]
    return np.asarray(g.mean(axis=1))


def at_average(problem: Problem, u: Floats, v: Floats) -> Floats:
    """Delta_u = ||grad_u F(ubar, V)||^2, (R,)."""
    return np.asarray((slope(problem, u, v) ** 2).sum(axis=1))


def slopes_of_heads(problem: Problem, u: Floats, v: Floats) -> Floats:
    """grad_v F_i(u_i, v_i), (R, n, d_v)."""
    return np.asarray(problem.gradient(joined(u, v))[..., problem.shared :])


def heads(problem: Problem, u: Floats, v: Floats) -> Floats:
    """||grad_v F_i(u_i, v_i)||^2, (R, n)."""
    return np.asarray((slopes_of_heads(problem, u, v) ** 2).sum(axis=2))


@dataclass(frozen=True)
class Rounding:
    """What rounding can do to a round.

    where: what messages start with. options: eta_u, eta_v, steps_u, steps_v, rho. L: L_u and L_v,
    by the part.
    """

    where: str
    problem: Problem
    options: Mapping[str, Any]
    L: Mapping[str, float]

    def walk(self, part: str, steps: int, *models: Floats, gradient: float) -> float:
        """How far rounding can put a client's ``part``, in norm, after ``steps`` local steps: by
        ``walk_off``, and by a few units of the largest model for each mixing.

        gradient: ``gradient_off`` on the way. ValueError where that leaves float64.
        """
        eta, L = self.options[f"eta_{part}"], self.L[part]
        size = max(float(np.linalg.norm(farthest([model]).max(axis=(0, 1)))) for model in models)
        growth = steps * np.log1p(eta * L)
        if not growth < 600:
            raise ValueError(f"{self.where}: rounding may grow by e^{growth:g}; need smaller steps")
        mixed = 8 * (steps + 1) * (self.problem.clients + 4) * UNIT * size * float(np.exp(growth))
        return walk_off(steps, eta, L, size, gradient) + mixed

    def gradient(self, p: Played) -> float:
        """Of a gradient anywhere in the round, SAM's points and a client's u at another's loss
        included; the other side of a lemma has as much, times the root of its factor: thrice.
        """
        everyone = farthest(p.us).max(axis=1, keepdims=True) + self.options["rho"]
        return 4 * float(gradient_off(self.problem, joined(everyone, farthest(p.vs))).max())

    def local(self, p: Played) -> tuple[float, float]:
        """``walk`` of u and of v over the round."""
        gradient = self.gradient(p)
        return (
            self.walk("u", self.options["steps_u"], *p.us, p.after, gradient=gradient),
            self.walk("v", self.options["steps_v"], *p.vs, gradient=gradient),
        )

    def change(self, before: Pair, after: Pair, off_u: float, off_v: float) -> tuple[Floats, float]:
        """(F(ubar', V') - F(ubar, V) of each run, its rounding error) of (u, V) before and after.

        off_u, off_v: what rounding can do to u and v.
        """
        problem = self.problem
        points = [joined(average(u), v) for u, v in (after, before)]
        new, old = (problem.loss(point).mean(axis=1) for point in points)
        room = float(descent_off(problem, points, ()).max())
        own = {"u": slice(0, problem.shared), "v": slice(problem.shared, None)}
        for part, off in (("u", off_u), ("v", off_v)):
            slope = max(float(np.abs(problem.gradient(x)[..., own[part]]).max()) for x in points)
            room += problem.dim * off * (slope + self.L[part] * off)
        return new - old, room
