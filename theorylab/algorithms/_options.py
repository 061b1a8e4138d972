"""What options must satisfy, and the line for one that does not."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from theorylab.arithmetic import evaluated
from theorylab.kernels import MOST_STEPS

Rule = tuple[str, Any, Callable[[Any], bool], str]  # option, value, what it satisfies, in words
StepSize = float | str | Callable[[int], float]


def checked(name: str, among: Sequence[Rule]) -> None:
    """Raise one line for the first option that breaks its rule."""
    for option, value, rule, need in among:
        try:
            fits = bool(np.all(np.isfinite(value))) and rule(value)
        except TypeError:
            raise TypeError(f"{name}: {option} is {value!r}; need {need}") from None
        if not fits:
            raise ValueError(f"{name}: {option} is {value!r}; need {need}")


def rules(method: Any, *names: str) -> list[Rule]:
    """What these options of ``method`` must satisfy; the options that several methods have."""
    return [(name, _first(method, name), *_RULES[name]) for name in names]


def step_size(method: Any, t: int, eta: StepSize | None = None) -> float:
    """eta decay^t of round t; ``eta`` may be one of the method's own, else ``method.eta``.

    A step size is a number, a function of t, or a text in t such as "1/(10 + t)". Raises
    ValueError, one line, where it is no finite number > 0 in that round.
    """
    given = method.eta if eta is None else eta
    value: Any = _at(method.name, given, t) * getattr(method, "decay", 1.0) ** t
    if isinstance(value, np.ndarray):  # one a run, as of ``runs.joined``
        return cast(float, value)
    return float(value)


def is_schedule(value: Any) -> bool:
    """Whether an option is a function of t, or a text of one, and no number."""
    return callable(value) or isinstance(value, str)


def _at(where: str, eta: Any, t: int) -> Any:
    if not is_schedule(eta):
        return eta
    try:
        found = _evaluated(eta, t) if isinstance(eta, str) else eta(t)
        fits = 0 < found < math.inf
    except (ValueError, TypeError) as error:
        if not isinstance(eta, str):
            raise  # a user's function: its own line says more
        raise ValueError(f"{where}: eta: {error}") from None
    if not fits:
        raise ValueError(f"{where}: eta is {found!r} in round {t}; need a step size > 0")
    return found


@functools.lru_cache(maxsize=4096)
def _evaluated(text: str, t: int) -> float:
    return evaluated(text, {"t": t})


def _first(method: Any, name: str) -> Any:
    value = getattr(method, name)
    return _at(method.name, value, 0) if name == "eta" else value


def is_steps(value: Any) -> bool:
    """A number of local steps >= 1, or a sequence of them, one a client."""
    if isinstance(value, Sequence):
        return len(value) > 0 and all(is_steps(each) for each in value)
    return bool(1 <= value <= MOST_STEPS and value == int(value))


def chosen(name: str, option: str, value: Any, among: Sequence[str]) -> None:
    """Raise one line unless ``value`` is one of the readings ``among``."""
    if value not in among:
        raise ValueError(f"{name}: {option} is {value!r}; need one of {', '.join(among)}")


_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    **dict.fromkeys(("eta", "eta_u", "eta_v", "server_eta"), (lambda v: v > 0, "a step size > 0")),
    "local_steps": (is_steps, "1 <= K < 2**32"),
    **dict.fromkeys(("steps_u", "steps_v"), (is_steps, "1 <= K < 2**32, or one a client")),
    "alpha": (lambda v: 0 <= v < 1, "0 <= alpha < 1"),
    "momentum": (lambda v: 0 <= v < 1, "0 <= momentum < 1"),
    "rho": (lambda v: v >= 0, "rho >= 0"),
    "weight_decay": (lambda v: v >= 0, "weight_decay >= 0"),
    "decay": (lambda v: 0 < v <= 1, "0 < decay <= 1"),
    "fraction": (lambda v: 0 < v <= 1, "0 < fraction <= 1"),
}
