"""Bias, deviation and RMSE of HGP and VR-HGP at one point, exact where that takes seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.commands.hgp_bound import Bound, bound_of
from theorylab.hypergradients import EdgeLaw, Linear, coefficient_law, hgp, moments, reliability
from theorylab.hypergradients.recursion import READINGS
from theorylab.hypergradients.reliability import Reliability
from theorylab.topologies import Topology

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """What to measure: the M, the pairs (alpha, beta), and how many runs the quantile is of."""

    terms: Sequence[int]
    pairs: Sequence[tuple[float, float]]
    step: float
    variant: str
    runs: int
    seed: int
    eps: float


@dataclass(frozen=True)
class Measured:
    """Of one pair, at every M of ``terms``. law: "exact" of bias, deviation and rmse, or "sampled".

    quantile: of the error over the runs, at 1 - eps. above: share of the runs above the bound.
    """

    alpha: float
    beta: float
    law: str
    bias: Floats
    deviation: Floats
    rmse: Floats
    quantile: Floats
    bounds: list[Bound]
    above: list[float | None]
    known: Reliability


def measured(
    at: Linear, graph: Topology, law: EdgeLaw, truth: Floats, radius: float,
    pair: tuple[float, float], asked: Asked,
) -> Measured:  # fmt: skip
    alpha, beta = pair
    reading, last = READINGS["appendix-b"], max(asked.terms)
    made = hgp(
        at, graph, law, last, reading=reading, alpha=alpha, beta=beta, seed=asked.seed,
        runs=np.arange(asked.runs), history=True, check=False,
    )  # fmt: skip
    assert made.history is not None
    places = list(asked.terms)
    away = made.history[places] - truth
    errors = np.sqrt((away * away).sum(axis=(2, 3)))
    known = reliability(
        at, graph, law, last, reading=reading, alpha=alpha, beta=beta, truth=lambda: truth,
        radius=radius,
    )  # fmt: skip
    if known.rmse is not None:
        found = moments(at, coefficient_law(graph), last, reading=reading, alpha=alpha, beta=beta)
        gap = found.mean[places] - truth
        bias, deviation = np.sqrt((gap * gap).sum(axis=(1, 2))), np.sqrt(found.variance[places])
        rmse, kind = np.hypot(bias, deviation), "exact"
    else:
        gap = away.mean(axis=1)
        bias = np.sqrt((gap * gap).sum(axis=(1, 2)))
        deviation = np.sqrt(away.var(axis=1, ddof=1).sum(axis=(1, 2)))
        rmse, kind = np.sqrt((errors * errors).mean(axis=1)), "sampled"
    bounds = [bound_of(at, graph, law, m, alpha, beta, asked.eps) for m in places]
    above = [
        None if bound.value is None else float((row > bound.value).mean())
        for bound, row in zip(bounds, errors, strict=True)
    ]
    quantile = np.quantile(errors, 1 - asked.eps, axis=1)
    return Measured(alpha, beta, kind, bias, deviation, rmse, quantile, bounds, above, known)
