"""What code that knows no loss asks of each: a class answers by a proof of its own, or its formula.

An answer stands for ``loss`` and ``gradient`` as they are written: a user's subclass that overrides
these has the answers of this file.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from theorylab.formulas import Formula, gap_of, is_endless
from theorylab.known import How, Known
from theorylab.problems._domain import Domain
from theorylab.problems._minimum import Minimum, least
from theorylab.problems._options import Array
from theorylab.problems._placed_forms import FormulaForm

NO_NOISE = Known(0.0, How.EXACT, "no noise")
OF_LOSSES = (
    *(
        "grows",
        "is_field",
        "formula",
        "square_form",
        "convexity",
        "has_fixed_gap",
        "hessian_product",
    ),
    *("block_constants", "torch_form", "parts_differ_endlessly", "bottom"),
)
OF_NOISE = ("noise_law", "noise_variances", "part_sigma")


@dataclass(frozen=True)
class Study:
    """How a study of speed-up runs a problem where nobody says otherwise.

    Args:
        options: of the problem. full: those of the paper that it is from, on all data.
        way: what a round moves, as a step size times its local steps. rounds: of every run.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    full: Mapping[str, Any] = field(default_factory=dict)
    way: float = 0.05
    rounds: int = 512


def answers_of_base(cls: type, names: Collection[str], base: str = "base") -> None:
    """Let the problem that an instance of ``cls`` has as its ``base`` answer these, and x*."""
    cls.answers_of = base  # type: ignore[attr-defined]
    for name in names:
        setattr(cls, name, property(operator.attrgetter(f"{base}.{name}")))


