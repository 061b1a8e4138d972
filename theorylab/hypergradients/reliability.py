"""What an estimate can be trusted for: rho(A_zz), rho(E[A (x) A]), its bias and its exact RMSE.

rho(A_zz) < 1 makes the mean of the series converge; its second moment does so only where
rho(E[A (x) A]) < 1, too, and where it does not, the estimate has a tail so heavy that a sample of
it shows neither its mean nor its variance. The RMSE is that of the law, not of a sample. A series
that is cut far too early is almost 0, with an RMSE just below the truth's size: the bias tells it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from theorylab.hypergradients._bilevel import Floats
from theorylab.hypergradients.edge_law import EdgeLaw
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.moments import carried, moments, recursion, second_moment_radius
from theorylab.hypergradients.recursion import READINGS, CoefficientLaw, Reading, coefficient_law
from theorylab.topologies import Topology

WORK = 3e10  # multiplications up to which exact moments are worked out: seconds
_WORDS = {
    "radius": "rho(A_zz)",
    "second_radius": "rho(E[A (x) A])",
    "rmse": "exact RMSE",
    "bias": "bias",
}
EQ12, APPENDIX_B = READINGS["eq12"], READINGS["appendix-b"]
BIASED = 0.1  # of the size: a bias above it is told
SQUARE = 200  # n dx up to which rho(E[A (x) A]) is: vectors of (n dx)^2 numbers


class UnreliableEstimateWarning(UserWarning):
    """An estimate whose second moment grows, whose bias is above a tenth of the hypergradient's
    size, or whose RMSE is above it."""


@dataclass(frozen=True)
class Reliability:
    """At run 0's point. A number that cannot be had is None, and ``missing`` says why.

    radius: rho(A_zz), after training the largest of the runs'; radius_error: how far
    an iterative solver's may be off. second_radius: rho(E[A (x) A]), minibatches included.
    rmse: sqrt E|estimate - truth|^2 of one run after all terms, all clients' blocks together.
    bias, deviation: |E estimate - truth| and the root of the trace of its covariance; rmse^2 is the
    sum of their squares. size: |truth|. terms: M. short: |E estimate - its limit in M| over the
    limit's size. needed: the M at which that is a tenth, where it is more; with ``by_rate`` the M
    at which the slowest part of the series has fallen that far.
    """

    radius: float | None = None
    second_radius: float | None = None
    rmse: float | None = None
    bias: float | None = None
    deviation: float | None = None
    size: float | None = None
    radius_error: float = 0.0
    terms: int = 0
    short: float | None = None
    needed: int | None = None
    by_rate: bool = False
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

    def doubt(self, *, moving: bool = False) -> str | None:
        """Why not to rely on one run, in a line; None where nothing known speaks against it.

        moving: the point is on its way to the stationary one, and a bias that is not from too few
        terms is told only where the RMSE is above the size.
        """
        share, cut = self.relative, self._cut()
        if cut is None and not moving:
            cut = self._off()
        if share is not None and share < 1 and cut is None:  # few terms do, whatever more would
            return None
        parts = [] if cut is None else [cut]
        if share is not None and share >= 1:
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
        word = "is biased" if parts == [cut] else "cannot be relied on"
        return f"the estimate {word}: {'; '.join(parts)}" if parts else None

    def _cut(self) -> str | None:
        """How much of the series is missing in the mean, and the M that it asks for."""
        if self.short is None or self.needed is None:
            return None
        power = "" if self.radius is None else (
            f", as rho(A_zz) is {self.radius:.8g} and its M-th power {self.radius**self.terms:.3g}"
        )  # fmt: skip
        return (
            f"M = {self.terms} terms leave out {self.short:.3g} of the series in the mean{power}; "
            f"M = {self.needed} leaves out {'about ' * self.by_rate}a tenth"
        )

    def _off(self) -> str | None:
        """A bias that more terms do not remove."""
        if self.bias is None or self.size is None or self.bias <= BIASED * self.size:
            return None
        return (
            f"its bias is {self.bias:.3g}, where the hypergradient's size is {self.size:.3g}, and "
            "no M removes it: its point, its law or its reading has another limit"
        )


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
    second_radius: float | None = None,
    products: bool = False,
) -> Reliability:
    """What is known exactly of M terms of a reading at run 0's point, never sampled.

    Args:
        law: pbar and dbar as the estimate uses them, (n, n) or run 0 of (R, n, n).
        alpha, beta: the weights; 1 and 0 for HGP.
        truth: gives the hypergradient, (n, dlam), and is called where moments are cheap; its
            ValueError says why they are missing.
        radius, second_radius: rho(A_zz) and rho(E[A (x) A]), where they are known already.
        products: where matrices are too large, follow the mean by M products, and take the truth,
            which is a solve, as the series' limit.
    """
    n, d, h = at.problem.clients, at.problem.dim, at.problem.hyper
    truth = functools.cache(truth)
    believed = law if law.mean.ndim == 2 else EdgeLaw(law.mean[0], law.frequency[0], law.source)
    missing: dict[str, str] = {}
    known: dict[str, Any] = {}
    try:
        rounds = coefficient_law(topology, reading.weights, believed)
    except ValueError as error:
        missing |= dict.fromkeys(("second_radius", "rmse"), str(error))
    else:
        try:
            if n * d > SQUARE:
                raise ValueError(f"n dx is {n * d}; it is worked out up to {SQUARE}")
            known["second_radius"] = (
                second_moment_radius(at, rounds) if second_radius is None else second_radius
            )
        except ValueError as error:
            missing["second_radius"] = str(error)
        try:
            if products and n * (h + 2 * d) > LARGEST and reading in (EQ12, APPENDIX_B):
                known |= _by_products(at, rounds.mean, terms, truth(), radius)
            else:
                series = MeanSeries(at, rounds, reading, alpha, beta)
                known |= _bias(series, terms, truth())
        except ValueError as error:
            missing["bias"] = str(error)
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
    if "bias" in known:
        missing.pop("bias", None)
    return Reliability(
        radius=radius, radius_error=radius_error, terms=terms, missing=missing, **known
    )


def _bias(series: MeanSeries, terms: int, truth: Floats) -> dict[str, Any]:
    with np.errstate(over="ignore", invalid="ignore"):
        mean, limit = series.mean(terms), series.limit()
        bias, size, short, whole = (
            float(np.linalg.norm(part)) for part in (mean - truth, truth, mean - limit, limit)
        )
        known: dict[str, Any] = {
            "bias": bias,
            "size": size,
            "short": short / whole if whole > 0 else 0.0,
        }
        if not np.isfinite([*known.values()]).all():
            raise ValueError("the mean, or its limit, leaves float64")
        if known["short"] > BIASED:
            known["needed"] = series.needed(limit, BIASED * whole, terms)
    return known


def _by_products(
    at: Linear, mean: Floats, terms: int, truth: Floats, radius: float | None
) -> dict[str, Any]:
    bias = float(np.linalg.norm(partial_means(at, mean, terms)[-1] - truth))
    size = float(np.linalg.norm(truth))
    known: dict[str, Any] = {"bias": bias, "size": size}
    if radius is not None and radius < 1 and size > 0:
        known |= {"short": bias / size, "by_rate": True}
        if bias > BIASED * size:
            more = np.log(bias / (BIASED * size)) / -np.log(radius)
            known["needed"] = terms + int(np.ceil(more))
    return known


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


LARGEST = 500  # numbers of (v, u, w) of all clients up to which their map is written out
LONGEST = 2**40  # terms after which the limit is taken


class MeanSeries:
    """E of ``hgp(at, ..., reading=rule)`` at run 0's point.

    Raises:
        ValueError: more than 500 numbers n (dlam + 2 dx), or Eq. (9)'s power.
    """

    def __init__(
        self, at: Linear, law: CoefficientLaw, rule: Reading, alpha: float, beta: float
    ) -> None:
        n, width = at.problem.clients, at.problem.hyper + 2 * at.problem.dim
        if n * width > LARGEST:
            raise ValueError(f"n (dlam + 2 dx) is {n * width}; a mean is followed up to {LARGEST}")
        if rule.power:
            raise ValueError("Eq. (9)'s power is not covered")
        rounds, first, const, self.shift = recursion(at, rule, alpha, beta, noise=False)
        self.shape, size = first.shape, n * width
        step = np.eye(size)
        for one in rounds:
            step = carried(law.mean, one, step.reshape(n, width, size)).reshape(size, size)
        whole = np.zeros((size + 1, size + 1))
        whole[:size, :size], whole[:size, size], whole[size, size] = step, const.ravel(), 1.0
        self.late = 0 if rule.last else 1  # "return v^(m)" after the loop
        self.first, self.powers = np.append(first.ravel(), 1.0), [whole]

    def mean(self, terms: int) -> Floats:
        """(n, dlam) after M terms."""
        state, left, k = self.first, terms - self.late, 0
        with np.errstate(over="ignore", invalid="ignore"):
            while left:
                if left & 1:
                    state = self._power(k) @ state
                left, k = left >> 1, k + 1
        v = state[:-1].reshape(self.shape)[:, : self.shift.shape[1]]
        return np.asarray(v + self.shift)

    def limit(self) -> Floats:
        """(n, dlam) after 2^40 terms, which is the limit wherever rho(A_zz) is below 1 - 1e-10."""
        return self.mean(LONGEST)

    def needed(self, limit: Floats, least: float, terms: int) -> int:
        """The first M > ``terms`` with |mean - limit| <= ``least``, found as if the gap fell from
        there on."""
        low, high = terms, 2 * terms
        while not self._gap(limit, high) <= least:
            low, high = high, 2 * high
            if high > LONGEST:
                raise ValueError("the series does not come near to its limit in 2^40 terms")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._gap(limit, middle) <= least else (middle, high)
        return high

    def _gap(self, limit: Floats, terms: int) -> float:
        return float(np.linalg.norm(self.mean(terms) - limit))

    def _power(self, k: int) -> Floats:
        """The map of 2^k terms."""
        while len(self.powers) <= k:
            self.powers.append(self.powers[-1] @ self.powers[-1])
        return self.powers[k]


def partial_means(at: Linear, mean: Floats, terms: int) -> Floats:
    """(M + 1, n, dlam): c^lambda + sum_{k < m} B A^k c^y for coefficients ``mean`` (n, n), by
    products: the mean of Eq. (12) and Appendix B after m = 0 .. M terms."""
    problem = at.problem
    c = problem.points(np.ascontiguousarray(mean[None]))
    c_y, c_lam = at.seeds()
    u, v = c_y[:1, :, None], c_lam[:1]
    seen = [v]
    for _ in range(terms):
        v = v + at.B(c, u)[:, :, 0]
        u = at.A(c, u)
        seen.append(v)
    return np.array([problem.numbers(part)[0] for part in seen])
