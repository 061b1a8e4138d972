"""deprl's counterexamples in balls: averages over rounds, sweeps of them, and points."""

from __future__ import annotations

from typing import Any

from theorylab.experiments import DeprlGrowth, DeprlMeasure, DeprlProbes
from theorylab.falsify._balls import Ball, ball
from theorylab.falsify._deprl_balls import (
    MOST_NUMBERS,
    bracket,
    decades,
    expected,
    growth_of,
    head_gradient,
    method_of,
    mixing,
    played,
    steps_of,
)
from theorylab.falsify._enclose import (
    NOISE,
    SIDE,
    Enclosure,
    UncoveredError,
    options_of,
    place_of,
    written,
)
from theorylab.falsify._personal_balls import losses_of
from theorylab.problems import CoupledQuadratic, plain
from theorylab.verdicts import Result

LAWS = ("gaussian", "rademacher", "two-point", "coordinate")  # isotropic, whatever the point
OF_LAW = "Algorithm 1 and the covariance of its iterates written out again"


def of_measure(column: str, result: Result, seed: int) -> Enclosure:
    """(1/K) sum_{k<K} E M(k) at K."""
    found = DeprlMeasure(**options_of(result))
    rounds = place_of(result, "K")["K"]
    side, work, how = _average(found, column, rounds)
    return Enclosure(side, work, how=how)


def of_growth(column: str, result: Result, seed: int) -> Enclosure:
    """The factor per decade, or that of the sweep's last step where it is less."""
    if column not in ("growth", "growth_distance"):
        raise UncoveredError(SIDE)
    options = DeprlGrowth(**options_of(result)).describe()
    alone = column == "growth_distance"
    values = options["values"][-options["fit"] :]
    sides, work, how = [], 0, ""
    for value in values:
        made, rounds = _swept(options, value)
        side, each, how = _average(made, "distance" if alone else "measure", rounds)
        sides.append((side, made.at.problem.clients, made.at.tau, rounds))
        work += each

    def growth() -> Ball:
        ratios = [
            side() / (1 if alone else bracket(n, tau, rounds, options["exponent"]))
            for side, n, tau, rounds in sides
        ]
        return growth_of(values, ratios)

    return Enclosure(growth, work, how=f"{how}, and fitted along the sweep")


def of_probe(column: str, result: Result, seed: int) -> Enclosure:
    """Eq. (8)'s gradients at a point, exact instead of by differences; the powers of P."""
    found = DeprlProbes(**options_of(result))
    if column == "mixing":
        k = place_of(result, "k")["k"]
        n = found.at.problem.clients
        return Enclosure(lambda: mixing(found.at.P, k), k * n**2, how="the power of P")
    if column not in ("heads", "common_shift"):
        raise UncoveredError(SIDE)
    written(losses_of(found.at.problem), found.at.problem)
    probe = place_of(result, "probe")["probe"]
    point = found.points(seed)[0][probe]
    return Enclosure(
        lambda: head_gradient(found.at, point, column), point.size, how="the gradients of f"
    )


def _average(found: DeprlMeasure, column: str, rounds: int) -> Any:
    """(measured side, work, how) of K = ``rounds``."""
    at, alone, each = found.at, column == "distance", column == "measure_each"
    losses = written(losses_of(at.problem), at.problem)
    clients, dim = at.problem.clients, at.problem.dim
    size = clients * dim + 1
    affine = plain(at.problem, CoupledQuadratic) and at.problem.field.kind in LAWS
    if at.problem.stochastic and not affine:
        raise UncoveredError(NOISE)
    by_law = affine and size <= MOST_NUMBERS
    if at.problem.stochastic and not by_law:
        raise UncoveredError(f"matrices of {size} rows are too large for balls")

    def side() -> Ball:
        alpha, beta = (
            steps_of(at.tau, clients, rounds)
            if found.options["corollary"]
            else (ball(at.algorithm.alpha), ball(at.algorithm.beta))
        )
        method = method_of(at, losses, alpha, beta, each)
        return (expected if by_law else played)(method, at, rounds, alone)

    if not by_law:
        return side, rounds * (at.kept + 1) * clients * dim, "Algorithm 1 written out again"
    kicks = (at.kept + 1) * clients * dim if at.problem.stochastic else 1
    return side, (size + kicks) * (at.kept + 1) * clients * dim + 64 * decades(rounds), OF_LAW


def _swept(options: dict[str, Any], value: int) -> tuple[DeprlMeasure, int]:
    """The run at one value of a sweep, with Corollary 1's steps, and its K."""
    sweep, rounds = options["sweep"], options["rounds"]
    run = {key: options[key] for key in ("problem", "topology", "clients", "algorithm", "x0")}
    if sweep == "tau":
        run["algorithm"] = {**run["algorithm"], "tau": value}
    elif sweep == "clients":
        run["clients"] = value
    else:
        rounds = value
    rounds = round(rounds * (value / options["values"][0]) ** options["follow"])
    return DeprlMeasure(**run, rounds=[rounds], corollary=True), rounds
