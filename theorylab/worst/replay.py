"""The worst functions themselves, from a solution, and the engine's run on them.

A Gram matrix gives points and gradients in as many dimensions as it has rank. Functions of the
class through them exist for any data (``interpolation``), so that what the engine measures on them
is attained up to the rounding of a run. Data that miss a condition of the start by the solver's
last digits are shrunk, f -> a^2 f(x/a), which keeps the class and takes a run to a times itself.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import UNSEEDED, Algorithm, State
from theorylab.runs import Rounds, Setting
from theorylab.topologies import Topology
from theorylab.worst.generation import Solved
from theorylab.worst.interpolation import Interpolant, Interpolated
from theorylab.worst.program import Program
from theorylab.worst.question import Question
from theorylab.worst.recorder import Measure

Floats = NDArray[np.float64]
Function = Callable[[Floats], tuple[float, Floats]]  # value and gradient at a point

RANK = 1e-9  # eigenvalues below this share of the largest are the solver's noise
_INSIDE = 1 - 1e-12  # rounding of a norm, which must not leave the class
_FLAT = 1e-6  # of the value: what is not known of f*
_STILL = 1e-13  # of the largest gradient: that at x*, which is 0 up to rounding
_EXCESS = 1 + 1e-9  # by which a shrunk run may miss a condition: the rounding of an interpolant


@dataclass(frozen=True)
class Replay:
    """value: the metric that the engine measured. problem, start: what it ran on, (n functions of
    ``dim`` coordinates), x^0 (d,). excess: by which factor it leaves the conditions of the start,
    at most 1 up to rounding."""

    value: float
    problem: Interpolated
    start: Floats
    excess: float

    def as_json(self) -> dict[str, Any]:
        """The functions' data, with the start and the measured value."""
        return {
            "measured": self.value,
            "dim": self.problem.dim,
            "start": self.start.tolist(),
            "functions": [f.as_json() for f in self.problem.functions],
        }


def replay(
    question: Question,
    program: Program,
    found: Solved,
    method: Algorithm,
    network: Topology,
    measure: Measure | None = None,
) -> Replay:
    """Run the registered method on functions through the data of a solution.

    Raises ArithmeticError, one line, where the run leaves the class, however the data are shrunk,
    or where the metric needs an f* that is known from below alone.
    """
    data, start, shared = _data(program, found)
    last: Replay | None = None
    for _ in range(3):
        last = _run(question, data, start, method, network, shared, measure)
        if last.excess <= _EXCESS:
            return last
        a = _INSIDE / last.excess
        start = a * start
        data = [(a * x, a * g, a * a * f) for x, g, f in data]
    assert last is not None
    raise ArithmeticError(f"the run leaves its class by {last.excess - 1:.1e}")


