"""Eq. (6) of pdbo, Assumptions 1, 3, 4 at its point, A.2's derivative and A.3.2's series."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np

from theorylab.experiments._base import Observation, Row, check_column, relative_error
from theorylab.experiments._plain import Plain, Spot
from theorylab.experiments.pdbo._base import (
    Floats,
    PdboExperiment,
    cut_off,
    exacts,
    near,
    norm,
    single,
    solved,
    uppers,
)
from theorylab.experiments.pdbo._place import Place, Setting
from theorylab.experiments.pdbo._plain_place import of_place, point_of
from theorylab.experiments.pdbo._terms import neumann, power
from theorylab.hypergradients import SGP, stationary
from theorylab.hypergradients.linear import assembled, radius_of
from theorylab.known import UNIT, How, Known

NEAR = 1e-10  # singular values below this, relative, count as 0
_POINTS = """
first, other = point(step), point(step / 2)  # weights 2 omega, sum 2n: as of half the step
"""
_LINES = {
    "distance": """
best = np.linalg.solve(H.sum(axis=0), (b + G.sum(-1) * lam).sum(axis=0))  # the optimum of Eq. (1)
measured = np.linalg.norm(x - best, axis=1).max()
""",
    # the point with sum omega = 2n: (I - E P) omega x = -step g(x)
    "second_point": _POINTS + "measured = np.abs(other - first).max()",
    "second_y": _POINTS
    + """z, other_z = omega[:, None] * first, 2 * omega[:, None] * other
measured = max(np.abs(other_z - z).max(), omega.max())  # omega and 2 omega
""",
    "existence": """
