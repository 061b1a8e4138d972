"""What a linear method does, told by its own ``step``: every query as a row of rationals.

The step is played once on a problem whose k-th gradient is the k-th unit vector, from x^0 = e_0, in
exact numbers: every point that a client is asked about is its row of coefficients. The engine then
runs the same step in floats on random gradients of several sizes, and the rows have to tell what it
asks there; where they do not, the step is not linear.

A method with personal parts has points (u, v_i) in a product of two spaces. Gradient k then has two
halves: row entry 2k is its shared part, 2k + 1 its personal part, and both parts start at an x^0.
A left side that is a mean of squared vectors is recorded like the step: its metric is asked for
the vectors, round by round.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.algorithms import UNSEEDED, Algorithm, Audits, Context, Link, State, play
from theorylab.runs import Setting, algorithm_draws
from theorylab.topologies import Topology
from theorylab.worst.random_gradients import (
    Anywhere,
    Named,
    NotLinearError,
    Recursion,
    Row,
    Square,
    checked,
)
from theorylab.worst.rationals import (
    Mixing,
    NotExactError,
    Number,
    near_rational,
    numbers,
    stochastic,
    written,
)

MOST = 400  # queries of a recording
ROUNDED = Fraction(1, 2**46)  # relative: a recorded weight is off by less, from roots in floats
Measure = Callable[[Setting], Any]  # makes a metric that has ``vectors`` and ``value``


class TooLargeError(ValueError):
    """There are more queries than a worst case is computed for; the line has both numbers."""


def record(
    method: Algorithm,
    network: Topology,
    rounds: int,
    fractions: Mapping[float, Fraction] | None = None,
    measure: Measure | None = None,
) -> Recursion:
    """The recursion of ``method`` over the first ``rounds`` rounds of ``network``.

    Args:
        fractions: the rationals of floats that were written as p/q; others are the decimals that
            they print.
        measure: makes, of a setting, the metric whose squared vectors are recorded as ``squares``:
            a mean over the rounds 0, ..., T - 1.

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
        asked = len(_played(method, network, P, 1, measure).queries)
        if asked > MOST:
            raise TooLargeError(f"{method.name} asks {asked} gradients in {rounds} rounds")
        unit = _played(method, network, P, 1 + asked, measure)
    queries = tuple(
        (i, {0: point} if i < 0 else _row(unit, point, f"{method.name}: query {k}"))
        for k, (i, point) in enumerate(unit.queries)
    )
    averages = tuple(
        _row(
            unit, x.sum(axis=0) / network.clients, f"{method.name}: the mean model after round {t}"
        )
        for t, x in enumerate(unit.models)
    )
    squares = [_square(unit, v, rounds) for v in unit.vectors]
    made = Recursion(
        network.clients, queries, averages, tuple(unit.weights), P, unit.personal,
        tuple(each for each in squares if each[1]), tuple(_places(unit, queries)), unit.fresh,
    )  # fmt: skip
    checked(method, network, made, unit.own_queries // network.clients)
    return made


class _Unit(Anywhere):
    """Its k-th gradient is the k-th unit vector, after those of the start; it notes where.

    Of a method with personal parts the halves of gradient k are unit vectors of the two spaces.
    """

    name = "unit-gradients"

    def __init__(self, clients: int, room: int, personal: bool) -> None:
        self.personal, self.width = personal, room * (1 + personal)
        super().__init__(clients, self.width * (1 + personal), False)
        self.shared = self.width
        self.queries: list[tuple[int, Any]] = []
        self.models: list[Any] = []
        self.weights: list[tuple[Fraction, ...]] = []
        self.vectors: list[Any] = []
        self.own_queries = 0  # of the method, before those of the metric
        self.samples: list[Any] = []
        self.fresh = False

    def loss(self, x: Any) -> Any:
        raise NotLinearError("the step asks for a loss, which is no gradient")

    def gradient(self, x: Any) -> Any:
        made = np.empty(x.shape, dtype=object)
        made[...] = Number(0)
        for i in range(self.clients):
            self.queries.append((i, x[0, i].copy()))  # a step may move its point in place
            if len(self.queries) > 4 * MOST:
                raise TooLargeError(f"the method asks more than {4 * MOST} gradients")
            slot = len(self.queries) * (1 + self.personal)
            for half in range(1 + self.personal) if slot < self.width else ():
                made[0, i, half * (self.width + 1) + slot] = Number(1)
        return made

    def stochastic_gradient(self, x: Any, sample: Any) -> Any:
        self.samples.append(sample)
        return self.gradient(x)

    def ascent(self, z: Any, g: Any, rho: float) -> Any:
        """z + e, e a new unit vector for each client: an ascent along the gradient that g is."""
        if z.shape[-1] != self.width:
            raise NotLinearError("the step ascends in both parts at once, which is not treated")
        made, radius, halves = z.copy(), Number(rho).q, 1 + self.personal
        for i in range(self.clients):
            along, slot = [k for k, v in enumerate(g[0, i]) if v], (len(self.queries) + 1) * halves
            if slot < self.width:
                if len(along) != 1 or g[0, i, along[0]] != 1:
                    raise NotLinearError("the step ascends along what is not one gradient")
                made[0, i, slot + along[0] % halves] += Number(1)
            self.queries.append((-max(1, *(k // halves for k in along), 1), radius))
        return made

    def start(self) -> Any:
        """x^0 of all clients (1, n, d): e_0, and e_1 of the personal space."""
        x = np.zeros((1, self.clients, self.dim))
        x[..., 0] = 1.0
        if self.personal:
            x[..., self.width + 1] = 1.0
        return x


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

    def ascent(self, z: Any, g: Any, rho: float) -> Any:
        assert isinstance(self.problem, _Unit)
        return self.problem.ascent(z, g, rho)

    def link(self, network: str | None = None) -> Link:
        return Link(super().link(network).mixing, False, False)


def _played(
    method: Algorithm, network: Topology, P: Any, room: int, measure: Measure | None
) -> _Unit:
    personal = _personal(method, len(P[0]))
    problem = _Unit(len(P[0]), room, personal)
    try:
        state = _exact(method.init(problem.start(), problem))
        states = [state]
        for t, now in enumerate(P):
            context = _Exact(
                problem, Mixing(now), UNSEEDED, np.zeros(1, np.int64),
                conserves=False, audits=_Silent(), samples=Named(),
            )  # fmt: skip
            state = play(method, replace(state, t=t), context)
            states.append(state)
        problem.models = [each.x[0] for each in states]
        problem.weights = [tuple(Number(v).q for v in each.w[0]) for each in states]
        problem.own_queries = len(problem.queries)
        calls = sum(i >= 0 for i, _ in problem.queries) // problem.clients
        problem.fresh = len({*problem.samples}) == len(problem.samples) == calls
        if measure is not None:
            metric = measure(Setting(problem, network, method, {}, len(P), problem.start()[0]))
            for before, after in itertools.pairwise(states):
                vectors = metric.vectors(before, after)[metric.value]
                problem.vectors += list(vectors.reshape(-1, problem.width))
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


def _personal(method: Algorithm, clients: int) -> bool:
    """Whether the method keeps personal parts, where a problem has them."""
    tried = _Unit(clients, 1, True)
    return method.init(tried.start(), tried).v is not None


def _of_numbers(error: Exception) -> bool:
    """Whether NumPy or a Number says that there is no such operation on exact numbers."""
    return isinstance(error, NotExactError) or "Number" in str(error) or "object" in str(error)


def _exact(state: State) -> State:
    memory = {name: numbers(a) for name, a in state.memory.items()}
    v = None if state.v is None else numbers(state.v)
    return replace(
        state, x=numbers(state.x), w=numbers(state.w), z=numbers(state.z), v=v, memory=memory
    )


def _row(unit: _Unit, point: Any, where: str) -> Row:
    """The row of a point, without its x^0, of which it has to have one share."""
    made: Row = {}
    parts = np.asarray(point).reshape(-1, unit.width)
    for half, part in enumerate(parts):
        share = Number(part[half]).q
        if share != 1:
            raise NotLinearError(
                f"{where} is {share} x^0 + ..., so the method depends on where the origin is; "
                "need points whose share of x^0 is 1"
            )
        made |= _coefficients(unit, part)
    return made


def _coefficients(unit: _Unit, part: Any) -> Row:
    starts = 1 + unit.personal
    return {j: Number(v).q for j, v in enumerate(part[starts:]) if Number(v).q}


def _square(unit: _Unit, vector: Any, rounds: int) -> Square:
    """|vector|^2 / T as a weight times the square of a row.

    A metric multiplies by roots of its weights, in floats: the largest entry is divided out, and
    its square is the near rational of a small denominator where there is one.
    """
    if any(Number(v).q for v in vector[: 1 + unit.personal]):
        raise NotLinearError("the metric depends on where the origin is")
    row = _coefficients(unit, vector)
    scale = max(row.values(), key=abs, default=Fraction(0))
    weight = float(scale**2)
    near = near_rational(weight)
    return (scale**2 if near is None else near) / rounds, {k: v / scale for k, v in row.items()}


def _places(unit: _Unit, queries: Sequence[tuple[int, Row]]) -> Iterator[int]:
    """Where the metric asks all clients at one point, of which the personal parts may differ."""
    n, halves = unit.clients, 1 + unit.personal
    for k in range(unit.own_queries, len(queries), n):
        shared = [
            {j: v for j, v in row.items() if j % halves == 0} for _, row in queries[k : k + n]
        ]
        if all(row == shared[0] for row in shared):
            yield k
