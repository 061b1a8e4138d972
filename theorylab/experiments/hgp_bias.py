"""VR-HGP at y^(T) instead of at the stationary point (pdbo, Appendix C.7, Theorem 11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorylab.constants import kappa as kappa_of
from theorylab.experiments._base import Experiment, Observation, Row, check_column
from theorylab.experiments._hgp_place import independent_edges
from theorylab.experiments._maps import Maps, matrices_of
from theorylab.experiments._rounds import Rounds, estimates
from theorylab.hypergradients import edge_law
from theorylab.known import How, Known
from theorylab.topologies import topology

Floats = NDArray[np.float64]


class HgpBias(Experiment):
    """Scalar clients, y_i* = 0, y_i^(T) = ``gap``; every constant of Assumptions 8 to 10 is exact.

    d_y phi_i = d_y psi_i = eta_A / (2 kappa) clip(level + slope y, -1, 1), whose integral is the
    map; d_lambda phi_i = d_lambda psi_i = eta_B / (2 kappa), so any L_lambda > 0 will do.
    d_y Fbar = (1 + curvature y_i) / n for client i.

    Columns:
        limit_error   ||lim_M estimate - d_lambda Fbar||; static network: no noise, so it is the
                      number Bt (I - At)^{-1} ct against Bbar (I - Abar)^{-1} c
        error         the same after M terms, one row an M; the exact law
        jacobian_gap  largest ||A-tilde - A-hat||_2 over the draws of a round
        mean_gap      ||E A-tilde - E A-hat||_2, edges replaced by their means

    Args:
        clients, network: as in "hgp-error". terms, alpha, beta, eps_chance: of VR-HGP.
        batch: b of the bound; the maps have no samples, so any b is a fact about them.
        follow: whether c^y is taken at y^(T), too, as Algorithm 1 does.
    """

    name = "hgp-bias"
    columns: ClassVar[tuple[str, ...]] = ("limit_error", "error", "jacobian_gap", "mean_gap")

    def __init__(
        self,
        clients: int = 1,
        network: Mapping[str, Any] | None = None,
        terms: Sequence[int] = (1, 2, 3),
        alpha: float = 0.9,
        beta: float = 0.1,
        eps_chance: float = 0.1,
        eta_A: float = 0.8,
        eta_B: float = 1.0,
        level: float = 0.5,
        slope: float = 1.0,
        gap: float = 0.5,
        curvature: float = 0.0,
        follow: bool = False,
        batch: int = 1000,
    ) -> None:
        if not -1 <= level <= 1 or not slope > 0:
            raise ValueError(f"hgp-bias: level is {level!r}, slope {slope!r}; need -1..1 and > 0")
        if not (0 < eta_A < 1 and eta_B > 0):
            raise ValueError(f"hgp-bias: eta_A is {eta_A!r}, eta_B {eta_B!r}; need 0..1 and > 0")
        network = {"name": "complete"} if network is None else dict(network)
        self.options: dict[str, Any] = {
            **{"clients": clients, "network": network, "terms": list(terms), "alpha": alpha},
            **{"beta": beta, "eps_chance": eps_chance, "eta_A": eta_A, "eta_B": eta_B},
            **{"level": level, "slope": slope, "gap": gap, "curvature": curvature},
            **{"follow": follow, "batch": batch},
        }
        rest = {key: value for key, value in network.items() if key != "name"}
        self.topology = topology(network["name"], clients, **rest)
        self.law = edge_law(self.topology)
        self.kappa = kappa_of(self.law.mean, self.law.frequency)
        self.at_star, self.at_T = self._maps(0.0, 0.0), self._maps(gap, gap if follow else 0.0)

    def _maps(self, y: float, y_outer: float) -> Maps:
        o, n = self.options, self.options["clients"]
        slopes = np.full((n, 1, 1, 1), o["eta_A"] / (2 * self.kappa.value))
        slopes = slopes * np.clip(o["level"] + o["slope"] * y, -1.0, 1.0)
        own = np.full((n, 1, 1, 1), o["eta_B"] / (2 * self.kappa.value))
        c_y = np.full((n, 1), (1 + o["curvature"] * y_outer) / n)
        return Maps(slopes, slopes, own, own, c_y, np.zeros((n, 1)))

    def describe(self) -> dict[str, Any]:
        return dict(self.options)

    def constants(self) -> dict[str, Known]:
        o, n = self.options, self.options["clients"]
        P, often = self.law.mean, self.law.frequency
        with np.errstate(divide="ignore", over="ignore"):  # a share that is never sent: infinite
            ratio = np.divide(P, often.T, out=np.zeros_like(P), where=P > 0)
        k = o["eta_A"] / (2 * self.kappa.value)
        far = abs(float(np.linalg.norm(self.at_T.c_y - self.at_star.c_y)))
        exact = {
            **{name: o[name] for name in ("eta_A", "eta_B", "batch", "eps_chance")},
            **{"vr_alpha": o["alpha"], "vr_beta": o["beta"], "n": n, "d_y": 1, "d_lambda": 1},
            **{"edge_spread": float((ratio**2).sum()), "y_gap": n * abs(o["gap"])},
            **{"c_gap": far, "c_lambda_gap": 0.0, "L_y": k * o["slope"]},
        }
        top = max(float(np.linalg.norm(each.c_y)) for each in (self.at_star, self.at_T))
        return {
            **{name: Known(value, How.EXACT, "the instance") for name, value in exact.items()},
            "kappa": self.kappa,
            "independent_edges": independent_edges(self.topology),
            "c_norm": Known(top * (1 + 1e-14), How.UPPER, "larger of ||c^y|| at y* and y^(T)"),
            "L_lambda": Known(1e-9, How.UPPER, "d_lambda g, d_lambda h do not depend on y"),
        }

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "error":
            return Observation(tuple(map(self._error, self.options["terms"])), True, "terms")
        ends = (self.at_T, self.at_star)
        if column == "limit_error":
            if self.topology.period != 1:
                raise ValueError(
                    f"hgp-bias: {self.topology.name} draws its edges, so the estimate has no "
                    "limit; need a static network"
                )
            value = float(np.linalg.norm(self._limit(ends[0]) - self._limit(ends[1])))
            return Observation((Row(np.array([value]), rounding=self._room(1)),), True)
        if column == "mean_gap":
            each = [self._mean(at)[0][None] for at in ends]
        else:
            rounds = Rounds(self.at_T, self.topology, drawn=False)
            c = (rounds.P > 0) * self.law.debiased
            each = [matrices_of([part[None] for part in at.means()], c)[0] for at in ends]
        value = float(np.linalg.norm(each[0] - each[1], 2, axis=(1, 2)).max())
        # Matrices that nearly agree leave the rounding of both: about ten operations an entry.
        size = sum(float(np.linalg.norm(one, axis=(1, 2)).max()) for one in each)
        room = 1e-12 * value + 16 * 2.0**-53 * size
        return Observation((Row(np.array([value]), rounding=room),), True)

    def _room(self, terms: int) -> float:
        """What rounding can do to a difference of two estimates, however small it is.

        Each is B (sum of A^i) c with ||A|| <= eta_A: at most eta_B ||c|| / (1 - eta_A), and solving
        with I - A, or ``terms`` more products, loses another 1 / (1 - eta_A) and N roundings each.
        """
        known, N = self.constants(), len(self.at_T.c_y)
        size = known["c_norm"].value * self.options["eta_B"] / (1 - self.options["eta_A"]) ** 2
        return float(16 * (N + 2) * (terms + 2) * 2.0**-53 * size)

    def _mean(self, at: Maps) -> tuple[Floats, Floats]:
        parts = [part[None] for part in at.means()]
        A, B = matrices_of(parts, np.ascontiguousarray(self.law.mean.T[None]))
        return A[0], B[0]

    def _limit(self, at: Maps) -> Floats:
        A, B = self._mean(at)
        return np.asarray(B @ np.linalg.solve(np.eye(len(A)) - A, at.c_y.ravel()))

    def _error(self, terms: int) -> Row:
        o = self.options
        found, weights = estimates(
            self.at_T, self.topology, self.law, terms, o["alpha"], o["beta"], runs=None, seed=0
        )
        far = np.linalg.norm(found[..., 0] - self._limit(self.at_star), axis=1)
        room = 1e-9 * float(far.max()) + self._room(terms)
        return Row(far, {"terms": float(terms)}, f"M={terms}", weights, room)
