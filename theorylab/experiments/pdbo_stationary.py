"""Eq. (6) of pdbo, Assumptions 1, 3, 4 at its point, A.2's derivative and A.3.2's series."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import (
    Experiment,
    Observation,
    Row,
    check_column,
    relative_error,
)
from theorylab.experiments._hgp_blocks import assembled
from theorylab.experiments._hgp_place import Place, Setting, cut_off, full_phi, full_psi, nullity
from theorylab.experiments._unsolved import unsolved
from theorylab.hypergradients import SGP, stationary
from theorylab.known import How, Known

Floats = NDArray[np.float64]
_U = 2.0**-53


class PdboStationary(Experiment):
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
        problem, network, step, variant, lam: see ``_hgp_place.Setting``. terms: M's of truncation.
    """

    name = "pdbo-stationary"
    columns = (
        *("existence", "second_point", "second_y", "freedom", "distance", "derivative"),
        *("slope", "truncation"),
        *("flatness", "norm_full", "norm_z", "radius_z"),
    )

    def __init__(
        self,
        *,
        problem: Mapping[str, Any],
        network: Mapping[str, Any],
        step: float = 0.3,
        variant: str = "4b",
        lam: float = 0.5,
        terms: Sequence[int] = (1, 4, 16),
    ) -> None:
        if np.ndim(step):
            raise ValueError(f"experiment {self.name}: step is {step!r}; need one number")
        if not terms or any(type(M) is not int or M < 1 for M in terms):
            raise ValueError(f"experiment {self.name}: terms is {terms!r}; need integers >= 1")
        self.setting = Setting(problem, network, step, variant, lam)
        self.terms = tuple(terms)

    @functools.cached_property
    def place(self) -> Place:
        """The stationary point; ValueError where I - A is singular or Assumption 2 fails."""
        if lost := cut_off(self.setting.law):
            raise ValueError(
                f"experiment {self.name}: {lost} pairs have no path; Assumption 2 fails"
            )
        J, _ = self._affine(self.setting.lam)
        condition = float(np.linalg.cond(np.eye(len(J)) - J))
        if not condition < 1e10:
            raise ValueError(
                f"experiment {self.name}: I - A_zz has condition number {condition:.3g}; need "
                "< 1e10 for a stationary point"
            )
        return Place(**self.setting.options)

    def describe(self) -> dict[str, Any]:
        return {**self.setting.options, "terms": list(self.terms)}

    def constants(self) -> dict[str, Known]:
        """Those at y* only where there is one."""
        s = self.setting
        made = s.problem.constants(s.lam[None]) | {
            "eta": _exact(s.sgp.steps(1)[0], "option step"),
            "n": _exact(s.problem.clients, "clients of the problem"),
            "hgp_size": _exact(s.problem.clients * s.problem.dim, "numbers in z"),
            "cut_off": _exact(cut_off(s.law), "ordered pairs of clients without a path"),
            "step_after": _exact(s.sgp.variant == "4b", "option variant: 1 for Eq. (4b)"),
        }
        if made["cut_off"].value:  # omega* is not unique, or not positive
            return made
        made |= {
            "size_R": Known(self._size(), How.UPPER, "terms of T(z + e) - T(z)"),
            "solve_room": Known(self._room(), How.UPPER, "terms of T(z) - z at the solution"),
        }
        try:
            p = self.place
        except ValueError:
            return made
        A = p.A_bar
        room = 1e-12 * (1 + float(np.linalg.norm(A, 2)))
        norm, full = float(np.linalg.norm(A, 2)), float(np.linalg.norm(self._full(), 2))
        inverse = np.linalg.norm(np.linalg.inv(np.eye(len(A)) - A), 2)
        x = self.optimum
        pull = p.problem.inner_gradient(np.broadcast_to(x, (1, *p.point.x.shape)), p.lam[None])
        return made | {
            "norm_A": _near(norm, room, "LAPACK"),
            "norm_A_full": Known(
                max(full, 1.0), How.CERTIFIED, "LAPACK; at least its eigenvalue 1",
                lower=max(1.0, full - room), upper=max(1.0, full) + room,
            ),
            "omega_eigenvalue": _exact(1.0, "columns of E P sum to 1: omega's block is E P"),
            "radius_A": _near(float(np.abs(np.linalg.eigvals(A)).max()), room, "LAPACK"),
            "resolvent": Known(float(inverse) * (1 + 1e-9), How.UPPER, "||(I - A_bar)^{-1}||_2"),
            "pull": Known(float(np.linalg.norm(pull)) * (1 + 1e-12), How.UPPER,
                          "norm of all grad f_i at the optimum of Eq. (1)"),
            "balance_gap": Known(self._gap() * (1 - 1e-9), How.LOWER,
                                 "of the symmetric part of (I - E P) diag(omega)"),
        }  # fmt: skip

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        if column == "truncation":
            return Observation(tuple(self._truncated()), exact=True, axis="terms")
        if column == "flatness":
            low = np.linalg.eigvalsh(self.setting.problem.H).min()
            return _one(1 / ((1 - self.setting.problem.noise) * float(low)), 0.0)
        if column in ("norm_full", "norm_z"):
            matrix = self._full() if column == "norm_full" else self.place.A_bar
            return _one(float(np.linalg.norm(matrix, 2)), 1e-12)
        if column == "radius_z":
            return _one(float(np.abs(np.linalg.eigvals(self.place.A_bar)).max()), 1e-9)
        if column == "existence":
            affine = functools.partial(self._affine, self.setting.lam)
            least, room = unsolved(affine)
            return _one(least, room, share=relative_error(least, np.linalg.norm(affine()[1])))
        if column == "distance":
            gap = np.linalg.norm(self.place.point.x - self.optimum, axis=1).max()
            return _one(float(gap), 0.0, self._room(), relative_error(gap, self._spread()))
        if column in ("second_point", "second_y"):
            x, z, omega = self._heavier()
            point = self.place.point
            if column == "second_point":
                gap = float(np.abs(x - point.x).max())
                return _one(gap, 0.0, self._room(), relative_error(gap, self._spread()))
            ends = np.c_[z, omega], np.c_[point.z, point.omega]
            gap = float(np.abs(ends[0] - ends[1]).max())
            return _one(gap, 0.0, self._room(), relative_error(gap, *ends))
        if column == "freedom":
            # A singular value within rounding of 0 may be 0 or not: 0 .. count are all possible.
            J, P = self._affine(self.setting.lam)[0], self.setting.law.mean
            count = nullity(np.eye(len(J)) - J) + nullity(np.eye(len(P)) - P) - 1  # less omega*
            return Observation((Row(np.array([float(count)]), rounding=float(count)),), exact=True)
        found, told = self._derivative() if column == "derivative" else self._difference()
        gap = float(np.abs(found - told).max())
        return _one(gap, 0.0, share=relative_error(gap, found, told))

    def _affine(self, lam: Floats, unit: float = 1.0) -> tuple[Floats, Floats]:
        """(J, T(0)) with T(z) = J z + T(0) on flat z, by T at 0 and at the unit vectors; ``unit``:
        of their multiples, and that multiple of J.
        """
        s, n, d = self.setting, self.setting.problem.clients, self.setting.problem.dim
        omega = _perron(s.law.mean)
        points = np.concatenate([np.zeros((1, n * d)), unit * np.eye(n * d)]).reshape(-1, n, d)
        many = np.broadcast_to(lam, (len(points), *lam.shape))
        P = np.broadcast_to(s.law.mean, (len(points), n, n))
        out = s.sgp.round(
            s.problem, P, points, np.broadcast_to(omega, (len(points), n)), many, None
        )
        flat = out.reshape(len(points), -1)
        return (flat[1:] - flat[0]).T, flat[0]

    def _room(self) -> float:
        """Forward error of the solve and of its slope in lambda: 8 N^2 u times ||(I-J)^{-1}||
        times what is rounded (Higham 7.2).

        J's entries are near 1 and carry u each, however small the step makes I - J; so not the
        condition number of I - J counts, but ||(I-J)^{-1}|| (1 + ||J||).
        """
        J, const = self._affine(self.setting.lam)
        system = np.eye(len(J)) - J
        size = float(np.linalg.norm(const)) + 1.0
        if np.linalg.cond(system) > 1e10:
            return 8 * len(J) ** 2 * _U * size * 1e4
        inverse = float(np.linalg.norm(np.linalg.inv(system), 2))
        solution = float(np.linalg.norm(np.linalg.solve(system, const)))
        slopes = float(np.linalg.norm(self._slopes()))
        rounded = (size + float(np.linalg.norm(J, 2))) * (1 + solution + slopes)
        return 8 * (len(J) + 4) ** 2 * _U * inverse * rounded

    def _size(self) -> float:
        """What the entries of T(z + e) - T(z) are differences of, with z = 0 and unit e."""
        J, const = self._affine(self.setting.lam)
        return 4 * (float(np.abs(J).max()) + float(np.abs(const).max()) + 1)

    @functools.cached_property
    def optimum(self) -> Floats:
        """argmin of sum_i f_i, the common x of Eq. (1), (dx,)."""
        p, lam = self.setting.problem, self.setting.lam
        return np.linalg.solve(
            p.H.sum(axis=0), (p.b + np.einsum("nxl,nl->nx", p.G, lam)).sum(axis=0)
        )

    def _spread(self) -> Floats:
        """How far the clients' own minima are from the common one, (n,)."""
        p, lam = self.setting.problem, self.setting.lam
        own = np.linalg.solve(p.H, (p.b + np.einsum("nxl,nl->nx", p.G, lam))[..., None])[..., 0]
        return np.asarray(np.linalg.norm(own - self.optimum, axis=1))

    def _heavier(self) -> tuple[Floats, Floats, Floats]:
        """x, z, omega of the stationary point with sum omega = 2n: x of half the step, sum n."""
        s, p = self.setting, self.place
        half = stationary(s.problem, s.law, SGP(s.sgp.steps(1)[0] / 2, s.sgp.variant), s.lam)
        z, omega = 2 * p.point.omega[:, None] * half.x, 2 * p.point.omega
        after = s.sgp.round(s.problem, s.law.mean[None], z[None], omega[None], s.lam[None], None)
        gap = np.abs(after[0] - z).max()
        if not gap <= 1e-9 * (1 + np.abs(z).max()):
            raise ValueError(f"experiment {self.name}: the second point is off by {gap:.3g}")
        return half.x, z, omega

    def _gap(self) -> float:
        """Smallest x^T M x on x orthogonal to 1, M = (I - E P) diag(omega); 0 for n = 1."""
        mean, omega = self.setting.law.mean, self.place.point.omega
        M = np.diag(omega) - mean * omega
        values = np.sort(np.linalg.eigvalsh((M + M.T) / 2))
        return float(values[1]) if len(values) > 1 else 1.0

    def _full(self) -> Floats:
        p = self.place
        own, sent = np.array(full_psi(p)), np.array(full_phi(p))
        return assembled(own, sent, p.law.mean.T)

    def _truncated(self) -> list[Row]:
        A = self.place.A_bar
        inverse, eye = np.linalg.inv(np.eye(len(A)) - A), np.eye(len(A))
        rows, total, power = [], np.zeros_like(A), eye
        for m in range(max(self.terms)):
            total, power = total + power, power @ A
            if m + 1 in self.terms:
                gap = float(np.linalg.norm(inverse - total, 2))
                norms = [float(np.linalg.norm(part, 2)) for part in (inverse, A)]
                size = norms[0] * (1 + norms[0] * (1 + norms[1]))
                room = 8 * (len(A) + m) ** 2 * _U * size
                at: dict[str, Known | float] = {
                    "terms": float(m + 1),
                    "power_norm": Known(
                        float(np.linalg.norm(power, 2)) * (1 + 1e-9), How.UPPER, "||A_bar^M||_2"
                    ),
                }
                rows.append(Row(np.array([gap]), at, f"M={m + 1}", rounding=room))
        return rows

    def _derivative(self) -> tuple[Floats, Floats]:
        p, moved = self.place, self._slopes()
        return moved, p.B_bar @ np.linalg.inv(np.eye(moved.shape[1]) - p.A_bar)

    def _slopes(self) -> Floats:
        """How z* moves with each entry of lambda, (n h, N): z* is affine in lambda."""
        lam = self.setting.lam
        J, const = self._affine(lam)
        system, moved = np.eye(len(J)) - J, np.zeros((lam.size, len(J)))
        for k in range(lam.size):
            other = lam.copy()
            other[np.unravel_index(k, lam.shape)] += 1.0
            moved[k] = np.linalg.solve(system, self._affine(other)[1] - const)
        return moved

    def _difference(self) -> tuple[Floats, Floats]:
        return self._affine(self.setting.lam)[0].T, self.place.A_bar


def _perron(mean: Floats) -> Floats:
    n = len(mean)
    return np.linalg.solve(np.eye(n) - mean + np.full((n, n), 1 / n), np.ones(n))


def _exact(value: Any, text: str) -> Known:
    return Known(float(value), How.EXACT, text)


def _near(value: float, room: float, text: str) -> Known:
    return Known(value, How.CERTIFIED, text, lower=value - room, upper=value + room)


def _one(
    value: float, relative: float, room: float = 0.0, share: float | None = None
) -> Observation:
    rounding = relative * abs(value) + room
    row = Row(np.array([value]), rounding=rounding, relative_error=share)
    return Observation((row,), exact=True)
