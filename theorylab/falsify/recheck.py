r"""A counterexample once more, by other code and in interval arithmetic.

The run is simulated in Arb balls (python-flint, ``_balls``) straight from Algorithm 1 of dfedsgpsm,
which without momentum and perturbation is SGP: every operation encloses its exact result, so the
measured side comes out as an interval that certainly holds it. The bound is the judge's, a number
of 50 digits; where a constant in it comes from the run itself, it is one of float64.

Deterministic runs can be done so: on quadratics and log-cosh losses the average of
||grad f(xbar)||^2, and what dfedsgpsm's lemmas say of single rounds, clients and local steps; on
problems in (u, v_i) what the proofs of dfedalt, dfedsalt and dfedpgp say of them.
For others the reason is given.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import flint

from theorylab.algorithms import SGP, DFedSGPSM
from theorylab.experiments import (
    AlternatingRounds,
    AlternatingTerms,
    DfedpgpRounds,
    LocalRounds,
    experiment,
)
from theorylab.falsify._alternating_balls import SIDES, turns_of
from theorylab.falsify._balls import (
    Ball,
    Gradient,
    Round,
    gap,
    gradient_of,
    mean,
    rounds_of,
    square,
    start_of,
    total,
)
from theorylab.falsify._dfedpgp_balls import CLAIMS, pushes_of
from theorylab.falsify._personal_balls import Losses
from theorylab.problems import CoupledQuadratic, SinSin
from theorylab.statements import Statement
from theorylab.verdicts import Result
from theorylab.verdicts.instance import built, parsed

BITS = 256
MOST = 400_000  # gradient entries: above, balls take minutes
OF_BOUND = 1e-12  # relative: 50 digits, shown as a float
_NOT_OPTIONS = ("constants", "experiment_name")
OF_RUN = 1e-9  # a bound with a constant from the run, of some thousand roundings in float64


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
    if statement.experiment == LocalRounds.name:
        return _of_rounds(quantity.column, result)
    if statement.experiment in (AlternatingRounds.name, AlternatingTerms.name):
        return _of_parts(statement.experiment, turns_of, SIDES.get(quantity.column), result)
    if statement.experiment == DfedpgpRounds.name:
        return _of_parts(statement.experiment, pushes_of, CLAIMS.get(quantity.column), result)
    if not statement.algorithm or (quantity.column, quantity.over) != (
        "squared_gradient",
        "average",
    ):
        return _not_done("no interval arithmetic for this measured side")
    data = {k: v for k, v in result.instance.items() if k != "algorithm_name"}
    instance = parsed("recheck", data)
    setting = built("recheck", instance, statement.algorithm)
    problem, algorithm = setting.problem, setting.algorithm
    if not isinstance(algorithm, SGP | DFedSGPSM) or problem.stochastic:
        return _not_done("no interval arithmetic for this algorithm with noise")
    options = {"alpha": 0.0, "rho": 0.0, "local_steps": 1, "decay": 1.0} | algorithm.options()
    if not isinstance(options["local_steps"], int) or options["decay"] != 1.0:
        return _not_done("no interval arithmetic for these options")

    def average(gradient: Gradient) -> Ball:
        start = start_of(instance.x0, problem)
        played = rounds_of(gradient, setting.topology, start, instance.rounds, options)
        return total(square(_slope(gradient, r)) for r in played) / instance.rounds

    return _compared(average, problem, instance.rounds * options["local_steps"], result, OF_BOUND)


def _of_rounds(column: str, result: Result) -> Recheck:
    """One place of ``LocalRounds``: round t, client i, local step k, as its label says."""
    if column not in PLACES:
        return _not_done("no interval arithmetic for this measured side")
    options = {k: v for k, v in result.instance.items() if k not in _NOT_OPTIONS}
    made = LocalRounds(**options)
    if made.problem.stochastic:
        return _not_done("no interval arithmetic for this algorithm with noise")
    at = _places(result)
    if "t" not in at:
        return _not_done(f"no interval arithmetic for the place {result.place!r}")

    def there(gradient: Gradient) -> Ball:
        played = rounds_of(gradient, made.topology, made.start[0], at["t"] + 1, made.run)
        *_, last = played
        return PLACES[column](last, at, made.run)

    steps = (at["t"] + 1) * int(made.run["local_steps"])
    return _compared(there, made.problem, steps, result, OF_RUN)


def _of_parts(name: str, play: Any, side: Any, result: Result) -> Recheck:
    """One place of an experiment whose instances have a shared u and personal v_i."""
    if side is None:
        return _not_done("no interval arithmetic for this measured side")
    options = {k: v for k, v in result.instance.items() if k not in _NOT_OPTIONS}
    found: Any = experiment(name, **options)
    made = found.made if hasattr(found, "made") else found.at
    if made.problem.stochastic:
        return _not_done("no interval arithmetic for this algorithm with noise")
    if not isinstance(made.problem, CoupledQuadratic | SinSin):
        return _not_done(f"no interval arithmetic for {made.problem.name} losses")
    at = _places(result)
    if "t" not in at:
        return _not_done(f"no interval arithmetic for the place {result.place!r}")

    def there() -> Ball:
        losses = Losses(made.problem)
        *_, last = play(losses, made, at["t"] + 1)
        return side(losses, last, at)

    steps = (at["t"] + 1) * sum(_steps(made))
    return _enclosed(there, made.problem, steps, result, OF_RUN)


def _steps(made: Any) -> tuple[int, int]:
    if hasattr(made, "steps"):
        return made.steps["steps_u"], made.steps["steps_v"]
    return made.K_u, made.K_v


def _places(result: Result) -> dict[str, int]:
    return {name: int(number) for name, number in re.findall(r"([tik])=(\d+)", result.place)}


def _compared(
    measured: Callable[[Gradient], Ball], problem: Any, steps: int, result: Result, room: float
) -> Recheck:
    gradient = gradient_of(problem)
    if gradient is None:
        return _not_done(f"no interval arithmetic for {problem.name} losses")
    return _enclosed(lambda: measured(gradient), problem, steps, result, room)


def _enclosed(
    measured: Callable[[], Ball], problem: Any, steps: int, result: Result, room: float
) -> Recheck:
    work = steps * problem.clients * problem.dim
    if work > MOST:
        return _not_done(f"{work} gradient entries are too many for balls")
    before = flint.ctx.prec
    flint.ctx.prec = BITS
    try:
        ball = measured()
        low, high = float(ball.lower()), float(ball.upper())
    finally:
        flint.ctx.prec = before
    if not (math.isfinite(low) and math.isfinite(high)):
        return _not_done("the balls grew without limit (a gradient that may be 0)")
    if result.bound is None:
        return Recheck(None, low, high, "the bound has no float value")
    how = f"Arb balls of {BITS} bits, Algorithm 1 written out again"
    return Recheck(low > result.bound + room * abs(result.bound), low, high, how)


def _not_done(why: str) -> Recheck:
    return Recheck(None, None, None, why)


def _slope(gradient: Gradient, r: Round) -> list[Ball]:
    """grad f at the clients' average."""
    middle = mean(r.x)
    return mean([gradient(i, middle) for i in range(len(r.x))])


