"""The left sides of assumptions about losses and their noise, at drawn points."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from theorylab.constants import deprl_losses, dfedalt_losses, dfedpgp_losses
from theorylab.experiments._base import (
    Experiment,
    Floats,
    Observation,
    Row,
    check_column,
    relative_error,
)
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.kernels import Stream, ascent
from theorylab.known import UNIT, How, Known
from theorylab.problems import Problem
from theorylab.problems import problem as build_problem
from theorylab.runs.laws import CHUNK, Enumeration
from theorylab.runs.rounding import (
    RELATIVE,
    deviation_off,
    gradient_off,
    in_float64,
    squared_room,
)

_FEW = 4  # points at which a law is listed
_MOST_SIGNS, _LISTED = 14, 8  # of a script: 2^14 outcomes, at so many points
_BIAS = """
signs = np.array(list(itertools.product([-1.0, 1.0], repeat=d)))[:, None]
measured = 0.0
for x in points:  # all outcomes of the signs at each; the largest counts
    g = grad(x) + size * signs * np.cos(x / length)
    up = x + rho * g / np.linalg.norm(g, axis=-1, keepdims=True)
    exact = grad(up)
    drawn = exact + size * signs * np.cos(up / length)
    bias = np.linalg.norm(drawn.mean(0)[i] - exact.mean(0)[i])  # of client i
    if bias > measured:
        left, right, measured = drawn.mean(0)[i], exact.mean(0)[i], bias
