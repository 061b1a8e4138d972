"""What runs cost in gradients, known before the first of them is computed."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.kept import Key, Value, make_room
from theorylab.problems import Problem

_NO_GRADIENTS = "gossip_steps"  # rounds of communication


class TooDearError(ValueError):
    """Runs cost more gradients than are allowed; none of them was played."""


@dataclass(frozen=True)
class Price:
    """The gradients of clients' losses that runs compute: the four numbers multiplied.

    Args:
        each: gradients of one client in one round: its local steps, twice with SAM. Of clients that
            do unequal work the most counts for all; of a round of which no option says it, 1.

    >>> Price(runs=16, rounds=100, clients=4, each=5).gradients
    32000
    """

    runs: int
    rounds: int
    clients: int
    each: int

    @classmethod
    def of(cls, problem: Problem, algorithm: Algorithm, runs: int, rounds: int) -> Price:
        """That of ``runs`` runs of ``rounds`` rounds."""
        options = algorithm.options()
        named = [v for k, v in options.items() if "steps" in k and k != _NO_GRADIENTS]
        steps = sum(int(np.max(value)) for value in named if value is not None)
        rho = options.get("rho")
        sam = isinstance(rho, int | float) and rho > 0
        return cls(runs, rounds, problem.clients, max(1, steps) * (1 + sam))

    @property
    def gradients(self) -> int:
        return self.runs * self.rounds * self.clients * self.each

    def __str__(self) -> str:
        return (
            f"{_count(self.runs, 'run')} x {_count(self.rounds, 'round')} x "
            f"{_count(self.clients, 'client')} x {_count(self.each, 'gradient')} cost "
            f"{self.gradients} gradients"
        )


@dataclass
class Purse:
    """Gradients that runs may compute: within ``with purse:`` all that are played count, and those
    that would cost more than it has are refused by TooDearError."""

    allowed: float
    spent: int = 0

    def __enter__(self) -> None:
        self._token = _PURSE.set(self)

    def __exit__(self, *_: object) -> None:
        _PURSE.reset(self._token)


_PURSE: ContextVar[Purse | None] = ContextVar("gradients that may be computed", default=None)
_NOTED: ContextVar[list[Price] | None] = ContextVar("prices of what is kept", default=None)


def charge(price: Price) -> None:
    """Count runs that are about to be played; TooDearError where they are not allowed."""
    noted, purse = _NOTED.get(), _PURSE.get()
    if noted is not None:
        if noted and price == replace(noted[-1], rounds=price.rounds):  # rounds one by one
            noted[-1] = replace(price, rounds=noted[-1].rounds + price.rounds)
        else:
            noted.append(price)
    if purse is None:
        return
    total = purse.spent + price.gradients
    if total > purse.allowed:
        before = f" after {purse.spent} before them" if purse.spent else ""
        raise TooDearError(
            f"{price}{before}, and the budget is {purse.allowed:.15g}; need a budget of {total}"
        )
    purse.spent = total


def kept_at_its_price(
    store: dict[Key, tuple[Value, tuple[Price, ...]]],
    key: Key,
    make: Callable[[], Value],
    most: int,
) -> Value:
    """As ``kept``; what is found there counts as if it were made, so that no budget depends on what
    was judged before."""
    if key in store:
        value, prices = store[key]
        for price in prices:
            charge(price)
        return value
    prices_made: list[Price] = []
    token = _NOTED.set(prices_made)
    try:
        made = make()
    finally:
        _NOTED.reset(token)
    outer = _NOTED.get()
    if outer is not None:  # what is kept inside what is kept
        outer.extend(prices_made)
    make_room(store, most)
    store[key] = made, tuple(prices_made)
    return made


def _count(number: Any, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
