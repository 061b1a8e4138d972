"""Theorem 11's clients with a d_lambda phi that moves with y (pdbo, Appendix C.7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from theorylab.experiments._base import Observation, Row
from theorylab.experiments._maps import Maps, matrices_of
from theorylab.experiments._rounds import Rounds
from theorylab.experiments.hgp_bias import HgpBias
from theorylab.known import How, Known

_OWN = ("mean_cross_gap", "cross_gap")


class HgpCross(HgpBias):
    """As ``HgpBias``, but d_lambda phi_i = d_lambda psi_i = eta_B / (2 kappa) s(y_i) at lambda = 0,
    s(y) = clip(cross_level + cross_slope y, -1, 1), so that L_lambda = cross_slope / (2 kappa).

    Such maps are phi_i(y, lambda) = (the integral of d_y phi_i) + eta_B / (2 kappa) s(y) h(lambda)
    with h(lambda) = r sin(lambda / r): |h'| <= 1 = h'(0), and |h| <= r, so what s adds to d_y phi_i
    and to its Lipschitz constant (the clip's corners rounded off) is 0 for r -> 0.

    Columns, besides those of ``HgpBias``:
        mean_cross_gap  ||E B-tilde - E B-hat||_2, edges replaced by their means
        cross_gap       largest ||B-tilde - B-hat||_2 over the draws of a round

    Args:
        cross_level: in [-1, 1]. cross_slope: > 0. others: see ``HgpBias``.
    """

    name = "hgp-cross"
    columns = (*HgpBias.columns, *_OWN)

    def __init__(self, cross_level: float = 0.0, cross_slope: float = 1.0, **options: Any) -> None:
        if not -1 <= cross_level <= 1 or not 0 < cross_slope < np.inf:
            raise ValueError(
                f"hgp-cross: cross_level is {cross_level!r}, cross_slope {cross_slope!r}; "
                "need -1..1 and > 0"
            )
        self.cross = (float(cross_level), float(cross_slope))
        super().__init__(**options)

    def _maps(self, y: float, y_outer: float) -> Maps:
        m = super()._maps(y, y_outer)
        share = float(np.clip(self.cross[0] + self.cross[1] * y, -1.0, 1.0))
        return Maps(m.phi_y, m.psi_y, share * m.phi_lam, share * m.psi_lam, m.c_y, m.c_lam)

    def describe(self) -> dict[str, Any]:
        level, slope = self.cross
        return {"cross_level": level, "cross_slope": slope, **super().describe()}

    def constants(self) -> dict[str, Known]:
        slope = self.cross[1] / (2 * self.kappa.value)
        source = "cross_slope / (2 kappa), of eta_B clip(.) / (2 kappa) over eta_B"
        return {**super().constants(), "L_lambda": Known(slope, How.EXACT, source)}

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        if column not in _OWN:
            return super().observe(column, runs, seed)
        c = np.ascontiguousarray(self.law.mean.T[None])
        if column == "cross_gap":
            c = (Rounds(self.at_T, self.topology, drawn=False).P > 0) * self.law.debiased
        each = [
            matrices_of([part[None] for part in at.means()], c)[1]
            for at in (self.at_T, self.at_star)
        ]
        value = float(np.linalg.norm(each[0] - each[1], 2, axis=(1, 2)).max())
        # As of A: some ten operations an entry, and the matrices may nearly agree.
        size = sum(float(np.linalg.norm(one, axis=(1, 2)).max()) for one in each)
        room = 1e-12 * value + 16 * 2.0**-53 * size
        return Observation((Row(np.array([value]), rounding=room),), True)
