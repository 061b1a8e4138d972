"""Quadratics in a shared u and a personal v_i, coupled by C_i:

    f_i(u, v) = 1/2 (u-a_i)^T A_i (u-a_i) + 1/2 (v-b_i)^T B_i (v-b_i) + (u-a_i)^T C_i (v-b_i)

A point is (u, v), and ``constants`` speaks of f = (1/n) sum_i f_i at one (u, v) for all, as for
every problem. What personalised methods minimise is F(u, V) = (1/n) sum_i f_i(u, v_i): its minimum
is ``u_star``, ``v_star``, ``F_star``, exact by Schur complements. F_star <= f_star, and they differ
unless the v_i* agree: a gap to f_star may be negative for a personalised method, and a gap to
F_star overstates what any single model can reach.

The smoothness constants of dfedpgp (Assumption 2), dfedalt (Assumption 1) and deprl (Assumption 2)
exist and are exact. Their diversity of grad_u f_i (Assumptions 4, 3 and 5) is finite only if C = 0
and all A_i are equal (mu_u = L_u): the suprema run over all V, and C_i v_i has no bounded range.
For a coupling that satisfies them see ``sin_sin``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from theorylab.formulas import Formula
from theorylab.known import How, Known
from theorylab.problems import _apart, _coupled
from theorylab.problems._asked import Study
from theorylab.problems._base import Sample
from theorylab.problems._noise import FieldNoise
from theorylab.problems._options import Array, Moves, Start, array, count, number
from theorylab.problems._spectrum import least_known, mean_error, norm_known
from theorylab.problems._squares import Squares, interval, random_symmetric, symmetric

_FEW = 64  # runs


def _starts(n: int, personal: bool) -> Iterator[Start]:
    """u and v of one coordinate, A = B = 1 and C = 0 but for what is told."""
    if not personal:
        return
    zero, apart, one = [0.0] * n, _apart.turned(n), [[[1.0]]] * n

    def made(a: Sequence[float], b: Sequence[float], **other: Any) -> dict[str, Any]:
        centers = {"a": _apart.columns(a), "b": _apart.columns(b)}
        return {"A": one, "B": one, "C": [[[0.0]]] * n, **centers, **other}

    yield "shared minima apart", made(apart, zero)
    yield "heads' minima apart", made(zero, apart)
    yield "alike", made(zero, zero)
    yield "one shared minimum away", made(_apart.away(n), zero)
    yield "shared minima on a wave", made(_apart.wave(n), zero)
    yield "steep heads", made(zero, zero, B=[[[10.0]]] * n)
    yield "coupled strongly", made(apart, apart, C=[[[0.9]]] * n)
    yield "one head away", made(zero, _apart.away(n))
    yield "coupled with both signs", made(apart, apart, C=[[[s * 0.5]] for s in apart])
    yield "flat heads", made(apart, zero, B=[[[1e-2]]] * n)
    yield "steep shared part", made(apart, zero, A=[[[10.0]]] * n)
    curved = [[[1.0 if i % 2 == 0 else 1e-2]] for i in range(n)]
    yield "one shared part steep, one flat", made(apart, zero, A=curved)
    bent = [[[3.0 if i % 2 == 0 else -1.0]] for i in range(n)]
    yield "some concave in the shared part", made(apart, zero, A=bent)
    yield "one head steep", made(zero, apart, B=[[[100.0]], *([[[1.0]]] * (n - 1))])
    yield "one against all", made(_apart.outvoted(n), zero)
    yield "flat shared part", made(zero, zero, A=[[[0.0]]] * n)


class CoupledQuadratic(Squares, FieldNoise, name="coupled-quadratic"):
    """n of these quadratics, with noise on u and v drawn independently.

    Args:
        clients: n.
        dim_u, dim_v: d_u and d_v; 2 each unless arrays say otherwise. d = d_u + d_v.
        mu_u, L_u: the A_i are drawn with spectra in [mu_u, L_u], both ends present (for d_u = 1
            only L_u, on client 0), in Haar-random bases; mu_u = L_u gives L_u I to the bit.
            Defaults .1 and 1; not to be given along with A. mu_v, L_v: likewise the B_i.
        coupling: L_uv, the norm of every C_i, drawn with random singular vectors. Default
            sqrt(mu_u mu_v) / 2, or 0 where A or B is given. Not to be given along with C.
        heterogeneity: the (a_i, b_i) are drawn with E|(a_i, b_i)|^2 = heterogeneity^2 around 0.
            Default 1; not to be given along with a or b.
        sigma_u, sigma_v: the noise, E|xi_u|^2 <= sigma_u^2, E|xi_v|^2 <= sigma_v^2 (equal but for
            noise "state").
        noise: the law, one of ``_noise.FIELDS``. chance: p of its ``RARE``. length: l of "state".
        seed: of what is drawn, a function of it up to the rounding of LAPACK.
        A: (n, d_u, d_u), symmetric. B: (n, d_v, d_v), symmetric, positive definite. C: (n, d_u,
            d_v).
        a, b: (n, d_u) and (n, d_v), both or none.

    Every f_i is convex iff A_i - C_i B_i^{-1} C_i^T >= 0, for which coupling^2 <= mu_u mu_v is
    enough. F needs less: every B_i and the *mean* of those matrices positive definite, or it has
    no (unique) minimum and ValueError says so. Coordinates of u that no loss depends on are left
    out of this: along them F is flat, and ``u_star`` has the average center there.
    """

    _of_centers = 4
    study = Study({
        **{"dim_u": 2, "dim_v": 1, "mu_u": 0.2, "mu_v": 0.5, "coupling": 0.3},
        **{"sigma_u": 1.0, "sigma_v": 1.0, "heterogeneity": 0.7},
    })  # fmt: skip

    moves = Moves(
        curvature=("A", "B", "C", "mu_u", "L_u", "mu_v", "L_v", "coupling"),
        length=("a", "b", "heterogeneity"),
        anywhere={"seed": 0},
        starts=_starts,
        letters={
            **dict.fromkeys(("mu_u", "L_u"), "A"), **dict.fromkeys(("mu_v", "L_v"), "B"),
            "heterogeneity": "a b", "coupling": "C",
        },
    )  # fmt: skip

    def __init__(
        self,
        clients: int,
        *,
        dim_u: int | None = None,
        dim_v: int | None = None,
        mu_u: float | None = None,
        L_u: float | None = None,
        mu_v: float | None = None,
        L_v: float | None = None,
        coupling: float | None = None,
        heterogeneity: float | None = None,
        sigma_u: float = 0.0,
        sigma_v: float = 0.0,
        noise: str = "gaussian",
        chance: float | None = None,
        length: float | None = None,
        seed: int = 0,
        A: Any = None,
        B: Any = None,
        C: Any = None,
        a: Any = None,
        b: Any = None,
    ) -> None:
        where, n = self.name, count(self.name, "clients", clients)
        self._seed = count(where, "seed", seed, at_least=0)
        _coupled.either(where, "A", A, mu_u=mu_u, L_u=L_u)
        _coupled.either(where, "B", B, mu_v=mu_v, L_v=L_v)
        _coupled.either(where, "C", C, coupling=coupling)
        d_u = _coupled.size(where, "dim_u", dim_u, (A, 1), (a, 1), (C, 1))
        d_v = _coupled.size(where, "dim_v", dim_v, (B, 1), (b, 1), (C, 2))
        self._drawn: dict[str, float] = {}  # the options that the drawn parts came from
        lows: list[float] = []
        blocks: list[Array] = []
        for name, given, size, low, top, at in (
            ("A", A, d_u, mu_u, L_u, _coupled.ROUND_A),
            ("B", B, d_v, mu_v, L_v, _coupled.ROUND_B),
        ):
            if given is not None:
                made = array(where, name, given, (n, size, size))
                blocks.append(symmetric(where, name, made))
                lows.append(0.0)
                continue
            part = "u" if name == "A" else "v"
            least, most = interval(where, f"_{part}", low, top)
            self._drawn |= {f"mu_{part}": least, f"L_{part}": most}
            blocks.append(random_symmetric(n, size, least, most, self._seed, at))
            lows.append(least)
        self.A, self.B = blocks
        if C is None:
            strength = 0.5 * math.sqrt(lows[0] * lows[1]) if coupling is None else coupling
            strength = number(where, "coupling", strength, at_least=0)
            self._drawn["coupling"] = strength
            self.C = _coupled.random_coupling(n, d_u, d_v, strength, self._seed)
        else:
            self.C = array(where, "C", C, (n, d_u, d_v))
        self.centers, drawn = _coupled.centers(where, n, d_u, d_v, a, b, heterogeneity, self._seed)
        self._drawn |= drawn
        self.u_star, self.v_star, self.F_star = _coupled.schur_minimum(
            where, self.A, self.B, self.C, self.centers[:, :d_u], self.centers[:, d_u:]
        )
        cross = np.swapaxes(self.C, 1, 2)
        self.hessians: Array = np.block([[self.A, self.C], [cross, self.B]])
        # x* of f, one (u, v) for all, exists: f is F on the subspace of equal v_i
        self._solved(np.append(_coupled.unused(self.A, self.C), np.zeros(d_v)).astype(np.float64))
        field = _coupled.field(where, d_u, d_v, (sigma_u, sigma_v), noise, chance, length)
        super().__init__(
            n,
            field,
            *(self.A, self.B, self.C, np.ascontiguousarray(cross), self.centers),
            *(self.mean_hessian, self.optimum),
        )
        self.shared, self.blocks = d_u, (d_u, d_u + d_v)

    @staticmethod
    def client_loss(x: Any, A: Any, B: Any, C: Any, a: Any, b: Any) -> Any:
        """f_i for one model x = (u, v) and one client's matrices and centers."""
        u, v = x[: len(a)] - a, x[len(a) :] - b
        return (u * (A @ u)).sum() / 2 + (v * (B @ v)).sum() / 2 + (u * (C @ v)).sum()

    @staticmethod
    def client_gradient(x: Any, A: Any, B: Any, C: Any, a: Any, b: Any) -> Any:
        """grad f_i, likewise."""
        u, v = x[: len(a)] - a, x[len(a) :] - b
        return np.concatenate([A @ u + C @ v, B @ v + C.T @ u])

    @functools.cached_property
    def formula(self) -> Formula:
        data = {"A": self.A, "B": self.B, "C": self.C}
        data |= {"a": self.centers[:, : self.shared], "b": self.centers[:, self.shared :]}
        return Formula(self.client_loss, data, tuple(data), self.dim, self.client_gradient)

    def copied(self, place: Array, noise: bool) -> CoupledQuadratic:
        data: dict[str, Any] = {name: values[place] for name, values in self.formula.data.items()}
        own, personal = (part.sigma if noise else 0.0 for part in self.field.parts)
        data |= {"noise": self.field.kind, **self.field.options()}
        return CoupledQuadratic(len(place), sigma_u=own, sigma_v=personal, **data)

    def block_constants(self, shared: Array) -> dict[str, Known]:
        if not self.is_own_cut(shared):
            return {}
        source = "F at its minimiser, by the Schur complements of the B_i"
        return {"F_star": Known(self.F_star, How.EXACT, source)}

    def gradient(self, x: Array) -> Array:
        tables = self._tables_for("gradient", x, self._shape)
        return np.concatenate([self._part(x, tables, "u"), self._part(x, tables, "v")], axis=-1)

    def partial_gradient(self, x: Array, sample: Sample | None, part: str) -> Array:
        tables = self._tables_for("partial_gradient", x, self._shape)
        return self._with_noise(self._part(x, tables, part), x, sample, int(part != "u"))

    def _part(self, x: Array, tables: tuple[Array, ...], part: str) -> Array:
        A, B, C, cross, centers = tables[:5]
        y = x - centers
        own, other = (A, C) if part == "u" else (cross, B)
        made: Array = _times(own, y[..., : self.shared]) + _times(other, y[..., self.shared :])
        return made

    def mean_gradient(self, xbar: Array) -> Array:
        H, best = self._tables_for("mean_gradient", xbar, (self.dim,))[5:]
        return np.asarray(np.matmul(H, (xbar - best)[..., None])[..., 0])

    def constants(self) -> dict[str, Known]:
        return dict(self._constants)

    @functools.cached_property
    def _constants(self) -> dict[str, Known]:
        L = norm_known(self.hessians, None, "max_i |lambda|_max(H_i)")
        off = mean_error(self.hessians)
        return {
            "L": L,
            "mu": least_known(self.mean_hessian, off, None, "lambda_min of the mean of H"),
            "B": Known(math.inf, How.EXACT, "the gradient H_i (x - c_i) is unbounded on R^d"),
            "sigma_g": self._heterogeneity(),
            "f_star": Known(
                self.f_star, How.EXACT, "f at the solution of mean H_i (x - c_i) = 0, one v for all"
            ),
            **self.field.constants(L, self.hessians),
        }

    def describe(self) -> dict[str, Any]:
        given = {"A": ("L_u", self.A), "B": ("L_v", self.B), "C": ("coupling", self.C)}
        return _coupled.described(self, self._drawn, self._seed, **given)


def _times(H: Array, y: Array) -> Array:
    """H_i y[r, i]: H (n, rows, columns), y (R, n, columns)."""
    if H.shape[1] == H.shape[2] == 1 and len(y) > _FEW:  # a third of matmul's time, and its bits:
        made: Array = H[:, :, 0] * y + 0.0  # no -0, as sums start from +0
        return made
    return np.asarray(np.matmul(H, y[..., None])[..., 0])
