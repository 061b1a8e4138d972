r"""Samples whose noise is small where SAM starts and large where SAM sends each of them.

f_i(x) = a sum_j log cosh(x_j - c) for every client. In R^d there are 4d equally likely samples
(j, +-), one pair for each of the 2d directions u_j = +-e_k:

    F_{j,+-}(x) = f_i(x) + eps <u_j, x - c> +- A <v_j, y> (1 - |y|^2/r^2)_+^2,  y = x - c - rho u_j,

with v_j = e_{k+1}, orthogonal to u_j, and r = .7 rho, so the bumps do not overlap. The noise is
unbiased (sum u_j = 0, the bumps come with both signs) and E|e|^2 = eps^2 + A^2 |grad bump|^2/(2d)
<= eps^2 + A^2/(2d): with u = |y|^2/r^2 and c = cos^2 of the angle of y and v, |grad bump|^2 =
(1-u)^2 ((1-u)^2 - 8uc(1-u) + 16u^2c) is linear in c, (1-u)^4 at c = 0 and (1-u)^2(1-5u)^2 at c = 1,
both at most 1. At x = c, where grad f_i = 0, sample (j, +-) has gradient eps u_j, so SAM evaluates
it at the middle of its own bump: the second gradient has E|g|^2 = eps^2 + A^2, d times as much as
twice the largest variance as eps -> 0. The Hessian of a bump is at most 8/r, see ``constants``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.problems._based import Based
from theorylab.problems._options import Moves, Start
from theorylab.problems._outcomes import Draw
from theorylab.problems.log_cosh import LogCosh

Floats = NDArray[Any]


def _starts(n: int, personal: bool) -> Iterator[Start]:
    if not personal:
        yield "as it is", {}


class Pinwheel(Based, name="pinwheel"):
    """See the head of this module.

    Args:
        clients: n. dim: d >= 2. scale: a. center: c. ascent: rho. eps, bump: sizes of the noise.
    """

    moves = Moves(starts=_starts)

    def __init__(
        self,
        clients: int,
        *,
        dim: int = 2,
        scale: float = 1e-3,
        center: float = 0.0,
        ascent: float = 0.1,
        eps: float = 1e-3,
        bump: float = 1.0,
    ) -> None:
        if dim < 2 or not ascent > 0 or not eps > 0 or not bump > 0:
            raise ValueError(
                f"pinwheel: dim is {dim}, ascent {ascent!r}, eps {eps!r}, bump {bump!r}; need "
                "dim >= 2 and the others > 0"
            )
        self.base = LogCosh(clients, dim=dim, scale=scale, center=center)
        self.options = {
            **{"dim": dim, "scale": scale, "center": center},
            **{"ascent": ascent, "eps": eps, "bump": bump},
        }
        self.eps, self.bump, self.radius = eps, bump, 0.7 * ascent
        axis, side = np.divmod(np.arange(2 * dim), 2)
        self.u = np.eye(dim)[axis] * np.where(side == 0, 1.0, -1.0)[:, None]
        self.v = np.eye(dim)[(axis + 1) % dim]
        self.middle = center + ascent * self.u
        super().__init__(clients, dim, True)

    @property
    def cases(self) -> int:
        """Equally likely samples, 4d."""
        return 4 * self.dim

    def finite_noise(self) -> tuple[Draw, ...]:
        chances = np.full(self.cases, 1 / self.cases)
        return (Draw(None, (0, self.dim), np.arange(self.cases), chances),)

    def sample(self, seed: int, runs: Floats, round: int, step: int) -> Floats:
        """The sample's index, int64 (R, n)."""
        drawn = Stream(seed, "sample").integers(self.cases, runs, self.clients, round, step, 1)
        return np.asarray(drawn[:, :, 0])

    def noise(self, x: Floats, sample: Floats) -> Floats:
        """e of every (run, client), (R, n, d)."""
        j, sign = sample // 2, np.where(sample % 2 == 0, 1.0, -1.0)[..., None]
        y = x - self.middle[j]
        v = self.v[j]
        rest = np.maximum(1 - (y * y).sum(-1, keepdims=True) / self.radius**2, 0.0)
        along = (v * y).sum(-1, keepdims=True)
        slope = rest**2 * v - 4 * rest * along * y / self.radius**2
        return np.asarray(self.eps * self.u[j] + self.bump * sign * slope)

    def stochastic_gradient(self, x: Floats, sample: Floats | None) -> Floats:
        if sample is None or sample.shape != x.shape[:2]:
            raise self._bad_sample(sample, f"indices of shape {x.shape[:2]}")
        return np.asarray(self.gradient(x) + self.noise(x, sample), x.dtype)

    def measured_noise(self, xbar: Floats) -> Floats:
        self._tables_for("measured_noise", xbar, (self.dim,))
        x = np.repeat(xbar[:, None], self.clients, axis=1)
        squares = sum(
            (self.noise(x, np.full(x.shape[:2], m)) ** 2).sum(-1) for m in range(self.cases)
        )
        return np.asarray(np.sqrt(squares / self.cases), x.dtype)

    def constants(self) -> dict[str, Known]:
        """Those of log cosh, and of the noise.

        With s = |y|/r the Hessian of a bump is at most (8s(1-s^2) + 4s(1-s^2) + 8s^3)/r <= 8/r.
        """
        found = self.base.constants()
        sigma = math.hypot(self.eps, self.bump / math.sqrt(2 * self.dim))
        bend = found["L"].value + 8 * self.bump / self.radius
        return found | {
            "sigma_l": Known(sigma, How.EXACT, "attained in the middle of a bump"),
            "L_sample": Known(bend, How.UPPER, "L + 8 A / r"),
        }

    def describe(self) -> dict[str, Any]:
        return {"name": self.name, "clients": self.clients, **self.options}
