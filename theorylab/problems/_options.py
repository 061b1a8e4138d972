"""Check the options a problem is built from; every failure is one line that names the option."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from theorylab.kernels import MOST_BATCH, MOST_CLIENTS, MOST_DIM

Array = npt.NDArray[Any]
Start = tuple[str, Mapping[str, Any]]  # a label, and options without the name
_MOST = {"batch": MOST_BATCH, "clients": MOST_CLIENTS, "dim": MOST_DIM}


@dataclass(frozen=True)
class Moves:
    """Which options of a loss a search may change, and how.

    Args:
        each: options with one entry a client where they are lists: they follow the clients.
        curvature: f is proportional to all of them together.
        length: they are in the units of x.
        ranges: from where to where a number moves; others move over decades.
        anywhere: options of a loss for any number of clients; None: a search puts it nowhere.
        starts: labels and options for n clients, that a search tries; of a loss with personal
            parts, or of one without.
        letters: of the formula, which an option is, or which are drawn by it, where it has
            another name.
    """

    each: tuple[str, ...] = ("H", "c", "A", "B", "C", "a", "b", "centers", "phases")
    curvature: tuple[str, ...] = ()
    length: tuple[str, ...] = ()
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    anywhere: Mapping[str, Any] | None = None
    starts: Callable[[int, bool], Iterable[Start]] = lambda clients, personal: ()
    letters: Mapping[str, str] = field(default_factory=dict)


class Tables(dict[np.dtype[Any], tuple[Array, ...]]):
    """The arrays of a problem by dtype. Float32 is made at its first use: most runs need none."""

    def __missing__(self, dtype: np.dtype[Any]) -> tuple[Array, ...]:
        if dtype != np.float32:
            raise KeyError(dtype)
        self[dtype] = made = tuple(a.astype(np.float32) for a in self[np.dtype(np.float64)])
        return made


def number(
    where: str,
    name: str,
    value: Any,
    *,
    at_least: float | None = None,
    above: float | None = None,
) -> float:
    """``value`` as a finite float, at least ``at_least`` and more than ``above``.

    Raises TypeError for a kind that is no real number (a bool included), ValueError otherwise.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{where}: {name} is {type(value).__name__}; need a number")
    made = float(value)
    need = "a finite number"
    need += f" >= {at_least:g}" if at_least is not None else ""
    need += f" > {above:g}" if above is not None else ""
    low = (at_least is None or made >= at_least) and (above is None or made > above)
    if not math.isfinite(made) or not low:
        raise ValueError(f"{where}: {name} is {made!r}; need {need}")
    return made


def switch(where: str, name: str, value: Any) -> bool:
    """``value`` if it is True or False; else TypeError."""
    if not isinstance(value, bool):
        raise TypeError(f"{where}: {name} is {value!r}; need True or False")
    return value


def count(where: str, name: str, value: Any, at_least: int = 1) -> int:
    """``value`` as an int of at least ``at_least``; TypeError for a bool or a float.

    A batch, a number of clients and a dimension have the kernels' limits.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{where}: {name} is {type(value).__name__}; need an integer")
    made = int(value)
    if made < at_least:
        raise ValueError(f"{where}: {name} is {made}; need an integer >= {at_least}")
    most = _MOST.get(name, made)
    if made > most:
        raise ValueError(f"{where}: {name} is {made}; need an integer <= {most}")
    return made


def array(where: str, name: str, value: Any, shape: tuple[int | str, ...]) -> Array:
    """A float64 copy of ``value``, finite, of ``shape`` (a letter stands for any length >= 1)."""
    need = "(" + ",".join(map(str, shape)) + ")"
    try:
        made = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{where}: {name} is no array of numbers; need shape {need}") from None
    lengths: dict[int | str, int] = {}  # a letter must have one length, 1 or more
    fits = made.ndim == len(shape) and all(
        have == (want if isinstance(want, int) else lengths.setdefault(want, max(have, 1)))
        for have, want in zip(made.shape, shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{where}: {name} has shape {made.shape}; need {need}")
    if not np.isfinite(made).all():
        raise ValueError(f"{where}: {name} holds nan or inf; need finite numbers")
    return made
