"""Proof 5 of dfedsgpsm, where the noise of a round is split off: both sides are expectations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import algorithm as build_algorithm
from theorylab.constants import topology_constants
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._plain import AsRun, Plain, Spot
from theorylab.known import UNIT, How, Known
from theorylab.metrics import measured, metric
from theorylab.metrics._dfedsgpsm_terms import Weighted
from theorylab.problems import Noisy, plain
from theorylab.problems import problem as build_problem
from theorylab.problems.ridge import Ridge, carried, response
from theorylab.runs import Setting, initial_models
from theorylab.topologies import topology as build_topology

LAWS = ("enumerated", "linear")

_LINEAR = """
x, v, moved = 0.0, 0.0, [0.0]  # what noise 1 of the first local step does to the model
for m in range(K):
    v = alpha * v + (m == 0) - a * x
    x = x - eta * v
    moved.append(x)
b = np.cumsum(alpha ** np.arange(K))[::-1]
A = np.array([-a * b[u:] @ moved[: K - u] for u in range(K)])
"""
_ENDS = {"excess": "(2 * A + b) @ b", "square": "(A + b) @ (A + b)"}


class NoiseSplit(Experiment, name="noise-split"):
    """The metrics dfedsgpsm.split_square and split_excess as the columns "square" and "excess"; or,
    by ``law`` "linear", what no run of them can give in float64.

    E||G||^2 of a round of 2000 steps and a noise of 1e-12 is a moment of linear steps whose every
    summand has one sign; a law of 2^2000 outcomes cannot be listed. That is why this is an
    experiment, and no metric.

    Args:
        problem: also "ridge" with ``sigma``, fair signs for noise.
        topology, clients, rounds, algorithm, x0, at: as for a run.
        law: "enumerated", every outcome of the noise; "linear", for the first round of clients
            on a ridge from x0 = 0 without SAM: they are alike, and their noise is independent.
    """

    columns = ("square", "excess")

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
        law: str = "enumerated",
    ) -> None:
        if law not in LAWS:
            raise ValueError(f"{self.name}: law is {law!r}; need one of {', '.join(LAWS)}")
        if type(rounds) is not int or rounds < 1:
            raise ValueError(f"{self.name}: rounds is {rounds!r}; need an integer >= 1")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"rounds": rounds, "algorithm": dict(algorithm), "x0": x0, "at": [*at], "law": law},
        }
        losses, sigma = _named("problem", problem), 0.0
        if losses[0] == "ridge":
            sigma = float(losses[1].pop("sigma", 1e-12))
        made = build_problem(losses[0], clients, **losses[1])
        if losses[0] == "ridge":
            made = Noisy(made.clients, base=made, field="rademacher", sigma=sigma)
        network = _named("topology", topology)
        graph = build_topology(network[0], clients, **network[1])
        method = build_algorithm("dfedsgpsm", **algorithm)
        start = initial_models(made, 1, np.asarray(x0))[0]
        self.setting, self.sigma = Setting(made, graph, method, {}, rounds, start), sigma
        self.run = method.options()
        if law == "linear" and not self._is_linear():
            raise ValueError(f"{self.name}: law 'linear' needs one round on a ridge, x0 0, rho 0")

    def _is_linear(self) -> bool:
        setting = self.setting
        ridge = plain(getattr(setting.problem, "base", None), Ridge)
        return ridge and setting.rounds == 1 and self.run["rho"] == 0 and not np.any(setting.start)

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        setting, problem = self.setting, self.setting.problem
        numbers = {
            "T": setting.rounds, "n": problem.clients, "d": problem.dim,
            "K": self.run["local_steps"],
            **{name: self.run[name] for name in ("eta", "alpha", "rho", "decay")},
        }  # fmt: skip
        exact = {name: Known(float(v), How.EXACT, "of the instance") for name, v in numbers.items()}
        network = topology_constants(setting.topology, setting.rounds, run=0, dim=problem.dim)
        return exact | problem.constants() | network

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if self.options["law"] == "linear":
            return Observation((self._linear(column),), True, "t")
        kind = metric(f"dfedsgpsm.split_{column}")
        return measured(kind, self.setting, {}, law="enumerated", rounds=self.options["at"])

    def plain(self, spot: Spot) -> Plain:
        """E||G||^2 of one round, or its excess over E||A||^2: all outcomes, or linear steps near
        0."""
        if self.options["law"] != "linear":
            metric = f"dfedsgpsm.split_{spot.column}"
            return AsRun(metric=metric, instance={"algorithm_name": "dfedsgpsm", **self.options})
        n, ridge = self.setting.problem.clients, self.setting.problem.base  # type: ignore[attr-defined]
        numbers = {"K": self.run["local_steps"], "eta": self.run["eta"], "n": n}
        numbers |= {"alpha": self.run["alpha"], "sigma": self.sigma, "a": float(ridge.scale)}
        end = " / n  # of n clients" if n > 1 else ""
        return Plain().of(_LINEAR + f"measured = sigma**2 * {_ENDS[spot.column]}{end}", **numbers)

    def _linear(self, column: str) -> Row:
        """E||G||^2 = sigma^2/n sum_u (A_u + b_u)^2 and E||A||^2 = sigma^2/n sum_u A_u^2, where all
        A_u and b_u have one sign, so that nothing cancels in 2 A_u b_u + b_u^2 either.
        """
        b = Weighted(self.run["alpha"], int(self.run["local_steps"])).weights
        ridge: Any = self.setting.problem
        ridge = ridge.base
        moved = response(ridge.scale, float(self.run["eta"]), self.run["alpha"], len(b))
        reach = self.sigma * float(np.abs(moved).sum())
        if not reach <= ridge.radius:
            raise ValueError(
                f"{self.name}: the noise moves a model by up to {reach:.3g}; need at most the "
                f"ridge's radius {ridge.radius:g}"
            )
        A, n = carried(ridge.scale, b, moved), self.setting.problem.clients
        at = {"t": 0.0}
        if column == "square":
            value = self.sigma**2 * float((A + b) @ (A + b)) / n
            at["kept_slopes"] = self.sigma * float(np.sqrt(A @ A / n))
        else:
            value = self.sigma**2 * float((2 * A + b) @ b) / n
        # sums and products of numbers of one sign, at most 8 operations a local step
        return Row(np.array([value]), at, "t=0", rounding=64 * len(b) * UNIT * value)


def _named(part: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    rest = dict(options)
    if "name" not in rest:
        raise ValueError(f"noise-split: {part} has no name; need {{'name': ...}}")
    return str(rest.pop("name")), rest
