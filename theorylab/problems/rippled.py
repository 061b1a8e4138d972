r"""Losses that are neither quadratic in u nor coupled: counterexamples need both.

    f_i(u, v) = A/2 |u - a_i|^2 + r sum_k (1 - cos u_k) + B/2 |v - b_i|^2,   A, B > 0, r >= 0.

H_uu = A I + r diag(cos u_k) lies between A - r and A + r, both ends attained: L_u = A + r, L_v = B,
L_uv = L_vu = 0, all exact. grad_u f_i - grad_u F(., V) = A (mean a - a_i) whatever u and V are:
delta is the root of its mean square, exact in either reading of DFedAlt's Assumption 3, and as
large as one likes beside L_u, for the a_i tilt a common f by as much. F >= A/2 mean |a_i - mean
a|^2, as every other term is at least 0.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.exact import span
from theorylab.formulas import Formula
from theorylab.known import How, Known
from theorylab.problems import _apart
from theorylab.problems._base import Problem
from theorylab.problems._options import Moves, Start

Floats = NDArray[Any]


def _starts(n: int, personal: bool) -> Iterator[Start]:
    if personal:
        centers = {"a": _apart.columns(_apart.turned(n, 10.0)), "b": _apart.columns([0.0] * n)}
        yield "centres apart", {"A": 1.0, "B": 1.0, "r": 10.0, **centers}


class Rippled(Problem, name="rippled"):
    """See the head of this module.

    Args:
        clients: n. A, B, r: as above.
        a, b: the centers, (n, d_u) and (n, d_v).

    Raises:
        ValueError: one line, on A or B not > 0, r < 0, or centers of another shape.
    """

    moves = Moves(starts=_starts)

    def __init__(
        self, clients: int, *, a: Any, b: Any, A: float = 1.0, B: float = 1.0, r: float = 1.0
    ) -> None:
        if not (0 < A < math.inf and 0 < B < math.inf and 0 <= r < math.inf):
            raise ValueError(
                f"rippled: A, B, r are {A!r}, {B!r}, {r!r}; need finite, A, B > 0 and r >= 0"
            )
        centers = [np.asarray(part, np.float64) for part in (a, b)]
        if any(c.ndim != 2 or len(c) != clients or not c.shape[1] for c in centers):
            shapes = ", ".join(str(c.shape) for c in centers)
            raise ValueError(f"rippled: a, b have shapes {shapes}; need ({clients}, d) each")
        self.A, self.B, self.r = A, B, r
        self.centers = np.concatenate(centers, axis=1)
        super().__init__(clients, self.centers.shape[1])
        self.shared = centers[0].shape[1]
        self.blocks = (self.shared, self.dim)
        self.slope = np.repeat([float(A), float(B)], [c.shape[1] for c in centers])

    @staticmethod
    def client_loss(x: Any, A: Any, B: Any, r: Any, a: Any, b: Any) -> Any:
        """f_i for one model x = (u, v), the numbers of all and the centers of one client."""
        u, v = x[: len(a)], x[len(a) :]
        ripple = 2 * np.sin(u / 2) ** 2  # 1 - cos u without its cancellation
        return A * ((u - a) ** 2).sum() / 2 + r * ripple.sum() + B * ((v - b) ** 2).sum() / 2

    @staticmethod
    def client_gradient(x: Any, A: Any, B: Any, r: Any, a: Any, b: Any) -> Any:
        """grad f_i, likewise."""
        u, v = x[: len(a)], x[len(a) :]
        return np.concatenate([A * (u - a) + r * np.sin(u), B * (v - b)])

    @functools.cached_property
    def formula(self) -> Formula:
        data: dict[str, Any] = {"A": float(self.A), "B": float(self.B), "r": float(self.r)}
        data |= {"a": self.centers[:, : self.shared], "b": self.centers[:, self.shared :]}
        return Formula(self.client_loss, data, ("a", "b"), self.dim, self.client_gradient)

    def loss(self, x: Floats) -> Floats:
        self._tables_for("loss", x, self._shape)
        made: Floats = self.formula.at(x, self.formula.value)[0]
        return made

    def gradient(self, x: Floats) -> Floats:
        self._tables_for("gradient", x, self._shape)
        made: Floats = self.formula.at(x, self.formula.gradient)[0]
        return made

    def constants(self) -> dict[str, Known]:
        """Of the whole gradient; those of the parts are ``personal_constants``."""
        unbounded = Known(math.inf, How.EXACT, "the gradient A (u - a_i) + ... is unbounded")
        steep = self._steepest
        top = steep if steep.value >= self.B else Known(self.B, How.EXACT, "B", asked=span(self.B))
        top = replace(top, source="max(A + r, B)")
        gap = self.slope * (self.centers - self.centers.mean(axis=0))
        worst = float(np.linalg.norm(gap, axis=1).max())
        return {
            "L": top,
            "L_sample": replace(top, source="no noise"),
            "mu": Known(min(self.A - self.r, self.B), How.LOWER, "min(A - r, B)"),
            "B": unbounded,
            "sigma_l": Known(0.0, How.EXACT, "no noise"),
            "sigma_g": Known(worst, How.EXACT, "max_i |(A, B) (c_i - mean c)|, at every x"),
            "f_star": self._least(self.dim),
        }

    @property
    def personal_constants(self) -> dict[str, Known]:
        """L_u, ..., F_star, of u and v as split; see the head of this module."""
        own = self.centers[:, : self.shared]
        gap = self.A * np.linalg.norm(own - own.mean(axis=0), axis=1)
        none = Known(0.0, How.EXACT, "no coupling, no noise")
        where = "|A (a_i - mean a)|, at every point"
        return {
            "L_u": self._steepest,
            "L_v": Known(self.B, How.EXACT, "B"),
            **dict.fromkeys(("L_uv", "L_vu", "sigma_u", "sigma_v"), none),
            "partial_sigma_g": Known(float(gap.max()), How.EXACT, f"max_i {where}"),
            "partial_delta": Known(
                math.sqrt(float((gap**2).mean())),
                How.EXACT,
                f"root of the mean over i of {where}^2",
            ),
            "F_star": self._least(self.shared),
        }

    @property
    def _steepest(self) -> Known:
        """A + r, of the decimals that were written: .1 + .2 is .3."""
        asked = tuple(a + r for a, r in zip(span(self.A), span(self.r), strict=True))
        source = "A + r, at u = 0"
        return Known(self.A + self.r, How.EXACT, source, asked=(asked[0], asked[1]))

    def _least(self, to: int) -> Known:
        gap = self.slope[:to] * (self.centers - self.centers.mean(axis=0))[:, :to] ** 2
        low = 0.5 * float(gap.sum(axis=1).mean()) * (1 - 8 * (self.clients + self.dim) * 2.0**-53)
        return Known(low, How.LOWER, "the quadratics alone at their least")

    def describe(self) -> dict[str, Any]:
        a, b = self.centers[:, : self.shared], self.centers[:, self.shared :]
        made = {"name": self.name, "clients": self.clients, "A": self.A, "B": self.B, "r": self.r}
        return made | {"a": a.tolist(), "b": b.tolist()}
