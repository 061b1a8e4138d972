"""VR-HGP at y^(T) instead of at the stationary point (pdbo, Appendix C.7, Theorem 11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import Floats, exacts, norms, single, solved, uppers
from theorylab.experiments.pdbo._plain_place import of_network, worth_of
from theorylab.experiments.pdbo._rounds import Listed, Maps, Networked
from theorylab.hypergradients.recursion import coefficients
from theorylab.known import UNIT, Known

_D_Y = """def d_y(y):  # of phi_i and of psi_i
    return eta_A / (2 * kappa) * np.clip(level + slope * y, -1, 1)"""
_D_LAMBDA = """def d_lambda(y):  # of phi_i and of psi_i
    return eta_B / (2 * kappa) * {share}"""
_LIMITS = """
def limit(y):  # B (I - A)^{{-1}} c, where every y_i is y
    w, c = mean.T + np.eye(n), np.full(n, {outer})
    return d_lambda(y) * w @ np.linalg.solve(np.eye(n) - d_y(y) * w, c)
measured = np.linalg.norm(limit(gap) - limit(0.0))
"""
_GAPS = """
gaps = [({d}(gap) - {d}(0.0)) * (w + np.eye(n)) for w in {worths}]
measured = max(np.linalg.norm(each, 2) for each in gaps)
"""


@dataclass(kw_only=True, eq=False)
class HgpBias(Networked, name="hgp-bias"):
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
        eps_chance: of failure. batch: b of the bound; the maps have no samples, so any b is a fact
            about them. follow: whether c^y is taken at y^(T), too, as Algorithm 1 does.
    """

    columns: ClassVar[tuple[str, ...]] = ("limit_error", "error", "jacobian_gap", "mean_gap")

    _cross_text: ClassVar[str] = "1.0"
    _of_cross: ClassVar[tuple[str, ...]] = ()
    clients: int = 1
    network: Mapping[str, Any] = field(default_factory=lambda: {"name": "complete"})
    eps_chance: float = 0.1
    eta_A: float = 0.8
    eta_B: float = 1.0
    level: float = 0.5
    slope: float = 1.0
    gap: float = 0.5
    curvature: float = 0.0
    follow: bool = False
    batch: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        self.need(-1 <= self.level <= 1 and self.slope > 0, "level slope", "-1..1 and > 0")
        self.need(0 < self.eta_A < 1 and self.eta_B > 0, "eta_A eta_B", "0..1 and > 0")
        self.at_star = self._maps(0.0, 0.0)
        self.at_T = self._maps(self.gap, self.gap if self.follow else 0.0)

    def _maps(self, y: float, y_outer: float) -> Maps:
        n, ones = self.clients, np.ones((self.clients, 1, 1, 1))
        in_y = self.eta_A / (2 * self.kappa.value) * ones
        in_y = in_y * np.clip(self.level + self.slope * y, -1.0, 1.0)
        in_lam = self._cross(y) * (self.eta_B / (2 * self.kappa.value) * ones)
        c_y = np.full((n, 1), (1 + self.curvature * y_outer) / n)
        return Maps(in_y, in_y, in_lam, in_lam, c_y, np.zeros((n, 1)))

    def _cross(self, y: float) -> float:
        """d_lambda phi_i at y as a share of eta_B / (2 kappa)."""
        return 1.0

    def constants(self) -> dict[str, Known]:
        ends = (self.at_star.c_y, self.at_T.c_y)
        top = max(float(np.linalg.norm(c_y)) for c_y in ends) * (1 + 1e-14)
        options = ("eta_A", "eta_B", "batch", "eps_chance")
        numbers = {option: float(getattr(self, option)) for option in options}
        numbers |= {"d_y": 1, "d_lambda": 1, "y_gap": self.clients * abs(self.gap)}
        numbers |= {"c_gap": float(np.linalg.norm(ends[1] - ends[0])), "c_lambda_gap": 0.0}
        numbers["L_y"] = self.eta_A / (2 * self.kappa.value) * self.slope
        known = super().constants() | exacts("the instance", **numbers)
        known |= uppers("larger of ||c^y|| at y* and y^(T)", c_norm=top)
        return known | uppers("d_lambda g, d_lambda h do not depend on y", L_lambda=1e-9)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "error":
            return Observation(tuple(map(self._error, self.terms)), True, "terms")
        if column != "limit_error":
            return self._apart(of_B="cross" in column, mean=column.startswith("mean"))
        if self.topology.period != 1:
            raise ValueError(
                f"{self.name}: {self.topology.name} draws its edges, so the estimate has no "
                "limit; need a static network"
            )
        ends = self._limit(self.at_T), self._limit(self.at_star)
        return single(np.linalg.norm(ends[0] - ends[1]), self._room(1))

    def plain(self, spot: Spot) -> Plain:
        """The estimate's limits at y^(T) and at y* = 0, or one round's A or B there."""
        column, of_B = spot.column, "cross" in spot.column
        if column == "error":
            return super().plain(spot)
        if column == "limit_error" and self.topology.period != 1:
            raise UnwrittenError("edges are drawn, and the estimate has no limit")
        names = ("gap", "eta_A", "level", "slope", "eta_B", "curvature", *self._of_cross)
        numbers = {name: getattr(self, name) for name in names}
        numbers |= {"n": self.clients, "kappa": self.kappa.value}
        lines = (_D_Y, _D_LAMBDA.format(share=self._cross_text))
        one_round = column in ("jacobian_gap", "cross_gap")
        mean = Plain(told={"mean": "E P"}).of("", mean=self.edges.mean)
        network = of_network(self.topology) if one_round else mean
        plain = network.of("", *lines, **numbers)
        if column == "limit_error":
            outer = "(1 + curvature * y) / n" if self.follow else "1 / n"
            return plain.of(_LIMITS.format(outer=outer))
        rounds = f"[{worth_of('debiased', self.topology)} for _, P, there in rounds]"
        worths = rounds if one_round else "[mean.T]"
        return plain.of(_GAPS.format(d="d_lambda" if of_B else "d_y", worths=worths))

    def _apart(self, of_B: bool, mean: bool) -> Observation:
        """||A-tilde - A-hat||_2, or that of B: of the means, or the largest over a round's law."""
        c = self.edges.mean.T[None]
        if not mean:
            c = coefficients("debiased", self.edges, Listed(self.at_T, self.topology).P)
        tilde, hat = (maps.matrices(c)[of_B] for maps in (self.at_T, self.at_star))
        value = norms(tilde - hat).max()
        # Matrices that nearly agree leave the rounding of both: about ten operations an entry.
        size = sum(np.linalg.norm(each, axis=(1, 2)).max() for each in (tilde, hat))
        return single(value, 1e-12 * value + 16 * UNIT * size)

    def _room(self, terms: int) -> float:
        """What rounding can do to a difference of two estimates, however small it is.

        Each is B (sum of A^i) c with ||A|| <= eta_A: at most eta_B ||c|| / (1 - eta_A), and solving
        with I - A, or ``terms`` more products, loses another 1 / (1 - eta_A) and N roundings each.
        """
        size = self.constants()["c_norm"].value * self.eta_B / (1 - self.eta_A) ** 2
        return 16 * (self.clients + 2) * (terms + 2) * UNIT * size

    def _limit(self, maps: Maps) -> Floats:
        A, B = maps.matrices(self.edges.mean.T)
        return np.asarray(B @ solved(A, maps.c_y.ravel()))

    def _error(self, terms: int) -> Row:
        v, weights = self.estimates(self.at_T, terms)
        errors = np.linalg.norm(v[..., 0] - self._limit(self.at_star), axis=1)
        room = 1e-9 * float(errors.max()) + self._room(terms)
        return Row(errors, {"terms": float(terms)}, f"M={terms}", weights, room)


@dataclass(kw_only=True, eq=False)
class HgpCross(HgpBias, name="hgp-cross"):
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

    columns: ClassVar[tuple[str, ...]] = (*HgpBias.columns, "mean_cross_gap", "cross_gap")

    _cross_text: ClassVar[str] = "np.clip(cross_level + cross_slope * y, -1, 1)"
    _of_cross: ClassVar[tuple[str, ...]] = ("cross_level", "cross_slope")
    cross_level: float = 0.0
    cross_slope: float = 1.0

    def __post_init__(self) -> None:
        fits = -1 <= self.cross_level <= 1 and 0 < self.cross_slope < np.inf
        self.need(fits, "cross_level cross_slope", "-1..1 and > 0")
        super().__post_init__()

    def _cross(self, y: float) -> float:
        return float(np.clip(self.cross_level + self.cross_slope * y, -1.0, 1.0))

    def constants(self) -> dict[str, Known]:
        source = "cross_slope / (2 kappa), of eta_B clip(.) / (2 kappa) over eta_B"
        slope = self.cross_slope / (2 * self.kappa.value)
        return super().constants() | exacts(source, L_lambda=slope)
