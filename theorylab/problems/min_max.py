"""A saddle problem, min over x and max over y of f(x, y) = (1/n) sum_i f_i(x, y).

A point is z = (x, y), and the gradients of the problem are the field F_i = (grad_x f_i, -grad_y
f_i): a step against it descends in x and ascends in y. What is said of a gradient is not true of a
field, so that its constants have names of their own: L_field, the Lipschitz constant of every F_i,
and mu_field, the strong monotonicity of F. With H the Hessian of f_i, the derivative of F_i is H
with the other sign in the rows of y. So its norm is that of H, and the symmetric part of it has the
blocks H_xx and -H_yy and nothing else.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from theorylab.formulas import Box, Formula, FormulaError
from theorylab.known import EPS, How, Known
from theorylab.problems import _formula_bounds
from theorylab.problems._minimum import LEAST, NARROW, Floats, Minimum
from theorylab.problems._options import Start
from theorylab.problems.formula import FormulaProblem, Option, Options

_NEWTON = 50  # steps


class MinMaxProblem(FormulaProblem):
    """n payoffs that are one function. A subclass gives ``client_payoff`` and ``options``.

    ``client_payoff(x, y, ...)`` takes one x (p,), one y (q,) and the options by name, and gives a
    number, written as a ``client_loss`` is; "p" and "q" are letters of an option's ``shape``.
    ``optimum`` is the zero of the mean field, (p + q,): the saddle point where f is convex in x and
    concave in y. f has no f* and no constant L or mu, and a claim about f - f* is refused.

    Args:
        clients: n.
        dim_x, dim_y: p and q, 1 unless an array says otherwise.

    Raises:
        ValueError, TypeError: as ``FormulaProblem``.

    >>> class Game(MinMaxProblem):
    ...     @staticmethod
    ...     def client_payoff(x, y):
    ...         return (x * y).sum()
    >>> Game(1).gradient(np.array([[[2.0, 3.0]]])).tolist()
    [[[3.0, -2.0]]]
    """

    dims = {"dim_x": "p", "dim_y": "q"}  # noqa: RUF012
    function = "client_payoff"
    is_field = True
    client_payoff: ClassVar[Callable[..., Any]]

    @classmethod
    def starts(cls, clients: int, personal: bool) -> Iterable[Start]:
        return () if personal else super().starts(clients, False)

    def _written(
        self, data: Mapping[str, Any], each: tuple[str, ...], sizes: Mapping[str, int]
    ) -> Formula:
        payoff, p, q = type(self).client_payoff, sizes["p"], sizes["q"]
        if self.drifts:
            raise ValueError(
                f"{self.name}: client_payoff has an argument t; need one payoff for all rounds"
            )

        @functools.wraps(payoff)
        def whole(x: Any, **data: Any) -> Any:
            return payoff(x[:p], x[p:], **data)

        self._payoff = Formula(whole, data, each, p + q)
        return Formula(whole, data, each, p + q, None, q)

    def _slopes(self, x: Box) -> tuple[Any, dict[str, Known]]:
        """(the Hessians of the payoffs over a box, L_field and mu_field where they are finite)."""
        H = self._payoff.curvature(x)
        (low, high), y = H.ends, slice(self.dim - self._formula.maximised, self.dim)
        mu = min(H.mean.block(slice(0, y.start)).ends[0], -H.mean.block(y).ends[1])
        where = "interval arithmetic over " + ("a box" if np.isfinite(x.size).all() else "R^d")
        both = {
            "L_field": Known(max(-low, high), How.UPPER, f"|H_i|, {where}"),
            "mu_field": Known(mu, How.LOWER, f"the least of H_xx and -H_yy, {where}"),
        }
        return H, {name: known for name, known in both.items() if math.isfinite(known.value)}

    @functools.cached_property
    def _curved(self) -> dict[str, Known]:
        return _formula_bounds.constants(self._formula, self.dim) | self._everywhere[1]

    @functools.cached_property
    def _everywhere(self) -> tuple[Any, dict[str, Known]]:
        try:
            return self._slopes(_formula_bounds.everywhere(self.dim))
        except FormulaError:
            return None, {}

    @functools.cached_property
    def affine_gradient(self) -> bool:  # type: ignore[override]
        H = self._everywhere[0]
        return H is not None and not H.parts.size.any()

    @property
    def grows(self) -> bool:  # type: ignore[override]
        return self.affine_gradient

    def curvature(self, low: Any, high: Any) -> dict[str, Known]:
        """L_field and mu_field of z in a box: numbers, or (d,)."""
        ends = [np.broadcast_to(np.asarray(end, float), (self.dim,)) for end in (low, high)]
        return self._slopes(Box(*ends))[1]

    def lacks(self) -> dict[str, str]:
        why = "interval arithmetic over R^d has no finite end of the field's slopes"
        return {name: why for name in ("L_field", "mu_field") if name not in self._known}

    @functools.cached_property
    def bottom(self) -> tuple[Known | None, Minimum | None]:
        """No f*; and z* within |F(z)| / mu_field of z, or within |F(z)| / s of a field that is
        affine, with s the least singular value of its matrix."""
        H, known = self._everywhere
        mu = known["mu_field"].value if "mu_field" in known else 0.0
        source = "|F(z)| / mu_field at a point near the zero of a strongly monotone field"
        if self.affine_gradient and (least := _least_singular(H.mean.base)) > mu:
            mu, source = least, "|F(z)| / s at a point near the zero of an affine field"
        if not mu > 0:
            return None, None
        z = self._near()
        (F,) = self._formula.over(Box(z, z), self._formula.gradient)
        size = (F.sum(1) / float(F.low.shape[1])).size  # one row of payoffs that are all alike
        far = float(np.linalg.norm(size)) * (1 + (self.dim + 4) * EPS)
        off = far / mu * (1 + 4 * EPS) + (LEAST if far else 0.0)
        narrow = off <= NARROW * (1 + float(np.abs(z).max()))
        return None, Minimum(z, off, source) if narrow else None

    def _near(self) -> Floats:
        """Near the zero of the mean field: by Newton's steps from 0, cut in half where they lead
        away from it."""
        z = np.zeros(self.dim)
        F = self.mean_gradient(z[None])[0]
        for _ in range(_NEWTON):
            every = np.tile(z, (self.dim, self.clients, 1))
            unit = np.repeat(np.eye(self.dim)[:, None], self.clients, axis=1)
            J = self.signs[:, None] * self._payoff.hessian_product(every, unit).mean(1)
            if not F.any() or not np.isfinite(J).all():
                break
            step = np.linalg.lstsq(J, F, rcond=None)[0]
            for part in 0.5 ** np.arange(12.0):
                G = self.mean_gradient((z - part * step)[None])[0]
                if np.linalg.norm(G) < np.linalg.norm(F):
                    z, F = z - part * step, G
                    break
            else:
                break
        return z


class Saddle(MinMaxProblem, name="saddle"):
    """f_i(x, y) = (x - a_i)^T C_i (y - b_i) + r_i |x - a_i|^2 / 2 - s_i |y - b_i|^2 / 2.

    With r_i = s_i = 0 the payoffs are bilinear, L_field is max_i |C_i| and mu_field is 0; the zero
    of the field is enclosed where the mean of C_i is square and has an inverse. Else mu_field is
    the least of mean r_i and mean s_i.

    Args:
        clients: n. dim_x, dim_y: p and q, 1 unless the arrays say otherwise.
        coupling: C, (n, p, q). a: (n, p). b: (n, q). bend_x: r >= 0, (n,). bend_y: s >= 0, (n,).
            One number stands for all entries.

    >>> Saddle(1, coupling=2.0, a=1.0, bend_x=0.5).optimum.tolist()
    [1.0, 0.0]
    """

    options = Options(
        coupling=Option(1.0, each=True, shape="p q", moves=(-100.0, 100.0), curvature=True),
        a=Option(0.0, each=True, shape="p", moves=(-100.0, 100.0), length=True),
        b=Option(0.0, each=True, shape="q", moves=(-100.0, 100.0), length=True),
        bend_x=Option(0.0, each=True, at_least=0, moves=(0.0, 100.0), curvature=True),
        bend_y=Option(0.0, each=True, at_least=0, moves=(0.0, 100.0), curvature=True),
    )

    @staticmethod
    def client_payoff(
        x: Any, y: Any, coupling: Any, a: Any, b: Any, bend_x: Any, bend_y: Any
    ) -> Any:
        u, v = x - a, y - b
        return (u * (coupling @ v)).sum() + bend_x * (u * u).sum() / 2 - bend_y * (v * v).sum() / 2


def _least_singular(H: Box) -> float:
    """A lower bound of |H w| / |w| for every symmetric matrix in the box (1, d, d)."""
    middle, width = ((H.low + H.high) / 2)[0], float((H.high - H.low).sum())
    least = float(np.abs(np.linalg.eigvalsh((middle + middle.T) / 2)).min())
    return least - width - 32 * len(middle) * EPS * float(np.abs(middle).sum())
