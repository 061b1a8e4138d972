"""The rounds of R runs: what surrounds each, and the one place where ``step`` is played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import (
    Algorithm,
    Audits,
    Context,
    Drawn,
    GraphRuns,
    Link,
    Recorder,
    Samples,
    State,
    play,
)
from theorylab.kernels import on_device
from theorylab.own import is_own
from theorylab.problems import Domain, Problem
from theorylab.runs._sealed import sealed
from theorylab.runs.faults import Faults
from theorylab.runs.price import Price, charge
from theorylab.runs.setting import Setting
from theorylab.topologies import Topology

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array

_ROUNDED = 1e-9  # of a model's size: what its step may have rounded


@dataclass(frozen=True)
class Rounds:
    """Rounds of ``algorithm`` on ``problem`` over ``topology`` for the runs ``ids`` (R,).

    graph_run: the run whose edges every run sees; None gives each run its own edges.
    faults: what goes wrong. samples: a law that hands out the samples, ``seed`` is then
    ``UNSEEDED``. tosses: the rounds so far in which the step tossed a coin.
    """

    problem: Problem
    topology: Topology
    algorithm: Algorithm
    ids: NDArray[np.int64]
    seed: int
    graph_run: int | None = 0
    faults: Faults | None = None
    samples: Samples | None = None
    audits: Audits = field(default_factory=Audits)
    uploaded: dict[int, Any] = field(default_factory=dict)
    graphs: dict[str, GraphRuns] = field(default_factory=dict)
    tosses: list[int] = field(default_factory=list)

    def play(self, state: State, record: Recorder | None = None) -> State:
        """The state after round ``state.t``.

        ValueError, one line, where the problem has a set and a model is outside of it, or a method
        of theorylab's own does not know the set or the term of the problem.
        """
        drawn, domain = self._drawn_there(state), self.problem.domain
        if domain is None:
            return play(self.algorithm, state, self.context(state.t, record, drawn))
        if is_own(type(self.algorithm)):
            raise ValueError(
                f"{self.algorithm.name}: the problem has a set or a term, and this method neither "
                "projects nor takes a prox; need a method whose step calls net.project or net.prox"
            )
        if state.t == 0:
            check_inside("x0", domain, state.z, "a start inside")
        after = play(self.algorithm, state, self.context(state.t, record, drawn))
        check_inside(f"round {state.t}", domain, after.z, "net.project in the step")
        return after

    def context(self, t: int, record: Recorder | None = None, drawn: bool = False) -> Context:
        """The surroundings of round t. drawn: a network that a GPU can draw is not made here."""
        networks = {
            name: (network, self._mixing(network, t))
            for name, network in self.topology.networks.items()
        }
        if networks:
            edges = _edges([mixing for _, mixing in networks.values()])
            made = {name: self._link(*pair, t, edges) for name, pair in networks.items()}
            links = {name: link for name, (link, _) in made.items()}
            # who is down or slow is the same in all of them
            link, effort = Link(None, False, False), next(iter(made.values()))[1]
        else:
            links = {}
            mixing = self._draw(t) if drawn else self._mixing(self.topology, t)
            link, effort = self._link(self.topology, mixing, t, None)
        context = Context(
            self.problem.of_round(t),
            link.mixing,
            self.seed,
            self.ids,
            record,
            effort,
            link.conserves,
            audits=self.audits,
            uploaded=self.uploaded,
            samples=self.samples,
            averages=link.averages,
            networks=links,
            tosses=self.tosses,
        )
        return context if self.samples is None else sealed(context, self.algorithm)

    def _link(self, network: Topology, mixing: Any, t: int, edges: Any) -> tuple[Link, Any]:
        """What the network does in round t, and which clients work how much (None: all)."""
        faults, conserves = self.faults, network.column_stochastic
        averages, effort = not conserves, None
        if faults is not None:
            averages = averages and faults.keep_rows
            mixing, effort, conserves = faults.apply(
                mixing, self.seed, self.ids, t, conserves, edges
            )
        return Link(mixing, conserves, averages), effort

    def _drawn_there(self, state: State) -> bool:
        """Whether nothing looks at the entries of P(t), and the state is where it can be drawn."""
        network = self.topology
        own = is_own(type(self.algorithm))  # others may read net.mixing
        if not own or self.algorithm.reads_mixing or self.faults is not None or network.networks:
            return False
        return on_device(state.x) and network.drawn is not None

    def _draw(self, t: int) -> Drawn:
        network = self.topology.drawn
        assert network is not None
        if not self.graphs:
            run = self.graph_run
            ids = self.ids if run is None else np.full(len(self.ids), run, np.int64)
            self.graphs[""] = GraphRuns(ids)
        return Drawn(network, t, self.graphs[""])

    def _mixing(self, network: Topology, t: int) -> Any:
        if self.graph_run is None and network.period is None:
            return [network.matrix(t, int(run)) for run in self.ids]
        P = network.matrix(t, *(() if self.graph_run is None else (self.graph_run,)))
        own = type(network).matrix is Topology.matrix
        if own and network.period is not None and id(P) not in self.uploaded:
            self.uploaded[id(P)] = P, None  # this very object comes again: kept in the kernel's way
        return P


def check_inside(what: str, domain: Domain, z: Any, need: str) -> None:
    """ValueError, one line, where a model of z (R, n, d) is outside of the set, beyond rounding."""
    off, size = domain.off(z), 1 + float(np.abs(z).max(initial=0.0))
    if off > _ROUNDED * size:
        raise ValueError(f"{what}: a model is off the problem's set by {off:.3g}; need {need}")


def states(
    setting: Setting,
    ids: NDArray[np.int64],
    seed: int,
    samples: Any,
    record: Recorder | None,
    starts: NDArray[np.float64] | None = None,
) -> Iterator[tuple[State | None, State]]:
    """(state before, state after) of every round; the first state comes first, as (None, state).

    Over the edges of run 0; ``samples`` as in ``Rounds``. starts: x^0 of every run, (R, n, d), if
    they differ. Raises TooDearError before the first.
    """
    problem, method = setting.problem, setting.algorithm
    charge(Price.of(problem, method, len(ids), setting.rounds))
    x0 = np.repeat(setting.start[None], len(ids), axis=0) if starts is None else starts
    state = method.init(problem.points(x0), problem)
    yield None, state
    played = Rounds(problem, setting.topology, method, ids, seed, samples=samples)
    for _ in range(setting.rounds):
        after = played.play(state, record)
        yield state, after
        state = after
    played.audits.settle()


def _edges(mixings: list[Any]) -> Any:
    """Where any of the networks has an edge: one pattern, or one a run."""
    if not any(isinstance(mixing, list) for mixing in mixings):
        return _union(mixings)
    runs = max(len(mixing) for mixing in mixings if isinstance(mixing, list))
    each = [mixing if isinstance(mixing, list) else [mixing] * runs for mixing in mixings]
    return [_union(list(some)) for some in zip(*each, strict=True)]


def _union(matrices: list[csr_array]) -> csr_array:
    from scipy.sparse import csr_array

    total = csr_array(sum(abs(P) for P in matrices))
    total.sort_indices()
    return total
