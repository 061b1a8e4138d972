"""A problem told once: the loss of one client, as one function of its model and its data.

The class names its options, each with what it may be and how far a search may move it. Losses and
gradients of all runs and clients in NumPy, torch or CuPy, Hessians, curvature bounds, the script of
a finding, its re-check, a sentence and LaTeX follow from the function.
"""

from __future__ import annotations

import copy
import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from theorylab.formulas import MOST_DIM, Box, Formula, FormulaError
from theorylab.known import How, Known
from theorylab.problems import _formula_bounds
from theorylab.problems._apart import turned
from theorylab.problems._base import Problem
from theorylab.problems._minimum import Minimum, least
from theorylab.problems._options import Array, Moves, Start, array, count, number

_TRIED = 4  # points at which a gradient is compared with the slope of the loss
_OFF = 1e-6  # of its size: far more than rounding, far less than a wrong term


@dataclass(frozen=True)
class Option:
    """What an option of a loss is.

    Args:
        default: the number that it is where none is given; of an array every entry.
        each: each client has its own; then the option is an array (n, ...), or one number.
        shape: the letters of its axes for one client: "" a number, "d" a vector, "m d" a matrix.
        above: what the number has to exceed.
        at_least: what it has to reach.
        moves: from where to where a search moves it; None: as it moves any number.
        length: it is in the units of x.
        curvature: f is proportional to it.

    >>> center = Option(0.0, each=True, shape="d", moves=(-5.0, 5.0), length=True)
    >>> center.each, center.shape
    (True, 'd')
    """

    default: float
    each: bool = False
    shape: str = ""
    above: float | None = None
    at_least: float | None = None
    moves: tuple[float, float] | None = None
    length: bool = False
    curvature: bool = False

    def one(self, dim: int, value: float) -> Any:
        """One client's part: of an option of either sign the value, within ``moves``; else the
        default."""
        low, high = self.moves or (-math.inf, math.inf)
        signed = self.above is None and self.at_least is None
        entry = min(max(value, low), high) if signed else self.default
        return np.full([dim if axis == "d" else 1 for axis in self.shape.split()], entry).tolist()


class Options(dict[str, Option]):
    """Options by name, each an ``Option``: the ``options`` of a ``FormulaProblem``.

    >>> sorted(Options(height=Option(0.5, at_least=0), width=Option(1.0)))
    ['height', 'width']
    """


