"""deprl's counterexamples in balls: averages over rounds, and points."""

from __future__ import annotations

from typing import Any

from theorylab.experiments import DeprlMeasure, DeprlProbes
from theorylab.falsify._balls import Ball, ball
from theorylab.falsify._deprl_balls import (
    MOST_NUMBERS,
    decades,
    expected,
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
