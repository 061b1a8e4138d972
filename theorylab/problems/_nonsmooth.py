"""Convex losses with kinks: where a loss has one its class says which subgradient is taken."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from theorylab.known import How, Known
from theorylab.problems._options import Array, Start
from theorylab.problems._placed_forms import FormulaForm
from theorylab.problems.formula import FormulaProblem


class Nonsmooth(FormulaProblem):
    """A family of such losses. ``client_gradient`` is a subgradient everywhere.

    B bounds all subgradients, L is infinite, and mu is ``convexity``. A search does not come to
    these losses by itself, for a claim may suppose a gradient without saying so; it moves those of
    a check.

    Attributes:
        subgradient: which one ``client_gradient`` gives at a kink, in words.
        jumps: whether some subgradient jumps, so that there is no L.
    """

    subgradient: ClassVar[str]
    jumps: Any = True

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.moves = replace(cls.moves, anywhere=None)

    @classmethod
    def starts(cls, clients: int, personal: bool) -> Iterable[Start]:
        return ()

    def gradient(self, x: Array) -> Array:
        self._tables_for("gradient", x, self._shape)
        return np.asarray(self._formula.at(x, self._formula.gradient)[0], x.dtype)

    @property
    def convexity(self) -> float:
        return 0.0

    @functools.cached_property
    def _known(self) -> dict[str, Known]:
        source = f"unbounded: a subgradient jumps; the one taken: {self.subgradient}"
        L = Known(math.inf if self.jumps else 0.0, How.EXACT, source if self.jumps else "affine")
        mu = Known(self.convexity, How.LOWER, "a convex loss, and its regulariser")
        star = self.bottom[0]
        made = {**self._curved, "L": L, "L_sample": L, "mu": mu}
        made |= {} if star is None else {"f_star": star}
        return made | {"sigma_l": Known(0.0, How.EXACT, "no noise")}

    @property
    def torch_form(self) -> Any:
        return functools.partial(_Form, self)


class _Form(FormulaForm):
    def gradient(self, x: Any, rows: Any = None) -> Any:
        return self._problem.formula.at(x, self._problem.formula.gradient)[0]
