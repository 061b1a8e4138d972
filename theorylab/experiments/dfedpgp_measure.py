"""Averages over rounds that DFedPGP's theorem bounds: exact wherever possible."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import State
from theorylab.experiments._alternating_instance import in_float64
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._dfedpgp_instance import EPS, DfedpgpInstance, increasing
from theorylab.known import How, Known, no_less
from theorylab.problems import joined
from theorylab.runs import Moments, Setting
from theorylab.runs.rounding import run_off, squared_room

Floats = Any
Sums = dict[str, tuple[float, float]]


class DfedpgpMeasure(Experiment):
    """One row a T of ``rounds``. With Delta_u^t = ||grad_u F(ubar^t, V^{t+1})||^2:

    Columns:
        stationarity          (1/T) sum_{t=1}^T E[Delta_u/L_u + (1/m) sum_i ||grad_v F_i(u_i,
                              v_i)||^2/L_v], as printed (dfedpgp_f_first: E F(ubar^1, V^1))
        stationarity_debiased the same with z_i for u_i
        descent               (1/T) sum_{t<T} E[2 eta_u K_u Delta_u + eta_v K_v (1/m) sum_i
                              ||grad_v F_i(ubar, v_i)||^2]

    Args:
        problem, topology, clients, x0: of the instance. algorithm: eta_u, eta_v, steps_u, steps_v,
            batch. rounds: the T, increasing.
        corollary: (c_u, c_v) chooses eta_u = c_u/(L_u K_u sqrt T), eta_v = c_v/(L_v K_v sqrt T)
            at every T anew, and the constants are dfedpgp_c_u and dfedpgp_c_v instead of the step
            sizes; empty leaves them as given.

    Exact on coupled quadratics with isotropic noise, and without noise; otherwise only "descent"
    can be measured, one sample a run.
    """

    name = "dfedpgp-measure"
    columns = ("stationarity", "stationarity_debiased", "descent")

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        topology: Mapping[str, Any],
        clients: int,
        algorithm: Mapping[str, Any],
        rounds: Sequence[int] = (100,),
        x0: Any = 0.0,
        corollary: Sequence[float] = (),
    ) -> None:
        where = self.name
        counts = increasing(where, "rounds", rounds)
        if len(corollary) not in (0, 2) or not all(c > 0 for c in corollary):
            raise ValueError(f"{where}: corollary is {corollary!r}; need two numbers > 0, or none")
        if corollary and {"eta_u", "eta_v"} & set(algorithm):
            raise ValueError(f"{where}: a step size came with corollary; need it to choose both")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "topology": dict(topology), "clients": clients},
            **{"algorithm": dict(algorithm), "rounds": counts, "x0": x0},
            "corollary": [*corollary],
        }
        self.at = self._instance(counts[-1])

    def _instance(self, T: int) -> DfedpgpInstance:
        options = self.options
        steps = dict(options["algorithm"])
        parts = (options["problem"], options["topology"], options["clients"])
        far = (options["rounds"][-1], options["x0"])
        if not options["corollary"]:
            return DfedpgpInstance(self.name, *parts, steps, *far)
        ones = DfedpgpInstance(self.name, *parts, {**steps, "eta_u": 1.0, "eta_v": 1.0}, *far)
        for part, K, c in zip("uv", (ones.K_u, ones.K_v), options["corollary"], strict=True):
            steps[f"eta_{part}"] = c / (ones.losses[f"dfedpgp_L_{part}"].value * K * math.sqrt(T))
        return DfedpgpInstance(self.name, *parts, steps, *far)

    def describe(self) -> dict[str, Any]:
        return self.options

    def constants(self) -> dict[str, Known]:
        found = dict(self.at.known)
        for part, c in zip("uv", self.options["corollary"], strict=False):
            del found[f"dfedpgp_eta_{part}"]  # they differ from row to row
            found[f"dfedpgp_c_{part}"] = Known(float(c), How.EXACT, "of the instance")
        return found

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        counts = self.options["rounds"]
        groups = [[T] for T in counts] if self.options["corollary"] else [counts]
        rows: list[Row] = []
        affine = self.at.problem.affine_gradient
        affine &= not self.at.problem.stochastic or self.at.problem.noise_variances() is not None
        exact = affine or not self.at.problem.stochastic
        if not exact and column != "descent":
            raise ValueError(
                f"{self.name}: {column} came with {self.at.problem.name} and noise; need "
                "coupled-quadratic with isotropic noise, or none"
            )
        for group in groups:
            at = self._instance(group[-1]) if self.options["corollary"] else self.at
            with in_float64(self.name, below=False):
                if affine:
                    rows += self._exact(at, column, group)
                else:
                    rows += self._played(at, column, group, runs, seed)
        return Observation(tuple(rows), exact, "T")

    def _weights(self, at: DfedpgpInstance, column: str) -> tuple[float, float]:
        if column == "descent":
            run = at.algorithm
            return 2 * run.eta_u * at.K_u, run.eta_v * at.K_v
        if column.startswith("stationarity"):
            return 1 / at.losses["dfedpgp_L_u"].value, 1 / at.losses["dfedpgp_L_v"].value
        return 1.0, 0.0

    def _exact(self, at: DfedpgpInstance, column: str, counts: list[int]) -> list[Row]:
        weight, first = self._weights(at, column), int(column.startswith("stationarity"))
        last = counts[-1] + first + 1
        setting = Setting(at.problem, at.topology, at.algorithm, {}, last, at.start)
        extra: dict[str, Known | float] = {}
        if first:
            extra["dfedpgp_f_first"] = no_less(*_first_loss(at, setting), "E F(ubar^1, V^1)")
        look = functools.partial(_vectors, at, weight, _place(column))
        model, rows = Moments(setting, look, first), []
        for T in counts:
            total = model.at(T)[0]
            values = np.array([max(total.mean, 0.0)])
            rows.append(self._row(at, T, values, extra, total.mean_room))
        return rows

    def _row(
        self,
        at: DfedpgpInstance,
        T: int,
        values: Floats,
        extra: Mapping[str, Known | float],
        room: float,
    ) -> Row:
        run = at.algorithm
        place: dict[str, Known | float] = {"T": float(T), **extra}
        if self.options["corollary"]:
            place |= {"dfedpgp_eta_u": run.eta_u, "dfedpgp_eta_v": run.eta_v}
        return Row(values, place, f"T={T}", rounding=room)

    def _played(
        self, at: DfedpgpInstance, column: str, counts: list[int], runs: range, seed: int
    ) -> list[Row]:
        ids = runs if at.problem.stochastic else range(1)
        first, weight = int(column.startswith("stationarity")), self._weights(at, column)
        total, rows = np.zeros(len(ids)), []
        rooms = dict.fromkeys(("u", "v"), 0.0)  # of the sums so far
        extra: dict[str, Known | float] = {}
        for t, (state, after) in enumerate(at.rounds(ids, seed, counts[-1] + 1)):
            here = forms(at, state, after, _place(column))
            room_here = _rooms(at, state, after, here, t)
            if t == 1 and first:
                loss = float(here["loss"].mean())
                # losses of order 1 or their size, after the products of one round
                room = 64 * (at.problem.dim + at.problem.clients) * EPS * (1 + abs(loss))
                extra["dfedpgp_f_first"] = no_less(loss, room, "F(ubar^1, V^1)")
            if t >= first:
                total += weight[0] * here["u"] + weight[1] * here["v"]
                rooms = {name: room + room_here[name] for name, room in rooms.items()}
            T = t + 1 - first
            if T in counts:
                room = weight[0] * rooms["u"] + weight[1] * rooms["v"]
                rows.append(self._row(at, T, total / T, extra, room / T))
        return rows


def forms(at: DfedpgpInstance, state: State, after: State, place: str) -> dict[str, Floats]:
    """One number a run: "u" Delta_u, "v" Delta_v at ``place``, "loss" F(ubar, V)."""
    made, shared = at.problem, at.shared
    mean = state.x.mean(axis=1, keepdims=True)
    where = {"biased": state.x, "debiased": state.z, "mean": mean}[place]
    G = made.gradient(joined(mean, after.v))[..., :shared].mean(axis=1)
    H = made.gradient(joined(where, state.v))[..., shared:]
    return {
        "u": (G**2).sum(axis=1),
        "v": (H**2).sum(axis=2).mean(axis=1),
        "loss": made.loss(joined(mean, state.v)).mean(axis=1),
    }


def _vectors(
    at: DfedpgpInstance, weight: tuple[float, float], place: str, state: State, after: State
) -> list[Floats]:
    """The vector whose square is the weighted sum of "u" and "v" of ``forms``."""
    made, shared, n = at.problem, at.shared, at.problem.clients
    mean = state.x.mean(axis=1, keepdims=True)
    where = {"biased": state.x, "debiased": state.z, "mean": mean}[place]
    slope = made.gradient(joined(mean, after.v))[..., :shared].mean(axis=1)
    heads = made.gradient(joined(where, state.v))[..., shared:].reshape(len(mean), -1)
    both = (math.sqrt(weight[0]) * slope, math.sqrt(weight[1] / n) * heads)
    return [np.concatenate(both, axis=1)]


def _first_loss(at: DfedpgpInstance, setting: Setting) -> tuple[float, float]:
    """(E F(ubar^1, V^1), its rounding error), of gradients that are affine."""
    moments = Moments(setting, functools.partial(_vectors, at, (1.0, 1.0), "mean"))
    y, n = np.eye(len(moments.start) - 1), at.problem.clients
    u, v = y[:, : at.start[:, : at.shared].size], y[:, at.start[:, : at.shared].size :]
    u = u.reshape(len(y), n, -1).mean(axis=1, keepdims=True)
    units = joined(u, v.reshape(len(y), n, -1))
    origin = np.zeros((1, n, at.problem.dim))
    slopes, first = at.problem.gradient(units), at.problem.gradient(origin)
    H = np.einsum("aid,bid->ab", units, slopes - first) / (2 * n)
    g = np.einsum("aid,id->a", units, first[0]) / (2 * n)
    Q = np.block([[H, g[:, None]], [g[None], at.problem.loss(origin).mean(keepdims=True)]])
    moment = moments.of_form(1, Q)
    return moment.last, moment.last_room


def _rooms(
    at: DfedpgpInstance, state: State, after: State, here: dict[str, Floats], t: int
) -> dict[str, float]:
    """What t rounds of rounding can do to ``forms``, the largest of the runs."""
    mean = np.broadcast_to(state.x.mean(axis=1, keepdims=True), state.x.shape)
    points = [joined(u, v) for u in (state.x, state.z, mean) for v in (state.v, after.v)]
    slope, _ = run_off(at.problem, points, t, at.K_u + at.K_v)
    return {name: squared_room(float(here[name].max()), slope) for name in ("u", "v")}


def _place(column: str) -> str:
    return {"stationarity": "biased", "stationarity_debiased": "debiased"}.get(column, "mean")