class Asked:
    """The questions, and what is answered where nothing is known.

    Attributes:
        grows: outside of some ball every <grad f_i(x), x - c> is above 0 for a c, or it is so for
            an f_i whose gradient is affine.
        is_field: ``gradient`` is the field of a saddle problem and no gradient; what is said of
            f - f*, of L or of mu is said of no field, whose constants are L_field and mu_field.
        drifts: the losses are others in every round, ``of_round(t)``; nothing is known of one f.
        study: of speed-up. personal_name: the problem in its place where a method needs personal
            parts. personal_tail: how many last coordinates are then personal, of one that is cut.
        answers_of: the attribute with the problem that has the same losses; None of most.
        all_of_function: loss, gradient and all answers are made of ``client_loss``.
        domain: the set and the term beside the losses, of ``composite``; None: R^d, and no term.
    """

    study: ClassVar[Study] = Study()
    personal_name: ClassVar[str | None] = None
    personal_tail: int = 0
    answers_of: ClassVar[str | None] = None
    all_of_function: ClassVar[bool] = False
    grows: ClassVar[bool] = False
    is_field: ClassVar[bool] = False
    drifts: ClassVar[bool] = False
    domain: Domain | None = None
    name: ClassVar[str]
    clients: int
    dim: int
    shared: int
    stochastic: bool
    constants: Callable[[], dict[str, Known]]

    @property
    def formula(self) -> Formula | None:
        """The losses as one function, of which script, Hessian and sentence follow; None: none."""
        return None

    @property
    def signs(self) -> Array:
        """(d,): the loss has the slopes signs * gradient; -1 where a player of a saddle ascends."""
        of_y = self.formula.maximised if self.formula is not None else 0
        return np.where(np.arange(self.dim) < self.dim - of_y, 1.0, -1.0)

    @property
    def smooth_and_convex(self) -> tuple[str, str]:
        """The names of the constants that bound how much gradients rise, and how little."""
        return ("L_field", "mu_field") if self.is_field else ("L", "mu")

    @property
    def square_form(self) -> tuple[Array, Array] | None:
        """H (n, d, d) and c (n, d) where f_i(x) = (x - c_i)^T H_i (x - c_i) / 2; None of others."""
        return None

    @property
    def convexity(self) -> float | None:
        """mu >= 0 where every f_i is known to be mu-strongly convex; else None."""
        return None

    @functools.cached_property
    def bottom(self) -> tuple[Known | None, Minimum | None]:
        """f*, and x* in a ball, where a convex formula encloses them; else None."""
        mu = self.constants().get("mu") if self.formula is not None else None
        if self.formula is None or mu is None or not mu.at_most or mu.value < 0:
            return None, None
        return least(self.formula, mu)

    def least_mean(self, rounds: int) -> Known | None:
        """min_x (1/T) sum_{t<T} f_t(x) over R^d, as f* is known, for T ``rounds``; else None."""
        return None

    @functools.cached_property
    def optimum(self) -> Array:
        """x* (d,), or the middle of a ball that has it; AttributeError where none is known."""
        best = self.bottom[1]
        if best is None:
            raise AttributeError(f"{self.name}: no minimiser is known")
        return best.point

    @property
    def has_fixed_gap(self) -> bool:
        """Whether grad_u f_i - mean_j grad_u f_j is known to be the same at all u and v_j."""
        formula = self.formula
        return formula is not None and gap_of(formula, self.shared, self.clients).fixed

    @property
    def parts_differ_endlessly(self) -> bool:
        """Whether grad_v f_i - grad_u f_i, of as many coordinates each, is proved to have no
        bound."""
        if self.formula is None:
            return False
        of_u, of_v = self.formula.parts(self.shared)
        return is_endless(self.formula, of_v - of_u)

    def hessian_product(self, x: Array, direction: Array) -> Array:
        """The Hessian of f_i at x[r, i] times direction[r, i], both (R, n, d): shape (R, n, d).

        Raises TypeError where no formula is known.
        """
        if self.formula is None:
            raise TypeError(
                f"hessian_product: problem is a {type(self).__name__}; need a problem whose loss "
                "is one function, or with a hessian_product of its own"
            )
        return np.asarray(self.formula.hessian_product(x, direction))

    @property
    def torch_form(self) -> Callable[[Any], Any] | None:
        """``form(put)``, the losses in torch operations, as ``RegressionForm``; None: none."""
        return None if self.formula is None else functools.partial(FormulaForm, self)

    def copied(self, place: Array, noise: bool) -> Any:
        """The problem of len(place) clients, of which i has the loss of client place[i] here;
        without ``noise`` every gradient is exact. None where the class makes none."""
        return None

    def block_constants(self, shared: Array) -> dict[str, Known]:
        """L_u, L_v, L_uv, L_vu, partial_sigma_g and what else is known of f_i(u, v_i), such as
        F_star, for u the coordinates in ``shared``, bool (d,).

        Of a square form only what does not follow from it. Here those of ``personal_constants``,
        of the problem's own cut. Raises TypeError where there are none, ValueError on another cut.
        """
        own = getattr(self, "personal_constants", None)
        if own is None and self.square_form is not None:
            return {}
        if own is None:
            raise TypeError(
                f"loss_constants: shared came with {self.name}, and no constants of its blocks are "
                "known; need a problem with block_constants or personal_constants"
            )
        if not self.is_own_cut(shared):
            raise ValueError(
                f"loss_constants: shared is {np.flatnonzero(shared).tolist()}; need the first "
                f"{self.shared} coordinates, where {self.name} itself is cut"
            )
        return dict(own)

    def is_own_cut(self, shared: Array) -> bool:
        """Whether ``shared`` holds the first d_u coordinates."""
        return bool(np.array_equal(shared, np.arange(self.dim) < self.shared))

    def noise_variances(self) -> Array | None:
        """E xi_j^2 of every coordinate, (d,), where a sample is xi (R, n, d) and the stochastic
        gradient is the gradient + xi, E xi = 0, all coordinates, clients and steps uncorrelated.

        None where that is not so, or not known.
        """
        return None

    @property
    def noise_law(self) -> str | None:
        """The law of additive noise, as ``NoiseField`` calls it; None of another, or not known."""
        return None

    def part_sigma(self, part: Array) -> Known:
        """sup sqrt E|xi_S|^2 of the noise on the coordinates S in ``part``, bool (d,)."""
        if not self.stochastic:
            return NO_NOISE
        variances: Any = self.noise_variances()
        if variances is None:
            return Known(math.inf, How.UPPER, "nothing is known of the noise")
        size = math.sqrt(float(variances[part].sum()))
        return Known(size, How.EXACT, "the variances of these coordinates, at every point")
