"""Root mean square errors of HGP and VR-HGP on a StoU network, exact (pdbo, C.6, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments.pdbo._base import Estimated, Floats, exacts
from theorylab.experiments.pdbo._place import Place, both_ways
from theorylab.hypergradients import coefficient_law, exact, moments
from theorylab.known import Known

_STANDS: dict[str, Any] = {  # in the place of Figure 2's data, which are not given
    **{"clients": 3, "network": {"name": "sto-u"}, "sgp": {"step": 0.3, "variant": "4b"}},
    **{"problem": {"dim": 1, "hyper": 1}, "others": [[1.0, 0.0], [0.5, 0.5], [0.9, 0.9]]},
}


@dataclass(kw_only=True, eq=False)
class HgpRmse(Estimated, name="hgp-rmse"):
    """From the mean and second-moment recursions; no sampling. Full batch, exact pbar and dbar.

    Columns, one row an m of ``terms``:
        vr_over_hgp  rmse of VR-HGP (alpha, beta) over that of HGP
        best_over    rmse of VR-HGP (alpha, beta) over the least of ``others``
        hgp_kept     rmse of HGP after 5 terms over that after m

    Args:
        clients, network, sgp, problem: the instance, a quadratic problem at lambda = 1.
        others: pairs (alpha, beta) to compare with.
    """

    columns = ("vr_over_hgp", "best_over", "hgp_kept")
    # A claim about one figure, not about all instances.
    claim_options = (*("clients", "network", "terms", "alpha", "beta", "others", "sgp", "problem"),)
    least_terms: ClassVar[int] = 5

    clients: int = 3
    network: Mapping[str, Any] = field(default_factory=lambda: _STANDS["network"])
    terms: Sequence[int] = (500,)
    others: Sequence[Sequence[float]] = field(default_factory=lambda: _STANDS["others"])
    sgp: Mapping[str, Any] = field(default_factory=lambda: _STANDS["sgp"])
    problem: Mapping[str, Any] = field(default_factory=lambda: _STANDS["problem"])

    def __post_init__(self) -> None:
        super().__post_init__()
        self.others = [list(pair) for pair in self.others]
        problem = {"clients": self.clients, **self.problem}
        self.at = at = Place(problem, self.network, **self.sgp, lam=1.0)
        self.truth = exact(at.problem, at.law, at.sgp, at.lam, point=at.point).gradient

    def constants(self) -> dict[str, Known]:
        given = {name: option for name, option in self.describe().items() if name in _STANDS}
        return super().constants() | exacts(
            "chosen",
            n=self.clients,
            step_after=self.at.sgp.variant == "4b",
            undirected=both_ways(self.at.network, self.at.law),
            figure_data=given == _STANDS,
        )

    def _rmse(self, alpha: float, beta: float) -> Floats:
        law, last = coefficient_law(self.at.network), max(self.terms)
        both = moments(self.at.linear, law, last, reading="appendix-b", alpha=alpha, beta=beta)
        return both.rmse(self.truth)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        hgp = self._rmse(1.0, 0.0)
        if column == "hgp_kept":
            ratio = hgp[5] / hgp
        else:
            others = [self._rmse(*pair) for pair in self.others] if column == "best_over" else [hgp]
            ratio = self._rmse(self.alpha, self.beta) / np.min(others, axis=0)
        rows = [
            Row(ratio[m : m + 1], {"terms": float(m)}, f"m={m}", rounding=1e-9 * float(ratio[m]))
            for m in self.terms
        ]
        return Observation(tuple(rows), True, "terms")
