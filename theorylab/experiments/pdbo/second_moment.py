"""HGP's second moment E[A (x) A], what it does to later terms, and the errors (pdbo, C.6)."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import (
    Estimated,
    Floats,
    both_ways,
    exacts,
    near,
    squares,
    uppers,
)
from theorylab.experiments.pdbo._place import Place
from theorylab.experiments.pdbo._plain_place import of_place, worth_of
from theorylab.experiments.pdbo._rounds import Listed
from theorylab.hypergradients import coefficient_law, exact, moments
from theorylab.hypergradients.linear import radius_of
from theorylab.known import UNIT, Known

MOST = 12  # numbers n d_x
_LATER = """
N, M = n * d, n * h
unit = np.eye(M + 2 * N + 1)
v, u, w, one = unit[:M], unit[M : M + N], unit[M + N : -1], unit[-1:]
heads = tails = 0  # E T kron T of a B and of an A: (v, u, w, 1) <- T (v, u, w, 1)
for p, P, there in rounds:
    A, B = hats({worth})
    T = np.vstack([alpha * (v + B @ u) + (1 - alpha) * B @ w, u, w, one])
    mixed = beta * (A @ w + c[:, None] * one) + (1 - beta) * (w + A @ u)
    onward = np.vstack([v, A @ u, mixed, one])
    heads, tails = heads + p * np.kron(T, T), tails + p * np.kron(onward, onward)
A, B = hats(mean.T)
error = v - (B @ np.linalg.solve(np.eye(N) - A, c))[:, None] * one  # v - truth
def rmse(m):
    s = np.r_[np.zeros(M), c, c, 1]
    s = heads @ np.linalg.matrix_power(tails @ heads, m - 1) @ np.kron(s, s)
    return np.sqrt(np.trace(error @ s.reshape(len(unit), -1) @ error.T))
