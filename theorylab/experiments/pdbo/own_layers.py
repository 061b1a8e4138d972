"""What PDBO adds to the gradient of personal layers that train on their own loss (pdbo, Sec. 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.experiments._base import Observation, check_column, relative_error
from theorylab.experiments.pdbo._base import Floats, PdboExperiment, single, uppers
from theorylab.experiments.pdbo._place import Place
from theorylab.known import UNIT, Known


@dataclass(kw_only=True, eq=False)
class OwnLayers(PdboExperiment, name="own-layers"):
    """F_i = f_i, one loss for x_i and lambda_i: the hypergradient less its direct part.

    at_optimum: the largest entry of d_lambda Fbar - (1/n) d_lambda f_i, units f, for Eq. (5): x is
    the optimum of Eq. (1), as a function of every lambda.

    Args:
        place: of ``_place.Place``.
    """

    columns = ("at_optimum",)

    place: Mapping[str, Any]

    def __post_init__(self) -> None:
        self.at = Place(**self.place)
        p, lam = self.at.problem, self.at.lam
        pushed = (p.b + np.einsum("nxl,nl->nx", p.G, lam)).sum(axis=0)
        self.optimum = np.linalg.solve(p.H.sum(axis=0), pushed)

    def describe(self) -> dict[str, Any]:
        return {"place": self.at.options}

    def _slopes(self, x: Floats) -> Floats:
        """d_x f_i, (n, dx), at x (n, dx)."""
        p = self.at.problem
        return np.asarray(p.inner_gradient(x[None], self.at.lam[None])[0])

    def constants(self) -> dict[str, Known]:
        """``magnitude_v``: what rounding of ``at_optimum`` is relative to."""
        p, n = self.at.problem, self.at.problem.clients
        x = np.broadcast_to(self.optimum, self.at.point.x.shape)
        sizes = np.abs(p.H) @ np.abs(self.optimum)
        sizes = sizes + np.abs(p.b) + np.abs(p.G).sum(axis=2) * np.abs(self.at.lam).max()
        inverse = np.linalg.norm(np.linalg.inv(p.H.sum(axis=0)), 2)
        gradient = float(sizes.sum() + np.abs(self._slopes(x)).sum())
        # the optimum is solved for: off by about cond u of itself, times the Hessians again
        rounds = 64 * (n + p.dim) ** 2 * (1 + inverse * np.linalg.norm(p.H.sum(axis=0), 2))
        top = float(np.abs(p.G).sum(axis=1).max()) * inverse * gradient * rounds / n
        return uppers("sizes of all summands, forward error of a solve", magnitude_v=top + UNIT)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        p, n = self.at.problem, self.at.problem.clients
        x = np.broadcast_to(self.optimum, (n, p.dim))
        # d_lambda_j x = (sum H)^{-1} G_j for all clients alike
        moved = np.linalg.solve(p.H.sum(axis=0), self._slopes(x).sum(axis=0))
        indirect = np.einsum("nxl,x->nl", p.G, moved) / n
        direct = -np.einsum("nxl,nx->nl", p.G, x) / n
        gap = float(np.abs(indirect).max())
        return single(gap, 1e-12 * gap, share=relative_error(gap, direct))
