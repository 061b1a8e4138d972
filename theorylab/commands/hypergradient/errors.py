"""Bias, deviation and RMSE of HGP and VR-HGP at one point, exact where that takes seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.commands.hypergradient.bound import Bound, Bounds
from theorylab.hypergradients import EdgeLaw, Linear, coefficient_law, hgp, moments, reliability
from theorylab.hypergradients.mean_square import floor
from theorylab.hypergradients.recursion import READINGS
from theorylab.hypergradients.reliability import Reliability, partial_means
from theorylab.tables import Columns, Framed
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

    @property
    def shown(self) -> list[int]:
        """At most ten of ``terms``, the first and the last among them, as places in it."""
        count = len(self.terms)
        return sorted({round(k) for k in np.linspace(0, count - 1, min(count, 10))})


@dataclass(frozen=True)
class Measured:
    """Of one pair, at every M of ``terms``. law: "exact" of deviation and rmse, or "sampled".

    quantile: of the error over the runs, at 1 - eps. above: share of the runs above the bound.
    floor: the deviation that no M removes; None where it is not known.
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
    floor: float | None

    @property
    def name(self) -> str:
        """HGP, or VR-HGP with its weights."""
        return "HGP" if self.alpha == 1 else f"VR-HGP {self.alpha:g}, {self.beta:g}"


@dataclass(frozen=True)
class Errors(Framed):
    """One row an estimate and M; the floor is the same at each."""

    terms: Sequence[int]
    rows: Sequence[Measured]

    def table(self) -> Columns:
        """alpha, beta, terms, the errors, the bound and its part that more terms remove."""
        columns: dict[str, list[Any]] = {}
        for row in self.rows:
            count = len(self.terms)
            made = {
                "alpha": [row.alpha] * count, "beta": [row.beta] * count, "terms": self.terms,
                "bias": row.bias, "deviation": row.deviation, "rmse": row.rmse,
                "quantile": row.quantile, "floor": [row.floor] * count,
                "bound": [bound.value for bound in row.bounds],
                "bound_of_bias": [bound.rest for bound in row.bounds], "law": [row.law] * count,
            }  # fmt: skip
            for name, values in made.items():
                columns.setdefault(name, []).extend(values)
        return dict(columns)


def measured(
    at: Linear, graph: Topology, law: EdgeLaw, truth: Floats, asked: Asked, bounds: Bounds,
    pair: tuple[float, float], before: Reliability,
) -> Measured:  # fmt: skip
    """Errors of one pair; ``before`` has the radii, where they are known already."""
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
        radius=before.radius, second_radius=before.second_radius, products=True,
    )  # fmt: skip
    if known.rmse is not None:
        found = moments(at, coefficient_law(graph), last, reading=reading, alpha=alpha, beta=beta)
        gap = found.mean[places] - truth
        bias, deviation = np.sqrt((gap * gap).sum(axis=(1, 2))), np.sqrt(found.variance[places])
        rmse, kind = np.hypot(bias, deviation), "exact"
    else:
        gap = partial_means(at, coefficient_law(graph).mean, last)[places] - truth
        bias = np.sqrt((gap * gap).sum(axis=(1, 2)))
        deviation = np.sqrt(away.var(axis=1, ddof=1).sum(axis=(1, 2)))
        rmse, kind = np.sqrt((errors * errors).mean(axis=1)), "sampled"
        if bounds.still:  # what the runs differ by is rounding
            deviation, rmse, kind = 0 * bias, bias, "exact"
    exactly = [float(x) if kind == "exact" else None for x in deviation]
    limits = [
        bounds.of(m, alpha, beta, asked.eps, own) for m, own in zip(places, exactly, strict=True)
    ]
    above = [
        None if bound.value is None else float((row > bound.value).mean())
        for bound, row in zip(limits, errors, strict=True)
    ]
    quantile, least = np.quantile(errors, 1 - asked.eps, axis=1), None
    if bounds.still:
        least = 0.0
    elif bounds.contracts is not None and (alpha == 1 or beta > 0):
        least = floor(at, coefficient_law(graph), alpha, beta, bounds.contracts)
    return Measured(alpha, beta, kind, bias, deviation, rmse, quantile, limits, above, known, least)
