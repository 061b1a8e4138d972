"""How near SGP comes to its stationary point y* = (z*, omega*) of Eq. (6), in mean square (pdbo).

Rounds are independent and alike, and an iterate is an affine map of the one before: omega always,
z where omega stays 1. So E[s s^T] follows a linear recursion, which is summed over all outcomes of
a round (``Setting``'s edges and, where there is noise, minibatches) and raised to its T-th power.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theorylab.experiments._base import Observation, Row, check_column
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import (
    Floats,
    PdboExperiment,
    cut_off,
    exacts,
    near,
    single,
    squares,
    uppers,
)
from theorylab.experiments.pdbo._place import Setting
from theorylab.experiments.pdbo._plain_place import of_place
from theorylab.hypergradients import patterns, stationary
from theorylab.hypergradients.edge_law import weigh
from theorylab.hypergradients.linear import radius_of
from theorylab.known import UNIT, How, Known

MOST = 16  # numbers of s: its second moment has as many squared

_OMEGA = """
moves = [(p, P, P @ omega - omega) for p, P, _ in rounds]  # e <- P e + kick
"""
_Z = """
moves = []
for p, P, _ in rounds:  # rows of P sum to 1, so that omega stays 1, z is x, and z <- J z + push
    J, push = hats(P.T)[0].T, ({moved} @ (b + G.sum(-1) * lam) * step).ravel()
    moves.append((p, J, J @ x.ravel() + push - x.ravel()))  # e = z - z* <- J e + kick
