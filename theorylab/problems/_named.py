"""A problem by its name: on which device, over which set, with which term."""

from __future__ import annotations

from typing import Any

from theorylab.problems._base import PROBLEMS, Problem
from theorylab.problems._options import count
from theorylab.registry import options_of


def problem(name: str, clients: int, **options: Any) -> Problem:
    """The problem registered as ``name``, for ``clients`` clients.

    Args:
        name: a registered name, such as "quadratic"; ``theorylab list problems`` has all.
        clients: n >= 1.
        options: of that problem. Every problem takes ``device``: "cpu"; or "cuda" or "cuda:k",
            where points are torch tensors. A run there has the host's float64 bits where
            ``runs.host_bits`` says so, and else torch's order of addition. Every problem takes
            ``set`` and ``prox``, with which it is the base of a ``composite``.

    Returns:
        The n losses.

    Raises:
        ValueError: on an unknown name or option (the message lists the known ones), or a bad value.
        TypeError: on a value of the wrong kind.

    >>> losses = problem("quadratic", 4, dim=3, mu=0.1, L=2.0)
    >>> losses.loss(np.zeros((1, 4, 3))).shape, losses.constants()["L"].value
    ((1, 4), 2.0)
    """
    made = PROBLEMS.find(name)
    known = options_of(made)
    device = "cpu" if "device" in known else options.pop("device", "cpu")
    beside = {key: options.pop(key) for key in ("set", "prox") if {key} & {*options} - {*known}}
    for option in options:
        if option not in known:
            raise ValueError(f"problem: {name} has no option {option!r}; has {', '.join(known)}")
    built = made(count(name, "clients", clients), **options)
    if not hasattr(built, "blocks"):
        raise TypeError(f"{name}: __init__ does not call super().__init__(clients, dim); need it")
    if any(each is not None for each in beside.values()):
        composite: Any = PROBLEMS["composite"]
        built = composite(built.clients, base=built, **beside)
    if device == "cpu":
        return built
    from theorylab.problems._placed import placed  # slow, and most runs are on the host

    return placed(built, device)


def names() -> list[str]:
    """The registered names."""
    return list(PROBLEMS)
