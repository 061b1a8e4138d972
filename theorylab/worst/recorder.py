"""What a linear method does, told by its own ``step``: every query as a row of rationals.

The step is played once on a problem whose k-th gradient is the k-th unit vector, from x^0 = e_0, in
exact numbers: every point that a client is asked about is its row of coefficients. The engine then
runs the same step in floats on random gradients of several sizes, and the rows have to tell what it
asks there; where they do not, the step is not linear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.algorithms import UNSEEDED, Algorithm, Audits, Context, Link, State, play
from theorylab.problems import Problem
from theorylab.runs import Rounds, algorithm_draws
from theorylab.topologies import Topology
from theorylab.worst.rationals import Mixing, NotExactError, Number, numbers, stochastic, written

Row = dict[int, Fraction]  # coefficients of gradients, by the number of the query

MOST = 400  # queries of a recording
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


class TooLargeError(ValueError):
    """There are more queries than a worst case is computed for; the line has both numbers."""


@dataclass(frozen=True)
class Recursion:
    """A linear method on a network for T rounds, from a common x^0.

    queries: (client, row), in order: the client is asked for a gradient at x^0 + row.
    averages: the rows of xbar^0, ..., xbar^T, the means of the models.
    weights: push-sum weights (n,) at rounds 0, ..., T. P: the matrix of every round.
    """

    clients: int
    queries: tuple[tuple[int, Row], ...]
    averages: tuple[Row, ...]
    weights: tuple[tuple[Fraction, ...], ...]
    P: tuple[list[list[Fraction]], ...]

    @property
    def rounds(self) -> int:
        """T."""
        return len(self.averages) - 1


def record(
    method: Algorithm,
    network: Topology,
    rounds: int,
    fractions: Mapping[float, Fraction] | None = None,
) -> Recursion:
    """The recursion of ``method`` over the first ``rounds`` rounds of ``network``.

    Step sizes are the decimals that they print; ``fractions`` has the rationals of floats that were
    written as p/q.

    Raises:
        NotLinearError: one line that names the query where the step is not linear, or depends on
            where the origin is, or what it does that exact numbers cannot.
        TooLargeError: where there are more than ``MOST`` queries.
        ValueError: where the method draws, or the network's matrices are not stochastic rationals.
    """
    if algorithm_draws(method):
        raise ValueError(f"{method.name} draws by itself; need a method whose runs are not random")
    if network.networks:
        raise ValueError(f"{network.name} is several networks; need one")
    if network.period is None:
        raise ValueError(f"{network.name} is drawn anew every round; need a periodic network")
    if rounds < 1:
        raise ValueError(f"rounds is {rounds}; need at least 1")
    with written(fractions or {}):
        P = tuple(stochastic(network.matrix(t)) for t in range(rounds))
        asked = len(_played(method, P, 1).queries)
        if asked > MOST:
            raise TooLargeError(f"{method.name} asks {asked} gradients in {rounds} rounds")
        unit = _played(method, P, 1 + asked)
    queries = tuple(
        (i, _row(point, f"{method.name}: query {k}")) for k, (i, point) in enumerate(unit.queries)
    )
    averages = tuple(
        _row(x.sum(axis=0) / network.clients, f"{method.name}: the mean model after round {t}")
        for t, x in enumerate(unit.models)
    )
    made = Recursion(network.clients, queries, averages, tuple(unit.weights), P)
    _check(method, network, made)
    return made


class _Unit(Problem):
    """Its k-th gradient is the k-th unit vector, after e_0 of the start; it notes where."""

    name = "unit-gradients"

    def __init__(self, clients: int, dim: int) -> None:
        super().__init__(clients, dim, False)
        self.queries: list[tuple[int, Any]] = []
        self.models: list[Any] = []
        self.weights: list[tuple[Fraction, ...]] = []

    def loss(self, x: Any) -> Any:
        raise NotLinearError("the step asks for a loss, which is no gradient")

    def gradient(self, x: Any) -> Any:
        made = np.empty(x.shape, dtype=object)
        made[...] = Number(0)
        for i in range(self.clients):
            self.queries.append((i, x[0, i]))
            if len(self.queries) > 4 * MOST:
                raise TooLargeError(f"the method asks more than {4 * MOST} gradients")
            if len(self.queries) < self.dim:
                made[0, i, len(self.queries)] = Number(1)
        return made

    def partial_gradient(self, x: Any, sample: Any, part: str) -> Any:
        raise NotLinearError("the step moves personal parts, which are not treated")


class _Silent(Audits):
    """Exact numbers need no audit, and their comparisons are no arrays."""

    def weights(self, t: int, w: Any) -> None: ...

    def sums(self, *arrays: Any) -> None: ...

    def ranges(self, *arrays: Any) -> None: ...


class _Exact(Context):
    """The surroundings of a step that is played on Numbers."""

    def mix(self, *arrays: Any, network: str | None = None) -> Any:
        made = tuple(self.link(network).mixing @ a for a in arrays)
        return made[0] if len(made) == 1 else made

    def link(self, network: str | None = None) -> Link:
        return Link(super().link(network).mixing, False, False)


class _Nothing:
    """Hands out no samples: nothing is random."""

    def sample(self, t: int, number: int, part: str) -> Any:
        return None

    def coins(self, t: int, number: int, coin: Any) -> Any:
        raise ValueError("the step tosses coins; need a method whose runs are not random")


def _played(method: Algorithm, P: Any, dim: int) -> _Unit:
    problem = _Unit(len(P[0]), dim)
    start = np.zeros((1, problem.clients, dim))
    start[..., 0] = 1.0
    try:
        state = _exact(method.init(start, problem))
        problem.models.append(state.x[0])
        problem.weights.append(tuple(v.q for v in state.w[0]))
        for t, now in enumerate(P):
            context = _Exact(
                problem, Mixing(now), UNSEEDED, np.zeros(1, np.int64),
                conserves=False, audits=_Silent(), samples=_Nothing(),
            )  # fmt: skip
            state = play(method, replace(state, t=t), context)
            problem.models.append(state.x[0])
            problem.weights.append(tuple(Number(v).q for v in state.w[0]))
    except (TypeError, AttributeError) as error:
        if not _of_numbers(error):
            raise
        raise NotLinearError(
            f"{method.name}: after query {len(problem.queries)} the step does with the gradients "
            "what is no arithmetic, such as a root or a norm"
        ) from None
    except ZeroDivisionError:
        raise NotLinearError(
            f"{method.name}: after query {len(problem.queries)} the step divides by a number that "
            "may be 0"
        ) from None
    return problem


def _of_numbers(error: Exception) -> bool:
    """Whether NumPy or a Number says that there is no such operation on exact numbers."""
    return isinstance(error, NotExactError) or "Number" in str(error) or "object" in str(error)


def _exact(state: State) -> State:
    memory = {name: numbers(a) for name, a in state.memory.items()}
    v = None if state.v is None else numbers(state.v)
    return replace(
        state, x=numbers(state.x), w=numbers(state.w), z=numbers(state.z), v=v, memory=memory
    )


def _row(point: Any, where: str) -> Row:
    """The row of a point, without its x^0, of which it has to have one share."""
    coefficients = [Number(v).q for v in point]
    if coefficients[0] != 1:
        raise NotLinearError(
            f"{where} is {coefficients[0]} x^0 + ..., so the method depends on where the "
            "origin is; need points whose share of x^0 is 1"
        )
    return {j: v for j, v in enumerate(coefficients[1:]) if v}


class _Random(Problem):
    """Its gradients are random vectors, whatever the point; it notes where it is asked."""

    name = "random-gradients"

    def __init__(self, clients: int, calls: int) -> None:
        super().__init__(clients, 2, False)
        draw, sizes = np.random.Generator(np.random.Philox(0)), np.array(_SIZES)
        self.sizes = np.concatenate([sizes, -sizes])[:, None, None]
        self.start = draw.standard_normal((1, 1, 2)) * abs(self.sizes)
        shape = (calls, len(self.sizes), clients, 2)
        self.gradients = draw.standard_normal(shape) * self.sizes
        self.asked: list[Any] = []

    def loss(self, x: Any) -> Any:
        return np.zeros(x.shape[:2])

    def gradient(self, x: Any) -> Any:
        self.asked.append(np.array(x))
        return np.array(self.gradients[min(len(self.asked), len(self.gradients)) - 1])


def _check(method: Algorithm, network: Topology, made: Recursion) -> None:
    """In floats, on random gradients of several sizes, the engine asks where the rows tell."""
    n, calls = made.clients, len(made.queries) // made.clients
    problem = _Random(n, max(calls, 1))
    runs = len(problem.sizes)
    state = method.init(np.repeat(problem.start, n, axis=1), problem)
    rounds = Rounds(problem, network, method, np.arange(runs), UNSEEDED, samples=_Nothing())
    models = [state.x]
    for _ in range(made.rounds):
        state = rounds.play(state)
        models.append(state.x)
    if len(problem.asked) != calls:
        raise NotLinearError(
            f"{method.name} asks {calls} times on unit gradients, {len(problem.asked)} on others"
        )
    flat = problem.gradients.transpose(0, 2, 1, 3).reshape(calls * n, runs, 2)
    told = [
        (f"query {k}", row, problem.asked[k // n][:, i]) for k, (i, row) in enumerate(made.queries)
    ]
    for t, row in enumerate(made.averages):
        told.append((f"the mean model after round {t}", row, models[t].mean(axis=1)))
    for where, row, point in told:
        terms = [np.abs(problem.start[:, 0])]
        total = problem.start[:, 0].copy()
        for k, c in row.items():
            total += float(c) * flat[k]
            terms.append(abs(float(c)) * np.abs(flat[k]))
        if not (np.abs(total - point) <= _ROOM * np.sum(terms, axis=0)).all():
            raise NotLinearError(
                f"{method.name} is not linear: {where} is no fixed combination of gradients"
            )
