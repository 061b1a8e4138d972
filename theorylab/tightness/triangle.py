"""Simulated <= worst case <= bound, three numbers for every method, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.known import How, Known
from theorylab.runs import simulate
from theorylab.tightness import (
    decentralized_gradient_descent,
    gradient_descent,
    momentum,
    push_sum,
)
from theorylab.tightness.interpolation import Interpolant, Interpolated
from theorylab.tightness.setting import GAP, LAST, LEAST, B, L, Setting
from theorylab.tightness.worst_case import Data, worst_case

METHODS = {
    module.NAME: module.settings
    for module in (gradient_descent, decentralized_gradient_descent, push_sum, momentum)
}
MOST = 48  # points looked at in all; 48 take some 20 s
_INSIDE = 1 - 1e-12  # the rounding of a loss or a norm, which must not leave the class


@dataclass(frozen=True)
class Triangle:
    """One row. ``pep`` is a float from an SDP solver: an estimate, never a proof.

    Attributes:
        simulated: what a run of the registered algorithm attains on functions of the class.
        pep: value of the outer program (of the inner one for one client).
        data: the points, gradients and values that define the simulated functions.
    """

    setting: Setting
    simulated: Known
    pep: Known
    bound: Known
    data: tuple[Data, ...]

    @property
    def attained(self) -> float:
        """simulated / PEP."""
        return self.simulated.value / self.pep.value

    @property
    def tightness(self) -> float:
        """PEP / bound."""
        return self.pep.value / self.bound.value

    def as_json(self) -> dict[str, Any]:
        """The row, with the simulated functions' data."""
        s = self.setting
        functions = [
            {
                "points": d.points.tolist(),
                "gradients": d.gradients.tolist(),
                "values": d.values.tolist(),
            }
            for d in self.data
        ]
        return {
            **{"method": s.method, "measured": s.claim, "clients": s.clients, "rounds": s.rounds},
            **{"L": L, "B": B if s.bounded else None, "gap": GAP, "convex": s.convex},
            "algorithm": {"name": s.algorithm.name, **s.algorithm.options()},
            "topology": s.topology.describe(),
            "simulated": self.simulated.as_json(),
            "pep": self.pep.as_json(),
            "bound": self.bound.as_json(),
            "simulated_over_pep": self.attained,
            "pep_over_bound": self.tightness,
            "functions": functions,
        }


def settings(method: str | None, clients: int, rounds: int) -> list[Setting]:
    """The rows of one method, or of all.

    Raises ValueError, one line, on an unknown method or on more points than ``MOST``.
    """
    if method is not None and method not in METHODS:
        raise ValueError(f"no method {method!r}; need one of {', '.join(METHODS)}")
    if clients < 1 or rounds < 1:
        raise ValueError(f"clients is {clients}, rounds {rounds}; need at least 1 of each")
    chosen = METHODS if method is None else {method: METHODS[method]}
    for name in chosen:
        steps = momentum.STEPS if name == momentum.NAME else 1
        looked_at = rounds if name == gradient_descent.NAME else clients * rounds * (steps + 1)
        if looked_at > MOST:
            raise ValueError(
                f"{name}: clients is {clients}, rounds {rounds}: the semidefinite program has "
                f"{looked_at} gradients; need at most {MOST}"
            )
    return [row for make in chosen.values() for row in make(clients, rounds)]


def triangle(setting: Setting) -> Triangle:
    """Solve, rebuild the worst functions, run the algorithm on them.

    Raises ValueError, or MissingExtraError without the extra ``sdp``, as ``worst_case``.
    """
    alone = setting.clients == 1  # then f_1 = f, and the inner conditions are necessary
    pep, data = worst_case(setting, inner=alone)
    if not alone:  # the outer program's functions may have an average below f*
        _, data = worst_case(setting, inner=True)
    simulated, used = _simulated(setting, data)
    return Triangle(setting, simulated, pep, setting.bound, tuple(used))


def _simulated(setting: Setting, data: list[Data]) -> tuple[Known, list[Data]]:
    """What a run on the functions through ``data`` attains, and the data that were used.

    The solver's data miss the constraints by some 1e-8. f -> a^2 f(x/a), a < 1, keeps L and takes a
    run from x^0 = 0 to a times itself, so it brings the gap, the gradients and |x^0 - x*| back.
    """
    run = _Run(setting, data)
    a = 1 / max(1.0, run.excess)
    if a < 1:
        data = [d.shrunk(a * _INSIDE) for d in data]
        run = _Run(setting, data)
    if run.excess > 1:
        raise ArithmeticError(f"{setting.method}: the run leaves its class by {run.excess - 1:.1e}")
    text = (
        f"float64 run of {setting.algorithm.name} on functions of the class through the data of "
        "a worst run; below the worst case up to rounding"
    )
    return Known(run.value, How.ESTIMATE, text), data


class _Run:
    """``value`` attained; ``excess``: by what factor a of ``Data.shrunk`` the class is left."""

    def __init__(self, setting: Setting, data: list[Data]) -> None:
        functions = [
            Interpolant(d.points, d.gradients, d.values, L, convex=setting.convex) for d in data
        ]
        problem = Interpolated(functions, data[0].points.shape[1])
        trace = simulate(
            problem,
            setting.topology,
            setting.algorithm,
            rounds=setting.rounds + (setting.claim == LAST),
            x0=0.0,
            columns=["squared_gradient", "loss"],
        )
        loss, slopes = trace.columns["loss"][0], trace.columns["squared_gradient"][0]
        lowest = functions[0].lowest_point
        if setting.convex:  # one client
            self.excess = float(np.linalg.norm(lowest)) / GAP
        else:
            self.excess = float(np.sqrt(max(0.0, float(loss[0]) - problem.least) / GAP))
        if setting.bounded:
            self.excess = max(self.excess, problem.largest_gradient / B)
        if setting.claim == LAST:
            self.value = float(loss[-1]) - float(problem.mean_loss(lowest[None])[0])
        else:
            self.value = float(slopes.min() if setting.claim == LEAST else slopes.mean())
