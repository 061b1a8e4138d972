"""A user's subclass of a built-in problem is run as it is written.

A built-in class has short cuts that stand for its methods: kernels that walk all local steps, sums
over all clients at once, formulas for its constants. They are its own alone. A subclass that
overrides what a short cut stands for does not inherit it.
"""

from __future__ import annotations

from inspect import isabstract
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from theorylab.known import Known
from theorylab.own import is_own

# A short cut, and the methods that it stands for.
_STANDS_FOR = {
    "local_steps": ("gradient", "sample", "stochastic_gradient"),
    "partial_gradient": ("gradient", "stochastic_gradient"),
    "mean_loss": ("loss",),
    "mean_gradient": ("gradient",),
    "measured_heterogeneity": ("gradient", "mean_gradient"),
    "affine_gradient": ("loss", "gradient"),
    "formula": ("loss", "gradient"),
    "square_form": ("loss", "gradient"),
    "grows": ("loss", "gradient"),
    "is_field": ("loss", "gradient"),
    "convexity": ("loss", "gradient"),
    "bottom": ("loss", "gradient"),
    "least_mean": ("loss", "gradient"),
    "has_fixed_gap": ("loss", "gradient"),
    "parts_differ_endlessly": ("loss", "gradient"),
    "hessian_product": ("loss", "gradient"),
    "block_constants": ("loss", "gradient"),
    "torch_form": ("loss", "gradient"),
    "copied": ("loss", "gradient", "sample", "stochastic_gradient"),
    "noise_variances": ("sample", "stochastic_gradient"),
    "noise_law": ("sample", "stochastic_gradient"),
    "part_sigma": ("sample", "stochastic_gradient"),
    "finite_noise": ("sample", "stochastic_gradient"),
    "constants": ("loss", "gradient", "sample", "stochastic_gradient"),
}
_FUNCTION = {"client_loss", "client_gradient"}
_DRAWS = {"sample", "stochastic_gradient"}
_MEANING = {name for names in _STANDS_FOR.values() for name in names}
Kind = TypeVar("Kind")


def as_written(cls: Any, base: Any) -> None:
    """Give ``cls`` the general methods of ``base`` for each short cut that it has lost.

    The constants of a parent are no longer known: where a subclass names none, there are none.

    Raises TypeError on a function of one client in a subclass of a built-in problem that is more
    than its function: losses and gradients would stay those of its kernels.
    """
    theirs = {name for each in cls.__mro__ if _users(each) for name in vars(each)}
    kernels = not getattr(cls, "all_of_function", True) and cls.formula is not base.formula
    if kernels and theirs & _FUNCTION and not theirs >= {"loss", "gradient"}:
        raise TypeError(
            f"{cls.__name__}: {min(theirs & _FUNCTION)} came, but losses, gradients and constants "
            "of its parent are not made of it; need loss and gradient, or a FormulaProblem"
        )
    for name, stands_for in _STANDS_FOR.items():
        owner = next(each for each in cls.__mro__ if name in vars(each))
        below = cls.__mro__[: cls.__mro__.index(owner)]
        own = any(_users(each) and other in vars(each) for each in below for other in stands_for)
        if own and not _users(owner):
            setattr(cls, name, _nothing if name == "constants" else getattr(base, name))


def plain(made: object, kind: type[Kind]) -> TypeGuard[Kind]:
    """Whether ``made`` is a ``kind``, and no user's class changes what it computes.

    Where a formula of a built-in class answers for a problem, this is asked, not ``isinstance``.
    """
    classes = type(made).__mro__
    altered = any(_users(each) and _MEANING & vars(each).keys() for each in classes)
    return isinstance(made, kind) and not altered


def exact_batches(problem: Any) -> bool:
    """Whether losses and gradients of a batch of runs have the bits of each run alone.

    That is a promise of the built-in problems on NumPy points, the tables of kernels among them. Of
    a user's class nothing is known, and torch promises it to no one.
    """
    kinds = {type(problem), type(getattr(problem, "base", problem))}
    return not any(_users(kind) or kind.__module__.endswith(".from_loss") for kind in kinds)


def independent_clients(made: Any) -> bool | None:
    """Whether the samples of a problem's clients are independent of each other, given the past.

    Without noise they are. None where a user's class draws or uses them: nothing here says how.
    """
    if getattr(made, "answers_of", None) == "_base":  # one on a device draws as its base does
        made = made._base
    if not made.stochastic:
        return True
    if draws_itself(made):
        return None
    return bool(getattr(getattr(made, "field", None), "independent_clients", True))


def draws_itself(problem: object) -> bool:
    """Whether a user's class draws the samples, or uses them."""
    return any(_users(cls) and _DRAWS & vars(cls).keys() for cls in type(problem).__mro__)


def minimiser(problem: Any) -> NDArray[np.float64] | None:
    """x* of f, (d,), where the problem has it as its ``optimum``; noise moves none.

    A user's subclass of a built-in problem that overrides loss or gradient has the parent's no more
    and has to name its own on the class.
    """
    classes = type(problem).__mro__
    theirs = [each for each in classes if _users(each)]
    built_in = any(hasattr(c, "gradient") and not isabstract(c) for c in classes if not _users(c))
    altered = any({"loss", "gradient"} & vars(each).keys() for each in theirs)
    if not any("optimum" in vars(c) for c in theirs):
        if built_in and altered:
            return None
        if (answers := getattr(problem, "answers_of", None)) is not None:
            return minimiser(getattr(problem, answers))
    best = getattr(problem, "optimum", None)
    if best is None:
        return None
    return np.asarray(best, np.float64)


def minimiser_off(problem: Any) -> float | None:
    """How far every x* may be from ``minimiser``; None where that is declared or solved for."""
    best, known = minimiser(problem), getattr(problem, "bottom", (None, None))[1]
    if best is None or known is None or not np.array_equal(known.point, best):
        return None
    return float(known.off)


def _users(cls: type) -> bool:
    return cls is not object and not is_own(cls)


def _nothing(self: Any) -> dict[str, Known]:
    return {}
