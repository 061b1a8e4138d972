"""What options must satisfy, and the line for one that does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from theorylab.kernels import MOST_STEPS

Rule = tuple[str, Any, Callable[[Any], bool], str]  # option, value, what it satisfies, in words


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
    return [(name, getattr(method, name), *_RULES[name]) for name in names]


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