class FormulaProblem(Problem):
    """n losses that are one function. A subclass gives ``client_loss`` and ``options``.

    ``client_loss(x, ...)`` takes one model x (d,) and the options by name, and gives a number; it
    is written in NumPy: + - * / ** @, abs, [..], sum, mean, np.exp, log, log1p, sqrt, sin, cos,
    tanh, sinh, cosh, where, minimum, maximum, clip, logaddexp, concatenate, stack. It does not
    branch on a value. ``client_gradient``, of the same arguments, gives (d,); without it the
    gradient is derived. With an argument ``t`` that is no option the losses are others in every
    round t = 0, 1, ...: constants hold for all of these, ``loss`` and ``gradient`` are of round 0,
    ``of_round(t)`` of another, and there is no ``formula``, f* or x*.

    Args:
        clients: n.
        shared: d_u, of personalised methods; None: all of d.
        given: the options by name, and ``dim``, d, where neither ``fixed_dim`` nor an array says
            it.

    Raises:
        ValueError, TypeError: one line, on an option out of its range or of another shape, and on
        a function that branches on a value or does what cannot be written down: the line is named.

    >>> class Bowl(FormulaProblem):
    ...     options = Options(center=Option(0.0, each=True, shape="d"))
    ...
    ...     @staticmethod
    ...     def client_loss(x, center):
    ...         return ((x - center) ** 2).sum() / 2
    >>> bowl = Bowl(2, center=[[1.0, 0.0], [3.0, 2.0]])
    >>> bowl.optimum.tolist(), round(bowl.constants()["L"].value, 6)
    ([2.0, 1.0], 1.0)
    """

    options: ClassVar[Mapping[str, Option]] = Options()
    fixed_dim: ClassVar[int | None] = None
    dims: ClassVar[Mapping[str, str]] = {"dim": "d"}  # options that say a length, by its letter
    all_of_function = True
    function: ClassVar[str] = "client_loss"  # what a subclass gives
    client_loss: ClassVar[Callable[..., Any]]
    client_gradient: ClassVar[Callable[..., Any] | None] = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        named = cls.options.items()
        function = inspect.unwrap(getattr(cls, cls.function, cls.__init__))
        cls.drifts = "t" in inspect.signature(function).parameters and "t" not in cls.options
        cls.moves = Moves(
            tuple(name for name, option in named if option.each),
            tuple(name for name, option in named if option.curvature),
            tuple(name for name, option in named if option.length),
            {name: option.moves for name, option in named if option.moves is not None},
            anywhere={name: option.default for name, option in named},
            starts=cls.starts,
        )
        kind = inspect.Parameter
        given: dict[str, Any] = dict.fromkeys(() if cls.fixed_dim else cls.dims)
        given |= {"shared": None} if "dim" in cls.dims else {}
        given |= {name: option.default for name, option in cls.options.items()}
        cls.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [kind("clients", kind.POSITIONAL_OR_KEYWORD)]
            + [kind(name, kind.KEYWORD_ONLY, default=value) for name, value in given.items()]
        )

    @classmethod
    def starts(cls, clients: int, personal: bool) -> Iterable[Start]:
        """Labels and options that a search tries: the defaults, and clients apart, near and far.

        ``personal``: with the first of two or more coordinates shared.
        """
        d = cls.fixed_dim or (2 if personal else 1)
        sizes = {"shared": 1} if personal else {}
        sizes |= {"dim": d} if personal and not cls.fixed_dim else {}
        if personal and d < 2:
            return
        same = {name: option.default for name, option in cls.options.items()}
        yield "as it is", {**sizes, **same}
        for label, size in (("apart", 1.0), ("far apart", 10.0)):
            lists = {
                name: [option.one(d, sign * size) for sign in turned(clients)]
                for name, option in cls.options.items()
                if option.each
            }
            yield label, {**sizes, **same, **lists}

    def __init__(self, clients: int, *, shared: int | None = None, **given: Any) -> None:
        where, n = self.name, count(self.name, "clients", clients)
        asked = {letter: given.pop(name, None) for name, letter in self.dims.items()}
        asked |= {"d": self.fixed_dim} if self.fixed_dim else {}
        unknown = ", ".join(sorted(set(given) - set(self.options)))
        if unknown or not hasattr(self, self.function):
            lacks = f"no option {unknown}" if unknown else f"no {self.function}"
            raise TypeError(f"{where}: it has {lacks}; has {', '.join(self.options)}")
        sizes = {letter: count(where, name, asked[letter])
                 for name, letter in self.dims.items() if asked[letter] is not None}  # fmt: skip
        parts = {name: self._read(name, given.get(name), n, sizes) for name in self.options}
        for letter in self.dims.values():
            sizes.setdefault(letter, 1)
        data = {name: self._filled(name, part, n, sizes) for name, part in parts.items()}
        data |= {"t": 0.0} if self.drifts else {}
        each = tuple(name for name, option in self.options.items() if option.each)
        self._formula = self._written(data, each, sizes)
        d = self._formula.dim
        super().__init__(n, d)
        if shared is not None:
            self.shared = count(where, "shared", shared)
            if self.shared > d:
                raise ValueError(f"{where}: shared is {shared}; need an integer <= {d}")
            self.blocks = tuple(dict.fromkeys((self.shared, d)))
        self._tried()

    def _written(
        self, data: Mapping[str, Any], each: tuple[str, ...], sizes: Mapping[str, int]
    ) -> Formula:
        kind = type(self)
        return Formula(kind.client_loss, data, each, sizes["d"], kind.client_gradient)

    def _read(self, name: str, given: Any, n: int, sizes: dict[str, int]) -> Any:
        """A number, or an array whose axes fit those that are known."""
        option, where = self.options[name], self.name
        value = option.default if given is None else given
        plain = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if plain or not (option.each or option.shape):
            return number(where, name, value, above=option.above, at_least=option.at_least)
        axes: list[int | str] = [n] if option.each else []
        letters = option.shape.split()
        made = array(where, name, value, (*axes, *(sizes.get(each, each) for each in letters)))
        sizes |= dict(zip(letters, made.shape[len(axes) :], strict=True))
        for entry in (made.min(), made.max()):
            number(where, name, float(entry), above=option.above, at_least=option.at_least)
        return made

    def _filled(self, name: str, part: Any, n: int, sizes: dict[str, int]) -> Any:
        option = self.options[name]
        if isinstance(part, np.ndarray) or not (option.each or option.shape):
            return part
        shape = [sizes.setdefault(each, 1) for each in option.shape.split()]
        return np.full(([n] if option.each else []) + shape, part)

    def _tried(self) -> None:
        """One line for a function that is no loss, before a run begins."""
        formula, part = self._formula, self.function
        try:
            value = formula.value
            part = "client_gradient" if formula.slopes else part
            gradient = formula.gradient
        except FormulaError as error:
            raise ValueError(f"{self.name}: {part}, {error}") from error
        if formula.slopes is None:
            return
        try:
            derived = Formula(formula.loss, formula.data, formula.each, self.dim).gradient
        except FormulaError:
            return
        x = np.random.default_rng(0).standard_normal((_TRIED, *self._shape))
        given, right, _ = formula.at(x, gradient, derived, value)
        off = np.abs(given - right) > _OFF * (1 + np.abs(given) + np.abs(right))
        if off.any():
            r, i, j = (int(k[0]) for k in np.nonzero(off))
            raise ValueError(
                f"{self.name}: client_gradient gives {given[r, i, j]:g} for x_{j + 1} of client "
                f"{i} at {x[r, i].tolist()}, and the slope of client_loss is {right[r, i, j]:g}"
            )

    @property
    def formula(self) -> Any:
        return None if self.drifts else self._formula

    def of_round(self, t: int) -> Self:
        if not self.drifts:
            return self
        there = copy.copy(self)
        there._formula = replace(
            self._formula, data={**self._formula.data, "t": float(t)}, _ready={}
        )
        return there

    def least_mean(self, rounds: int) -> Known | None:
        mean = self._over_rounds(rounds)
        try:
            where = _formula_bounds.everywhere(self.dim)
            mu = _formula_bounds.curvature(mean, where, "the mean over rounds", self.dim).get("mu")
        except FormulaError:
            mu = None
        return least(mean, mu)[0]

    def _over_rounds(self, rounds: int) -> Formula:
        """Of n T clients, which have the losses of rounds 0 .. T - 1: their mean is that of f_t."""
        whole = self._formula
        data = {key: np.tile(value, (rounds, *[1] * (np.ndim(value) - 1))) if key in whole.each
                else value for key, value in whole.data.items()}  # fmt: skip
        if not self.drifts:
            return whole
        data["t"] = np.repeat(np.arange(float(rounds)), self.clients)
        if not whole.each:
            data["t"] = data["t"][:: self.clients]
        return replace(whole, data=data, each=(*whole.each, "t"), _ready={})

    @functools.cached_property
    def _whenever(self) -> Formula:
        """With every round t >= 0 in its data, of which intervals are made alone."""
        if not self.drifts:
            return self._formula
        return self._at(Box(np.zeros(()), np.full((), np.inf)))

    def _at(self, t: Any) -> Formula:
        return replace(self._formula, data={**self._formula.data, "t": t}, _ready={})

    def loss(self, x: Array) -> Array:
        self._tables_for("loss", x, self._shape)
        made: Array = self._formula.at(x, self._formula.value)[0]
        return made

    def gradient(self, x: Array) -> Array:
        self._tables_for("gradient", x, self._shape)
        try:
            made: Array = self._formula.gradients(x)
        except ValueError as error:
            raise ValueError(f"{self.name}.gradient: {error}") from None
        return made

    @functools.cached_property
    def convexity(self) -> float | None:
        return _formula_bounds.convexity(self._whenever)

    def constants(self) -> dict[str, Known]:
        return dict(self._known)

    @functools.cached_property
    def _known(self) -> dict[str, Known]:
        made, star = dict(self._curved), self.bottom[0]
        if "L" in made:
            made["L_sample"] = made["L"]
        made |= {} if star is None else {"f_star": star}
        return made | {"sigma_l": Known(0.0, How.EXACT, "no noise")}

    @functools.cached_property
    def _curved(self) -> dict[str, Known]:
        return _formula_bounds.constants(self._whenever, self.shared)

    @functools.cached_property
    def bottom(self) -> tuple[Known | None, Minimum | None]:
        if self.drifts:
            return None, None
        star, best = least(self._formula, self._curved.get("mu"))
        inside = getattr(self, "inside", None)  # over a set f* is that of R^d where x* is in it
        if inside is not None and (best is None or not np.all(inside(best.point[None]))):
            return None, None
        return star, best

    @property
    def personal_constants(self) -> dict[str, Known]:
        """L_u, L_v, L_uv, L_vu, partial_sigma_g and partial_delta, of u and v as ``shared`` cuts.

        Raises AttributeError where one of them is not known: then the problem has none.
        """
        known, names = self._known, ("L_u", "L_v", "L_uv", "L_vu")
        gaps = _formula_bounds.diversity_of_part(self._whenever, self.shared, self.clients)
        if not gaps or not all(name in known for name in names):
            raise AttributeError(f"{self.name}: not all constants of its parts are known")
        made = {name: known[name] for name in names} | gaps
        return made | ({"F_star": known["f_star"]} if self.shared == self.dim else {})

    def lacks(self) -> dict[str, str]:
        """What does not follow from the function, and why, in one line each; {} where all does."""
        found, known = {}, self.constants()
        try:
            _ = self._whenever.hessian
        except FormulaError as error:
            found["Hessian, L and mu"] = str(error)
        else:
            ends = {"L": "the curvature", "mu": "the curvature", "B": "a slope"}
            for name, part in {**ends, "sigma_g": "a difference of two clients' slopes"}.items():
                if name not in known:
                    found[name] = f"interval arithmetic over R^d has no finite end of {part}"
                    grows = _formula_bounds.on_a_ray(self._whenever) if name == "L" else ""
                    found[name] += f": {grows}" if grows else ""
        if self.dim > MOST_DIM:
            found["LaTeX and symbols"] = f"it has {self.dim} coordinates; need at most {MOST_DIM}"
        return found

    def curvature(self, low: Any, high: Any) -> dict[str, Known]:
        """L, mu and the constants of the blocks, of x in a box: numbers, or (d,).

        Raises FormulaError, a ValueError of one line, where no Hessian is to be had.
        """
        ends = [np.broadcast_to(np.asarray(end, float), (self.dim,)) for end in (low, high)]
        where = f"interval arithmetic over x in [{ends[0].tolist()}, {ends[1].tolist()}]"
        return _formula_bounds.curvature(self._whenever, Box(*ends), where, self.shared)


def why_not(problem: Any, name: str) -> str:
    """ " (...)": the line of ``lacks`` that speaks of a constant; "" where there is none."""
    found = problem.lacks().items() if isinstance(problem, FormulaProblem) else ()
    return next((f" ({why})" for what, why in found if name in re.findall(r"\w+", what)), "")
