r"""Quadratics in u and in v_i with a bounded coupling: the personalised assumptions can hold.

    f_i(u, v) = 1/2 (u-a_i)^T A (u-a_i) + 1/2 (v-b_i)^T B (v-b_i) + c_i sum_k sin(u_k) sin(w_ik)

with w_ik = v_k + phi_ik, k < m = min(d_u, d_v), and one A > 0 and one B > 0 for all clients. Write
s_k = sin(u_k) sin(w_ik), t_k = cos(u_k) cos(w_ik). Then s_k -+ t_k = -+cos(u_k +- w_ik), so
|s_k| + |t_k| <= 1, and every such pair is attained, for every k on its own. E is the diagonal with
m ones (d_u or d_v long), S = diag(s), T = diag(t), padded with zeros; the Hessian of f_i is

    [[A - c_i S, c_i T], [c_i T^T, B - c_i S]].

L_u  = max_i lambda_max(A + |c_i| E), exact: A - c S <= A + |c| E, attained where s = -sign c, and
       -lambda_min(A - c S) <= |c| <= lambda_max(A + |c| E). L_v likewise with B.
L_uv = L_vu = max_i |c_i|, exact, attained at t = 1.
L    = max(L_u, L_v), exact: on the plane of (u_k, v_k) the coupling's matrix c [[-s, t], [t, -s]]
       has eigenvalues c (-s +- t), in [-|c|, |c|], so lies between -+|c| I: the Hessian is at most
       diag(A + |c| E, B + |c| E), attained where s = -sign c, and at least -|c| I.
mu   of f >= min lambda_min of (A - cbar E, B - cbar E), cbar = mean |c_i|, by the same fact; exact
       where all clients have one phase and one sign of c. Negative: f may be nonconvex.

Diversity of grad_u. With p_i = A (a_i - mean a) and y_jk = sin(w_jk), free in [-1, 1],
[grad_u f_i - grad_u F]_k = -p_ik + cos(u_k) (c_i y_ik - mean_j c_j y_jk), and for one i the second
term takes every value up to R_i = |c_i| (1 - 1/n) + (1/n) sum_{j != i} |c_j|, for each k < m:

    partial_sigma_g^2 = max_i sum_k (|p_ik| + R_i [k < m])^2, exact, attained at u = 0.

partial_delta^2 is the sup of the mean over i. It is convex in the y_jk, so attained at y = +-1 (and
cos(u_k) = 1, for -1 flips all signs): for every k the largest variance over i of -p_ik +- |c_i|.
If all |c_i| = c it is exact: given how many signs are +, those of the largest -p_ik are best, which
leaves n + 1 cases. Otherwise, as a variance is a mean square around the *best* center, it is at
most (1/n) sum_i (|p_ik - mean p| + |c_i|)^2, an upper bound. One u for all clients is read here;
with a u_i of its own for each summand (dfedalt prints u_i) the sup lies between this and
partial_sigma_g.

sigma_g at one (u, v) for all: with q_i = B (b_i - mean b) and the complex numbers rho_ik =
|c_i e^{i phi_ik} - mean_j c_j e^{i phi_jk}|, coordinate k of the pair of gradients differs from
the mean by (-p + rho alpha, -q + rho beta) with alpha = cos u sin w', beta = sin u cos w', w' a
shifted w. As above, the (alpha, beta) fill |alpha| + |beta| <= 1; the square is convex, so largest
at a vertex: p^2 + q^2 + rho^2 + 2 rho max(|p|, |q|). Exact, coordinate by coordinate.

Minima. F(u, V) = (1/n) sum_i f_i(u, v_i) is mu_F-strongly convex if mu_F = min(lambda_min(A - cbar
E), min_i lambda_min(B - |c_i| E) / n) > 0. Then F* >= F(x) - |grad F(x)|^2 / (2 mu_F) at any x,
here one that L-BFGS left. Otherwise F* >= mean_i 1/2 |a_i - mean a|_A^2 - m cbar. f likewise, with
mu and the b_i.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from theorylab.formulas import Formula
from theorylab.kernels import Stream
from theorylab.known import EPS, How, Known
from theorylab.problems import _apart, _coupled, _sin_sin_bounds
from theorylab.problems._base import Sample
from theorylab.problems._noise import FieldNoise
from theorylab.problems._options import Array, Moves, Start, array, count, number
from theorylab.problems._squares import interval, random_symmetric, symmetric


def _starts(n: int, personal: bool) -> Iterator[Start]:
    """u and v of one coordinate."""
    if not personal:
        return
    drawn = {"dim_u": 1, "dim_v": 1, "seed": 1}
    yield "drawn", {**drawn, "coupling": 0.5}
    yield "uncoupled", {**drawn, "coupling": 0.0}
    zero, one = _apart.columns([0.0] * n), {"A": [[1.0]], "B": [[1.0]]}
    phases = [[0.0 if i % 2 == 0 else math.pi] for i in range(n)]
    centers = {"a": zero, "b": _apart.columns([1.0] * n)}
    yield "of opposite phases", {**one, "c": [2.0] * n, "phases": phases, **centers}
    centers = {"a": _apart.columns(_apart.turned(n)), "b": zero}
    phases = [[math.pi / 2]] * n
    yield "of one phase", {**one, "c": [1.0] * n, "phases": phases, **centers}


class SinSin(FieldNoise, name="sin-sin"):
    """n of these losses, with noise on u and v drawn independently.

    Args:
        clients: n.
        dim_u, dim_v: d_u and d_v; 2 each unless arrays say otherwise. d = d_u + d_v.
        mu_u, L_u: A is drawn with spectrum in [mu_u, L_u], both ends present (for d_u = 1 only
            L_u); mu_u = L_u gives L_u I to the bit. Defaults .1 and 1; not to be given along with
            A. mu_v, L_v: likewise B. L_u and L_v without the coupling's |c|.
        coupling: every c_i, one number >= 0; default .5. Not to be given along with c.
        heterogeneity: the (a_i, b_i) are drawn with E|(a_i, b_i)|^2 = heterogeneity^2 around 0.
            Default 1; not to be given along with a or b.
        phase: the phi_ik are drawn uniformly from [0, phase). Default 2 pi; not to be given along
            with phases.
        sigma_u, sigma_v: the noise, E|xi_u|^2 <= sigma_u^2, E|xi_v|^2 <= sigma_v^2 (equal but for
            noise "state").
        noise: the law, one of ``_noise.FIELDS``. chance: p of its ``RARE``. length: l of "state".
        seed: of what is drawn, a function of it up to the rounding of LAPACK.
        A, B: (d_u, d_u) and (d_v, d_v), symmetric, positive definite. c: (n,). phases: (n, m).
        a, b: (n, d_u) and (n, d_v), both or none.
    """

    grows = True
    moves = Moves(
        each=("c", "phases", "a", "b"),
        curvature=("A", "B", "c", "mu_u", "L_u", "mu_v", "L_v", "coupling"),
        length=("a", "b", "heterogeneity"),
        anywhere={"seed": 0},
        starts=_starts,
        letters={
            **dict.fromkeys(("mu_u", "L_u"), "A"), **dict.fromkeys(("mu_v", "L_v"), "B"),
            "heterogeneity": "a b", "coupling": "c", "phases": "phase",
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
        phase: float | None = None,
        sigma_u: float = 0.0,
        sigma_v: float = 0.0,
        noise: str = "gaussian",
        chance: float | None = None,
        length: float | None = None,
        seed: int = 0,
        A: Any = None,
        B: Any = None,
        c: Any = None,
        phases: Any = None,
        a: Any = None,
        b: Any = None,
    ) -> None:
        where, n = self.name, count(self.name, "clients", clients)
        self._seed = count(where, "seed", seed, at_least=0)
        _coupled.either(where, "A", A, mu_u=mu_u, L_u=L_u)
        _coupled.either(where, "B", B, mu_v=mu_v, L_v=L_v)
        _coupled.either(where, "c", c, coupling=coupling)
        _coupled.either(where, "phases", phases, phase=phase)
        d_u = _coupled.size(where, "dim_u", dim_u, (A, 0), (a, 1))
        d_v = _coupled.size(where, "dim_v", dim_v, (B, 0), (b, 1))
        self.coupled = m = min(d_u, d_v)
        self._drawn: dict[str, float] = {}  # the options that the drawn parts came from
        self.A = self._curvature("A", "u", A, d_u, mu_u, L_u, _coupled.ROUND_A)
        self.B = self._curvature("B", "v", B, d_v, mu_v, L_v, _coupled.ROUND_B)
        if c is None:
            strength = number(where, "coupling", 0.5 if coupling is None else coupling, at_least=0)
            self._drawn["coupling"] = strength
            self.c = np.full(n, strength)
        else:
            self.c = array(where, "c", c, (n,))
        if phases is None:
            turn = number(where, "phase", 2 * math.pi if phase is None else phase, at_least=0)
            self._drawn["phase"] = turn
            draws = Stream(self._seed, "problem")
            self.phases: Array = turn * draws.uniform(1, n, _coupled.ROUND_PHASES, 0, m)[0]
        else:
            self.phases = array(where, "phases", phases, (n, m))
        self.centers, drawn = _coupled.centers(where, n, d_u, d_v, a, b, heterogeneity, self._seed)
        self._drawn |= drawn
        field = _coupled.field(where, d_u, d_v, (sigma_u, sigma_v), noise, chance, length)
        super().__init__(n, field)
        self.shared, self.blocks = d_u, (d_u, d_u + d_v)

    def _curvature(
        self, name: str, part: str, given: Any, size: int, low: Any, top: Any, at: int
    ) -> Array:
        if given is None:
            least, most = interval(self.name, f"_{part}", low, top)
            self._drawn |= {f"mu_{part}": least, f"L_{part}": most}
            return np.asarray(random_symmetric(1, size, least, most, self._seed, at)[0])
        made = array(self.name, name, given, (size, size))
        made = symmetric(self.name, name, made[None])[0]
        least = float(np.linalg.eigvalsh(made)[0])
        if least <= size * EPS * float(np.abs(made).max()):
            raise ValueError(
                f"{self.name}: {name} has eigenvalue {least:.3g}; need a positive definite {name}"
            )
        return np.asarray(made)

    def gradient(self, x: Array) -> Array:
        self._tables_for("gradient", x, self._shape)
        made: Array = self.formula.at(x, self.formula.gradient)[0]
        return made

    def partial_gradient(self, x: Array, sample: Sample | None, part: str) -> Array:
        self._tables_for("partial_gradient", x, self._shape)
        return self._with_noise(self._part(x, part), x, sample, int(part != "u"))

    @staticmethod
    def client_loss(x: Any, A: Any, B: Any, c: Any, phase: Any, a: Any, b: Any) -> Any:
        """f_i for one model x = (u, v), the matrices of all and the data of one client."""
        u, v, m = x[: len(a)], x[len(a) :], len(phase)
        square = ((u - a) * (A @ (u - a))).sum() / 2 + ((v - b) * (B @ (v - b))).sum() / 2
        return square + (c * np.sin(u[:m]) * np.sin(v[:m] + phase)).sum()

    @staticmethod
    def client_gradient(x: Any, A: Any, B: Any, c: Any, phase: Any, a: Any, b: Any) -> Any:
        """grad f_i, likewise."""
        u, v, m = x[: len(a)], x[len(a) :], len(phase)
        w, of_u, of_v = v[:m] + phase, A @ (u - a), B @ (v - b)
        return np.concatenate(
            [
                of_u[:m] + c * np.cos(u[:m]) * np.sin(w),
                of_u[m:],
                of_v[:m] + c * np.sin(u[:m]) * np.cos(w),
                of_v[m:],
            ]
        )

    @functools.cached_property
    def formula(self) -> Formula:
        d_u = self.shared
        data = {"A": self.A, "B": self.B, "c": self.c, "phase": self.phases}
        data |= {"a": self.centers[:, :d_u], "b": self.centers[:, d_u:]}
        each = ("c", "phase", "a", "b")
        return Formula(self.client_loss, data, each, self.dim, self.client_gradient)

    def _part(self, x: Array, part: str) -> Array:
        made: Array = self.formula.at(x, self.formula.parts(self.shared)[part != "u"])[0]
        return made

    def loss(self, x: Array) -> Array:
        self._tables_for("loss", x, self._shape)
        made: Array = self.formula.at(x, self.formula.value)[0]
        return made

    def constants(self) -> dict[str, Known]:
        return dict(self._constants)

    @functools.cached_property
    def _constants(self) -> dict[str, Known]:
        bounds = _sin_sin_bounds
        L = bounds.smoothness(self.A, self.B, self.c, self.coupled)["L"]
        return {
            "L": L,
            "mu": bounds.convexity(self.A, self.B, self.c, self.phases),
            "B": Known(math.inf, How.EXACT, "the gradient A (u - a_i) + ... is unbounded on R^d"),
            "sigma_g": bounds.heterogeneity(self.A, self.B, self.c, self.phases, self.centers),
            "f_star": bounds.infimum(self, personal=False),
            **self.field.constants(L),
        }

    @functools.cached_property
    def personal_constants(self) -> dict[str, Known]:
        """L_u, L_v, L_uv, L_vu, partial_sigma_g, partial_delta and F_star, of u and v as split."""
        bounds = _sin_sin_bounds
        made = bounds.smoothness(self.A, self.B, self.c, self.coupled)
        del made["L"]
        pull = self.centers[:, : self.shared] - self.centers[0, : self.shared]
        pull = np.matmul(self.A, (pull - pull.mean(axis=0))[..., None])[..., 0]
        made |= bounds.diversity(pull, self.c, self.coupled)
        return made | {"F_star": bounds.infimum(self, personal=True)}

    def describe(self) -> dict[str, Any]:
        given = {"A": ("L_u", self.A), "B": ("L_v", self.B), "c": ("coupling", self.c)}
        given |= {"phases": ("phase", self.phases)}
        return _coupled.described(self, self._drawn, self._seed, **given)
