"""The left side of DFedAlt's and DFedSalt's theorems: exact where a round is affine, else runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import Context, State, algorithm
from theorylab.experiments._alternating_instance import AlternatingInstance, in_float64
from theorylab.experiments._alternating_law import is_one_slope
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.known import Known
from theorylab.runs import Moment, Moments, NotAffineError, Setting
from theorylab.runs.rounding import run_off, squared_room


class AlternatingMeasure(Experiment):
    """At every T of ``rounds``, the rounds counted from the start, t = 0 .. T - 1:

    Columns:
        measure    (1/T) sum_t E[Delta_u^t / L_u + Delta_v^t / L_v]
        weighted   (1/T) sum_t E[eta_u K_u Delta_u^t + eta_v K_v Delta_v^t]
    with Delta_u^t = ||grad_u F(ubar^t, V^{t+1})||^2, Delta_v^t = (1/m) sum_i ||grad_v F_i(u_i^t,
    v_i^t)||^2.

    SAM beside noise is enclosed where every A_i is L_u I, nothing is coupled and eta_u L_u <= 1. A
    step of SAM differs from one without, with the same noise, by d -> (1 - eta_u L_u) d - eta_u L_u
    eps with ||eps|| <= rho, so ||d_i|| <= rho for ever, mixing included. Then ubar is off by at
    most rho, sqrt(Delta_u) by L_u rho, and the first part, U, by 2 sqrt(weight U) L_u rho + weight
    L_u^2 rho^2: the row is the exact one without SAM, and this is part of its rounding.

    Args:
        problem, topology, clients, x0, algorithm: see ``AlternatingInstance``. On a coupled
            quadratic with isotropic additive noise, or none, without SAM, expectations are exact,
            or enclosed, see above.
        rounds: the T, increasing.
        scale: c; eta_u = c / (L_u K_u sqrt T), eta_v likewise and rho / sqrt T at every T anew,
            as the theorems run. 0: the algorithm's own.
    """

    name = "alternating-measure"
    columns = ("measure", "weighted")

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        algorithm: Mapping[str, Any],
        rounds: Sequence[int] = (100,),
        x0: Any = 0.0,
        scale: float = 0.0,
    ) -> None:
        where, counts = self.name, list(rounds)
        if not counts or any(type(k) is not int or k < 1 for k in counts):
            raise ValueError(f"{where}: rounds is {rounds!r}; need integers >= 1")
        if sorted(set(counts)) != counts:
            raise ValueError(f"{where}: rounds is {rounds!r}; need them increasing")
        if not scale >= 0:
            raise ValueError(f"{where}: scale is {scale!r}; need >= 0")
        if scale and {"eta_u", "eta_v"} & set(algorithm):
            raise ValueError(f"{where}: eta_u or eta_v came with scale; need it to choose both")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"algorithm": dict(algorithm), "rounds": counts, "x0": x0, "scale": scale},
        }
        self.made = AlternatingInstance(where, problem, topology, clients, algorithm, x0)
        self.smooth = [self.made.known[f"dfedalt_{name}"].value for name in ("L_u", "L_v")]
        if not all(0 < value < math.inf for value in self.smooth):
            raise ValueError(f"{where}: L_u, L_v are {self.smooth}; need finite numbers > 0")

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        found = dict(self.made.known)
        if self.options["scale"]:  # they differ from row to row
            del found["dfedalt_eta_u"], found["dfedalt_eta_v"], found["rho"]
        return found

    def steps(self, rounds: int) -> tuple[float, float, float]:
        """(eta_u, eta_v, rho) for T = ``rounds``."""
        own, c = self.made.steps, self.options["scale"]
        if not c:
            return own["eta_u"], own["eta_v"], own["rho"]
        root = math.sqrt(rounds)
        (L_u, L_v), (K_u, K_v) = self.smooth, (own["steps_u"], own["steps_v"])
        return c / (L_u * K_u * root), c / (L_v * K_v * root), own["rho"] / root

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        with in_float64(self.name, below=False):
            return self._observed(column, runs, seed)

    def _observed(self, column: str, runs: range, seed: int) -> Observation:
        made, rows = self.made, []
        small = all(self.steps(T)[0] * self.smooth[0] <= 1 for T in self.options["rounds"])
        enclosed = made.steps["rho"] and made.problem.stochastic and small and is_one_slope(made)
        exact = not made.problem.stochastic
        for T in self.options["rounds"]:
            eta_u, eta_v, rho = self.steps(T)
            weights = (1 / self.smooth[0], 1 / self.smooth[1])
            if column == "weighted":
                weights = (eta_u * made.steps["steps_u"], eta_v * made.steps["steps_v"])
            moment = None if made.steps["rho"] and not enclosed else self._moment(T, weights)
            if moment is not None:
                value, room, exact = max(moment.mean, 0.0), moment.mean_room, True
                reach = math.sqrt(weights[0]) * self.smooth[0] * rho
                values, room = np.array([value]), room + 2 * math.sqrt(value + room) * reach
                room += reach**2
            else:
                values, room = self._simulated(T, (eta_u, eta_v, rho), weights, runs, seed)
            place = {"T": float(T), "dfedalt_eta_u": eta_u, "dfedalt_eta_v": eta_v, "rho": rho}
            rows.append(Row(values, place, f"T={T}", rounding=room))
        return Observation(tuple(rows), exact, "T")

    def _moment(self, rounds: int, weights: tuple[float, float]) -> Moment | None:
        """The exact mean over the rounds, by steps without SAM; None where none is affine."""
        made, own = self.made, self.made.steps
        eta_u, eta_v, _ = self.steps(rounds)
        options = {k: own[k] for k in ("steps_u", "steps_v", "batch")}
        method = algorithm("dfedalt", eta_u=eta_u, eta_v=eta_v, **options)
        parts = (made.problem, made.topology, method)

        def look(before: State, after: State) -> list[Any]:
            mean = before.x.mean(axis=1, keepdims=True)
            point = made.joined(mean, after.v)
            slope = made.problem.gradient(point)[..., : made.shared].mean(axis=1)
            heads = made.problem.gradient(made.joined(before.x, before.v))[..., made.shared :]
            heads = heads.reshape(len(heads), -1) / math.sqrt(made.problem.clients)
            sides = (math.sqrt(weights[0]) * slope, math.sqrt(weights[1]) * heads)
            return [np.concatenate(sides, axis=1)]

        try:
            moments = Moments(Setting(*parts, {}, rounds, made.start[0]), look)
            return moments.at(rounds)[0]
        except NotAffineError:
            return None

    def _simulated(
        self,
        rounds: int,
        steps: tuple[float, float, float],
        weights: tuple[float, float],
        runs: range,
        seed: int,
    ) -> tuple[Any, float]:
        """One number a run, and what rounding can do to it."""
        made, own = self.made, self.made.steps
        names = dict(zip(("eta_u", "eta_v"), steps, strict=False))
        extra = {"rho": steps[2]} if steps[2] else {}
        options = {**names, **extra, **{k: own[k] for k in ("steps_u", "steps_v", "batch")}}
        method = algorithm("dfedsalt" if extra else "dfedalt", **options)
        ids = np.asarray(runs if made.problem.stochastic else range(1), np.int64)
        x0 = np.repeat(made.start, len(ids), axis=0)
        state = method.init(made.problem.points(x0), made.problem)
        total, room = np.zeros(len(ids)), 0.0
        for t in range(rounds):
            context = Context(made.problem, made.topology.matrix(0), seed, ids)
            after = method.step(state, context)
            mean = state.x.mean(axis=1, keepdims=True)
            places = [made.joined(u, v) for u in (state.x, mean) for v in (state.v, after.v)]
            off, _ = run_off(made.problem, places, t, own["steps_u"] + own["steps_v"])
            parts = made.at_average(state.x, after.v), made.heads(state.x, state.v).mean(axis=1)
            for weight, part in zip(weights, parts, strict=True):
                total += weight * part
                room += weight * squared_room(float(part.max()), off)
            state = after
        return total / rounds, room / rounds