"""
_STANDS = {  # in the place of Figure 2's data, which are not given
    **{"problem": {"clients": 3, "dim": 1, "hyper": 1}, "network": {"name": "sto-u"}},
    **{"step": 0.3, "variant": "4b", "lam": 1.0},
}


@dataclass(kw_only=True, eq=False)
class HgpSecondMoment(Estimated, name="hgp-second-moment"):
    """From the recursions of the second moment, over all outcomes of a round; one row an m.

    Columns:
        summand  E ||u^(m)||^2, u^(m) = A^(m) ... A^(1) c^y, of HGP's summand B u^(m); units (f/x)^2
        later    root mean square error of VR-HGP (alpha, beta) after m terms over that after
                 ``early``

    Args:
        place: of ``_place.Place``, at most 12 numbers n d_x. terms: the m. early: >= 1.

    Raises:
        ValueError: more than 2^17 outcomes of a round, or more numbers.
    """

    columns = ("summand", "later")
    claim_options = ("early", "alpha", "beta")

    place: Mapping[str, Any]
    terms: Sequence[int] = (10, 100, 500)
    early: int = 50

    def __post_init__(self) -> None:
        super().__post_init__()
        self.need(type(self.early) is int and self.early >= 1, "early", "an integer >= 1")
        self.at = Place(**self.place)
        self.place = self.at.options
        self.need(len(self.at.c_y) <= MOST, "place", f"at most {MOST} numbers n d_x")
        listed = Listed(self.at.maps, self.at.network)
        self.chance, self.A = listed.chance, listed.hats(self.at.law)[0]

    def plain(self, spot: Spot) -> Plain:
        """The root mean square error of VR-HGP after m terms over that after an early one."""
        if spot.column != "later" or self.at.problem.stochastic:
            raise UnwrittenError(f"no script is written for {spot.column} of this instance")
        numbers = {"alpha": self.alpha, "beta": self.beta}
        text = _LATER.format(worth=worth_of("debiased", self.at.network))
        text += f"measured = rmse({spot.at('m')}) / rmse({self.early})"
        return of_place(self.at).of(text, **numbers)

    @functools.cached_property
    def squares(self) -> Floats:
        """E[A (x) A] of a round."""
        return squares(self.chance, self.A)

    def constants(self) -> dict[str, Known]:
        at, N = self.at, len(self.at.c_y)
        radius, second = radius_of(at.A_bar), radius_of(self.squares)
        after, both = at.sgp.variant == "4b", both_ways(at.network, at.law)
        stands = at.options == _STANDS
        known = super().constants() | exacts(
            "of the instance", n=at.problem.clients, step_after=after, undirected=both
        )
        known |= exacts("the instance that stands for Figure 2's data", figure_data=stands)
        known["radius_A"] = near(radius, 1e-9, "LAPACK")
        known["second_radius"] = near(second, 1e-9, "LAPACK")
        known |= uppers("||c^y||", c_norm=float(np.linalg.norm(at.c_y)) * (1 + 1e-12))
        if second < 1 - 1e-9:
            system = np.eye(N * N) - self.squares.T
            X = np.linalg.solve(system, np.eye(N).ravel()).reshape(N, N)
            top = float(np.linalg.norm(X, 2))
            error = 64 * N**4 * UNIT * float(np.linalg.norm(np.linalg.inv(system), 2)) * top
            known |= uppers("X = I + E[A^T X A], LAPACK", lyapunov=top + error)
        return known

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "later":
            errors = rmse(self.at, max(*self.terms, self.early), self.alpha, self.beta)
            return _ratios(errors / errors[self.early], self.terms)
        return Observation(tuple(map(self._summand, self.terms)), True, "terms")

    def _summand(self, m: int) -> Row:
        c, N = self.at.c_y, len(self.at.c_y)
        S = np.linalg.matrix_power(self.squares, m) @ np.outer(c, c).ravel()
        value = float(np.trace(S.reshape(N, N)))
        # m products of N^2 numbers; E[|A| (x) |A|] may be larger than E[A (x) A]
        most = np.linalg.matrix_power(squares(self.chance, np.abs(self.A)), m)
        top = float(np.trace((most @ np.abs(np.outer(c, c)).ravel()).reshape(N, N)))
        room = min(8 * (m + 1) * N**2 * UNIT * top, value)
        return Row(np.array([value]), {"terms": float(m)}, f"m={m}", rounding=room)


_FIGURE: dict[str, Any] = {  # the same instance, as ``HgpRmse`` has it
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
    network: Mapping[str, Any] = field(default_factory=lambda: _FIGURE["network"])
    terms: Sequence[int] = (500,)
    others: Sequence[Sequence[float]] = field(default_factory=lambda: _FIGURE["others"])
    sgp: Mapping[str, Any] = field(default_factory=lambda: _FIGURE["sgp"])
    problem: Mapping[str, Any] = field(default_factory=lambda: _FIGURE["problem"])

    def __post_init__(self) -> None:
        super().__post_init__()
        self.others = [list(pair) for pair in self.others]
        problem = {"clients": self.clients, **self.problem}
        self.at = Place(problem, self.network, **self.sgp, lam=1.0)

    def constants(self) -> dict[str, Known]:
        given = {name: option for name, option in self.describe().items() if name in _FIGURE}
        return super().constants() | exacts(
            "chosen",
            n=self.clients,
            step_after=self.at.sgp.variant == "4b",
            undirected=both_ways(self.at.network, self.at.law),
            figure_data=given == _FIGURE,
        )

    def _rmse(self, alpha: float, beta: float) -> Floats:
        return rmse(self.at, max(self.terms), alpha, beta)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        hgp = self._rmse(1.0, 0.0)
        if column == "hgp_kept":
            return _ratios(hgp[5] / hgp, self.terms)
        others = [self._rmse(*pair) for pair in self.others] if column == "best_over" else [hgp]
        return _ratios(self._rmse(self.alpha, self.beta) / np.min(others, axis=0), self.terms)


def rmse(at: Place, last: int, alpha: float, beta: float) -> Floats:
    """(last + 1,): the exact root mean square error of VR-HGP after every number of terms."""
    law = coefficient_law(at.network)
    truth = exact(at.problem, at.law, at.sgp, at.lam, point=at.point).gradient
    return moments(at.linear, law, last, reading="appendix-b", alpha=alpha, beta=beta).rmse(truth)


def _ratios(values: Floats, terms: Sequence[int]) -> Observation:
    """Rows of ``values``, ratios of two such errors, one an m of ``terms``."""
    rows = (
        Row(values[m : m + 1], {"terms": float(m)}, f"m={m}", rounding=1e-9 * float(values[m]))
        for m in terms
    )
    return Observation(tuple(rows), True, "terms")