"""
_PIN = " + np.outer(np.kron(omega, omega), np.ones(n * n)) / n**2"
_LIMIT = """
L = sum(p * np.kron(J, J) for p, J, _ in moves)  # C = E[J C J'] + E[kick kick']
Q = sum(p * np.kron(kick, kick) for p, _, kick in moves)
C = np.linalg.solve(np.eye(len(Q)) - L{pin}, Q)
measured = np.trace(C.reshape({size}, {size}))
"""
_SQUARED = """
e = np.append({start}, 1)
last = np.eye(len(e))[-1:]  # of (e, 1)
lift = [(p, np.vstack([np.column_stack([J, k]), last])) for p, J, k in moves]
L = sum(p * np.kron(a, a) for p, a in lift)  # of E (e, 1)(e, 1)'
squares = np.linalg.matrix_power(L, T) @ np.kron(e, e)
measured = np.trace(squares.reshape(len(e), len(e))) - 1
"""


@dataclass(kw_only=True, eq=False)
class SgpApproach(PdboExperiment, name="sgp-approach"):
    """Mean squared distances, exact up to rounding, one row a T of ``rounds``.

    Columns:
        omega        E ||omega^(T) - omega*||^2, omega^(0) = 1
        omega_limit  its limit, one row
        omega_mean   ||E omega^(T) - omega*||
        z            E ||z^(T) - z*||^2, z^(0) = ``start`` everywhere; units x^2
        z_limit      its limit, one row
        z_mean       ||E z^(T) - z*||; units x

    z and its limit need weights that keep omega at 1: rows of every P sum to 1.

    Args:
        problem, network, step, variant, lam: of ``_place.Setting``; at most 16 numbers.
        rounds: the T. start: of z^(0).

    Raises:
        ValueError: more outcomes than ``patterns`` lists, or more numbers.
    """

    columns = ("omega", "omega_limit", "omega_mean", "z", "z_limit", "z_mean")

    problem: Mapping[str, Any] = field(default_factory=lambda: {"clients": 3, "dim": 1, "hyper": 1})
    network: Mapping[str, Any] = field(default_factory=lambda: {"name": "sto-d"})
    step: Any = 0.3
    variant: str = "4b"
    lam: float = 0.5
    rounds: Sequence[int] = (100, 1000, 4000)
    start: float = 0.0

    def __post_init__(self) -> None:
        whole = bool(self.rounds) and all(type(T) is int and T >= 1 for T in self.rounds)
        self.need(whole, "rounds", "integers >= 1")
        self.at = Setting(self.problem, self.network, self.step, self.variant, self.lam)
        size = self.at.problem.clients * self.at.problem.dim
        self.need(size <= MOST, "problem", f"at most {MOST} numbers n d_x")
        self.chance, edges = patterns(self.at.network)
        static = self.at.network.period == 1
        P = self.at.network.matrix(0).toarray()[None] if static else weigh(self.at.network, edges)
        self.P = np.asarray(P, np.float64)

    @functools.cached_property
    def point(self) -> Any:
        return stationary(self.at.problem, self.at.law, self.at.sgp, self.at.lam)

    @property
    def stays(self) -> bool:
        """Whether omega stays 1: rows sum to 1 up to rounding."""
        return bool(np.abs(self.P.sum(axis=2) - 1).max() <= 4 * self.P.shape[1] * UNIT)

    def constants(self) -> dict[str, Known]:
        known = exacts(
            "of the network",
            n=len(self.P[0]),
            cut_off=cut_off(self.at.law),
            self_weight=np.diagonal(self.P, axis1=1, axis2=2).min(),
        )
        if known["cut_off"].value:
            return known
        omega = self.point.omega
        D = np.sqrt(omega)
        # D^{-1/2} E P D^{1/2}, less its part along sqrt(omega*): see ``pdbo.sec61_point``
        S = self.at.law.mean * (D[None, :] / D[:, None]) - np.outer(D, D) / len(D)
        text = "second singular value of diag(omega*)^{-1/2} E P diag(omega*)^{1/2}, LAPACK"
        sigma = float(np.linalg.norm(S, 2)) * (1 + 1e-12) + 1e-14
        known["contraction"] = Known(sigma, How.UPPER, text)
        gap = float(np.linalg.norm(omega - 1)) * (1 + 1e-12)
        known |= uppers("||omega^(0) - omega*||", start_gap=gap)
        known |= exacts("largest over smallest omega*_i", omega_ratio=omega.max() / omega.min())
        rooms = {"omega_room": self._room(False)}
        if self.stays:
            rooms["z_room"] = self._room(True)
            mean, away = np.einsum("k,kab->ab", *self._z_rounds[:2]), self.start - self.point.z
            known["norm_A"] = near(float(np.linalg.norm(mean, 2)), 1e-12, "LAPACK")
            known |= uppers("of the start", z_start=float(np.linalg.norm(away)) * (1 + 1e-12))
        return known | uppers("rounding of the recursion and of its limit", **rooms)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        of_z = column.startswith("z")
        fits = not of_z or self.stays
        self.need(fits, "network", "one whose rows always sum to 1 for a column of z")
        if of_z:
            self._check_bounded()
        if column.endswith("limit"):
            return single(self._limit(of_z), self._room(of_z))
        rows = []
        for T in self.rounds:
            mean = self._mean_gap(of_z, T)
            # a matrix whose powers stay bounded, T of them
            room = 64 * UNIT * len(mean) ** 2 * (T + 4) * (1 + self._largest(of_z))
            value = float(np.linalg.norm(mean))
            if not column.endswith("mean"):
                value, room = self._squared(of_z, T), self._room(of_z)
            rows.append(Row(np.array([value]), {"T": float(T)}, f"T={T}", rounding=float(room)))
        return Observation(tuple(rows), True, "T")

    def plain(self, spot: Spot) -> Plain:
        """Mean squared distances of omega or z after T rounds, or in the limit, by second
        moments."""
        what, _, when = spot.column.partition("_")
        if when == "mean" or self.at.problem.stochastic:
            raise UnwrittenError(f"no script is written for {spot.column} of this instance")
        of_z, plain = what == "z", of_place(self.at)
        moves = _Z.format(moved="P" if self.at.sgp.variant == "4a" else "np.eye(n)")
        moves = moves if of_z else _OMEGA
        if when == "limit":
            pin, size = ("", "n * d") if of_z else (_PIN, "n")
            return plain.of(moves + _LIMIT.format(pin=pin, size=size))
        start = "(start - x).ravel()" if of_z else "1 - omega"
        text = moves + _SQUARED.format(start=start)
        return plain.of(text, start=float(self.start), T=spot.at("T"))

    def _check_bounded(self) -> None:
        radius = radius_of(squares(*self._z_rounds[:2]))
        if not radius < 1 - 1e-9:
            text = f"rho(E[J (x) J]) of z is {radius:.6g}"
            raise ValueError(f"{self.name}: {text}; need < 1 for its mean squares to stay bounded")

    @functools.cached_property
    def _z_rounds(self) -> tuple[Floats, Floats, Floats]:
        """Chances (K,), J (K, N, N) and b (K, N) with z <- J z + b, by SGP's own round."""
        p, ones = self.at.problem, np.ones(self.at.problem.clients)
        signs = itertools.product((-1.0, 1.0), repeat=len(ones))
        cases = [np.array(one) for one in signs] if p.stochastic else [None]
        rounds = [self.at.affine(P, ones, sample=case) for P in self.P for case in cases]
        chance = np.repeat(self.chance, len(cases)) / len(cases)
        return chance, np.stack([J for J, _ in rounds]), np.stack([b for _, b in rounds])

    def _rounds(self, of_z: bool) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Chances, J (K, N, N), kicks (K, N), the start less the point (N,), and the point: the
        distance e follows e <- J e + kick."""
        if of_z:
            chance, J, b = self._z_rounds
            fixed = self.point.z.ravel()
            kick, start = J @ fixed + b - fixed, self.start - fixed
        else:
            chance, J, fixed = self.chance, self.P, self.point.omega
            kick, start = J @ fixed - fixed, 1 - fixed
        return chance, J, kick, start, fixed

    def _lifted(self, of_z: bool) -> tuple[Floats, Floats]:
        """E of the map on (e e^T, e, 1) flattened, and where it starts."""
        chance, J, kick, start, _ = self._rounds(of_z)
        one = np.zeros((len(J), len(start) + 1, len(start) + 1))
        one[:, :-1, :-1], one[:, :-1, -1], one[:, -1, -1] = J, kick, 1.0
        whole = np.append(start, 1.0)
        return squares(chance, one), np.outer(whole, whole).ravel()

    def _squared(self, of_z: bool, T: int) -> float:
        K, start = self._lifted(of_z)
        size = round(np.sqrt(len(start)))
        S = (np.linalg.matrix_power(K, T) @ start).reshape(size, size)
        return max(float(np.trace(S[:-1, :-1])), 0.0)

    def _mean_gap(self, of_z: bool, T: int) -> Floats:
        chance, J, _, start, _ = self._rounds(of_z)
        return np.asarray(np.linalg.matrix_power(np.einsum("k,kab->ab", chance, J), T) @ start)

    def _system(self, of_z: bool) -> tuple[Floats, Floats]:
        """The system of C = E[J C J^T] + E[kick kick^T], flat: e has mean 0 in the limit.

        Of omega 1^T e = 0, and 1^T C 1 = 0 is what singles C out.
        """
        chance, J, kick, start, fixed = self._rounds(of_z)
        N = len(start)
        pinned = 0.0 if of_z else np.outer(np.outer(fixed, fixed).ravel(), np.ones(N * N)) / N**2
        Q = np.einsum("k,ka,kb->ab", chance, kick, kick).ravel()
        return np.eye(N * N) - squares(chance, J) + pinned, Q

    def _limit(self, of_z: bool) -> float:
        """The trace of that C."""
        size = len(self._rounds(of_z)[3])
        return max(float(np.trace(np.linalg.solve(*self._system(of_z)).reshape(size, size))), 0.0)

    def _room(self, of_z: bool) -> float:
        """Forward error of the limit's solve, and of T powers of a matrix with bounded powers."""
        N, power = len(self._rounds(of_z)[3]), max(self.rounds)
        inverse = np.linalg.norm(np.linalg.inv(self._system(of_z)[0]), 2)
        size = 1 + self._largest(of_z) ** 2
        return float(64 * (N + 2) ** 4 * UNIT * (inverse + power) * size)

    def _largest(self, of_z: bool) -> float:
        """Of the numbers that are added up."""
        _, _, kick, start, fixed = self._rounds(of_z)
        return float(np.abs(fixed).max() + np.abs(start).max() + np.abs(kick).max())
