"""Theorem 1 of dfedpgp and its corollary: averages of squared gradients, exact for any T.

Delta_u^t is ||grad_u F(ubar^t, V^{t+1})||^2 throughout.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import State
from theorylab.known import UNIT, Known, no_less
from theorylab.metrics._dfedpgp_terms import common, run_rooms, steps_of
from theorylab.metrics._squares import Squares
from theorylab.problems import joined
from theorylab.runs import Expected, Moments, Row, Setting
from theorylab.runs.rounding import RELATIVE, loss_off

Floats = NDArray[Any]
FIRST = "dfedpgp_f_first"


class WeightedStationarity(Squares, name="dfedpgp.weighted_stationarity"):
    """(1/T) sum_{t<T} E[2 eta_u K_u Delta_u^t + eta_v K_v (1/m) sum_i ||grad_v F_i(ubar^t,
    v_i^t)||^2] (T).
    """

    plain = (
        ("2 * eta_u * {steps_u}", "body(bar(U0), V).mean(-2)"),
        ("eta_v * {steps_v} / {n}", "heads(bar(U0), V0)"),
    )

    value = "gradients"

    def __init__(self, setting: Setting, known: Mapping[str, Known]) -> None:
        super().__init__(setting, known)
        options = steps_of(self.name, setting)
        self.weights = self.weighed(*(options[f"eta_{p}"] * options[f"steps_{p}"] for p in "uv"))

    def weighed(self, u: float, v: float) -> tuple[float, float]:
        """Of Delta_u and of the heads, from eta_u K_u and eta_v K_v."""
        return 2 * u, v

    def heads_at(self, state: State) -> Floats:
        """The u_i of the heads' gradients, (R, n or 1, d_u)."""
        return np.asarray(state.x.mean(axis=1, keepdims=True))

    def vectors(self, before: State, after: State) -> dict[str, Floats]:
        problem, (of_u, of_v) = self.setting.problem, self.weights
        u = common(problem, before.x.mean(axis=1, keepdims=True), after.v)
        v = problem.gradient(joined(self.heads_at(before), before.v))[..., problem.shared :]
        both = (math.sqrt(of_u) * u, math.sqrt(of_v / problem.clients) * v.reshape(len(u), -1))
        return {"gradients": np.concatenate(both, axis=1)}

    def off(self, before: State, after: State) -> dict[str, Any]:
        slope, _ = run_rooms(self.setting, before, after)
        return {"gradients": math.sqrt(sum(self.weights)) * slope}  # each client's v by as much


class Stationarity(WeightedStationarity, name="dfedpgp.stationarity"):
    """(1/T) sum_{t=1}^T E[Delta_u^t/L_u + (1/m) sum_i ||grad_v F_i(u_i^t, v_i^t)||^2/L_v], u_i as
    printed (T, dfedpgp_f_first: E F(ubar^1, V^1)).
    """

    plain = (
        ("1 / L_u", "body(bar(U0), V).mean(-2)"),
        ("1 / (L_v * {n})", "heads(U0, V0)"),
    )

    numbers = ("dfedpgp_L_u", "dfedpgp_L_v")
    first: ClassVar[int] = 1

    def weighed(self, u: float, v: float) -> tuple[float, float]:
        smooth = [self.known[name].value for name in self.numbers]
        for name, L in zip(self.numbers, smooth, strict=True):
            if not 0 < L < math.inf:
                raise ValueError(f"metric {self.name}: {name} is {L:g}; need a number > 0")
        return 1 / smooth[0], 1 / smooth[1]

    def heads_at(self, state: State) -> Floats:
        return np.asarray(state.x)

    def _add(self, before: State, after: State) -> None:
        if before.t == 1:
            self.loss = self._loss(before, after)
        super()._add(before, after)

    def rows(self, before: State, after: State) -> Iterator[Row]:
        for row in super().rows(before, after):
            yield replace(row, at={**row.at, FIRST: self.loss})

    def exactly(self, counts: Sequence[int]) -> list[Row]:
        moments = self._moments()  # of both, for they are of the same first rounds
        loss = no_less(*first_loss(moments), "E F(ubar^1, V^1)")
        rows = self._rows_of(moments, counts)
        return [replace(row, at={**row.at, FIRST: loss}) for row in rows]

    def _loss(self, before: State, after: State) -> Expected:
        """F(ubar, V), of which a bound takes the expectation and what rounding can do to it."""
        problem = self.setting.problem
        x = joined(before.x.mean(axis=1, keepdims=True), before.v)
        losses, (slope, model) = problem.loss(x), run_rooms(self.setting, before, after)
        # a sum of up to 2^18 outcomes with their chances loses a share, one outcome does not
        share = problem.clients * UNIT + (RELATIVE if len(x) > 1 else 0.0)
        # u and v are off by ``model`` each; what the gradient gains on that way is in ``slope``
        way = 2 * model * (np.linalg.norm(problem.gradient(x), axis=2) + slope)
        room = loss_off(problem, x) + share * np.abs(losses) + way
        values = np.stack([losses.mean(axis=1), room.mean(axis=1)], axis=1)
        return Expected(
            values, lambda mean: no_less(float(mean[0]), float(mean[1]), "E F(ubar^1, V^1)")
        )


class DebiasedStationarity(Stationarity, name="dfedpgp.stationarity_debiased"):
    """The same with z_i for u_i."""

    plain = (
        ("1 / L_u", "body(bar(U0), V).mean(-2)"),
        ("1 / (L_v * {n})", "heads(U0 / w0, V0)"),
    )

    def heads_at(self, state: State) -> Floats:
        return np.asarray(state.z)


def first_loss(moments: Moments) -> tuple[float, float]:
    """(E F(ubar^1, V^1), its rounding error).

    Raises NotAffineError where a round is not affine with additive noise.
    """
    problem = moments.probe.setting.problem
    n = problem.clients
    # F is y^T H y/2 + g^T y + F(0) in y, all of u and v: H by gradients at the unit vectors
    y = np.eye(len(moments.start) - 1)
    u, v = np.split(y, [n * problem.shared], axis=1)
    mean = u.reshape(len(y), n, -1).mean(axis=1, keepdims=True)
    units, origin = joined(mean, v.reshape(len(y), n, -1)), np.zeros((1, n, problem.dim))
    slopes, at_origin = problem.gradient(units), problem.gradient(origin)
    H = np.einsum("aid,bid->ab", units, slopes - at_origin) / (2 * n)
    g = np.einsum("aid,id->a", units, at_origin[0]) / (2 * n)
    Q = np.block([[H, g[:, None]], [g[None], problem.loss(origin).mean(keepdims=True)]])
    loss = moments.of_form(1, Q)
    return loss.last, loss.last_room