"""
_PARTS = ("", "_u", "_v")


class DrawnPoints(Experiment, name="drawn-points"):
    """Points (u, v_1, ..., v_n) drawn around 0, ``reach`` wide, u common to all clients. u are the
    shared coordinates of the problem: all of them where it has no personal part. Half of the second
    points of pairs are close to their first.

    Columns, where a part is u, v, or both (no letter):
        slope          ||difference of grad F_i||/||difference of the points||, row i
        slope_u, slope_v   ||difference of the part of grad F_i||/(||du|| + ||dv||), row i
        slope_uu, slope_uv, slope_vu, slope_vv   where only the second letter moves, row i
        gradient       ||grad F_i||, row i
        noise, noise_u, noise_v   E||g_i - grad F_i||^2 of the part, row i: the largest of four
                       points, exact where at most 2^14 outcomes of the noise can be listed; else at
                       one point, one draw a run. ``noise`` is exact for every problem, at all
                       points, but needs one without a personal part
        bias, bias_u, bias_v   ||E g_i - E grad F_i|| of the part over all outcomes, row i (the
                       constant gradient_rounding: what rounding can do), at SAM's point of radius
                       rho, which takes the same minibatch
        heterogeneity  ||grad F_i - mean_j grad F_j||^2 at one (u, v) for all clients, row i
        mean_heterogeneity   its mean over i, a row a point
        diversity      ||grad_u F_i - mean_j grad_u F_j||^2, row i
        mean_diversity   its mean over i, a row a point
        mean_diversity_own   the same with a u_i of its own for each summand

    Args:
        problem: options with a name. clients: n. probes: how many points. reach: their standard
            deviation. rho: SAM's radius, for the biases.
    """

    columns: ClassVar[tuple[str, ...]] = (
        *(f"{kind}{part}" for kind in ("slope", "noise", "bias") for part in _PARTS),
        *("slope_uu", "slope_uv", "slope_vu", "slope_vv", "gradient"),
        *("heterogeneity", "mean_heterogeneity"),
        *("diversity", "mean_diversity", "mean_diversity_own"),
    )

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        clients: int,
        probes: int = 32,
        reach: float = 2.0,
        rho: float = 0.0,
    ) -> None:
        if type(probes) is not int or probes < 1:
            raise ValueError(f"{self.name}: probes is {probes!r}; need an integer >= 1")
        if not 0 < reach < math.inf or not 0 <= rho < math.inf:
            raise ValueError(f"{self.name}: reach is {reach!r}, rho {rho!r}; need > 0 and >= 0")
        if "name" not in problem:
            raise ValueError(f"{self.name}: problem has no name; need {{'name': ...}}")
        self.options: dict[str, Any] = {
            **{"problem": dict(problem), "clients": clients},
            **{"probes": probes, "reach": reach, "rho": rho},
        }
        rest = dict(problem)
        self.problem = build_problem(rest.pop("name"), clients, **rest)
        self.shared = self.problem.shared

    def describe(self) -> dict[str, Any]:
        return self.options

    @functools.cached_property
    def _constants(self) -> dict[str, Known]:
        problem = self.problem
        quadratic = problem.square_form is not None
        own = {"rho": self.options["rho"], "n": problem.clients, "dfedpgp_quadratic": quadratic}
        found = {k: Known(float(v), How.EXACT, "of the instance") for k, v in own.items()}
        if self.shared < problem.dim:
            found |= dfedalt_losses(problem) | dfedpgp_losses(problem) | deprl_losses(problem)
        return problem.constants() | found

    def constants(self) -> dict[str, Known]:
        return self._constants

    def points(self, seed: int, *, common: bool = True) -> tuple[Floats, Floats]:
        """Two times (probes, n, d); ``common``: u is the same for all clients."""
        n, d, count = self.problem.clients, self.problem.dim, self.options["probes"]
        drawn = Stream(seed, "problem").normal(np.arange(count), 2 * n, 0, 11, d)
        both = self.options["reach"] * drawn.reshape(count, 2, n, d)
        if common:
            both[..., : self.shared] = both[:, :, :1, : self.shared]
        x, y = np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
        y[::2] = x[::2] + 1e-3 * y[::2]
        return x, y

    def part(self, letter: str) -> slice:
        """The coordinates of u, of v, or of both."""
        ends = {"u": (0, self.shared), "v": (self.shared, None), "": (0, None)}
        return slice(*ends[letter])

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        kind, _, part = column.partition("_")
        if self.shared == self.problem.dim and set(part) <= set("uv") and part:
            raise ValueError(
                f"{self.name}: {column} came with {self.problem.name}, which has no personal part; "
                f"need column {kind}"
            )
        with in_float64(self.name):
            if kind == "slope":
                return self._slope(*self.points(seed), part[:1], part[1:])
            if kind in ("noise", "bias"):
                x, _ = self.points(seed)
                if kind == "bias":
                    return self._bias(x[: 2 * _FEW], self.part(part))
                return self._noise(x, part, runs, seed)
            if column == "gradient":
                x, _ = self.points(seed)
                sizes = np.linalg.norm(self.problem.gradient(x), axis=-1)
                return by_client(sizes, gradient_off(self.problem, x) + RELATIVE * sizes)
            if column == "mean_diversity_own":
                return self._diversity_own(self.points(seed, common=False)[0])
            x, _ = self.points(seed)
            part = "u"
            if column.endswith("heterogeneity"):
                x[:], part = x[:, :1], ""  # one point for all
            away, off = self._away(x, part)
            if column.startswith("mean"):
                return _by_point(away.mean(axis=1), off)
            return by_client(away, np.vectorize(squared_room)(away, off))

    def _slope(self, x: Floats, y: Floats, of: str, by: str) -> Observation:
        z = x.copy()
        z[..., self.part(by)] = y[..., self.part(by)]
        gap = (self.problem.gradient(x) - self.problem.gradient(z))[..., self.part(of)]
        parts = "uv" if of else ("",)
        apart = sum(np.linalg.norm((x - z)[..., self.part(letter)], axis=-1) for letter in parts)
        slopes = np.linalg.norm(gap, axis=-1) / apart
        off = gradient_off(self.problem, x) + gradient_off(self.problem, z)
        return by_client(slopes, off / apart + RELATIVE * slopes)

    def _noise(self, x: Floats, part: str, runs: range, seed: int) -> Observation:
        problem = self.problem
        if not part:
            if self.shared < problem.dim:
                raise ValueError(
                    f"{self.name}: noise came with {problem.name}; need noise_u or noise_v"
                )
            squares = problem.measured_noise(x[:, 0]) ** 2
            off = 2 * float(gradient_off(problem, x).max())
            return by_client(squares, np.vectorize(squared_room)(squares, off))
        try:
            listed = _law_of_one_draw(problem)
        except ValueError:
            ids = np.asarray(runs, np.int64)
            squares = self._squares(x[0], problem.sample(seed, ids, 0, 0), len(ids), part)
            room = self._noise_room(x[:1], squares)
            rows = (Row(s, label=f"i={i}", rounding=room) for i, s in enumerate(squares.T))
            return Observation(tuple(rows), False)
        (chunk,) = listed.chunks()
        sample, total = chunk.sample(0, 0, ""), len(chunk.weights)
        means = np.array(
            [
                (chunk.weights[:, None] * self._squares(point, sample, total, part)).sum(axis=0)
                for point in x[:_FEW]
            ]
        )
        return by_client(means, np.full_like(means, self._noise_room(x[:_FEW], means)))

    def _noise_room(self, x: Floats, squares: Floats) -> float:
        return squared_room(float(squares.max()), 2 * float(gradient_off(self.problem, x).max()))

    def _squares(self, point: Floats, sample: Any, count: int, part: str) -> Floats:
        z = np.repeat(point[None], count, axis=0)
        gap = self.problem.stochastic_gradient(z, sample) - self.problem.gradient(z)
        return np.asarray((gap[..., self.part(part)] ** 2).sum(axis=2))

    def _bias(self, x: Floats, part: slice) -> Observation:
        problem = self.problem
        listed = _law_of_one_draw(problem)
        (chunk,) = listed.chunks()
        total, sample, chances = listed.total, chunk.sample(0, 0, ""), chunk.weights
        worst, size, slopes = np.zeros(problem.clients), 0.0, []
        for point in x:
            z = np.repeat(point[None], total, axis=0)
            up = ascent(z, problem.stochastic_gradient(z, sample), self.options["rho"])
            used, exact = problem.stochastic_gradient(up, sample), problem.gradient(up)
            gap = np.tensordot(chances, (used - exact)[..., part], axes=1)
            worst = np.maximum(worst, np.linalg.norm(gap, axis=-1))
            size = max(size, float(np.abs(used).max()))
            mean = np.tensordot(chances, exact[..., part], axes=1)
            slopes.append(np.linalg.norm(mean, axis=-1))
        # a mean of ``total`` numbers of that size, d of them in a norm
        at = {"gradient_rounding": 4 * (total + problem.dim) * UNIT * size}
        rows = (
            Row(np.array([v]), at, f"i={i}", rounding=0, relative_error=relative_error(v, slopes))
            for i, v in enumerate(worst)
        )
        return Observation(tuple(rows), True)

    def plain(self, spot: Spot) -> Plain:
        """||E g - E grad f_i|| at SAM's point, which takes the same sample, at the worst of the
        drawn points."""
        problem: Any = self.problem
        noise: Any = getattr(problem, "field", None)
        if spot.column != "bias":
            return super().plain(spot)
        if getattr(noise, "kind", "") != "state" or problem.dim > _MOST_SIGNS:
            raise UnwrittenError("a bias of other noise than of a random loss of few coordinates")
        ((low, high, sigma),) = noise.parts
        numbers = {"rho": self.options["rho"], "size": sigma / math.sqrt(high - low)}
        numbers |= {"length": noise.length, "d": problem.dim, "i": spot.at("i")}
        points = self.points(spot.seed)[0][:_LISTED]
        return Plain(problem=problem.base).of(_BIAS, **numbers, points=points)

    def _diversity_own(self, x: Floats) -> Observation:
        total, off, n = np.zeros(len(x)), 0.0, self.problem.clients
        for i in range(n):
            z = x.copy()
            z[..., : self.shared] = x[:, i : i + 1, : self.shared]
            away, each = self._away(z, "u")
            total, off = total + away[:, i] / n, max(off, each)
        return _by_point(total, off)

    def _away(self, x: Floats, part: str) -> tuple[Floats, float]:
        """||grad F_i - mean_j grad F_j||^2 of the part, (probes, n), and how far each vector is
        off."""
        g = self.problem.gradient(x)[..., self.part(part)]
        away = ((g - g.mean(axis=1, keepdims=True)) ** 2).sum(axis=2)
        return away, deviation_off(self.problem, x)


def _law_of_one_draw(problem: Problem) -> Enumeration:
    """Every outcome of one minibatch, in the law that each client alone has."""
    return Enumeration(problem, lambda samples: samples.sample(0, 0, ""), CHUNK, alone=True)


def by_client(values: Floats, rooms: Floats) -> Observation:
    """The largest of ``values`` (points, n), a row a client; ``rooms``: what rounding can do to
    each. The room of a row reaches as far as any point's does."""
    tops, ends = values.max(axis=0), (values + rooms).max(axis=0)
    rows = (
        Row(np.array([top]), label=f"i={i}", rounding=float(end - top))
        for i, (top, end) in enumerate(zip(tops, ends, strict=True))
    )
    return Observation(tuple(rows), True)


def _by_point(values: Floats, off: float) -> Observation:
    rows = (
        Row(np.array([v]), label=f"probe {r}", rounding=squared_room(float(v), off))
        for r, v in enumerate(values)
    )
    return Observation(tuple(rows), True)