def _data(
    program: Program, found: Solved
) -> tuple[list[tuple[Floats, Floats, Floats]], Floats, int]:
    """Points, gradients and values of every client, and x^0, in coordinates; how many of these are
    shared."""
    f, theorem = found.solution.f, program.theorem
    assert not program.free
    halves = [_vectors(G) for G in found.solution.G]  # of the basis, one a row
    place = {k: c for c, k in enumerate(program.basis)}

    def vector(combination: Any) -> Floats:
        parts = [np.zeros(vectors.shape[1]) for vectors in halves]
        for k, v in program.row(combination).items():
            which = k % len(halves)
            parts[which] += float(v) * halves[which][place[k // len(halves)]]
        return np.concatenate(parts)

    def level(values: Any) -> float:
        return float(sum(v * f[program.columns["value", k]] for k, v in values.items()))

    data = []
    for i, used in enumerate(program.nodes):
        nodes = [theorem.nodes[i][a] for a in used]
        points, slopes = ([vector(node[k]) for node in nodes] for k in (0, 1))
        values = np.array([level(node[2]) for node in nodes])
        data.append((np.array(points), np.array(slopes), values))
    return data, vector(theorem.first), halves[0].shape[1]


def _vectors(G: Floats) -> Floats:
    """Vectors with the Gram matrix G (d, d), in as many coordinates as it has rank, at least 1."""
    sizes, axes = np.linalg.eigh(G)
    kept = sizes > RANK * max(sizes[-1], 1e-300)
    kept[-1] = True
    return np.asarray(axes[:, kept] * np.sqrt(np.maximum(sizes[kept], 0.0)))


def _run(
    question: Question,
    data: list[tuple[Floats, Floats, Floats]],
    start: Floats,
    method: Algorithm,
    network: Topology,
    shared: int | None = None,
    measure: Measure | None = None,
) -> Replay:
    kind = question.functions
    L = None if kind.L is None else float(kind.L)
    if L is None:  # x* is the first point: its plane is not below the others there, by rounding
        data = [(x, g, _raised(x, g, f, float(kind.mu))) for x, g, f in data]
    functions = [Interpolant(x, g, f, L, mu=float(kind.mu)) for x, g, f in data]
    if kind.convex and L is not None:  # a linear term for all takes x* to the origin
        s = np.mean([f.at(0 * start)[1] for f in functions], axis=0)
        moved = [(x, g - s, f - x @ s) for x, g, f in data]
        functions = [Interpolant(x, g, f, L, mu=float(kind.mu)) for x, g, f in moved]
    problem = Interpolated(functions, len(start))
    problem.shared = problem.dim if shared is None else shared
    state = method.init(np.repeat(start[None, None], network.clients, axis=1), problem)
    rounds = Rounds(problem, network, method, np.zeros(1, np.int64), UNSEEDED)
    states = [state]
    for _ in range(question.recursion.rounds):
        states.append(rounds.play(states[-1]))
    averages = [each.x[0].mean(axis=0) for each in states]
    lowest = problem.least
    origin = np.zeros((1, len(start)))
    if kind.convex:
        lowest = float(problem.mean_loss(origin)[0])
        slope = float(np.linalg.norm(problem.mean_gradient(origin)))
        largest = max(float(np.abs(g).max(initial=0)) for _, g, _ in data)
        if slope > _STILL * largest:
            raise ArithmeticError(f"x* has a gradient of {slope:.1e}: it is no minimiser")
    if measure is not None:
        value, looked = _by_metric(measure, problem, network, method, states)
    else:
        value = measured(question.metric, [f.at for f in functions], averages, lowest)
        looked = [problem.gradient(problem._spread(x))[0] for x in _looked(question, averages)]
    if kind.convex:  # at x*, too, a gradient is taken: B is met there
        problem.gradient(problem._spread(origin))
    most = {name: float(value) for name, value in question.start.items()}
    ratios = [0.0, *reached(most, [f.at for f in functions], start, lowest)]
    if kind.heterogeneity is not None:
        apart = float(kind.heterogeneity)
        ratios += [root_mean(each - each.mean(axis=0), apart) for each in looked]
    if not kind.convex and question.metric in ("gap", "gap-of-mean"):
        points = [f.lowest_point[None] for f in functions]
        above = min(float(problem.mean_loss(x)[0]) for x in points) - lowest
        if above > _FLAT * value:
            raise ArithmeticError(
                "f* of the interpolating functions is known from below alone, and the metric is "
                "f - f*"
            )
        value -= max(0.0, above)
    if kind.B is not None:
        ratios.append(problem.largest_gradient / float(kind.B))
    return Replay(value, problem, start, max(ratios))


def _by_metric(
    measure: Measure,
    problem: Interpolated,
    network: Topology,
    method: Algorithm,
    states: list[State],
) -> tuple[float, list[Floats]]:
    """The registered metric of the run, and the shared gradients (n, d_u) of all clients at each
    common shared part where it, or the start, looks."""
    noting = _Noting(problem)
    start = np.zeros((problem.clients, problem.dim))
    noting.gradient(start[None])
    metric = measure(Setting(noting, network, method, {}, len(states) - 1, start))
    total = 0.0
    for before, after in itertools.pairwise(states):
        total += float((metric.vectors(before, after)[metric.value] ** 2).sum())
    return total / (len(states) - 1), noting.slopes


class _Noting(Interpolated):
    """The problem, which notes the shared gradients where all clients have one shared part."""

    def __init__(self, problem: Interpolated) -> None:
        super().__init__(problem.functions, problem.dim)
        self.shared = problem.shared
        self.slopes: list[Floats] = []

    def gradient(self, x: Any) -> Floats:
        slope, part = super().gradient(x), x[0, :, : self.shared]
        if (part == part[0]).all():
            self.slopes.append(slope[0, :, : self.shared])
        return slope


def _raised(x: Floats, g: Floats, f: Floats, mu: float) -> Floats:
    """Values (m,), of which the first, at the origin, is that of the largest plane there."""
    levels = f + (mu / 2 * x * x - g * x).sum(axis=1)
    return np.concatenate([[levels.max()], f[1:]])


def _looked(question: Question, averages: list[Floats]) -> list[Floats]:
    """The points (1, d) where the metric and the start look at f, or at its gradient."""
    T = question.recursion.rounds
    by = {"distance": [], "gap": averages[T:], "gradient": averages[T:]}
    by["gap-of-mean"] = [np.mean(averages[:T], axis=0)]
    points = by.get(question.metric, averages[:T])
    return [x[None] for x in [*points, *(averages[:1] if "gap" in question.start else [])]]


def root_mean(slopes: Floats, most: float) -> float:
    """The root of the mean square of n vectors, over what it is at most; 0 where that is 0."""
    return math.sqrt(float((slopes**2).sum(axis=1).mean())) / most if most else 0.0


def reached(
    most: dict[str, float], functions: Sequence[Function], start: Floats, lowest: float
) -> list[float]:
    """By which factor a start and its functions reach each condition; x* is the origin."""
    ratios = []
    for name, size in most.items():
        if name == "distance":
            ratios.append(float(np.linalg.norm(start)) / size if size else 0.0)
        elif name == "gap":
            gap = float(np.mean([f(start)[0] for f in functions])) - lowest
            ratios.append(math.sqrt(max(0.0, gap / size)) if size else 0.0)
        else:
            ratios.append(root_mean(np.array([f(0 * start)[1] for f in functions]), size))
    return ratios


def measured(
    metric: str, functions: Sequence[Function], averages: list[Floats], lowest: float
) -> float:
    """The metric of a run with these means of the models, from values and gradients."""
    if metric == "distance":
        return float((averages[-1] ** 2).sum())
    if metric in ("gap", "gap-of-mean"):
        x = averages[-1] if metric == "gap" else np.mean(averages[:-1], axis=0)
        return float(np.mean([f(x)[0] for f in functions])) - lowest
    points = averages[-1:] if metric == "gradient" else averages[:-1]
    slopes = [np.mean([f(x)[1] for f in functions], axis=0) for x in points]
    squares = [float((slope**2).sum()) for slope in slopes]
    return min(squares) if metric == "least-gradient" else float(np.mean(squares))
