"""Whether a recorded recursion is the method: the engine runs it on random gradients, in floats."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.algorithms import UNSEEDED, Algorithm
from theorylab.problems import Domain, Problem
from theorylab.runs import Rounds
from theorylab.topologies import Topology

Row = dict[int, Fraction]  # coefficients of gradients, by the number of the query
Square = tuple[Fraction, Row]  # a weight, and the row whose square it multiplies

_SIZES = (
    1.0,
    2.0**-20,
    2.0**-6,
    2.0**6,
    2.0**20,
)  # of random gradients; a step may clip, or window
_ROOM = 1e-9  # of the largest term of a row: what rounding does to a few thousand sums


class NotLinearError(ValueError):
    """The queries are no fixed linear combinations of gradients; the line names the first."""


@dataclass(frozen=True)
class Recursion:
    """A linear method on a network for T rounds, from a common x^0.

    queries: (client, row), in order: the client is asked for a gradient at x^0 + row. An entry
        (-1 - k, {0: rho}) is SAM's ascent rho g / |g| along g, the gradient of entry k.
    averages: the rows of xbar^0, ..., xbar^T, the means of the models.
    weights: push-sum weights (n,) at rounds 0, ..., T. P: the matrix of every round.
    personal: whether entries 2k and 2k + 1 of a row are the halves of gradient k.
    squares: a left side that is the sum of weight |row|^2. places: numbers of queries from which on
        all clients are asked, in order, at one point (personal parts apart).
    fresh: whether the method asks for every gradient with a sample that no other one has.
    """

    clients: int
    queries: tuple[tuple[int, Row], ...]
    averages: tuple[Row, ...]
    weights: tuple[tuple[Fraction, ...], ...]
    P: tuple[list[list[Fraction]], ...]
    personal: bool = False
    squares: tuple[Square, ...] = ()
    places: tuple[int, ...] = ()
    fresh: bool = False

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.averages) - 1


class Nothing:
    """Hands out no samples: nothing is random."""

    def sample(self, t: int, number: int, part: str) -> Any:
        return None

    def coins(self, t: int, number: int, coin: Any) -> Any:
        raise ValueError("the step tosses coins; need a method whose runs are not random")


class Named(Nothing):
    """Hands out the names of samples."""

    def sample(self, t: int, number: int, part: str) -> Any:
        return t, number


class Anywhere(Problem):
    """Stands for every loss over R^d: a step that asks for a set or a term, as net.project and
    net.prox do, is refused, for what it does with one is not what a recording without one has."""

    @property
    def domain(self) -> Domain | None:  # type: ignore[override]
        raise NotLinearError(
            "the step asks for the problem's set or term, and a worst case is over all of R^d; "
            "need a step without net.project and net.prox"
        )


class _Random(Problem):
    """Its gradients are random vectors, whatever the point; it notes where it is asked."""

    name = "random-gradients"

    def __init__(self, clients: int, calls: int, personal: bool) -> None:
        super().__init__(clients, 2 * (1 + personal), False)
        self.shared = 2
        draw, sizes = np.random.Generator(np.random.Philox(0)), np.array(_SIZES)
        self.sizes = np.concatenate([sizes, -sizes])[:, None, None]
        self.start = draw.standard_normal((1, 1, self.dim)) * abs(self.sizes)
        shape = (calls, len(self.sizes), clients, self.dim)
        self.gradients = draw.standard_normal(shape) * self.sizes
        self.asked: list[Any] = []

    def loss(self, x: Any) -> Any:
        return np.zeros(x.shape[:2])

    def gradient(self, x: Any) -> Any:
        self.asked.append(np.array(x))
        return np.array(self.gradients[min(len(self.asked), len(self.gradients)) - 1])


def checked(method: Algorithm, network: Topology, made: Recursion, calls: int) -> None:
    """On random gradients of several sizes the engine asks where the rows of the first ``calls``
    queries of every client tell.

    Raises NotLinearError: one line that names the first query that is elsewhere.
    """
    n, width = made.clients, 2 * (1 + made.personal)
    problem = _Random(n, max(calls, 1), made.personal)
    runs = len(problem.sizes)
    state = method.init(np.repeat(problem.start, n, axis=1), problem)
    rounds = Rounds(problem, network, method, np.arange(runs), UNSEEDED, samples=Nothing())
    models = [state.x]
    for _ in range(made.rounds):
        state = rounds.play(state)
        models.append(state.x)
    blocks = [i >= 0 for i, _ in made.queries[: calls * n : n]]
    asked = sum(blocks)
    if len(problem.asked) != asked:
        raise NotLinearError(
            f"{method.name} asks {asked} times on unit gradients, {len(problem.asked)} on others"
        )
    flat, told = np.zeros((calls * n, runs, width)), []
    for k, (i, row) in enumerate(made.queries[: calls * n]):
        call = sum(blocks[: k // n])
        if i < 0:
            for half in np.split(np.arange(width), 1 + made.personal):
                g = flat[-1 - i][:, half]
                flat[k][:, half] = float(row[0]) * g / np.linalg.norm(g, axis=-1, keepdims=True)
        else:
            flat[k] = problem.gradients[call][:, i]
            told.append((f"query {k}", row, problem.asked[call][:, i]))
    for t, row in enumerate(made.averages):
        told.append((f"the mean model after round {t}", row, models[t].mean(axis=1)))
    halves = 1 + made.personal
    for where, row, point in told:
        seen = slice(0, point.shape[-1])
        terms = [np.abs(problem.start[:, 0])]
        total = problem.start[:, 0].copy()
        for k, c in row.items():
            part = slice(2 * (k % halves), 2 * (k % halves) + 2)
            moved = float(c) * flat[k // halves][:, part]
            total[:, part] += moved
            terms.append(np.zeros_like(total))
            terms[-1][:, part] = np.abs(moved)
        room = _ROOM * np.sum(terms, axis=0)[:, seen]
        if not (np.abs(total[:, seen] - point) <= room).all():
            raise NotLinearError(
                f"{method.name} is not linear: {where} is no fixed combination of gradients"
            )