def _distance(r: Round, i: int) -> Ball:
    """||z_i - xbar||^2."""
    return square(gap([value / r.w[i] for value in r.x[i]], mean(r.x)))


def _moved(r: Round, i: int, options: Any) -> Ball:
    """||eta sum_k sum_{s<=k} alpha^{k-s} g_s||^2 of client i."""
    alpha, steps = flint.arb(float(options["alpha"])), len(r.used)
    weights = [total(alpha ** (k - s) for k in range(s, steps)) for s in range(steps)]
    parts = [[b * e for e in r.used[s][i]] for s, b in enumerate(weights)]
    eta = flint.arb(float(options["eta"]))
    return eta * eta * square([total(column) for column in zip(*parts, strict=True)])


PLACES: dict[str, Callable[[Round, dict[str, int], Any], Ball]] = {
    "consensus": lambda r, at, _: _distance(r, at["i"]),
    "distance": lambda r, at, _: _distance(r, at["i"]).sqrt(),
    "consensus_mean": lambda r, at, _: total(_distance(r, i) for i in range(len(r.x))) / len(r.x),
    "step": lambda r, at, _: square(gap(r.xs[at["k"] + 1][at["i"]], r.xs[at["k"]][at["i"]])),
    "drift": lambda r, at, _: (
        total(square(gap(a, b)) for a, b in zip(r.xs[at["k"]], r.x, strict=True)) / len(r.x)
    ),
    "update": lambda r, at, options: _moved(r, at["i"], options),
}
