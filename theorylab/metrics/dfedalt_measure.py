"""Left-hand sides of DFedAlt's and DFedSalt's theorems: gradients on average over the rounds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from theorylab.algorithms import DFedSalt, State
from theorylab.known import Known
from theorylab.metrics import _dfedalt_terms as terms
from theorylab.metrics._dfedalt_terms import Floats
from theorylab.metrics._squares import Squares
from theorylab.problems import joined
from theorylab.runs import NotAffineError, Row, Setting
from theorylab.runs.rounding import run_off


class Measure(Squares, name="dfedalt.measure"):
    """(1/T) sum_{t<T} E[Delta_u^t / L_u + Delta_v^t / L_v].

    Delta_u^t = ||grad_u F(ubar^t, V^{t+1})||^2, Delta_v^t = (1/m) sum_i ||grad_v F_i(u_i^t,
    v_i^t)||^2.

    SAM beside noise is no affine step, and its moments are enclosed where every A_i is L_u I,
    nothing is coupled and eta_u L_u <= 1. A step of SAM differs from one without, with the same
    additive noise, by d -> (1 - eta_u L_u) d - eta_u L_u eps with ||eps|| <= rho, so ||d_i|| <= rho
    for ever, mixing by a W of Definition 1 included. Then ubar is off by at most rho, sqrt(Delta_u)
    by L_u rho, and the first part, U, by 2 sqrt(weight U) L_u rho + weight L_u^2 rho^2. The heads
    do not feel it. The row is the exact one without SAM, and this is part of its rounding.
    """

    plain = (
        ("1 / L_u", "body(bar(U0), V).mean(-2)"),
        ("1 / (L_v * {n})", "heads(U0, V0)"),
    )

    value = "slopes"
    numbers: ClassVar[tuple[str, ...]] = (
        *("dfedalt_L_u", "dfedalt_L_v", "dfedalt_definition", "dfedalt_one_slope"),
    )

    def __init__(self, setting: Setting, known: Mapping[str, Known]) -> None:
        super().__init__(setting, known)
        self.options = terms.as_printed(f"metric {self.name}", setting.algorithm)
        self.weights = self.weighed()

    def weighed(self) -> tuple[float, float]:
        """What Delta_u and Delta_v are multiplied by."""
        smooth = [self.known[f"dfedalt_L_{part}"].value for part in "uv"]
        if not all(0 < L < math.inf for L in smooth):
            raise ValueError(
                f"metric {self.name}: L_u, L_v are {smooth}; need finite numbers above 0"
            )
        return 1 / smooth[0], 1 / smooth[1]

    def vectors(self, before: State, after: State) -> dict[str, Floats]:
        problem = self.setting.problem
        assert before.v is not None
        assert after.v is not None
        u = terms.slope(problem, before.x, after.v)
        v = terms.slopes_of_heads(problem, before.x, before.v) / math.sqrt(problem.clients)
        parts = zip(self.weights, (u, v.reshape(len(v), -1)), strict=True)
        return {"slopes": np.concatenate([math.sqrt(w) * part for w, part in parts], axis=1)}

    def off(self, before: State, after: State) -> dict[str, Any]:
        models = before.x, terms.average(before.x)
        points = [joined(u, v) for u in models for v in (before.v, after.v)]
        steps = self.options["steps_u"] + self.options["steps_v"]
        slope, _ = run_off(self.setting.problem, points, before.t, steps)
        return {"slopes": math.sqrt(sum(self.weights)) * slope}

    def exactly(self, counts: Sequence[int]) -> list[Row]:
        """The rows at T = ``counts`` by exact moments, or enclosed where SAM acts.

        Raises NotAffineError where a round is not affine with additive noise but for such a SAM.
        """
        rho = self.options["rho"]
        if not rho:
            return super().exactly(counts)
        method, L_u = self.setting.algorithm, self.known["dfedalt_L_u"].value
        flags = [self.known[f"dfedalt_{name}"].value for name in ("one_slope", "definition")]
        small = self.options["eta_u"] * L_u <= 1
        # a subclass may step in another way, and without noise one run is all
        if type(method) is not DFedSalt or not self.setting.problem.stochastic:
            raise NotAffineError(f"{method.name} has rho = {rho!r}")
        if flags != [1.0, 1.0] or not small:
            raise NotAffineError(
                f"rho is {rho!r}; need one slope, Definition 1 and eta_u L_u <= 1 to enclose SAM"
            )
        without = replace(self.setting, algorithm=replace(method, rho=0.0))
        reach = math.sqrt(self.weights[0]) * L_u * rho
        return [_wider(row, reach) for row in type(self)(without, self.known).exactly(counts)]


class Weighted(Measure, name="dfedalt.weighted"):
    """(1/T) sum_{t<T} E[eta_u K_u Delta_u^t + eta_v K_v Delta_v^t], Delta as above."""

    plain = (
        ("eta_u * {steps_u}", "body(bar(U0), V).mean(-2)"),
        ("eta_v * {steps_v} / {n}", "heads(U0, V0)"),
    )

    def weighed(self) -> tuple[float, float]:
        pairs = ((self.options[f"eta_{p}"], self.options[f"steps_{p}"]) for p in "uv")
        u, v = (float(eta * steps) for eta, steps in pairs)
        return u, v


def _wider(row: Row, reach: float) -> Row:
    """The row where the root of the exact mean may be off by ``reach``."""
    room = row.rounding or 0.0
    top = math.sqrt(float(row.values[0]) + room)
    return replace(row, rounding=room + reach * (2 * top + reach))
