r"""A loss f with a convex set, or with a term g that has a proximal map: min f(x) + g(x).

The clients' losses and gradients are those of f, the base. ``mean_loss``, f_star and x* are those
of F = f + g over the set. ``net.project`` and ``net.prox`` of a step read the set and the term.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.formulas import Box, FormulaError
from theorylab.known import EPS, How, Known
from theorylab.problems._asked import OF_NOISE, answers_of_base
from theorylab.problems._base import Sample
from theorylab.problems._based import Based
from theorylab.problems._domain import Domain
from theorylab.problems._domain_options import domain
from theorylab.problems._minimum import LEAST, NARROW, Minimum
from theorylab.problems._options import Array, count
from theorylab.problems._outcomes import Draw
from theorylab.problems.noisy import built

_STEPS, _STILL = 5_000, 50  # of the search for x*, and how long it may gain nothing


class Composite(Based, name="composite"):
    """The losses of ``base`` over a set, or beside a term.

    Args:
        clients: n.
        base: the options of a problem, {"name": ..., ...}, or a Problem with NumPy points.
        set: {"kind": "box", "low", "high"}, {"kind": "ball", "radius", "center"}, {"kind":
            "simplex", "total"} or {"kind": "affine", "A", "b"}; None: R^d.
        prox: {"kind": "l1", "weight"}, {"kind": "elastic-net", "l1", "l2"}, that is l1 |x|_1 +
            l2 |x|^2 / 2, or {"kind": "indicator", "set": ...}; None: 0.

    ``problem(name, n, set=..., prox=...)`` of any other problem makes one.

    >>> Composite(1, base={"name": "huber"}, set={"kind": "box", "low": 2, "high": 3}).optimum
    array([2.])
    """

    torch_form = None  # a device would know neither set nor term
    domain: Domain

    def __init__(self, clients: int, *, base: Any, set: Any = None, prox: Any = None) -> None:
        n = count(self.name, "clients", clients)
        if set is None and prox is None:
            raise ValueError(f"{self.name}: neither set nor prox came; need one of them")
        self.base = built(self.name, n, base)
        if self.base.domain is not None:
            raise ValueError(f"{self.name}: base has a set or a term of its own; need one alone")
        super().__init__(n, self.base.dim, self.base.stochastic)
        self.domain = domain(self.dim, set, prox)
        self._given = {"set": set, "prox": prox}
        self.shared, self.blocks = self.base.shared, self.base.blocks
        if self.domain.confines:
            self.inside = self._inside

    def _inside(self, x: Array) -> Array:
        """Whether each of x (..., d) is in the set, up to rounding: (...,)."""
        size = 1 + np.abs(x).max(axis=-1)
        gap: Array = np.abs(x - self.domain.project(x)).max(axis=-1) <= 1e-9 * size
        return gap

    def sample(self, seed: int, runs: Array, round: int, step: int) -> Sample | None:
        return self.base.sample(seed, runs, round, step)

    def stochastic_gradient(self, x: Array, sample: Sample | None) -> Array:
        return self.base.stochastic_gradient(x, sample)

    def finite_noise(self) -> tuple[Draw, ...] | None:
        return self.base.finite_noise()

    def measured_noise(self, xbar: Array) -> Array:
        return self.base.measured_noise(xbar)

    def mean_loss(self, xbar: Array) -> Array:
        """F(xbar[r]) = f + g, g without the indicator: (R,)."""
        return np.asarray(self.base.mean_loss(xbar) + self.domain.value(xbar))

    def initial(self, seed: int, runs: Array) -> Array:
        """The base's start, projected onto the set."""
        return self.domain.project(self.base.initial(seed, runs))

    def constants(self) -> dict[str, Known]:
        """The base's, which hold on R^d, with f_star of F; and the diameter of the set."""
        found = dict(self.base.constants())
        least, star = found.pop("f_star", None), self.bottom[0]
        if star is None and least is not None:  # g >= 0, and over a set f is no less
            low = least.lower if least.how is How.CERTIFIED else least.value
            if least.how is How.CERTIFIED or least.at_most:
                assert low is not None
                star = Known(low, How.LOWER, f"without set and term: {least.source}")
        found |= {} if star is None else {"f_star": star}
        wide = self.domain.diameter
        return found | ({} if wide is None else {"set_diameter": wide})

    @functools.cached_property
    def bottom(self) -> tuple[Known | None, Minimum | None]:
        """With r >= |G + v| for G = grad f(x) and a v in dg(x): F* >= F(x) - r^2 / (2 m) and
        |x - x*| <= r / m of an m-strongly convex F, and F* >= F(x) - r D over a set of diameter D.
        """
        known, formula = self.base.constants(), self.base.formula
        mu, L = known.get("mu"), known.get("L")
        if formula is None or mu is None or not mu.at_most or mu.value < 0:
            return None, None
        if L is None or not math.isfinite(L.value):
            return None, None
        x = self._near(L.value)
        off = self.domain.nearest(x)
        f, g = formula.over(Box(x - off, x + off), formula.value, formula.gradient)
        n = float(f.low.shape[1])  # 1 of losses that are all alike
        f, g = f.sum(1) / n, g.sum(1) / n
        r = self.domain.residual(x, Box(g.low[0], g.high[0]))
        m, wide = self._mu(mu.value) + self.domain.bend, self.domain.diameter
        less = r * r / m / 2 if m > 0 else math.inf
        less = min(less, r * wide.value) if wide is not None else less
        value = float(self.domain.value(x))
        few = (self.dim + 8) * EPS * value
        low, high = float(f.low.ravel()[0]) + value, float(f.high.ravel()[0]) + value
        room = few + 8 * EPS * (abs(low) + less) + LEAST
        if not math.isfinite(less):
            return None, None
        source = "the optimality condition of f + g at a point near its minimum"
        low, high = low - less - room, high + room
        star = Known(low, How.CERTIFIED, source, lower=low, upper=high)
        ball = (r / m * (1 + 8 * EPS) if m > 0 else math.inf) + off + LEAST
        narrow = ball <= NARROW * (1 + float(np.abs(x).max()))
        return star, Minimum(x, ball, source) if narrow else None

    def _mu(self, mu: float) -> float:
        """Strong convexity of f on the set: in a box around it, where it is 0 on R^d."""
        around, formula = self.domain.around, self.base.formula
        if mu > 0 or around is None or formula is None:
            return mu
        try:
            return max(0.0, float(formula.curvature(around).mean.ends[0]))
        except FormulaError:
            return mu

    def _near(self, L: float) -> Array:
        """Near x*: by accelerated proximal steps that start anew where F rises."""
        step = 1 / L if L > 1e-150 else 1.0  # of an affine f any step will do
        x = self.domain.prox(np.zeros(self.dim), step)
        y, t, best, still = x, 1.0, math.inf, 0
        for _ in range(_STEPS):
            new = self.domain.prox(y - step * self.base.mean_gradient(y[None])[0], step)
            moved = float(np.linalg.norm(new - y))
            if moved == 0:
                return new
            best, still = (moved, 0) if moved < best else (best, still + 1)
            if still > _STILL and best <= 1e-13 * (1 + float(np.abs(new).max())):
                return new
            if (y - new) @ (new - x) > 0:
                t = 1.0
            after = (1 + math.sqrt(1 + 4 * t * t)) / 2
            x, y, t = new, new + (t - 1) / after * (new - x), after
        return x

    def describe(self) -> dict[str, Any]:
        made = {"name": self.name, "clients": self.clients, "base": self.base.describe()}
        return made | {key: _listed(value) for key, value in self._given.items() if value}


answers_of_base(Composite, OF_NOISE)
Composite.answers_of = None  # x* is its own


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _listed(each) for key, each in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value
