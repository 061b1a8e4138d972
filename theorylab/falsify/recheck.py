r"""A counterexample once more, by other code and in interval arithmetic.

The run is simulated in Arb balls (python-flint) straight from Algorithm 1 of dfedsgpsm, which
without momentum and perturbation is SGP: every operation encloses its exact result, so the
measured side comes out as an interval that certainly holds it. The bound's constants keep their
provenance; its value is enclosed by evaluating the same sympy terms in balls.

    w^{t+1} = P(t) w^t,  x^{t+1} = P(t) x^{t+1/2},  z = x / w,
    K times: g = grad f_i(x_k / w), g' = grad f_i(x_k / w + rho g / |g|), v = alpha v + g',
             x_{k+1} = x_k - eta v.

Deterministic runs on quadratics and log-cosh losses can be done so; for others the reason is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np

from theorylab.algorithms import SGP, DFedSGPSM
from theorylab.problems import LogCosh, Quadratic
from theorylab.statements import Statement
from theorylab.verdicts import Result
from theorylab.verdicts.instance import built, parsed

BITS = 256
MOST = 400_000  # gradient entries: above, balls take minutes


@dataclass(frozen=True)
class Recheck:
    """``holds``: the enclosure of the measured side lies above the bound; None: not done, why."""

    holds: bool | None
    low: float | None
    high: float | None
    how: str

    def as_json(self) -> dict[str, Any]:
        return {"holds": self.holds, "low": self.low, "high": self.high, "how": self.how}


def recheck(statement: Statement, version: str, result: Result) -> Recheck:
    """Enclose the measured side of a VIOLATED result and compare it with the bound."""
    quantity = statement.quantity_of(statement.versions[version])
    name = "" if not statement.algorithm else quantity.column
    if name != "squared_gradient" or quantity.over != "average":
        return Recheck(None, None, None, "no interval arithmetic for this measured side")
    data = {k: v for k, v in result.instance.items() if k != "algorithm_name"}
    instance = parsed("recheck", data)
    setting = built("recheck", instance, statement.algorithm)
    problem, algorithm = setting.problem, setting.algorithm
    if not isinstance(algorithm, SGP | DFedSGPSM) or problem.stochastic:
        return Recheck(None, None, None, "no interval arithmetic for this algorithm with noise")
    gradient = _gradient(problem)
    if gradient is None:
        return Recheck(None, None, None, f"no interval arithmetic for {problem.name} losses")
    options = {"alpha": 0.0, "rho": 0.0, "local_steps": 1, "decay": 1.0} | algorithm.options()
    if not isinstance(options["local_steps"], int) or options["decay"] != 1.0:
        return Recheck(None, None, None, "no interval arithmetic for these options")
    work = instance.rounds * problem.clients * problem.dim * options["local_steps"]
    if work > MOST:
        return Recheck(None, None, None, f"{work} gradient entries are too many for balls")
    start = np.broadcast_to(np.asarray(instance.x0, float), (problem.clients, problem.dim))
    before = flint.ctx.prec
    flint.ctx.prec = BITS
    try:
        total = _mean_squared_gradient(gradient, setting.topology, start, instance.rounds, options)
        low, high = float(total.lower()), float(total.upper())
    finally:
        flint.ctx.prec = before
    bound = result.bound
    if bound is None:
        return Recheck(None, low, high, "the bound has no float value")
    return Recheck(
        low > bound * (1 + 1e-12),  # the bound itself has 50 digits, shown as a float
        low,
        high,
        f"Arb balls of {BITS} bits, Algorithm 1 written out again",
    )


def _gradient(problem: Any) -> Any:
    """(client, model as balls) -> its gradient as balls, or None."""
    if isinstance(problem, LogCosh):
        centers, scale = problem.centers, flint.arb(float(problem.scale))
        return lambda i, x: [
            scale * (xi - flint.arb(float(c))).tanh() for xi, c in zip(x, centers[i], strict=True)
        ]
    if isinstance(problem, Quadratic):
        H, c = problem.hessians, problem.centers

        def quadratic(i: int, x: Sequence[Any]) -> list[Any]:
            gap = [xi - flint.arb(float(ci)) for xi, ci in zip(x, c[i], strict=True)]
            return [
                sum((flint.arb(float(h)) * g for h, g in zip(row, gap, strict=True)), flint.arb(0))
                for row in H[i]
            ]

        return quadratic
    return None


def _mean_squared_gradient(
    gradient: Any, topology: Any, start: Any, rounds: int, options: Mapping[str, Any]
) -> Any:
    n, d = start.shape
    ball = flint.arb
    eta, alpha, rho = (ball(float(options[key])) for key in ("eta", "alpha", "rho"))
    x = [[ball(float(v)) for v in row] for row in start]
    w = [ball(1) for _ in range(n)]
    total = ball(0)
    for t in range(rounds):
        middle = [sum((x[i][c] for i in range(n)), ball(0)) / n for c in range(d)]
        own = [gradient(i, middle) for i in range(n)]
        mean = [sum((own[i][c] for i in range(n)), ball(0)) / n for c in range(d)]
        total += sum((m * m for m in mean), ball(0))
        half = []
        for i in range(n):
            at, v = x[i], [ball(0)] * d
            for _ in range(options["local_steps"]):
                z = [value / w[i] for value in at]
                g = gradient(i, z)
                if options["rho"]:
                    norm = sum((e * e for e in g), ball(0)).sqrt()
                    g = gradient(i, [a + rho * e / norm for a, e in zip(z, g, strict=True)])
                v = [alpha * old + new for old, new in zip(v, g, strict=True)]
                at = [a - eta * e for a, e in zip(at, v, strict=True)]
            half.append(at)
        P = topology.matrix(t).tocsr()
        x, w = _mixed(P, half, w, ball)
    return total / rounds


def _mixed(P: Any, half: Sequence[Any], w: Sequence[Any], ball: Any) -> tuple[Any, Any]:
    n, d = len(half), len(half[0])
    x, weights = [], []
    for i in range(n):
        row = slice(P.indptr[i], P.indptr[i + 1])
        pairs = [(int(j), ball(float(p))) for j, p in zip(P.indices[row], P.data[row], strict=True)]
        x.append([sum((p * half[j][c] for j, p in pairs), ball(0)) for c in range(d)])
        weights.append(sum((p * w[j] for j, p in pairs), ball(0)))
    return x, weights
