"""A rate for all T of a linear method on a fixed or periodic network, or on a class of networks.

The rate is that of V, a square: the distance itself falls by its root. It is proved in every
dimension, for all functions of the class, by a certificate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm
from theorylab.topologies import Topology
from theorylab.worst import check_certificate
from theorylab.worst.certificate import Kept, NotCertifiedError
from theorylab.worst.lyapunov import Program, Step, quadratic_rate
from theorylab.worst.question import content
from theorylab.worst.rate_certificate import certificate
from theorylab.worst.rates import CLOSE, LeastRate, best_inside, least_rate
from theorylab.worst.recursion import Reduced, mean_model, recursion, reduced
from theorylab.worst.setting import DoublyStochastic, Setting

GRID = 10**6  # rates are multiples of 1 / GRID
_VALUES = 6  # most queries of a round for which V may have values
_BACK = (0.25, 1, 3, 10)  # times ``CLOSE``: how far a rate goes back where rounding fails
_SHARES = (0.0, 0.05, 0.15, 0.3, 0.5, 0.75)  # of the way from the least rate to 1, for floors


@dataclass(frozen=True)
class Rate(Kept):
    """V falls by the factor ``rate`` in every round; ``certificate`` proves it.

    attained: what V of some quadratics of the class falls by, so that no smaller rate is true.
    floor: what is added to the squared distance of the mean models from x*, where it was asked for.
    said: the claim in words, as the checker says it. numbers: those in it, None where it has none:
    factor (of |x^0 - x*|^2), spread and noise (of the floor); first: the round from which it holds.
    """

    rate: Fraction
    attained: float
    floor: Fraction | None
    said: str
    numbers: dict[str, Any]


def forever(
    method: Algorithm,
    network: Topology | DoublyStochastic,
    *,
    mu: Fraction,
    L: Fraction,
    spread: bool = False,
    noise: bool = False,
    about: dict[str, Any] | None = None,
) -> Rate:
    """The least rate that one Lyapunov function proves for f_i with curvatures from mu to L.

    Args:
        network: static or periodic, or a class of which every sequence is meant.
        spread: with the floor for gradients at x* whose mean square is 1. Without it, the bound on
            the distance from x* is of functions with grad f_i(x*) = 0. noise: with the floor for
            noise e of mean 0, independent between clients and between queries, E |e|^2 <= 1 in all.
            The rate is then the one with the least floor.
        about: kept in the certificate; nothing reads it.

    Raises:
        NotLinearError: one line, where a round of ``method`` is no linear map.
        NotCertifiedError: where no rate below 1, or no floor, is proved.
        ValueError: unless 0 <= mu < L, or where the network is drawn.

    >>> from theorylab.algorithms import algorithm
    >>> from theorylab.topologies import topology
    >>> alone = topology("complete", 1)
    >>> told = forever(algorithm("dpsgd", eta=1.0), alone, mu=Fraction(1, 10), L=Fraction(1))
    >>> 0.81 <= told.rate <= 0.8102  # (1 - mu eta)^2, and 1e-4 at most
    True
    """
    setting = Setting.of(method, network, mu, L)
    told = setting.round_map
    spread = spread and told.clients > 1
    maps = [recursion(setting.rounds, P) for some in setting.rounds.phases for P in some]
    cut = reduced(maps, mean_model(told), told.starts)
    attained = quadratic_rate(_steps(setting, cut), told.owners)
    data = content(
        "forever", told.clients, {"mu": mu, "L": L}, start={}, metric="distance",
        method=setting.method, about=about,
    )  # fmt: skip
    whole = data, cut.span, cut.coordinates, len(cut.metric)
    program = Program(*whole)
    found = least_rate(program, attained)
    small = len(told.owners) <= _VALUES and setting.fixed and not (spread or noise)
    if small and (found is None or found.rate - found.attained > 2 * CLOSE):
        larger = Program(*whole, bregman=True)
        other = least_rate(larger, attained)
        if other is not None and (found is None or other.rate < found.rate):
            program, found = larger, other
    if found is None:
        raise NotCertifiedError(
            f"{method.name}: no V falls in every round at a rate below 1; the step is too long, "
            "mu is 0, or the network does not mix"
        )
    if spread or noise:
        if not setting.rounds.stays():
            raise NotCertifiedError(f"{method.name}: x* at all clients does not stay there")
        if noise and not told.fresh:
            raise NotCertifiedError(
                f"{method.name}: two gradients of a client have one point, or one sample, so that "
                "their noises are not independent"
            )
        program = Program(*whole, spread=spread, noise=noise)
    return _certified(setting, cut, program, found, data, method.name)


def _certified(
    setting: Setting,
    cut: Reduced,
    program: Program,
    found: LeastRate,
    data: dict[str, Any],
    name: str,
) -> Rate:
    """The rate with the least floor, or else the least that survives the rounding."""
    best: Rate | None = None
    floors = program.spread or program.noise
    span = 1 - found.rate
    for share in _SHARES if floors else (0.0, *(k * CLOSE / span for k in _BACK)):
        rate = Fraction(math.ceil((found.rate + share * span) * GRID), GRID)
        try:
            y = best_inside(program, float(rate), cut.starts.astype(float))
            made = data | certificate(setting, cut, program, rate, y)
            said, numbers = check_certificate.decided(made)
        except (ArithmeticError, ValueError, np.linalg.LinAlgError):
            continue
        floor = Fraction(sum(numbers[key] or 0 for key in ("spread", "noise")))
        if best is None or best.floor is None or floor < best.floor:
            best = Rate(made, rate, found.attained, floor if floors else None, said, numbers)
        if not floors:
            break
    if best is None:
        raise NotCertifiedError(f"{name}: rounding leaves no certificate near {found.rate:.6g}")
    return best


def _steps(setting: Setting, cut: Reduced) -> list[list[Step]]:
    """The rounds in floats, with push-sum weights in their limits."""
    L, rest = float(setting.L), iter(cut.recursions)
    owners, made = setting.round_map.owners, []
    for some, slopes in zip(setting.rounds.phases, setting.slopes_in_the_limit, strict=True):
        low, high = np.array([[float(v) / L for v in slopes[i]] for i in owners]).T
        each = [next(rest) for _ in some]
        made.append(
            [
                Step(_floats(r.A), L * _floats(r.B), _floats(r.C), L * _floats(r.D), low, high)
                for r in each
            ]
        )
    return made


def _floats(a: NDArray[Any]) -> NDArray[np.float64]:
    return a.astype(float)
