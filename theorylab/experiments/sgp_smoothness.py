"""How fast SGP's Jacobians change with y = (z, omega) (pdbo, Assumption 10)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.hypergradients import SGP, QuadraticBilevel
from theorylab.known import How, Known


class SgpSmoothness(Experiment):
    """||d_z m(y) - d_z m(y')||_2 / ||y - y'|| of the map m that steps, phi (4a) or psi (4b).

    y = (0, omega), y' = (0, 2 omega), one row an omega and a client; the Jacobian's z-block, so the
    whole one's quotient is at least this. Exact: it is step ||H_i|| / (2 omega^2).

    Args:
        clients; omega: the probes, > 0. sgp: {"step", "variant"}. problem: options of
        ``QuadraticBilevel.random``.
    """

    name = "sgp-smoothness"
    columns = ("quotient",)

    def __init__(
        self,
        clients: int = 2,
        omega: Sequence[float] = (1.0, 0.1, 0.01),
        sgp: Mapping[str, Any] | None = None,
        problem: Mapping[str, Any] | None = None,
    ) -> None:
        if not omega or any(not value > 0 for value in omega):
            raise ValueError(f"sgp-smoothness: omega is {omega!r}; need numbers > 0")
        sgp = {"step": 0.3, "variant": "4b"} if sgp is None else dict(sgp)
        problem = {} if problem is None else dict(problem)
        self.options: dict[str, Any] = {
            **{"clients": clients, "omega": list(omega), "sgp": sgp, "problem": problem}
        }
        self.problem, self.sgp = QuadraticBilevel.random(clients, **problem), SGP(**sgp)

    def describe(self) -> dict[str, Any]:
        return dict(self.options)

    def constants(self) -> dict[str, Known]:
        lam = np.ones((1, self.problem.clients, self.problem.hyper))
        step = float(self.sgp.steps(self.problem.clients).min())
        source = "sup over omega > 0 of step ||H|| / (2 omega^2)"
        return {
            "mu": self.problem.constants(lam)["mu"],
            "eta": Known(step, How.EXACT, "least step size"),
            "L_y": Known(math.inf, How.EXACT, source),
        }

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        n, d = self.problem.clients, self.problem.dim
        steps, eye = self.sgp.steps(n), np.eye(d)
        kept = eye if self.sgp.variant == "4a" else np.zeros((d, d))
        rows = []
        for omega in self.options["omega"]:
            for i in range(n):
                near, far = (kept - steps[i] / w * self.problem.H[i] for w in (omega, 2 * omega))
                value = np.linalg.norm(near - far, 2) / omega
                rows.append(Row(np.array([value]), {}, f"omega={omega:g}, i={i}"))
        return Observation(tuple(rows), True)
