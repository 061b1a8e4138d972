"""The losses of all clients as one function of one client, and what follows from it."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.formulas.boxes import Box, Boxes, box
from theorylab.formulas.lines import bound, computed
from theorylab.formulas.pencil import ATOM, Pencil, parted
from theorylab.formulas.slope import jump, kinks, merged, moving, ordered, slope, tied
from theorylab.formulas.symbolic import MOST_DIM, expressions, letters
from theorylab.formulas.term import (
    COMPARED,
    ELEMENTWISE,
    FormulaError,
    Shape,
    Term,
    constant,
    joined,
    spread,
)
from theorylab.formulas.trace import kept, put, traced
from theorylab.formulas.values import namespace_of

Floats = NDArray[Any]
Function = Callable[..., Any]


@dataclass(frozen=True)
class Formula:
    """f_i(x) = loss(x, data of client i), written for one model x of d entries.

    Args:
        loss: the function of x (d,) and of the data, by name.
        data: an array (n, ...) for each name of ``each``; of the others one for all clients.
        dim: d.
        slopes: the gradient (d,) as a function of the same; None: it is derived from the loss.
        maximised: the last coordinates, in which a saddle is maximised: ``gradient`` has the other
            sign there, and no Hessian.

    Raises (FormulaError, a ValueError of one line): where the function does what has no terms.
    """

    loss: Function
    data: Mapping[str, Any]
    each: Collection[str]
    dim: int
    slopes: Function | None = None
    maximised: int = 0
    _ready: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Without what it has computed: lines are known by where terms are in memory."""
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, "_ready": {}}

    @functools.cached_property
    def shapes(self) -> dict[str, Shape]:
        """The shape of each input of one client."""
        return {name: np.shape(v)[name in self.each :] for name, v in self.data.items()}

    @functools.cached_property
    def value(self) -> Term:
        return kept(self.loss, {"x": (self.dim,), **self.shapes})

    @functools.cached_property
    def gradient(self) -> Term:
        if self.slopes is None:
            return _derived(self.value, self.dim, self.maximised)
        return kept(self.slopes, {"x": (self.dim,), **self.shapes}, (self.dim,))

    def parts(self, d_u: int) -> tuple[Term, Term]:
        """The gradient in the first d_u coordinates, and that in the others."""
        return _cut(self.gradient, d_u)

    def at(self, x: Any, *outputs: Term, **more: Any) -> list[Any]:
        """The outputs at x (R, n, d), NumPy's, torch's or CuPy's."""
        place = x.dtype if isinstance(x, np.ndarray) else (str(x.dtype), str(x.device))
        key = (place, *map(id, outputs))
        known = self._ready.get(key)
        if known is None:
            data = {
                name: v if isinstance(v, float) else _placed(np.asarray(v), x)
                for name, v in self.data.items()
            }
            lines = bound(outputs, ("x", *more), data, namespace_of(x))
            known = self._ready[key] = outputs, lines  # outputs stay: their ids are theirs
        with np.errstate(all="ignore"):  # a run that diverges shows it
            found = known[1](x, *more.values())
        return [self._whole(x, value, node) for value, node in zip(found, outputs, strict=True)]

    def _whole(self, x: Any, value: Any, node: Term) -> Any:
        """Of all runs and clients, also where x is not looked at."""
        shape = (*x.shape[:-1], *node.shape)
        if getattr(value, "shape", None) == shape:
            return value
        return namespace_of(x).zeros(shape) + value

    def gradients(self, x: Any) -> Any:
        """(R, n, d). ValueError, one line, at a point where a client has no gradient."""
        other, places = _sides(self.gradient)
        g, *at = self.at(x, self.gradient, *places)
        if any(bool((gap == 0).any()) for gap in at):
            two = self.at(x, other)[0]
            unlike = (two != g) & (two == two) & (g == g)
            if bool(unlike.any()):
                r, i, j = (int(k[0]) for k in np.nonzero(np.asarray(unlike)))
                raise ValueError(
                    f"client {i} has no gradient at x = {np.asarray(x[r, i]).tolist()}: its slopes "
                    f"in x_{j + 1} are {float(g[r, i, j]):g} and {float(two[r, i, j]):g}"
                )
        return g

    def marked(self, x: Any) -> Any:
        """(R, n, d), torch's, NaN at a point where a client has no gradient: no number is read, as
        a round on a GPU must not wait for one."""
        other, places = _sides(self.gradient)
        if not places:
            return self.at(x, self.gradient)[0]
        g, two = self.at(x, self.gradient, other)
        return g.masked_fill((two != g) & (two == two) & (g == g), math.nan)

    def hessian_product(self, x: Any, direction: Any) -> Any:
        """The Hessian of f_i at x[r, i] times direction[r, i], both (R, n, d)."""
        self._only_of_gradients()
        return self.at(x, _along(self.gradient), direction=direction)[0]

    @functools.cached_property
    def hessian(self) -> list[Term]:
        """Its rows; of a gradient entry by entry the diagonal alone, as one term."""
        self._only_of_gradients()
        if why := jump(self.value, self.gradient, self.slopes is not None):
            raise FormulaError(why)
        moves = moving(self.gradient)
        if set(moves.values()) <= {*ELEMENTWISE, "input"}:
            return [slope(self.gradient.sum(), "x", self.dim)]
        if self.dim > MOST_DIM:
            raise FormulaError(f"it has {self.dim} coordinates; need at most {MOST_DIM}")
        return merged(*(slope(self.gradient[k], "x", self.dim) for k in range(self.dim)))

    def _only_of_gradients(self) -> None:
        if self.maximised:
            raise FormulaError("a min-max field is no gradient, and has no Hessian")

    def over(self, x: Box, *outputs: Term, **more: Box) -> list[Box]:
        """Enclosures of the outputs, (1, n, ...), over a box of models: (d,), the same for all."""
        data = {name: box(v) for name, v in self.data.items()}
        n = self.clients
        given = {"x": Box(np.tile(x.low, (1, n, 1)), np.tile(x.high, (1, n, 1))), **data, **more}
        found = computed([*outputs], given, Boxes())
        shapes = [(1, n, *node.shape) for node in outputs]
        return [
            Box(*(np.broadcast_to(end, shape) for end in (box(b).low, box(b).high)))
            for b, shape in zip(found, shapes, strict=True)
        ]

    def largest(self, size: float) -> float:
        """The largest |number| that computing the losses meets where no |entry| of x is above
        ``size``; inf where intervals show none."""
        nodes = [node for node in ordered(self.value) if node.op not in COMPARED]
        found = self.over(Box(np.full(self.dim, -size), np.full(self.dim, size)), *nodes)
        return max(float(each.size.max()) for each in found)

    def steepest(self, size: float) -> float:
        """The largest norm of a client's gradient where no |entry| of x is above ``size``; inf
        where intervals show none."""
        (g,) = self.over(Box(np.full(self.dim, -size), np.full(self.dim, size)), self.gradient)
        return float(np.sqrt((g.size[0] ** 2).sum(-1)).max())

    def curvature(self, x: Box) -> Pencil:
        """Enclosures of the Hessians of all clients over a box (d,)."""
        rows, n = self.hessian, self.clients
        if len(rows) == 1 and self.dim > 1:
            (diagonal,) = self.over(x, *rows)
            unit = np.eye(self.dim)[:, :, None] * np.eye(self.dim)[:, None, :]
            unit = np.broadcast_to(unit, (n, *unit.shape))
            return Pencil(box(np.zeros((n, self.dim, self.dim))), box(unit), diagonal[0])
        rest, atoms = parted(rows)
        weights = Box(*(np.concatenate([getattr(b, end)[0].reshape(n, -1)
                        for b in self.over(x, *atoms)], 1) if atoms else np.zeros((n, 0))
                        for end in ("low", "high")))  # fmt: skip
        sizes = [int(np.prod(atom.shape, dtype=int)) for atom in atoms]
        ends = [int(k) for k in np.cumsum(sizes)]
        made = []
        for k in range(-1, sum(sizes)):  # no weight, then each of them as 1
            given = {
                f"{ATOM}{j}": box((np.arange(end - size, end) == k).astype(float).reshape(a.shape))
                for j, (a, size, end) in enumerate(zip(atoms, sizes, ends, strict=True))
            }
            found = self.over(box(np.zeros(self.dim)), *rest, **given)
            made.append(Box(*(np.stack([getattr(b, end)[0] for b in found], -2)
                              for end in ("low", "high"))))  # fmt: skip
        parts = [part - made[0] for part in made[1:]]
        none = np.zeros((n, 0, self.dim, self.dim))
        whole = Box(*(np.stack([getattr(p, end) for p in parts], 1) if parts else none
                      for end in ("low", "high")))  # fmt: skip
        return Pencil(made[0], whole, weights)

    @property
    def clients(self) -> int:
        """n; 1 where no data are a client's own."""
        return next((len(self.data[name]) for name in self.each), 1)

    def of_client(self, i: int) -> dict[str, Any]:
        """The data of one client."""
        return {name: v[i] if name in self.each else v for name, v in self.data.items()}

    def hessian_of(self, i: int, x: Any) -> list[Any]:
        """The rows of the Hessian of client i at an x (d,) of sympy's, or its diagonal alone."""
        rows = [expressions(row, {"x": x, **self.of_client(i)}) for row in self.hessian]
        return [np.broadcast_to(np.asarray(row, object), (self.dim,)) for row in rows]

    @functools.cached_property
    def plain(self) -> dict[str, Term]:
        """Of the data what is one number, or one multiple of the identity, for all clients."""
        found = {}
        for name, shape in self.shapes.items():
            if isinstance(self.data[name], Box):
                continue
            data = np.asarray(self.data[name], float)
            first = data.flat[0]
            if (data == first).all():
                found[name] = constant(first, shape)
            elif shape and shape[:1] * 2 == shape and (data == first * np.eye(shape[0])).all():
                found[name] = Term("eye", (), shape, float(first))
        return found

    def named(self, name: str) -> Term | None:
        """One of ``plain`` as an input that is a number; None where it fills a larger matrix."""
        node, number = self.plain[name], Term("input", (), (), name)
        if node.op == "eye" or node.shape == (1, 1):
            return Term("eye", (), node.shape, number)
        return spread(number, node.shape) if len(node.shape) < 2 else None

    def retraced(self, d_u: int, fixed: Mapping[str, Term]) -> tuple[Term, Term, Term]:
        """(the loss, its gradient in u, that in v), where the model is called x, or u and v for a
        cut behind 0 < d_u < d coordinates, and what is ``fixed`` is what it is."""
        shapes: dict[str, Any] = {"x": (self.dim,), **self.shapes, **fixed}
        value = traced(self.loss, shapes)
        if self.slopes is None:
            gradient = _field(value, self.dim, self.maximised)
        else:
            gradient = traced(self.slopes, shapes, (self.dim,))
        if d_u in (0, self.dim):
            return value, gradient, gradient[self.dim :]
        sizes = {"u": d_u, "v": self.dim - d_u}
        model = joined([Term("input", (), (size,), name) for name, size in sizes.items()])
        value, gradient = put(value, "x", model), put(gradient, "x", model)
        return value, gradient[:d_u], gradient[d_u:]

    def symbolic(self, given: Mapping[str, Any] | None = None) -> Any:
        """f_i as sympy's expression of x_1, ..., x_d (x of one) and the letters of the data; what
        is ``given`` has that value, exactly."""
        if self.dim > MOST_DIM:
            raise FormulaError(f"it has {self.dim} coordinates; need at most {MOST_DIM}")
        known = {"x": letters("x", (self.dim,))}
        known |= {name: letters(name, shape) for name, shape in self.shapes.items()}
        return expressions(self.value, {**known, **(given or {})})

    def latex(self) -> str:
        """f_i(x) in LaTeX, with a letter for each part of the data."""
        import sympy

        return f"f_i(x) = {sympy.latex(self.symbolic())}"


def _placed(values: Floats, x: Any) -> Any:
    if hasattr(x, "detach"):
        return x.new_tensor(values)
    if isinstance(x, np.ndarray):
        return values.astype(x.dtype)
    return x.__array_namespace__().asarray(values, dtype=x.dtype)


def _field(value: Term, dim: int, maximised: int) -> Term:
    g = slope(value, "x", dim)
    return joined([g[: dim - maximised], -g[dim - maximised :]]) if maximised else g


_derived = functools.lru_cache(maxsize=256)(_field)  # of one graph, which many problems share


@functools.lru_cache(maxsize=256)
def _cut(gradient: Term, d_u: int) -> tuple[Term, Term]:
    return gradient[:d_u], gradient[d_u:]


@functools.lru_cache(maxsize=256)
def _sides(gradient: Term) -> tuple[Term, list[Term]]:
    return tied(gradient), kinks(gradient)


@functools.lru_cache(maxsize=256)
def _along(gradient: Term) -> Term:
    direction = Term("input", (), gradient.shape, "direction")
    return slope((gradient * direction).sum(), "x", *gradient.shape)
