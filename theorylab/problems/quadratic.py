"""Heterogeneous quadratics, f_i(x) = 1/2 (x - c_i)^T H_i (x - c_i).

Everything is exact: L, mu, the optimum, f_star, and (through ``hessians``, ``centers`` and
``noise_variance``) the moments of any linear method. The gradient is unbounded, so no finite B
exists: a theorem that assumes bounded gradients does not apply to this problem.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from theorylab.formulas import Formula
from theorylab.kernels import ClientLosses, Stream, aligned_matrices
from theorylab.known import How, Known
from theorylab.problems import _apart
from theorylab.problems._additive import AdditiveNoise
from theorylab.problems._asked import Study
from theorylab.problems._options import Array, Moves, Start, array, count, number
from theorylab.problems._spectrum import least_known, mean_error, norm_known
from theorylab.problems._squares import Squares, interval, random_symmetric, symmetric

_LARGE = 64 << 20  # bytes of Hessians; from here they are not held twice


def _starts(n: int, personal: bool) -> Iterator[Start]:
    if personal:
        return
    same, apart, zero = [[[1.0]]] * n, _apart.turned(n), [0.0] * n
    yield "centres apart", {"H": same, "c": _apart.columns(apart)}
    yield "alike", {"H": same, "c": _apart.columns(zero)}
    curved = [[[1.0 if i % 2 == 0 else 1e-3]] for i in range(n)]
    yield "one steep, one flat", {"H": curved, "c": _apart.columns(apart)}
    yield "one against all", {"H": same, "c": _apart.columns(_apart.outvoted(n))}
    yield "one centre away", {"H": same, "c": _apart.columns(_apart.away(n))}
    bent = [[[3.0 if i % 2 == 0 else -1.0]] for i in range(n)]
    yield "some concave", {"H": bent, "c": _apart.columns(apart)}
    yield "centres on a wave", {"H": same, "c": _apart.columns(_apart.wave(n))}
    plane = [[[1.0, 0.0], [0.0, 1e-2]]] * n
    yield "a long valley", {"H": plane, "c": _apart.columns(apart, zero)}
    yield "drawn", {"dim": 2, "seed": 1}


class Quadratic(Squares, AdditiveNoise, name="quadratic"):
    """n quadratics in R^d with additive Gaussian noise.

    Args:
        clients: n.
        dim: d; 4 unless H or c say otherwise.
        mu, L: the H_i are drawn with spectra in [mu, L]: a Haar-random basis, the ends mu and L
            always present (for d = 1 only L, on client 0), the rest uniform. mu = L gives
            H_i = L I to the bit. Defaults .1 and 1; not to be given along with H.
        heterogeneity: the c_i are drawn with E|c_i|^2 = heterogeneity^2 around 0. Default 1; not
            to be given along with c.
        sigma: gradient noise, E|xi|^2 = sigma^2.
        seed: of the drawn H and c. They are a function of it up to the rounding of LAPACK.
        H: (n, d, d), symmetric, with a positive definite mean; single H_i need not be.
        c: (n, d).

    A batch has the bits of its runs, on every machine, once H and c are given.
    """

    _of_centers = 1
    personal_name = "coupled-quadratic"
    study = Study({"dim": 2, "mu": 0.2, "L": 1.0, "sigma": 1.0, "heterogeneity": 2.0})
    moves = Moves(
        curvature=("H", "mu", "L"),
        length=("c", "heterogeneity"),
        anywhere={"dim": 1, "mu": 1.0, "L": 1.0, "seed": 0},
        starts=_starts,
        letters={"mu": "H", "L": "H", "heterogeneity": "c"},
    )

    def __init__(
        self,
        clients: int,
        *,
        dim: int | None = None,
        mu: float | None = None,
        L: float | None = None,
        heterogeneity: float | None = None,
        sigma: float = 0.0,
        seed: int = 0,
        H: Any = None,
        c: Any = None,
    ) -> None:
        where, n = self.name, count(self.name, "clients", clients)
        self._seed = count(where, "seed", seed, at_least=0)
        if H is not None and (mu is not None or L is not None):
            raise ValueError(f"{where}: H came along with mu or L; need H, or mu and L")
        if c is not None and heterogeneity is not None:
            raise ValueError(f"{where}: c came along with heterogeneity; need one of the two")
        d: int | str = "d" if dim is None else count(where, "dim", dim)
        if c is not None:
            c = array(where, "c", c, (n, d))
            d = c.shape[1]
        if H is not None:
            H = array(where, "H", H, (n, d, d))
            d = H.shape[1]
        size = d if isinstance(d, int) else 4
        self._drawn: dict[str, float] = {}  # the options that the drawn parts came from
        self._rows: Array | None = None  # of a large problem: the memory that its Hessians are in
        if H is None:
            low, top = interval(where, "", mu, L)
            self._drawn |= {"mu": low, "L": top}
            out = None
            if n * size * size * 8 >= _LARGE and size > 1 and low < top:
                self._rows, out = aligned_matrices(n, size)
            self.hessians: Array = random_symmetric(n, size, low, top, self._seed, 0, out)
        else:
            self.hessians = symmetric(where, "H", H)
        if c is None:
            spread = 1.0 if heterogeneity is None else heterogeneity
            spread = number(where, "heterogeneity", spread, at_least=0)
            self._drawn["heterogeneity"] = spread
            normal = Stream(self._seed, "problem").normal(1, n, 1, 0, size)[0]
            self.centers: Array = normal * (spread / math.sqrt(size))
        else:
            self.centers = c
        self._last_mean: tuple[Any, Array] | None = None
        self._optimum()
        diagonals = np.ascontiguousarray(np.diagonal(self.hessians, axis1=1, axis2=2))
        self._diagonal = bool(np.count_nonzero(self.hessians) == np.count_nonzero(diagonals))
        main = diagonals if self._diagonal else self.hessians
        super().__init__(n, size, sigma, main, self.centers, self.mean_hessian, self.optimum)

    def _optimum(self) -> None:
        spectrum = np.linalg.eigvalsh(self.hessians.mean(axis=0))
        if spectrum[0] <= len(spectrum) * np.finfo(float).eps * abs(spectrum[-1]):
            raise ValueError(
                f"{self.name}: the mean of H has eigenvalue {spectrum[0]:.3g}; "
                "need a positive definite mean, or f has no minimum"
            )
        self._solved()

    @staticmethod
    def client_loss(x: Any, H: Any, c: Any) -> Any:
        """f_i for one model x (d,), H (d, d) and c (d,)."""
        return ((x - c) * (H @ (x - c))).sum() / 2

    @staticmethod
    def client_gradient(x: Any, H: Any, c: Any) -> Any:
        """grad f_i, likewise."""
        return H @ (x - c)

    @functools.cached_property
    def formula(self) -> Formula:
        data = {"c": self.centers, "H": self.hessians}
        return Formula(self.client_loss, data, tuple(data), self.dim, self.client_gradient)

    def _make_table(self, dtype: np.dtype[Any]) -> ClientLosses:
        H, c, _, _ = self._tables[dtype]
        return ClientLosses.quadratic(H, c, self._scale, rows=self._rows)

    def __getstate__(self) -> dict[str, Any]:
        """Without the rows around the Hessians: a copy would hold each number twice."""
        return {**super().__getstate__(), "_rows": None}

    def copied(self, place: Array, noise: bool) -> Quadratic:
        H, c, sigma = self.hessians[place], self.centers[place], self.sigma if noise else 0.0
        return Quadratic(len(place), H=H, c=c, sigma=sigma)

    def mean_gradient(self, xbar: Array) -> Array:
        """Both columns of a record that need it ask at one point: it is kept for the second."""
        _, _, H, best = self._tables_for("mean_gradient", xbar, (self.dim,))
        last, key = self._last_mean, (xbar.dtype, xbar.tobytes())
        if last is None or last[0] != key:
            table = self._kept(
                ("mean", xbar.dtype), lambda: ClientLosses.quadratic(H[None], best[None], 0.0)
            )
            last = self._last_mean = key, np.asarray(table.gradients(xbar[:, None])[:, 0])
        return last[1].copy()

    def constants(self) -> dict[str, Known]:
        return dict(self._constants)

    @functools.cached_property
    def _constants(self) -> dict[str, Known]:
        L = norm_known(self.hessians, self._drawn.get("L"), "max_i |lambda|_max(H_i)")
        alike = self.clients == 1 or not np.any(self.hessians != self.hessians[0])
        made = alike and (self.dim > 1 or self._drawn.get("mu") == self._drawn.get("L"))
        mu = least_known(
            self.hessians[0] if alike else self.mean_hessian,
            mean_error(self.hessians),
            self._drawn.get("mu") if made else None,
            "lambda_min of the mean of H",
        )
        return {
            "L": L,
            "mu": mu,
            "B": Known(math.inf, How.EXACT, "the gradient H_i (x - c_i) is unbounded on R^d"),
            "sigma_g": self._heterogeneity(),
            "f_star": Known(self.f_star, How.EXACT, "f at the solution of mean H_i (x - c_i) = 0"),
            **self._noise_constants(L),
        }

    def describe(self) -> dict[str, Any]:
        made = {"name": self.name, "clients": self.clients, "dim": self.dim, "sigma": self.sigma}
        made |= {**self._drawn, "seed": self._seed}
        if "L" not in self._drawn:
            made["H"] = self.hessians.tolist()
        if "heterogeneity" not in self._drawn:
            made["c"] = self.centers.tolist()
        return made
