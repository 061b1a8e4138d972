r"""A ridge: a loss that is concave where the run starts, with signs for noise.

f'(x) = -L x for |x| <= r, a triangle wave of period 4r beyond. So f is bounded, L-smooth, and its
gradient at most L r. From x = 0 and with noise so small that no run leaves [-r, r], the local steps
are linear: x_m = eta sum_u S_{m-u} e_u with the response S of v = alpha v + e - L x, x = x - eta v
to one unit of noise. Every number in S, A and b below has one sign, so nothing cancels.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from theorylab.known import How, Known
from theorylab.problems._base import Problem
from theorylab.problems._placed_forms import FunctionForm

Floats = NDArray[Any]


class Ridge(Problem, name="ridge"):
    """See the head of this module.

    Args:
        clients: n, all alike. scale: L > 0. radius: r > 0.
    """

    def __init__(self, clients: int, *, scale: float = 1.0, radius: float = 1.0) -> None:
        if not scale > 0 or not radius > 0:
            raise ValueError(f"ridge: scale is {scale!r}, radius {radius!r}; need both > 0")
        self.scale, self.radius = float(scale), float(radius)
        super().__init__(clients, 1, False)

    def _folded(self, x: Floats) -> tuple[Floats, Floats]:
        """x - c with the nearest multiple c of 2r, and whether c is a top (+1) or a bottom (-1)."""
        k = array_namespace(x).round(x / (2 * self.radius))
        return x - 2 * self.radius * k, 1 - 2 * (k % 2)

    def loss(self, x: Floats) -> Floats:
        self._tables_for("loss", x, self._shape)
        y, top = self._folded(x)
        high = (top - 1) / 2 * self.scale * self.radius**2
        made: Floats = (high - top * self.scale * y * y / 2).sum(axis=-1)
        return made

    def gradient(self, x: Floats) -> Floats:
        self._tables_for("gradient", x, self._shape)
        y, top = self._folded(x)
        made: Floats = -top * self.scale * y
        return made

    @property
    def torch_form(self) -> Any:
        return functools.partial(FunctionForm, self)

    def constants(self) -> dict[str, Known]:
        numbers = {
            "L": self.scale,
            "L_sample": self.scale,
            "mu": -self.scale,
            "B": self.scale * self.radius,
            "sigma_l": 0.0,
            "sigma_g": 0.0,
            "f_star": -self.scale * self.radius**2,
        }
        return {name: Known(v, How.EXACT, "of the triangle wave") for name, v in numbers.items()}

    def describe(self) -> dict[str, Any]:
        return {
            **{"name": self.name, "clients": self.clients},
            **{"scale": self.scale, "radius": self.radius},
        }


def response(scale: float, eta: float, alpha: float, steps: int) -> Floats:
    """x_m, m = 0..``steps``, of one client after noise 1 in the first local step."""
    x = v = 0.0
    found = [x]
    for m in range(steps):
        v = alpha * v + (m == 0) - scale * x
        x -= eta * v
        found.append(x)
    return np.array(found)


def carried(scale: float, weights: Floats, moved: Floats) -> Floats:
    """A_u: what noise 1 of local step u adds to sum_s b_s f'(x_{s-1}), ``moved`` the response."""
    steps = len(weights)
    return np.array(
        [-scale * float(weights[u:] @ moved[: steps - u]) for u in range(steps)], np.float64
    )
