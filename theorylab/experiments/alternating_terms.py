"""The terms of DFedAlt's and DFedSalt's convergence proof, round by round, expectations exact."""

from __future__ import annotations

from typing import Any

import numpy as np

from theorylab.experiments._alternating_instance import AltRound, in_float64
from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments.alternating_rounds import (
    AlternatingRounds,
    change,
    local_rounding,
    round_gradient_off,
    rounds_and_rounding,
)
from theorylab.runs.rounding import RELATIVE, squared_room

Floats = Any


class AlternatingTerms(AlternatingRounds):
    """Without noise, or over every outcome of fair signs, as ``AlternatingRounds``; a row a round.

    Columns:
        u_step     F(ubar^{t+1}, V^{t+1}) - F(ubar^t, V^{t+1})
        v_step     F(ubar^t, V^{t+1}) - F(ubar^t, V^t)
        wander     (1/m) sum_i sum_{k<K_u} ||u_i^{t,k} - ubar^t||^2: T_1,u over eta_u L_u^2/2
        leap       ||ubar^{t+1} - ubar^t||^2: T_2,u over L_u/2
        slope      (1/m) sum_i ||grad_u F(u_i^t, V^{t+1})||^2: T_3,u
        head_push  (1/m) sum_i <grad_v F_i(ubar^t, v_i^t), v_i^{t+1} - v_i^t>: T_1,v
        head_leap  (1/m) sum_i ||v_i^{t+1} - v_i^t||^2: T_2,v over L_v/2
        spread     (1/m) sum_i ||u_i^t - ubar^t||^2: T_3,v over L_vu^2/2
    Every row has t, dfedalt_G, dfedalt_Delta_u, dfedalt_Delta_v, dfedalt_spread, dfedalt_wander,
    dfedalt_leap, dfedalt_head_leap (these columns), and dfedalt_spread_room, what rounding can do.

    Args:
        as for ``AlternatingRounds``.
    """

    name = "alternating-terms"
    columns = (
        *("u_step", "v_step", "wander", "leap", "slope", "head_push", "head_leap"),
        "spread",
    )

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        with in_float64(self.name):
            rows = [
                self._row(column, p, far)
                for p, far in rounds_and_rounding(self.made, self.options["rounds"])
                if not self.options["at"] or p.t in self.options["at"]
            ]
        return Observation(tuple(rows), True)

    def _row(self, column: str, p: AltRound, far: float) -> Row:
        made, u, v, new = self.made, p.us[0], p.vs[0], p.vs[-1]
        bar = u.mean(axis=1, keepdims=True)
        off_u, off_v = local_rounding(made, p)
        gradient = round_gradient_off(made, p)
        wander = sum(float(((x - bar) ** 2).sum(axis=2).mean()) for x in p.us[:-1])
        leap = float(((p.after.mean(axis=1, keepdims=True) - bar) ** 2).sum(axis=2).mean())
        values = {
            "slope": float(made.shared_gradients(u, new).mean()),
            "spread": float(made.spread(u).mean()),
            "head_leap": float(((new - v) ** 2).sum(axis=2).mean()),
            **{"wander": wander, "leap": leap},
        }
        rooms = {
            "slope": squared_room(values["slope"], gradient),
            "spread": squared_room(values["spread"], far),
            "head_leap": squared_room(values["head_leap"], off_v),
            "leap": squared_room(leap, off_u),
            "wander": squared_room(wander, (off_u + far) * made.steps["steps_u"] ** 0.5),
        }
        at = {
            "t": float(p.t),
            "dfedalt_G": values["slope"],
            "dfedalt_Delta_u": float(made.at_average(u, new).mean()),
            "dfedalt_Delta_v": float(made.heads(u, v).mean()),
            "dfedalt_spread_room": 2 * rooms["spread"],
            **{f"dfedalt_{k}": values[k] for k in ("spread", "head_leap", "wander", "leap")},
        }
        if column == "head_push":
            g = made.problem.gradient(made.joined(bar, v))[..., made.shared :]
            value = float((g * (new - v)).sum(axis=2).mean())
            room = RELATIVE * abs(value) + off_v * float(np.linalg.norm(g, axis=2).max())
            room += gradient * float(np.linalg.norm(new - v, axis=2).max())
        elif column == "u_step":
            value, room = change(made, (u, new), (p.after, new), (off_u, 0.0))
        elif column == "v_step":
            value, room = change(made, (u, v), (u, new), (0.0, off_v))
        else:
            value, room = values[column], rooms[column]
        return Row(np.array([value]), at, f"t={p.t}", rounding=room)
