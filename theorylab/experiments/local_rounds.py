"""Rounds of Algorithm 1 of dfedsgpsm, with the local iterates that its lemmas are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from theorylab.algorithms import algorithm as build_algorithm
from theorylab.constants import topology_constants
from theorylab.experiments import _local_terms as terms
from theorylab.experiments._base import (
    Experiment,
    Observation,
    Row,
    check_column,
    relative_error,
)
from theorylab.experiments._pinwheel import Pinwheel
from theorylab.experiments._played import Played, law, outcome, play
from theorylab.experiments._rounding import RELATIVE
from theorylab.known import How, Known
from theorylab.problems import Problem
from theorylab.problems import problem as build_problem
from theorylab.runs import initial_models
from theorylab.topologies import topology as build_topology

OF_ONE_RUN = ("distance", "smooth_f", "smooth_fi", "descent")  # random right sides
OF_PLACES = ("consensus", "consensus_mean", "distance")
PAIRS = ("row", "least", "sgp")  # q_row, ...: the rates that the sums of (6) are made with
IDENTITIES = ("recursion", "pull")
LAWS = ("runs", "exact")


class LocalRounds(Experiment):
    """Left-hand sides at every round t, client i or local step k, over fixed edges (run 0's).

    Columns (``at`` in brackets):
        step         ||x_{i,k+1} - x_{i,k}||^2 (local_step)
        drift        mean_i ||x_{i,k} - x_i||^2 (local_step, z_gradient); t = 0 alone with noise
        update       ||eta sum_k sum_s alpha^{k-s} g_{i,s}||^2
        consensus    ||z_i - xbar||^2 (t, own_start, largest_start)
        consensus_mean   mean_i ||z_i - xbar||^2 (t)
        distance     ||z_i - xbar|| (t, own_start, largest_start, own_sum_*, largest_sum_*)
        r1           R1 of Proof 5 without a~ eta / 2 (t)
        smooth_f, smooth_fi  its second inequality, against f and against f_i (t, point_gap)
        descent      ||grad f(xbar)||^2 (t, f_now, f_next)
        recursion, pull    residuals of Eq. (5) and Eq. (3) (magnitude)

    Args:
        problem, topology, clients, rounds, algorithm, x0: as for a run; "pinwheel" is a problem.
        at: the rounds that are looked at, all if empty.
        law: "exact" enumerates every sequence of samples of a noise with few of them.

    Raises:
        ValueError: on wrong options; a random right side (see ``OF_ONE_RUN``) with noise.
    """

    name = "local-rounds"
    columns: ClassVar[tuple[str, ...]] = (
        *("step", "drift", "update", "consensus", "distance", "r1", "smooth_f", "smooth_fi"),
        *("consensus_mean", "descent", *IDENTITIES),
    )

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        rounds: int,
        algorithm: Mapping[str, Any],
        x0: Any = 0.0,
        at: Sequence[int] = (),
        law: str = "runs",
    ) -> None:
        if type(rounds) is not int or rounds < 1:
            raise ValueError(f"{self.name}: rounds is {rounds!r}; need an integer >= 1")
        if law not in LAWS:
            raise ValueError(f"{self.name}: law is {law!r}; need one of {', '.join(LAWS)}")
        if any(type(t) is not int or not 0 <= t <= rounds for t in at):
            raise ValueError(f"{self.name}: at is {at!r}; need rounds 0..{rounds}")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"rounds": rounds, "algorithm": dict(algorithm), "x0": x0, "at": [*at], "law": law},
        }
        self.problem = _problem(problem, clients)
        self.topology = _made(build_topology, topology, clients)
        self.run = _algorithm(algorithm)
        self.start = initial_models(self.problem, 1, np.asarray(x0))
        self.weighted = terms.Weighted(self.run["alpha"], int(self.run["local_steps"]))
        self._network: dict[str, Known] | None = None

    def describe(self) -> dict[str, Any]:
        return self.options

    def network(self) -> dict[str, Known]:
        if self._network is None:
            self._network = topology_constants(
                self.topology, horizon=self.options["rounds"], run=0, dim=self.problem.dim
            )
        return self._network

    def constants(self) -> dict[str, Known]:
        xbar = self.start.mean(axis=1)
        numbers = {
            "T": self.options["rounds"], "n": self.problem.clients, "d": self.problem.dim,
            "K": self.run["local_steps"], "f0": float(self.problem.mean_loss(xbar)[0]),
            "x0_sq": float((self.start**2).sum() / self.problem.clients),
            **{name: self.run[name] for name in ("eta", "alpha", "rho", "decay")},
        }  # fmt: skip
        exact = {name: Known(float(v), How.EXACT, "of the instance") for name, v in numbers.items()}
        return exact | self.problem.constants() | self.network()

    def rounds(self, runs: range, seed: int) -> tuple[Iterable[Played], int | None]:
        """The rounds of these runs, and how many equally likely outcomes they are, if exact."""
        steps, ids = int(self.run["local_steps"]), np.arange(runs.start, runs.stop)
        total = None
        if not self.problem.stochastic:
            ids = ids[:1]
        elif self.options["law"] == "exact":
            total = law(self.problem, steps * self.options["rounds"])
            ids = np.arange(total)

        def draw(t: int, k: int) -> Any:
            if total is not None:
                return outcome(self.problem, total, t * steps + k)
            return self.problem.sample(seed, ids, t, k)

        x0 = np.repeat(self.start, len(ids), axis=0)
        parts = (self.problem, self.topology, self.run, x0, self.options["rounds"])
        return play(*parts, draw), total

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        sampled = self.problem.stochastic and self.options["law"] == "runs"
        path = column.startswith("distance") and self.problem.stochastic
        if column in OF_ONE_RUN and (sampled or path):
            raise ValueError(
                f"{self.name}: the right side of {column} is random with noise; need none (sigma "
                "0), or but for distance law 'exact'"
            )
        played, total = self.rounds(runs, seed)
        weights = None if total is None else np.full(total, 1 / total)
        if column in IDENTITIES:
            rows = [self._identity(column, p, weights) for p in played if self._wanted(p.t)]
        else:
            rows = [
                Row(values, at, label, weights, rounding)
                for values, at, label, rounding in self._cells(column, played)
            ]
        exact = total is not None or not self.problem.stochastic
        axis = "t" if column in (*OF_PLACES, "r1", "descent") else ""
        return Observation(tuple(rows), exact, axis)

    def _wanted(self, t: int) -> bool:
        return not self.options["at"] or t in self.options["at"]

    def _cells(self, column: str, played: Iterable[Played]) -> Iterable[terms.Cell]:
        if column in OF_PLACES:
            yield from self._consensus(column, played)
            return
        for p in played:
            if self._wanted(p.t):
                yield from self._of_round(column, p)

    def _of_round(self, column: str, p: Played) -> Iterable[terms.Cell]:
        eta, alpha = self.run["eta"], self.run["alpha"]
        if column == "step":
            yield from terms.step_rows(p)
        elif column == "drift":
            if p.t == 0 or not self.problem.stochastic or self.options["law"] == "exact":
                yield from terms.drift_rows(p, self.problem, eta / (1 - alpha))
        elif column == "update":
            yield from terms.update_rows(p, eta, self.weighted)
        elif column == "r1":
            yield from terms.r1_rows(p, self.problem, self.weighted)
        elif column in ("smooth_f", "smooth_fi"):
            yield from terms.jensen_rows(p, self.problem, self.weighted, column == "smooth_fi")
        else:
            yield from terms.descent_rows(p, self.problem, eta * self.weighted.total)

    def _identity(self, column: str, p: Played, weights: terms.Floats | None) -> Row:
        if column == "pull":
            gap, size, sides = terms.pulled(p, self.topology.matrix(p.t, 0))
        else:
            gap, size, sides = terms.residual(p, self.run["eta"], self.run["alpha"])
        share = relative_error(gap, sides)
        return Row(gap, {"magnitude": size}, f"t={p.t}", weights, 0.0, relative_error=share)

    def _consensus(self, column: str, played: Iterable[Played]) -> Iterable[terms.Cell]:
        start = np.sqrt(terms.squares(self.start))[0]
        q = {name: self.network()[f"q_{name}"].value for name in PAIRS}
        own = {name: np.zeros(self.problem.clients) for name in q}
        top = dict.fromkeys(q, 0.0)
        for p in played:
            z = p.x / p.w[:, :, None]
            size = terms.squares(z - p.x.mean(axis=1)[:, None])
            # every round before has rounded x and w once more, by n products each, and K steps
            rounded = self.problem.clients + len(p.used) + 4
            error = (p.t + 1) * rounded * terms.reach(z, p.x)
            moved = terms.update(p, float(self.run["eta"]), self.weighted)[0]
            for name, rate in q.items():  # (6) counts the round at hand, its sum goes to j = t
                rate = min(rate, 1.0)  # inf where the formula defines none; not used then
                top[name] = rate * top[name]
                own[name] = rate * own[name] + moved
            if column == "consensus_mean" and self._wanted(p.t):
                values = size.mean(axis=1)
                yield values, {"t": float(p.t)}, f"t={p.t}", terms.room(values, error)
            each = self._wanted(p.t) and column != "consensus_mean"
            for i in range(size.shape[1]) if each else ():
                at = {"t": float(p.t), "own_start": float(start[i])}
                at["largest_start"] = float(start.max())
                for name in q if column == "distance" else ():
                    at[f"own_sum_{name}"] = float(own[name][i])
                    at[f"largest_sum_{name}"] = top[name]
                values = np.sqrt(size[:, i]) if column == "distance" else size[:, i]
                room = terms.room(size[:, i], error)
                if column == "distance":
                    room = RELATIVE * float(values.max()) + error
                yield values, at, f"t={p.t}, i={i}", room
            for name in q:  # sum_{j < t} q^{t-j} max_l ||U_l^j|| at the next t
                top[name] += float(moved.max())


def _problem(options: Mapping[str, Any], clients: int) -> Problem:
    if options.get("name") == Pinwheel.name:
        rest = {key: value for key, value in options.items() if key != "name"}
        try:
            return Pinwheel(clients, **rest)
        except TypeError as error:
            raise ValueError(f"pinwheel: {str(error).split('__init__() ')[-1]}") from None
    made: Problem = _made(build_problem, options, clients)
    return made


def _made(make: Any, options: Mapping[str, Any], clients: int) -> Any:
    rest = dict(options)
    if "name" not in rest:
        raise ValueError(f"local-rounds: {make.__name__} has no name; need {{'name': ...}}")
    return make(rest.pop("name"), clients, **rest)


def _algorithm(options: Mapping[str, Any]) -> dict[str, Any]:
    found = build_algorithm("dfedsgpsm", **options).options()
    if not isinstance(found["local_steps"], int) or found["decay"] != 1:
        raise ValueError(
            f"local-rounds: local_steps is {found['local_steps']!r}, decay {found['decay']!r}; "
            "need one K, and decay 1"
        )
    return found
