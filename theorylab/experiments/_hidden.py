"""What an O(.) of Corollary 1 of dfedsgpsm may hide: Theorem 1's bound, as far as it is proven."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.algorithms import DFedSGPSM
from theorylab.constants import topology_constants
from theorylab.known import How
from theorylab.runs import initial_models


@dataclass(frozen=True)
class Steps:
    """b_s = sum_{k=s}^K alpha^{k-s} for s = 1 .. K, their sum a~, and sum_s (b_s/a~) a~_{s-1}^2.

    a~_m is a~ with m for K.
    """

    weights: tuple[float, ...]
    total: float
    drift: float


def steps_of(K: int, alpha: float) -> Steps:
    powers = np.concatenate([[0.0], np.cumsum(alpha ** np.arange(K))])  # sum_{j < m} alpha^j
    weights = powers[:0:-1]  # b_1 .. b_K
    before = np.cumsum(powers)[:-1]  # a~_0 .. a~_{K-1}
    total = float(powers.sum())
    return Steps(tuple(weights), total, float(weights @ before**2) / total)


def theorem1(
    losses: Any, run: Any, networks: Sequence[tuple[Any, int]], rounds: int, x0: Any
) -> float:
    """An upper bound on 1/T sum_t E||grad f(xbar^t)||^2 after ``rounds`` rounds; inf if none is
    known.

    That of ``dfedsgpsm.thm1``, corrected: optimisation + noise + drift + initial disagreement +
    consensus + sharpness, for L eta a~ < 1, here with the network term by term at its worst over
    ``networks``, (topology, horizon) each. Where nothing moves, rounding can hide f(x^0) - f^*;
    by smoothness that is at least ||grad f(x^0)||^2/(2 L).

    Args:
        losses: the problem; its constants count only as exact ones or upper bounds.
        run: the algorithm; inf unless Algorithm 1 of dfedsgpsm with steps that do not decay.
    """
    if not isinstance(run, DFedSGPSM) or run.decay != 1 or not isinstance(run.local_steps, int):
        return math.inf
    known = losses.constants()
    names = ("L", "B", "sigma_l", "L_sample", "f_star")
    if any(name not in known for name in names) or not known["f_star"].at_most:
        return math.inf
    if any(known[name].how not in (How.EXACT, How.UPPER) for name in names[:-1]):
        return math.inf
    L, B, sigma, L_sample, best = (float(known[name].value) for name in names)
    steps, eta, rho = steps_of(run.local_steps, run.alpha), run.eta, run.rho
    cap = L * eta * steps.total
    if not cap < 1 or not math.isfinite(best):
        return math.inf
    models = initial_models(losses, 1, np.asarray(x0))
    points = losses.points(models.mean(axis=1))
    slope = float((losses.mean_gradient(points) ** 2).sum())
    least = slope / (2 * L) if L > 0 else 0.0
    drop = max(float(losses.mean_loss(points)[0]) - best, least)
    size = math.sqrt(B**2 + sigma**2) + _times(rho, L_sample)
    start = float((models**2).sum() / losses.clients)
    delta, first, later = 1.0, 0.0, 0.0
    for network, horizon in networks:
        if network.clients == 1:
            continue
        if network.period is None:  # delta, C and q of one draw say nothing of the next
            return math.inf
        found = topology_constants(network, horizon=max(1, horizon))
        C, q = found["C"].value, found["q"].value
        delta = min(delta, found["delta"].value)
        if not (q < 1 and delta > 0):
            return math.inf
        first, later = max(first, C**2 / (1 - q**2)), max(later, (C / (1 - q)) ** 2)
    terms = (
        2 * drop / (rounds * eta * steps.total),
        cap * float(np.square(steps.weights).sum()) / steps.total**2 * sigma**2 / (1 - cap),
        _times(3 * (L * eta / delta) ** 2 * steps.drift, size**2),
        6 * L**2 * first * start / rounds,
        _times(6 * cap**2 * later, size**2),
        3 * _times(rho, L_sample) ** 2,
    )
    return sum(terms)


def _times(factor: float, number: float) -> float:
    """Their product; 0 where the factor is 0, whatever the number is."""
    return factor * number if factor else 0.0
