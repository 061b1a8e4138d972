"""What DePRL's Equation (8) and the letter of its Assumption 4 speak of, at drawn points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import Observation, Row
from theorylab.experiments._plain import Plain, Spot
from theorylab.experiments.drawn_points import DrawnPoints
from theorylab.known import UNIT, How, Known
from theorylab.runs.rounding import gradient_off, loss_off, squared_room

Floats = NDArray[Any]
_STEP = 1e-4  # of a central difference

_MEASURED = {
    "heads": "np.sum(slopes**2) / len(V) ** 2  # f is the mean of the f_i",
    "common_shift": "np.sum(slopes.mean(0) ** 2)  # all heads move alike",
}


class DeprlHeads(DrawnPoints, name="deprl-heads"):
    """Columns, beside those of ``DrawnPoints``, phi for u and theta for v:
        noise_letter ||g_theta - grad_phi F_i||^2, d_u = d_v, one sample a run, row i
        heads        ||(1/N)(grad_theta F_1, ..., grad_theta F_N)||^2, the gradient of f with
                     respect to all heads, by central differences of f, one row a probe;
                     deprl_printed_heads there is ||(1/N) sum_i grad_theta F_i||^2
        common_shift ||df/ds||^2 of the shift theta_i + s of all heads at once, likewise

    Raises ValueError, one line, for a problem without a personal part.
    """

    columns = (*DrawnPoints.columns, "noise_letter", "heads", "common_shift")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if self.shared == self.problem.dim:
            raise ValueError(f"{self.name}: {self.problem.name} has no personal part; need one")

    def constants(self) -> dict[str, Known]:
        return {**super().constants(), "deprl_sigma_letter": self._letter()}

    def _letter(self) -> Known:
        """The least sigma with E||g_theta - grad_phi F_i||^2 <= sigma^2 everywhere."""
        problem, shared = self.problem, self.shared
        if 2 * shared != problem.dim:
            reason = f"phi has {shared} coordinates, theta {problem.dim - shared}: no difference"
            return Known(np.inf, How.EXACT, reason)
        if problem.parts_differ_endlessly:
            reason = "grad_theta F_i - grad_phi F_i grows linearly, but for terms with bounds"
            return Known(np.inf, How.EXACT, reason)
        return Known(np.inf, How.ESTIMATE, f"not known for {problem.name}")

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        if column == "noise_letter":
            return self._noise_letter(self.points(seed)[0], runs, seed)
        if column in ("heads", "common_shift"):
            return self._heads(self.points(seed)[0], column)
        return super().observe(column, runs, seed)

    def plain(self, spot: Spot) -> Plain:
        """||df/d(theta_1, ..., theta_N)||^2 at a drawn point, or of a shift of all heads."""
        if spot.column not in _MEASURED:
            return super().plain(spot)
        point = self.points(spot.seed)[0][spot.at("probe")]
        numbers = {"U": point[:, : self.shared], "V": point[:, self.shared :]}
        text = f"slopes = heads(U, V)  # of f_i in v_i\nmeasured = {_MEASURED[spot.column]}"
        return Plain(problem=self.problem).of(text, **numbers)

    def _noise_letter(self, x: Floats, runs: range, seed: int) -> Observation:
        problem, shared = self.problem, self.shared
        if 2 * shared != problem.dim:
            raise ValueError(
                f"{self.name}: phi has {shared} coordinates, theta {problem.dim - shared}; "
                "need the same number to take one gradient from the other"
            )
        ids = np.asarray(runs, np.int64)
        z = np.repeat(x[:1], len(ids), axis=0)
        g = problem.stochastic_gradient(z, problem.sample(seed, ids, 0, 0))
        squares = ((g[..., shared:] - problem.gradient(z)[..., :shared]) ** 2).sum(axis=2)
        room = squared_room(float(squares.max()), 2 * float(gradient_off(problem, x[:1]).max()))
        rows = (Row(s, label=f"i={i}", rounding=room) for i, s in enumerate(squares.T))
        return Observation(tuple(rows), False)

    def _heads(self, x: Floats, column: str) -> Observation:
        problem, shared = self.problem, self.shared
        n, dv, rows = problem.clients, problem.dim - shared, []
        heads = problem.gradient(x)[..., shared:]
        every = [slice(None)] if column == "common_shift" else [slice(i, i + 1) for i in range(n)]
        for r in range(min(4, len(x))):
            total, bent, point = 0.0, 0.0, x[r : r + 1]
            for who in every:
                for j in range(dv):
                    moved = np.repeat(point, 4, axis=0)
                    moved[:, who, shared + j] += _STEP * np.array([[1.0], [-1.0], [2.0], [-2.0]])
                    ends = problem.loss(moved).mean(axis=1)
                    near = float((ends[0] - ends[1]) / (2 * _STEP))
                    total += near**2
                    bent += (near - float((ends[2] - ends[3]) / (4 * _STEP))) ** 2
            # A central difference is off by step^2/6 times a third derivative, which is a third of
            # what a step twice as wide changes; and by what losses and points are rounded by, over
            # the step.
            lost = float((loss_off(problem, point) + n * UNIT * np.abs(problem.loss(point))).mean())
            lost += UNIT * float(np.abs(point).max() * np.abs(problem.gradient(point)).sum())
            off = math.sqrt(bent) + 2 * lost / _STEP * math.sqrt(len(every) * dv)
            at = {
                "deprl_printed_heads": float((heads[r].mean(axis=0) ** 2).sum()),
                "deprl_all_heads": float((heads[r] ** 2).sum()) / n**2,
            }
            room = squared_room(total, off)
            rows.append(Row(np.array([total]), at, f"probe {r}", rounding=room))
        return Observation(tuple(rows), True)
