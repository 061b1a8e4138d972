"""deprl's counterexamples in balls: averages over rounds, and points."""

from __future__ import annotations

from theorylab.algorithms import DePRL
from theorylab.experiments import DeprlHeads, NetworkMatrices
from theorylab.falsify._balls import Ball
from theorylab.falsify._deprl_balls import (
    MOST_NUMBERS,
    decades,
    expected,
    head_gradient,
    head_steps,
    method_of,
    mixing,
    played,
)
from theorylab.falsify._enclose import (
    NOISE,
    SIDE,
    Enclosure,
    UncoveredError,
    built_of,
    options_of,
    place_of,
    written,
)
from theorylab.falsify._personal_balls import losses_of
from theorylab.problems import CoupledQuadratic, plain
from theorylab.verdicts import Result

LAWS = ("gaussian", "rademacher", "two-point", "coordinate")  # isotropic, whatever the point
OF_LAW = "Algorithm 1 and the covariance of its iterates written out again"


def of_averages(algorithm_name: str, column: str, result: Result) -> Enclosure:
    """(1/K) sum_{k<K} E M(k) at K = T, or of its distance alone."""
    setting, name = built_of(algorithm_name, result), column.partition(".")[2]
    problem, run = setting.problem, setting.algorithm
    if name not in ("measure", "measure_each", "distance"):
        raise UncoveredError(SIDE)
    if type(run) is not DePRL:
        raise UncoveredError(f"no interval arithmetic for {algorithm_name}")
    losses, rounds = written(losses_of(problem), problem), place_of(result, "T")["T"]
    L = result.constants["deprl_L"]["value"] if name == "measure_each" else None
    numbers, steps = problem.clients * problem.dim, head_steps(run) + 1
    affine = plain(problem, CoupledQuadratic) and problem.field.kind in LAWS
    if problem.stochastic and not affine:
        raise UncoveredError(NOISE)
    by_law = affine and numbers < MOST_NUMBERS
    if problem.stochastic and not by_law:
        raise UncoveredError(f"matrices of {numbers + 1} rows are too large for balls")

    def side() -> Ball:
        method = method_of(setting, losses, L)
        return (expected if by_law else played)(method, setting, rounds, name == "distance")

    if not by_law:
        return Enclosure(side, rounds * steps * numbers)
    kicks = steps * numbers if problem.stochastic else 1
    work = (numbers + 1 + kicks) * steps * numbers + 64 * decades(rounds)
    return Enclosure(side, work, how=OF_LAW)


def of_powers(column: str, result: Result, seed: int) -> Enclosure:
    """max_ij |(P^t)_ij - 1/n|."""
    if column != "entries":
        raise UncoveredError(SIDE)
    network, t = NetworkMatrices(**options_of(result)).topology, place_of(result, "t")["t"]
    P = network.matrix(0)
    return Enclosure(lambda: mixing(P, t), t * network.clients**2, how="the power of P")


def of_heads(column: str, result: Result, seed: int) -> Enclosure:
    """Eq. (8)'s gradients at a point, exact instead of by differences."""
    if column not in ("heads", "common_shift"):
        raise UncoveredError(SIDE)
    found = DeprlHeads(**options_of(result))
    written(losses_of(found.problem), found.problem)
    probe = place_of(result, "probe")["probe"]
    point = found.points(seed)[0][probe]
    return Enclosure(
        lambda: head_gradient(found.problem, point, column), point.size, how="the gradients of f"
    )