least = np.linalg.lstsq(K, push, rcond=1e-10)[0]  # stationary where K x = push; K is singular
measured = np.linalg.norm(K @ least - push)
""",
    "radius_z": "measured = np.abs(np.linalg.eigvals(hats(mean.T)[0])).max()  # of A_bar on z",
}


@dataclass(kw_only=True, eq=False)
class PdboStationary(PdboExperiment, name="pdbo-stationary"):
    """On a quadratic problem, whose mean iteration T(z) = A^T z + const is affine.

    existence: the smallest ||T(z) - z|| over all z (least squares), units x: 0 iff Eq. (6) has a
    solution (see ``unsolved`` for its rounding). second_point: max |x* - x'|, both stationary, with
    sum omega = n and 2n; second_y: the same of y = (z, omega). freedom: dimension of the stationary
    points with sum omega = n. distance: max_i |x_i* - argmin sum_i f_i|. derivative: largest entry
    of d_lambda z* (T is affine: its difference quotient is exact) minus B_bar (I - A_bar)^{-1}.
    slope: largest entry of T(z + e) - T(z) minus A_bar's row. truncation: ||(I - A_bar)^{-1} -
    sum_{m<M} A_bar^m||_2, a row an M. flatness: 1 / the smallest Hessian eigenvalue of any sample.
    norm_full, norm_z, radius_z: ||A_bar||_2 on y = (z, omega), on z, and rho there.

    Args:
        problem, network, step, variant, lam: see ``_place.Setting``. terms: M's of truncation.
    """

    columns = (
        *("existence", "second_point", "second_y", "freedom", "distance", "derivative"),
        *("slope", "truncation"),
        *("flatness", "norm_full", "norm_z", "radius_z"),
    )

    problem: Mapping[str, Any]
    network: Mapping[str, Any]
    step: float = 0.3
    variant: str = "4b"
    lam: float = 0.5
    terms: Sequence[int] = (1, 4, 16)

    def __post_init__(self) -> None:
        self.need(not np.ndim(self.step), "step", "one number")
        self.need_terms(self.terms, 1)
        self.setting = Setting(self.problem, self.network, self.step, self.variant, self.lam)

    @functools.cached_property
    def at(self) -> Place:
        """The stationary point; ValueError where I - A is singular or Assumption 2 fails."""
        if lost := cut_off(self.setting.law):
            raise ValueError(f"{self.name}: {lost} pairs have no path; Assumption 2 fails")
        condition = float(np.linalg.cond(self._system()[0]))
        if not condition < 1e10:
            text = f"I - A_zz has condition number {condition:.3g}; need < 1e10"
            raise ValueError(f"{self.name}: {text} for a stationary point")
        return Place(**self.setting.options)

    def constants(self) -> dict[str, Known]:
        """Those at y* only where there is one."""
        s = self.setting
        known = s.problem.constants(s.lam[None]) | exacts(
            "of the instance",
            eta=self.step,
            n=s.problem.clients,
            hgp_size=s.problem.clients * s.problem.dim,
            cut_off=cut_off(s.law),
            step_after=s.sgp.variant == "4b",
        )
        if known["cut_off"].value:  # omega* is not unique, or not positive
            return known
        J, const = self._affine()
        differ = "sizes of what the entries of T(e) - T(0) are differences of"
        known |= uppers(differ, size_R=4 * (np.abs(J).max() + np.abs(const).max() + 1))
        known |= uppers("terms of T(z) - z at the solution", solve_room=self._room())
        try:
            p = self.at
        except ValueError:
            return known
        top, full = norm(p.A_bar), norm(self._full())
        room = 1e-12 * (1 + top)
        x = np.broadcast_to(self.setting.optimum, (1, *p.point.x.shape))
        pull = np.linalg.norm(p.problem.inner_gradient(x, p.lam[None]))
        known |= uppers("||(I - A_bar)^{-1}||_2", resolvent=norm(_inverse(p.A_bar)) * (1 + 1e-9))
        known |= uppers("||all grad f_i|| at the optimum of Eq. (1)", pull=pull * (1 + 1e-12))
        known |= exacts("columns of E P sum to 1: omega's block is E P", omega_eigenvalue=1.0)
        known |= exacts("smallest mean weight", self_weight=np.diagonal(s.law.mean).min())
        omega, text = p.point.omega, "LAPACK, and 1e-9 of it"
        known |= uppers(text, omega_most=omega.max() * (1 + 1e-9))
        known["omega_least"] = Known(float(omega.min()) * (1 - 1e-9), How.LOWER, text)
        text = "of the symmetric part of (I - E P) diag(omega)"
        return known | {
            "norm_A": near(top, room, "LAPACK"),
            "norm_A_full": near(full, room, "LAPACK; at least its eigenvalue 1", least=1.0),
            "radius_A": near(radius_of(p.A_bar), room, "LAPACK"),
            "balance_gap": Known(self._gap() * (1 - 1e-9), How.LOWER, text),
        }

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "truncation":
            return Observation(tuple(map(self._truncated, self.terms)), exact=True, axis="terms")
        if column == "flatness":
            low = np.linalg.eigvalsh(self.setting.problem.H).min()
            return single(1 / ((1 - self.setting.problem.noise) * float(low)))
        if column in ("norm_full", "norm_z", "radius_z"):
            A = self._full() if column == "norm_full" else self.at.A_bar
            size = radius_of(A) if column == "radius_z" else norm(A)
            return single(size, (1e-9 if column == "radius_z" else 1e-12) * size)
        if column == "existence":
            least, room = unsolved(self._affine)
            share = relative_error(least, np.linalg.norm(self._affine()[1]))
            return single(least, room * max(least, 1e-300), share)  # inf stays inf where it is 0
        if column == "freedom":
            # A singular value within rounding of 0 may be 0 or not: 0 .. count are all possible.
            P = self.setting.law.mean
            count = nullity(self._system()[0]) + nullity(np.eye(len(P)) - P) - 1  # less omega*
            return single(count, count)
        if column in ("distance", "second_point", "second_y"):
            gap, *sides = self._apart(column)
            return single(gap, self._room(), relative_error(gap, *sides))
        if column == "derivative":
            left, right = self._slopes(), self.at.B_bar @ _inverse(self.at.A_bar)
        else:
            left, right = self._affine()[0].T, self.at.A_bar
        gap = np.abs(left - right).max()
        return single(gap, share=relative_error(gap, left, right))

    def plain(self, spot: Spot) -> Plain:
        """Eq. (6)'s point beside the optimum of Eq. (1), beside another one, or where there is
        none."""
        if spot.column not in _LINES:
            return super().plain(spot)
        plain, text = of_place(self.setting), _LINES[spot.column]
        if text.startswith(_POINTS):
            point = "\n    ".join(["def point(step):", *point_of(plain), "return x"])
            return plain.of(text, point)
        return plain.of(text)

    def _apart(self, column: str) -> tuple[Any, ...]:
        """How far the point is from the optimum or from another such point, and what that is a
        share of."""
        x, point = self.at.point.x, self.at.point
        if column == "distance":
            return np.linalg.norm(x - self.setting.optimum, axis=1).max(), self._spread()
        other, z, omega = self._heavier()
        if column == "second_point":
            return np.abs(other - x).max(), self._spread()
        ends = np.c_[z, omega], np.c_[point.z, point.omega]
        return np.abs(ends[0] - ends[1]).max(), *ends

    def _affine(self, unit: float = 1.0, lam: Floats | None = None) -> tuple[Floats, Floats]:
        """(J, T(0)) of the mean iteration, as of ``Setting.affine``."""
        mean, n = self.setting.law.mean, len(self.setting.law.mean)
        omega = solved(mean - np.full((n, n), 1 / n), np.ones(n))
        return self.setting.affine(mean, omega, lam, unit=unit)

    def _system(self) -> tuple[Floats, Floats]:
        """(I - J, T(0)): z* solves (I - J) z = T(0)."""
        J, const = self._affine()
        return np.eye(len(J)) - J, const

    def _room(self) -> float:
        """Forward error of the solve and of its slope in lambda: 8 N^2 u times ||(I-J)^{-1}||
        times what is rounded (Higham 7.2).

        J's entries are near 1 and carry u each, however small the step makes I - J; so not the
        condition number of I - J counts, but ||(I-J)^{-1}|| (1 + ||J||).
        """
        system, const = self._system()
        N, size = len(system), float(np.linalg.norm(const)) + 1.0
        if np.linalg.cond(system) > 1e10:
            return 8 * N**2 * UNIT * size * 1e4
        inverse = norm(np.linalg.inv(system))
        solution = float(np.linalg.norm(np.linalg.solve(system, const)))
        slopes = float(np.linalg.norm(self._slopes()))
        rounded = (size + norm(np.eye(N) - system)) * (1 + solution + slopes)
        return 8 * (N + 4) ** 2 * UNIT * inverse * rounded

    def _spread(self) -> Floats:
        """How far the clients' own minima are from the common one, (n,)."""
        own = np.linalg.solve(self.setting.problem.H, self.setting.push[..., None])[..., 0]
        return np.asarray(np.linalg.norm(own - self.setting.optimum, axis=1))

    def _heavier(self) -> tuple[Floats, Floats, Floats]:
        """x, z, omega of the stationary point with sum omega = 2n: x of half the step, sum n."""
        s, p = self.setting, self.at
        half = stationary(s.problem, s.law, SGP(s.sgp.steps(1)[0] / 2, s.sgp.variant), s.lam)
        z, omega = 2 * p.point.omega[:, None] * half.x, 2 * p.point.omega
        after = s.sgp.round(s.problem, s.law.mean[None], z[None], omega[None], s.lam[None], None)
        gap = np.abs(after[0] - z).max()
        if not gap <= 1e-9 * (1 + np.abs(z).max()):
            raise ValueError(f"{self.name}: the second point is off by {gap:.3g}")
        return half.x, z, omega

    def _gap(self) -> float:
        """Smallest x^T M x on x orthogonal to 1, M = (I - E P) diag(omega); 0 for n = 1."""
        mean, omega = self.setting.law.mean, self.at.point.omega
        M = np.diag(omega) - mean * omega
        values = np.sort(np.linalg.eigvalsh((M + M.T) / 2))
        return float(values[1]) if len(values) > 1 else 1.0

    def _full(self) -> Floats:
        """A_bar on y = (z, omega)."""
        return assembled(*self.at.full(), self.setting.law.mean.T)

    def _truncated(self, terms: int) -> Row:
        A, inverse = self.at.A_bar, _inverse(self.at.A_bar)
        top = norm(inverse)
        room = 8 * (len(A) + terms - 1) ** 2 * UNIT * top * (1 + top * (1 + norm(A)))
        last = uppers("||A_bar^M||_2", power_norm=norm(power(A, terms)) * (1 + 1e-9))
        gap = np.array([norm(inverse - neumann(A, terms - 1))])
        return Row(gap, {"terms": float(terms), **last}, f"M={terms}", rounding=room)

    def _slopes(self) -> Floats:
        """How z* moves with each entry of lambda, (n h, N): z* is affine in lambda."""
        lam = self.setting.lam
        system, const = self._system()
        others = lam + np.eye(lam.size).reshape(-1, *lam.shape)
        moved = [self._affine(lam=other)[1] - const for other in others]
        return np.asarray(np.linalg.solve(system, np.transpose(moved)).T)


