"""One round of a linear method as rows of rationals, played from its own ``step`` on unit vectors.

The basis of a row is (state | gradients | received): every array that goes from round to round, one
vector a client; one vector for each point at which a gradient is asked; one for what each client
receives in each exchange. No network stands in the rows, so that one map serves every network:
received = P sent. Of push-sum, whose weights w travel beside the models, rows of queries are those
of w times the point: the gradient is taken at row / w_i.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import UNSEEDED, Algorithm, Context, State
from theorylab.algorithms._travel import Exchange
from theorylab.worst.random_gradients import Anywhere, NotLinearError

Floats = NDArray[np.float64]
Row = tuple[Fraction, ...]
MOST = 256  # gradients of a round, and vectors that are received in it
_NEAR = 2.0**-40  # of a row's largest entry: what the rounding of a round may add
_DENOMINATOR = 10**6
_LATER = (1, 7, 1000)  # rounds in which the map has to be that of round 0


@dataclass(frozen=True)
class RoundMap:
    """The rows of one round; state, gradients and received in that order are their basis.

    clients: n. state: how many vectors go from round to round, the first n are the models. owners:
    the client of every query. queries: where gradients are asked, times w_i if ``weighted``. sends:
    one row for every received vector, n an exchange. after: the next state. starts: first states;
    the first is that of x^0 = 1 at all clients, the others are what gradients add that ``init``
    asked for. fresh: whether each point of a client comes with one sample of its own round, and
    each sample with one point: only then are noises independent.
    """

    clients: int
    state: int
    owners: tuple[int, ...]
    queries: tuple[Row, ...]
    sends: tuple[Row, ...]
    after: tuple[Row, ...]
    starts: tuple[Row, ...]
    weighted: bool
    fresh: bool

    def as_json(self, networks: Any, weights: dict[str, Any] | None = None) -> dict[str, Any]:
        """The method of a certificate, on these networks and with these weights."""
        rows = {key: getattr(self, key) for key in ("queries", "sends", "after", "starts")}
        texts = {key: [[str(v) for v in row] for row in some] for key, some in rows.items()}
        return {"owners": [*self.owners], **texts, "networks": networks, "weights": weights}


def round_map(algorithm: Algorithm, clients: int) -> RoundMap:
    """The round of a deterministic linear method on ``clients`` clients.

    Raises NotLinearError, one line, naming the query or exchange: where a step draws, has personal
    parts, reads the network's entries or a loss, is not linear, changes with the round, or asks for
    more than ``MOST`` gradients.

    >>> from theorylab.algorithms import algorithm
    >>> gd = round_map(algorithm("dpsgd", eta=0.5), 1)
    >>> [[str(number) for number in row] for row in gd.sends]
    [['1', '-1/2', '0']]
    """
    first = algorithm.init(np.ones((1, clients, 1)), _Points(np.eye(1), clients))
    names = sorted(first.memory)
    arrays = [first.x, *(first.memory[name] for name in names)]
    if first.v is not None or any(np.shape(a) != (1, clients, 1) for a in arrays):
        raise NotLinearError(f"{algorithm.name}: it carries more than one vector a client")
    state = clients * len(arrays)
    play = _Play(algorithm, clients, names, np.eye(state + 2 * MOST))
    told = play.round(0, np.ones(clients), np.ones(clients))
    rows = play.compressed(told)
    queries, sends, after = (tuple(_rationals(row) for row in part) for part in rows)
    made = RoundMap(
        clients,
        state,
        tuple(owner for owner, _ in told.queries),
        queries,
        sends,
        after,
        play.starts(),
        told.weighted,
        told.fresh,
    )
    draw = np.random.Generator(np.random.Philox(1))
    for t in (0, *_LATER):
        basis = draw.standard_normal((state + 2 * MOST, 6))
        weights = draw.uniform(0.5, 2, (2, clients)) if told.weighted else np.ones((2, clients))
        again = _Play(algorithm, clients, names, basis).round(t, *weights)
        _check(algorithm.name, made, again, basis, t)
        made = replace(made, fresh=made.fresh and again.fresh)
    return made


class _Points(Anywhere):
    """Hands out a row of ``vectors`` as the gradient at every new point of a client in round t."""

    def __init__(self, vectors: Floats, clients: int, t: int = 0) -> None:
        super().__init__(clients, vectors.shape[1])
        self.vectors, self.asked, self.t = vectors, list[tuple[int, Floats]](), t
        self.drawn: set[tuple[int, int, Any]] = set()  # client, number of the point, sample

    def loss(self, x: Any) -> Any:
        raise NotLinearError("the step asks for the value of a loss; need gradients alone")

    def gradient(self, x: Any) -> Any:
        return self.stochastic_gradient(x, None)

    def sample(self, seed: int, runs: Any, round: int, step: int) -> Any:
        return step if round == self.t else None  # of another round it may come there, too

    def stochastic_gradient(self, x: Any, sample: Any) -> Any:
        made = np.zeros_like(x)
        for i in range(self.clients):
            number = self._number(i, np.array(x[0, i]))
            made[0, i] = self.vectors[number]
            self.drawn.add((i, number, sample))
        return made

    @property
    def fresh(self) -> bool:
        """Whether each point of a client has one sample, and each of its samples one point."""
        samples = {(i, sample) for i, _, sample in self.drawn if sample is not None}
        return len(samples) == len(self.drawn) == len(self.asked)

    def _number(self, client: int, point: Floats) -> int:
        room = _NEAR * (1 + np.abs(point).max(initial=0))
        for k, (owner, other) in enumerate(self.asked):
            if owner == client and np.abs(point - other).max(initial=0) <= room:
                return k
        self.asked.append((client, point))
        if len(self.asked) > len(self.vectors):
            raise NotLinearError(f"a round asks for more than {len(self.vectors)} gradients")
        return len(self.asked) - 1


class _Network:
    """Stands for a network whose entries nobody may read."""

    def __getattr__(self, name: str) -> Any:
        raise NotLinearError("the step reads the entries of the network; need net.mix")


class _Wires(Exchange):
    """Hands out rows of ``vectors`` as what is received, and ``weights`` as the next weights."""

    def __init__(self, state: State, vectors: Floats, weights: Floats) -> None:
        super().__init__(state.t, None, state.x)
        self.vectors, self.weights, self.before = vectors, weights, np.asarray(state.w)
        self.sent: list[Floats] = []
        self.weighted = False

    def pair(self, mixing: Any, x: Any, w: Any, uploaded: Any) -> Any:
        (x,), (w,) = self.each(mixing, [x], uploaded), self.each(mixing, [w], uploaded)
        return x, w, x / w[:, :, None]

    def each(self, mixing: Any, arrays: Any, uploaded: Any) -> Any:
        return [self._one(np.asarray(a)) for a in arrays]

    def _one(self, a: Floats) -> Floats:
        self._flight.append(None)
        if a.ndim == 2:
            if self.weighted or not (a == self.before).all():
                raise NotLinearError("what is exchanged beside models is not the weights, once")
            self.weighted = True
            return self.weights[None]
        place = len(self.sent)
        if place + a.shape[1] > len(self.vectors):
            raise NotLinearError(f"clients receive more than {len(self.vectors)} vectors a round")
        self.sent += list(np.array(a[0]))
        return self.vectors[None, place : place + a.shape[1]].copy()


@dataclass(frozen=True)
class _Told:
    """What was seen of a round; queries are (client, w_i times the point)."""

    queries: list[tuple[int, Floats]]
    sent: list[Floats]
    after: list[Floats]
    weighted: bool
    fresh: bool


class _Play:
    """Rounds where ``basis`` (state + 2 MOST, d) stands for state, gradients and received."""

    def __init__(self, method: Algorithm, clients: int, names: list[str], basis: Floats) -> None:
        self.method, self.n, self.names, self.basis = method, clients, names, basis
        self.size = clients * (1 + len(names))

    def round(self, t: int, w: Floats, w_after: Floats) -> _Told:
        n, size, basis = self.n, self.size, self.basis
        parts = [basis[None, k * n : (k + 1) * n].copy() for k in range(size // n)]
        problem = _Points(basis[size : size + MOST], n, t)
        state = State(
            t, parts[0], w[None], parts[0] / w[:, None],
            memory=dict(zip(self.names, parts[1:], strict=True)),
        )  # fmt: skip
        wires = _Wires(state, basis[size + MOST :], w_after)
        context = Context(problem, _Network(), UNSEEDED, np.arange(1), conserves=False)
        with np.errstate(all="ignore"):
            after = self.method.step(replace(state), context.during(wires))
        name, memory = self.method.name, dict(after.memory)
        if sorted(memory) != self.names or after.v is not None:
            raise NotLinearError(f"{name}: what it carries changes from round to round")
        if wires.tossed:
            raise NotLinearError(f"{name}: the step draws; need a deterministic method")
        expected = w_after if wires.weighted else w
        if not (np.asarray(after.w)[0] == expected).all():
            raise NotLinearError(f"{name}: its weights are not those of push-sum")
        made = [np.asarray(a)[0] for a in (after.x, *(memory[key] for key in self.names))]
        z = np.asarray(after.z)[0] * expected[:, None]
        if not np.allclose(z, made[0], rtol=0, atol=_NEAR * (1 + np.abs(z).max())):
            raise NotLinearError(f"{name}: z is not x / w after a round")
        scale = w if wires.weighted else np.ones(n)
        queries = [(i, scale[i] * point) for i, point in problem.asked]
        return _Told(queries, wires.sent, list(np.concatenate(made)), wires.weighted, problem.fresh)

    def compressed(self, told: _Told) -> list[list[Floats]]:
        """Rows of queries, sends and the next state without the vectors that nobody handed out."""
        used = [*range(self.size), *(self.size + k for k in range(len(told.queries)))]
        used += [self.size + MOST + k for k in range(len(told.sent))]
        parts = ([point for _, point in told.queries], told.sent, told.after)
        return [[row[used] for row in part] for part in parts]

    def starts(self) -> tuple[Row, ...]:
        """The first state of x^0 = 1, and what each gradient adds that ``init`` asks for."""
        problem = _Points(np.eye(1 + MOST)[1:], self.n)
        x0 = np.zeros((1, self.n, 1 + MOST))
        x0[..., 0] = 1.0
        first = self.method.init(x0, problem)
        arrays = [first.x, *(first.memory[name] for name in self.names)]
        columns = np.concatenate([np.asarray(a)[0] for a in arrays])[:, : 1 + len(problem.asked)]
        return tuple(_rationals(column) for column in columns.T)


def _rationals(row: Floats) -> Row:
    """Each number as the near rational of a small denominator, or as the float that it is."""
    made = []
    for number in map(float, row):
        short = Fraction(number).limit_denominator(_DENOMINATOR)
        near = abs(number - float(short)) <= 2.0**-50 * max(abs(number), 2.0**-10)
        made.append(short if near else Fraction(number))
    return tuple(made)


def _check(name: str, made: RoundMap, told: _Told, basis: Floats, t: int) -> None:
    """Raises NotLinearError unless the rows give what was seen in round t on another basis."""
    where = f"{name}: round {t}"
    size, q = made.state, len(made.queries)
    used = [*range(size), *(size + k for k in range(q))]
    used += [size + MOST + k for k in range(len(made.sends))]
    if tuple(owner for owner, _ in told.queries) != made.owners:
        raise NotLinearError(f"{where} asks for other gradients than round 0")
    if len(told.sent) != len(made.sends) or told.weighted != made.weighted:
        raise NotLinearError(f"{where} exchanges other arrays than round 0")
    parts = (
        ("query", made.queries, [point for _, point in told.queries]),
        ("exchange", made.sends, told.sent),
        ("next state", made.after, told.after),
    )
    for kind, rows, seen in parts:
        for k, (row, vector) in enumerate(zip(rows, seen, strict=True)):
            there = np.array([float(a) for a in row]) @ basis[used]
            size = 1 + np.abs(there).max() + np.abs(vector).max()
            if not np.abs(there - vector).max() <= _NEAR * size:
                owner = made.owners[k] if kind == "query" else k % made.clients
                raise NotLinearError(
                    f"{where}: {kind} {k} (client {owner}) is not linear, or not that of round 0"
                )
