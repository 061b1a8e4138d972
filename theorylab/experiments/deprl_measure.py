"""The left side of DePRL's Theorem 1 and Corollary 1: exact on quadratics, else from runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._deprl_instance import DeprlInstance
from theorylab.experiments._deprl_moments import Affine, is_affine
from theorylab.experiments.deprl_run import DeprlRun, increasing
from theorylab.known import Known


class DeprlMeasure(Experiment):
    """(1/K) sum_{k<K} E M(k) at every K of ``rounds``, as far as 1e12 on a coupled quadratic.

    Columns:
        measure, measure_each   as of ``DeprlRun``
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
        counts = increasing(where, rounds)
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
        each = column == "measure_each"
        if not is_affine(self.at.problem):
            if self.options["corollary"] or column == "distance":
                what = "corollary" if self.options["corollary"] else column
                raise ValueError(
                    f"{self.name}: {what} came with {self.at.problem.name}; need "
                    "coupled-quadratic with isotropic noise"
                )
            made = DeprlRun(**self.run, rounds=self.options["rounds"])
            return made.observe(column, runs, seed)
        factor = self.at.known["deprl_L"].value ** 2 if each else 1.0
        rows, model = [], Affine(self.at)
        for K in self.options["rounds"]:
            alpha, beta = self.steps(K)
            block = model.block(alpha, beta, "each" if each else "mean", factor)
            if column == "distance":
                block = model.apart(block)
            value, room = model.mean(block, K)
            place = {"T": float(K), "deprl_alpha": alpha, "deprl_beta": beta}
            rows.append(Row(np.array([value]), place, f"K={K}", rounding=room))
        return Observation(tuple(rows), True, "T")
