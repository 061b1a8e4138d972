"""What an estimate can be trusted for: rho(A_zz), rho(E[A (x) A]) and its exact RMSE.

rho(A_zz) < 1 makes the mean of the series converge; its second moment does so only where
rho(E[A (x) A]) < 1, too, and where it does not, the estimate has a tail so heavy that a sample of
it shows neither its mean nor its variance. The RMSE is that of the law, not of a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients.coefficient_law import CoefficientLaw, coefficient_law
from theorylab.hypergradients.edge_law import EdgeLaw
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.moments import moments, second_moment_radius
from theorylab.hypergradients.recursion import Reading
from theorylab.topologies import Topology

WORK = 3e10  # multiplications up to which exact moments are worked out: seconds
_WORDS = {
    "radius": "rho(A_zz)",
    "second_radius": "rho(E[A (x) A])",
    "rmse": "exact RMSE",
}
SQUARE = 200  # n dx up to which rho(E[A (x) A]) is: vectors of (n dx)^2 numbers


class UnreliableEstimateWarning(UserWarning):
    """An estimate whose second moment grows, or whose RMSE is above the hypergradient's size."""


@dataclass(frozen=True)
class Reliability:
    """At run 0's point. A number that cannot be had is None, and ``missing`` says why.

    radius: rho(A_zz), after training the largest of the runs'; radius_error: how far
    an iterative solver's may be off. second_radius: rho(E[A (x) A]), minibatches included.
    rmse: sqrt E|estimate - truth|^2 of one run after all terms, all clients' blocks together.
    bias, deviation: |E estimate - truth| and the root of the trace of its covariance; rmse^2 is the
    sum of their squares. size: |truth|.
    """

    radius: float | None = None
    second_radius: float | None = None
    rmse: float | None = None
    bias: float | None = None
    deviation: float | None = None
    size: float | None = None
    radius_error: float = 0.0
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def relative(self) -> float | None:
        """rmse / size; None where either is missing, inf where only the size is 0."""
        if self.rmse is None or self.size is None:
            return None
        if self.size > 0:
            return self.rmse / self.size
        return float("inf") if self.rmse > 0 else 0.0

    def without(self, name: str, reason: str) -> Reliability:
        """The same, lacking one number more."""
        return replace(self, missing={**self.missing, name: reason})

    def why(self) -> str | None:
        """What is missing and why, in a line; None where nothing is."""
        lacks = [f"no {_WORDS[name]}: {reason}" for name, reason in self.missing.items()]
        return "; ".join(lacks) or None

    def doubt(self) -> str | None:
        """Why not to rely on one run, in a line; None where nothing known speaks against it."""
        share = self.relative
        if share is not None and share < 1:  # few terms may do, whatever more would
            return None
        parts = []
        if share is not None:
            parts.append(
                f"the exact RMSE of one run is {self.rmse:.3g}, {share:.3g} times the "
                f"hypergradient's size {self.size:.3g} (bias {self.bias:.3g}, standard deviation "
                f"{self.deviation:.3g})"
            )
        if self.radius is not None and self.radius - self.radius_error >= 1:
            parts.append(f"rho(A_zz) is {self.radius:.4g}, so the series has no limit (need < 1)")
        if self.second_radius is not None and not self.second_radius < 1:
            parts.append(
                f"rho(E[A (x) A]) is {self.second_radius:.6g}, so the variance grows with every "
                "term (need < 1: another step, or edges that are there more often)"
            )
        return f"the estimate cannot be relied on: {'; '.join(parts)}" if parts else None


def reliability(
    at: Linear,
    topology: Topology,
    law: EdgeLaw,
    terms: int,
    *,
    reading: Reading,
    alpha: float,
    beta: float,
    truth: Callable[[], Floats],
    radius: float | None = None,
    radius_error: float = 0.0,
) -> Reliability:
    """What is known exactly of M terms of a reading at run 0's point, never sampled.

    Args:
        law: pbar and dbar as the estimate uses them, (n, n) or run 0 of (R, n, n).
        alpha, beta: the weights; 1 and 0 for HGP.
        truth: gives the hypergradient, (n, dlam), and is called where moments are cheap; its
            ValueError says why they are missing. radius: rho(A_zz), where it is known already.
    """
    n, d, h = at.problem.clients, at.problem.dim, at.problem.hyper
    believed = law if law.mean.ndim == 2 else EdgeLaw(law.mean[0], law.frequency[0], law.source)
    missing: dict[str, str] = {}
    known: dict[str, float] = {}
    try:
        rounds = coefficient_law(topology, reading.weights, believed)
    except ValueError as error:
        missing |= dict.fromkeys(("second_radius", "rmse"), str(error))
    else:
        try:
            if n * d > SQUARE:
                raise ValueError(f"n dx is {n * d}; it is worked out up to {SQUARE}")
            known["second_radius"] = second_moment_radius(at, rounds)
        except ValueError as error:
            missing["second_radius"] = str(error)
        wide = h + 2 * d
        work = 16.0 * terms * n**2 * wide**2 * (n + wide)
        try:
            if work > WORK:
                raise ValueError(
                    f"exact moments of {terms} terms take {work:.1e} multiplications; they are "
                    f"worked out up to {WORK:.0e}"
                )
            known |= _moments(at, rounds, terms, reading, alpha, beta, truth())
        except ValueError as error:
            missing["rmse"] = str(error)
    return Reliability(radius=radius, radius_error=radius_error, missing=missing, **known)


def _moments(
    at: Linear, rounds: CoefficientLaw, terms: int, reading: Reading, alpha: float, beta: float,
    truth: Floats,
) -> dict[str, float]:  # fmt: skip
    found = moments(at, rounds, terms, reading=reading, alpha=alpha, beta=beta)
    last = -1 if reading.last else -2  # "return v^(m)" after the loop
    bias = float(np.linalg.norm(found.mean[last] - truth))
    deviation = float(np.sqrt(found.variance[last]))
    size = float(np.linalg.norm(truth))
    rmse = float(np.hypot(bias, deviation))
    return {"rmse": rmse, "bias": bias, "deviation": deviation, "size": size}
