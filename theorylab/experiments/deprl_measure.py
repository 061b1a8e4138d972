"""The left side of DePRL's Theorem 1 and Corollary 1: exact on quadratics, else from runs."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from theorylab.algorithms import State
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._deprl_instance import DeprlInstance
from theorylab.experiments._personal_parts import increasing
from theorylab.known import Known
from theorylab.metrics import measured, metric
from theorylab.problems import joined
from theorylab.runs import Moments, Setting


class DeprlMeasure(Experiment):
    """(1/K) sum_{k<K} E M(k) at every K of ``rounds``, as far as 1e12 on a coupled quadratic.

    Columns:
        measure, measure_each   as of ``metrics.deprl``
        distance                the last term of ``measure`` alone, on a coupled quadratic

    Args:
        problem, topology, clients, x0: of the instance. On a coupled quadratic with isotropic
            additive noise, or none, expectations are exact.
        algorithm: alpha and beta (both left out with ``corollary``), tau, head.
        rounds: the K, increasing.
        corollary: alpha = 1/(tau sqrt K), beta = sqrt(N/K), at every K anew.
    """

    name = "deprl-measure"
    columns = ("measure", "measure_each", "distance")

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        algorithm: Mapping[str, Any],
        rounds: Sequence[int] = (100,),
        x0: Any = 0.0,
        corollary: bool = False,
    ) -> None:
        where = self.name
        counts = increasing(where, "rounds", rounds)
        if corollary and {"alpha", "beta"} & set(algorithm):
            raise ValueError(f"{where}: alpha or beta came with corollary; need it to choose both")
        self.run = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"algorithm": dict(algorithm), "x0": x0},
        }
        self.options: dict[str, Any] = {
            **{**self.run, "rounds": counts, "corollary": corollary},
        }
        steps = {"alpha": 1.0, "beta": 1.0} if corollary else {}
        self.at = DeprlInstance(where, problem, topology, clients, {**steps, **algorithm}, x0)

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        found = dict(self.at.known)
        if self.options["corollary"]:  # they differ from row to row
            del found["deprl_alpha"], found["deprl_beta"]
        return found

    def steps(self, rounds: int) -> tuple[float, float]:
        """(alpha, beta) for K = ``rounds``."""
        if not self.options["corollary"]:
            return self.at.algorithm.alpha, self.at.algorithm.beta
        return 1 / (self.at.tau * math.sqrt(rounds)), math.sqrt(self.at.problem.clients / rounds)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        made = self.at.problem
        noise = made.noise_variances() if made.stochastic else ()
        if not made.affine_gradient or noise is None:
            if self.options["corollary"] or column == "distance":
                what = "corollary" if self.options["corollary"] else column
                raise ValueError(
                    f"{self.name}: {what} came with {self.at.problem.name}; need "
                    "coupled-quadratic with isotropic noise"
                )
            at, counts = self.at, self.options["rounds"]
            setting = Setting(at.problem, at.topology, at.algorithm, {}, counts[-1], at.start)
            kind = metric(f"deprl.{column}")
            return measured(
                kind, setting, at.known, law="sampled", runs=runs, seed=seed, rounds=counts
            )
        rows = []
        for K in self.options["rounds"]:
            alpha, beta = self.steps(K)
            method = replace(self.at.algorithm, alpha=alpha, beta=beta)
            start = self.at.start
            setting = Setting(made, self.at.topology, method, {}, K, start)
            look = functools.partial(self._vectors, column, alpha, beta)
            moment = Moments(setting, look).at(K)[0]
            place = {"T": float(K), "deprl_alpha": alpha, "deprl_beta": beta}
            values = np.array([max(moment.mean, 0.0)])
            rows.append(Row(values, place, f"K={K}", rounding=moment.mean_room))
        return Observation(tuple(rows), True, "T")

    def _vectors(
        self, column: str, alpha: float, beta: float, before: State, after: State
    ) -> list[Any]:
        """The vector whose squared length is M(k) as the column weighs it."""
        made, at = self.at.problem, self.at
        n, shared = made.clients, made.shared
        mean = before.x.mean(axis=1, keepdims=True)
        apart = (before.x - mean).reshape(len(mean), -1) / math.sqrt(n)
        if column == "distance":
            return [apart]
        slope = made.gradient(joined(mean, after.v))[..., :shared].mean(axis=1)
        heads = made.gradient(joined(mean, before.v))[..., shared:]
        if column == "measure_each":
            L = at.known["deprl_L"].value
            weight = math.sqrt(alpha * at.kept / (beta * n))
            parts = (math.sqrt(2) * slope, weight * heads.reshape(len(mean), -1), L * apart)
        else:
            weight = math.sqrt(alpha * at.tau / beta)
            parts = (slope, weight * heads.mean(axis=1), apart)
        return [np.concatenate(parts, axis=1)]
