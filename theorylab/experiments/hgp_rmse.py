"""Root mean square errors of HGP and VR-HGP on a StoU network, exact (pdbo, C.6, Figure 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._hgp_place import both_ways
from theorylab.hypergradients import (
    SGP,
    Linear,
    QuadraticBilevel,
    coefficient_law,
    edge_law,
    exact,
    moments,
)
from theorylab.known import How, Known
from theorylab.topologies import topology

Floats = NDArray[np.float64]


_STANDS = {  # in the place of Figure 2's data, which are not given
    **{"clients": 3, "network": {"name": "sto-u"}, "sgp": {"step": 0.3, "variant": "4b"}},
    **{"problem": {"dim": 1, "hyper": 1}, "others": [[1.0, 0.0], [0.5, 0.5], [0.9, 0.9]]},
    **{"terms": None, "alpha": None, "beta": None},
}


class HgpRmse(Experiment):
    """From the mean and second-moment recursions; no sampling. Full batch, exact pbar and dbar.

    Columns, one row an m of ``terms``:
        vr_over_hgp  rmse of VR-HGP (alpha, beta) over that of HGP
        best_over    rmse of VR-HGP (alpha, beta) over the least of ``others``
        hgp_kept     rmse of HGP after 5 terms over that after m

    Args:
        clients, network, sgp, problem: the instance, a quadratic problem at lambda = 1.
        others: pairs (alpha, beta) to compare with.
    """

    name = "hgp-rmse"
    columns = ("vr_over_hgp", "best_over", "hgp_kept")
    # A claim about one figure, not about all instances.
    claim_options = (*("clients", "network", "terms", "alpha", "beta", "others", "sgp", "problem"),)

    def __init__(
        self,
        clients: int = 3,
        network: Mapping[str, Any] | None = None,
        terms: Sequence[int] = (500,),
        alpha: float = 0.9,
        beta: float = 0.1,
        others: Sequence[Sequence[float]] = ((1.0, 0.0), (0.5, 0.5), (0.9, 0.9)),
        sgp: Mapping[str, Any] | None = None,
        problem: Mapping[str, Any] | None = None,
    ) -> None:
        if not terms or any(not isinstance(m, int) or m < 5 for m in terms):
            raise ValueError(f"hgp-rmse: terms is {terms!r}; need integers >= 5")
        network = {"name": "sto-u"} if network is None else dict(network)
        sgp = {"step": 0.3, "variant": "4b"} if sgp is None else dict(sgp)
        problem = {"dim": 1, "hyper": 1} if problem is None else dict(problem)
        self.options: dict[str, Any] = {
            **{"clients": clients, "network": network, "terms": list(terms), "alpha": alpha},
            **{"beta": beta, "others": [list(pair) for pair in others], "sgp": sgp},
            "problem": problem,
        }
        rest = {key: value for key, value in network.items() if key != "name"}
        self.topology = topology(network["name"], clients, **rest)
        bilevel = QuadraticBilevel.random(clients, **problem)
        self.law, lam = edge_law(self.topology), np.ones((clients, bilevel.hyper))
        self.found = exact(bilevel, self.law, SGP(**sgp), lam)
        point = self.found.point
        self.at = Linear(bilevel, SGP(**sgp), point.x[None], point.omega[None], lam[None])

    def describe(self) -> dict[str, Any]:
        return dict(self.options)

    def constants(self) -> dict[str, Known]:
        o, sgp = self.options, SGP(**self.options["sgp"])
        stands = {**o, "terms": None, "alpha": None, "beta": None} == _STANDS
        exact = {
            **{"vr_alpha": o["alpha"], "vr_beta": o["beta"], "n": o["clients"]},
            "step_after": float(sgp.variant == "4b"),
            "undirected": float(both_ways(self.topology, self.law)),
            "figure_data": float(stands),
        }
        return {name: Known(value, How.EXACT, "chosen") for name, value in exact.items()}

    def _rmse(self, alpha: float, beta: float) -> Floats:
        found = moments(
            self.at,
            coefficient_law(self.topology),
            max(self.options["terms"]),
            reading="appendix-b",
            alpha=alpha,
            beta=beta,
        )
        return found.rmse(self.found.gradient)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        o = self.options
        hgp = self._rmse(1.0, 0.0)
        if column == "hgp_kept":
            ratio = hgp[5] / hgp
        elif column == "vr_over_hgp":
            ratio = self._rmse(o["alpha"], o["beta"]) / hgp
        else:
            others = np.array([self._rmse(*pair) for pair in o["others"]])
            ratio = self._rmse(o["alpha"], o["beta"]) / others.min(axis=0)
        rows = [
            Row(np.array([ratio[m]]), {"terms": float(m)}, f"m={m}", rounding=1e-9 * ratio[m])
            for m in o["terms"]
        ]
        return Observation(tuple(rows), True, "terms")