def _inverse(A: Floats) -> Floats:
    """(I - A)^{-1}."""
    return np.asarray(np.linalg.inv(np.eye(len(A)) - A))


def nullity(matrix: Floats) -> int:
    """Singular values that may be 0: no more than this is the dimension of the kernel.

    LAPACK's are right to a small multiple of N u times the largest, and so may the entries be.
    """
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values <= 64 * len(matrix) ** 2 * UNIT * (1 + values[0])).sum())


def unsolved(affine: Callable[[float], tuple[Floats, Floats]]) -> tuple[float, float]:
    """(the smallest ||T(z) - z|| of T(z) = J z + c, its relative rounding).

    The rounding is inf where I - J is nearly singular but may be regular, as there is a fixed point
    then, if a far one. It is singular for certain where J has no rounding (3, 5 and 7 times a unit
    vector go to as many times its image, to the bit) and I - J as fractions lacks rank.

    Args:
        affine: k -> (k J, c), J (N, N) from T at 0 and at k times the unit vectors.
    """
    J, const = affine(1.0)
    system = np.eye(len(J)) - J
    z = np.linalg.lstsq(system, const, rcond=NEAR)[0]
    least = float(np.linalg.norm(system @ z - const))
    values = np.linalg.svd(system, compute_uv=False)
    if values[-1] > NEAR * values[0]:
        return least, 0.0
    unrounded = all(np.array_equal(affine(k)[0], k * J) for k in (3.0, 5.0, 7.0))
    fractions = [[flint.fmpq(*float(x).as_integer_ratio()) for x in row] for row in system]
    certain = unrounded and flint.fmpq_mat(fractions).rank() < len(J)
    return least, 0.0 if certain else np.inf


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
        self.place = self.at.options

    def _slopes(self, x: Floats) -> Floats:
        """d_x f_i, (n, dx), at x (n, dx)."""
        p = self.at.problem
        return np.asarray(p.inner_gradient(x[None], self.at.lam[None])[0])

    def constants(self) -> dict[str, Known]:
        """``magnitude_v``: what rounding of ``at_optimum`` is relative to."""
        p, n = self.at.problem, self.at.problem.clients
        x = np.broadcast_to(self.at.optimum, self.at.point.x.shape)
        sizes = np.abs(p.H) @ np.abs(self.at.optimum)
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
        x = np.broadcast_to(self.at.optimum, (n, p.dim))
        # d_lambda_j x = (sum H)^{-1} G_j for all clients alike
        moved = np.linalg.solve(p.H.sum(axis=0), self._slopes(x).sum(axis=0))
        indirect = np.einsum("nxl,x->nl", p.G, moved) / n
        direct = -np.einsum("nxl,nx->nl", p.G, x) / n
        gap = float(np.abs(indirect).max())
        return single(gap, 1e-12 * gap, share=relative_error(gap, direct))
