r"""A function of a class through given data, and the problem that is made of n of them.

Let f be L-smooth with curvature at least mu (mu = -L: no convexity; mu >= 0: convex). Then
h = f - mu/2 |x|^2 is convex and (L - mu)-smooth. With M = L - mu and, for every given point
x_j with gradient g_j and value f_j,

    a_j = x_j - (g_j - mu x_j) / M,    c_j = f_j - mu/2 |x_j|^2 - |g_j - mu x_j|^2 / (2 M),

    f(x) = mu/2 |x|^2 + min over alpha >= 0, sum alpha = 1 of
           M/2 |x - sum_j alpha_j a_j|^2 + sum_j alpha_j c_j + eps |alpha|^2.

For *any* data the minimum is the infimal convolution of M/2 |.|^2 with a convex function, so h is
convex and M-smooth, f is L-smooth with curvature at least mu, and its gradient is
mu x + M (x - sum alpha_j a_j). If the data are those of some such function, f passes through them
(Taylor, Hendrickx, Glineur 2017, Theorem 4; up to eps, which makes the minimiser unique).

Least value. With p_j = x_j - g_j/L and p = sum alpha_j p_j the expression above is

    L/2 |x - p|^2 + sum alpha_j (f_j - |g_j|^2/(2L))
        - L mu/(2M) (sum alpha_j |p_j|^2 - |p|^2) + eps |alpha|^2.

For mu <= 0 its third term is not negative (Jensen). So f >= min_j (f_j - |g_j|^2/(2L)), for any
data; f comes within eps of it at that p_j. For mu > 0 this is no bound, and none is given.

Without L, f - mu/2 |x|^2 is the largest of the affine functions of the data. Where several of them
are within rounding of the largest, the gradient is that of the nearest point, which is one of the
subgradients there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.known import How, Known
from theorylab.problems import Problem

Floats = NDArray[np.float64]
MISS = 1e-12  # of the largest |c_j|: the interpolant misses the data by about this much
_NEAR = 1e-10  # of the largest plane: planes that are this near to it are as large, by rounding
_ROOM = 2.0**-47  # of the slopes' size: 64 roundings of float64, below which nothing is descent


class Interpolant:
    """The function above.

    Args:
        points, gradients: (m, d). values: (m,).
        L: smoothness > 0; None: not smooth. mu: curvature, -L <= mu < L; >= 0 without L.

    Raises:
        ValueError: on shapes that do not agree, or numbers that are not finite.
    """

    def __init__(
        self, points: Floats, gradients: Floats, values: Floats, L: float | None, *, mu: float
    ) -> None:
        x, g, f = (np.asarray(a, dtype=float) for a in (points, gradients, values))
        if x.ndim != 2 or g.shape != x.shape or f.shape != x.shape[:1] or not len(x):
            raise ValueError(
                f"interpolant: shapes are {x.shape}, {g.shape}, {f.shape}; need (m,d), (m,d), (m,)"
            )
        if not (np.isfinite(x).all() and np.isfinite(g).all() and np.isfinite(f).all()):
            raise ValueError("interpolant: the data are not finite; need finite numbers")
        if mu < 0 if L is None else not -L <= mu < L:
            raise ValueError(f"interpolant: mu is {mu!r}, L is {L!r}; need -L <= mu < L")
        self.L, self.mu, self.least = L, float(mu), -np.inf
        self.data = x, g, f
        slope = g - self.mu * x
        if L is None:
            self._x, self._slope = x, slope
            self._level = f - self.mu / 2 * (x * x).sum(1) - (slope * x).sum(1)
            return
        self._M = L - self.mu
        self._a = x - slope / self._M
        c = f - self.mu / 2 * (x * x).sum(1) - (slope * slope).sum(1) / (2 * self._M)
        least = f - (g * g).sum(1) / (2 * L)
        self.least = float(least.min()) if mu <= 0 else -np.inf  # a lower bound on f
        self.lowest_point = x[least.argmin()] - g[least.argmin()] / L
        self.eps = MISS * max(
            float(np.abs(c).max()), float((slope * slope).max() / self._M), 1e-300
        )
        self._c = c
        self._Q = self._M * self._a @ self._a.T + 2 * self.eps * np.eye(len(x))

    def at(self, x: Floats) -> tuple[float, Floats]:
        """Value and gradient at x (d,)."""
        if self.L is None:
            return self._kinked(x)
        alpha = _least_over_simplex(self._Q, self._c - self._M * self._a @ x)
        away = x - alpha @ self._a
        value = self.mu / 2 * (x @ x) + self._M / 2 * (away @ away)
        value += float(alpha @ self._c + self.eps * (alpha @ alpha))
        return float(value), self.mu * x + self._M * away

    def as_json(self) -> dict[str, Any]:
        """Points, gradients and values."""
        points, gradients, values = (a.tolist() for a in self.data)
        return {"points": points, "gradients": gradients, "values": values}

    def _kinked(self, x: Floats) -> tuple[float, Floats]:
        planes = self._level + self._slope @ x
        most = float(planes.max())
        near = planes >= most - _NEAR * max(1.0, float(np.abs(planes).max()))
        away = np.where(near, ((self._x - x) ** 2).sum(1), np.inf)
        slope = self._slope[int(away.argmin())]
        return most + self.mu / 2 * float(x @ x), self.mu * x + slope


def _least_over_simplex(Q: Floats, b: Floats) -> Floats:
    """argmin of alpha Q alpha / 2 + b alpha over the simplex, Q positive definite; active sets.

    Each pass solves the problem on the face of the current support exactly; a step that would
    leave the simplex stops where the first weight vanishes, as in Lawson and Hanson's NNLS. Points
    that differ by rounding make a face's equations singular: the shortest solution is taken.
    """
    m = len(b)
    alpha = np.zeros(m)
    alpha[int(np.argmin(np.diag(Q) / 2 + b))] = 1.0
    support = alpha > 0
    room = _ROOM * float(np.abs(Q).max() + np.abs(b).max())
    for k in range(50 * m + 50):
        if k % (5 * m + 5) == 5 * m + 4:  # rounding goes round in circles: less is asked of it
            room *= 10
        on = np.flatnonzero(support)
        system = np.ones((len(on) + 1, len(on) + 1))
        system[:-1, :-1], system[-1, -1] = Q[np.ix_(on, on)], 0.0
        best = np.linalg.lstsq(system, np.append(-b[on], 1.0), rcond=None)[0][:-1]
        if (best < 0).any():
            down = best < 0
            share = alpha[on][down] / (alpha[on][down] - best[down])
            alpha[on] += float(share.min()) * (best - alpha[on])
            alpha[on[down][share.argmin()]] = 0.0
            support &= alpha > 0
            continue
        alpha[:] = 0.0
        alpha[on] = best
        slopes = Q @ alpha + b
        level = float(alpha @ slopes)
        j = int(slopes.argmin())
        if support[j] or slopes[j] >= level - room:
            return alpha
        support[j] = True
    raise ArithmeticError("interpolant: the active sets do not settle")


class Interpolated(Problem):
    """n clients, each with an ``Interpolant``.

    Attributes:
        largest_gradient: the largest norm of a client's gradient that was asked for so far.
        least: a lower bound on f, the mean of the clients' lower bounds.
    """

    name = "interpolated"

    def __init__(self, functions: Sequence[Interpolant], dim: int) -> None:
        super().__init__(len(functions), dim, False)
        self.functions = tuple(functions)
        self.least = float(np.mean([f.least for f in functions]))
        self.largest_gradient = 0.0

    def _at(self, what: str, x: Any) -> tuple[Floats, Floats]:
        self._tables_for(what, x, self._shape)
        value, slope = np.zeros(x.shape[:2]), np.zeros(x.shape)
        for run, point in enumerate(x):
            for i, function in enumerate(self.functions):
                value[run, i], slope[run, i] = function.at(np.asarray(point[i], dtype=float))
        return value, slope

    def loss(self, x: Any) -> Floats:
        return self._at("loss", x)[0]

    def gradient(self, x: Any) -> Floats:
        slope = self._at("gradient", x)[1]
        largest = float(np.linalg.norm(slope, axis=-1).max())
        self.largest_gradient = max(self.largest_gradient, largest)
        return slope

    def sample(self, seed: int, runs: Any, round: int, step: int) -> None:
        return None

    def stochastic_gradient(self, x: Any, sample: Any) -> Floats:
        if sample is not None:
            raise self._bad_sample(sample, "None: there is no noise")
        return self.gradient(x)

    def measured_noise(self, xbar: Any) -> Floats:
        return np.zeros((len(xbar), self.clients))

    def constants(self) -> dict[str, Known]:
        zero = Known(0.0, How.EXACT, "no noise")
        known = {"sigma_l": zero}
        if all(f.L is not None for f in self.functions):
            L = Known(max(f.L or 0.0 for f in self.functions), How.UPPER, "by construction")
            known |= {"L": L, "L_sample": L}
        if np.isfinite(self.least):
            told = "(1/n) sum_i min_j (f_ij - |g_ij|^2/(2L))"
            known["f_star"] = Known(self.least, How.LOWER, told)
        return known

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "clients": self.clients, "dim": self.dim}
