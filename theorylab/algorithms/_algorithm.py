"""What every algorithm is, how one is built by its name, and how a round of it is played."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass, replace
from typing import Any, ClassVar

from theorylab.algorithms._base import Array, Context, State, start
from theorylab.algorithms._travel import Exchange
from theorylab.problems import Problem
from theorylab.registry import Named, Table, near, options_of, table


class Algorithm(Named, ABC, kind="algorithm"):
    """A method: ``init`` makes the first state, ``step`` one communication round.

    A subclass that names itself, ``class DIGing(Algorithm, name="diging")``, is found by that name.
    ``step`` is all that it must give. Its options are the fields of a frozen dataclass, or the
    arguments of its ``__init__``, each of which it keeps under that name.

    Attributes:
        reads_mixing: its step looks at the entries of P(t), so that a GPU must not draw them.
        draws: it draws by other means than ``net.coins``. shared_draws: what it draws so is meant
            to be the same in every run.
        keeps_mass: False where the sum of x over the clients is meant to change without gradients.
        server: a client is meant to hear of others that the network does not lead from.
        first_memory: what the first state carries besides, by name, each a multiple of x0: 0 for
            zeros, 1 for x0.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Descent(Algorithm):  # with a name, name="my-descent", commands find it
    ...     eta: float
    ...
    ...     def step(self, state, net):
    ...         return net.next(state, x=net.mix(state.x - self.eta * net.gradient(state.x)))
    >>> from theorylab.problems import problem
    >>> from theorylab.runs import simulate
    >>> from theorylab.topologies import topology
    >>> simulate(problem("quadratic", 4, dim=3), topology("ring", 4), Descent(0.1), rounds=2).rounds
    2
    """

    reads_mixing: ClassVar[bool] = False
    draws: ClassVar[bool] = False
    shared_draws: ClassVar[bool] = False
    keeps_mass: ClassVar[bool] = True
    server: ClassVar[bool] = False
    first_memory: ClassVar[Mapping[str, float]] = {}

    def init(self, x0: Array, problem: Problem | None = None) -> State:
        """The first state from x0 (R, n, d): all weights are 1, memory is ``first_memory``.

        Raises ValueError on nan, TypeError where ``first_memory`` is no mapping to numbers.
        """
        first, kept = start(x0), self.first_memory
        if not kept:
            return first
        if not isinstance(kept, Mapping) or not all(
            isinstance(share, int | float) for share in kept.values()
        ):
            raise TypeError(
                f"{self.name}: first_memory is {kept!r}; need a number by each name, as in "
                '{"y": 0, "old": 1}'
            )
        return replace(first, memory={name: share * first.x for name, share in kept.items()})

    @abstractmethod
    def step(self, state: State, context: Context) -> State:
        """One communication round of all runs. It changes nothing that it is given."""

    def fixed_order(self) -> bool:
        """Whether a round is ``local_steps``, products with P(t) and operations on single numbers,
        so that no library chooses the order of a sum: see ``runs.host_bits``."""
        return False

    def options(self) -> dict[str, Any]:
        """Every option by name, defaults included; fit for JSON."""
        if is_dataclass(self):
            return asdict(self)
        missing = object()
        values = {name: getattr(self, name, missing) for name in options_of(type(self))}
        for name, value in values.items():
            if value is missing:
                raise ValueError(f"{self.name}: the option {name} is not kept; need self.{name}")
        return values


ALGORITHMS: Table[type[Algorithm]] = table("algorithm")


def algorithm(name: str, **options: Any) -> Algorithm:
    """The algorithm called ``name``.

    Args:
        name: a registered name, such as "dfedsgpsm"; ``theorylab list algorithms`` has all.
        options: of that algorithm, such as ``eta``.

    Returns:
        The method, for ``simulate``.

    Raises:
        ValueError: on an unknown name or option, or a step size that is missing.

    >>> algorithm("dfedsgpsm", eta=0.1, alpha=0.5).options()["alpha"]
    0.5
    """
    made = ALGORITHMS.find(name)
    known = options_of(made)
    for option in sorted(set(options) - set(known)):
        raise ValueError(f"{name}: unknown option {option!r}; need {near(option, known)}")
    required = [each for each, given in known.items() if given.default is inspect.Parameter.empty]
    missing = [each for each in required if each not in options]
    if missing:
        what = "step size " if missing[0].startswith("eta") else ""
        need = "eta > 0" if required == ["eta"] else ", ".join(required)
        raise ValueError(f"{name}: no {what}{missing[0]} is given; need {need}")
    return made(**options)


def play(algorithm: Algorithm, state: State, context: Context) -> State:
    """The state after one round: ``algorithm.step`` in a context that knows what is on the way.

    Pure: nothing of ``state`` and ``context`` changes but the audits. What is in flight afterwards
    is noted by the exchange, so a step need not hand it on.

    Raises TypeError or ValueError, one line, where ``step`` gives no state of the next round.
    """
    exchange = Exchange(state.t, state.flight, state.x)
    after = algorithm.step(state, context.during(exchange))
    if exchange.tossed:
        context.tosses.append(state.t)
    if not isinstance(after, State):
        raise TypeError(
            f"{algorithm.name}: step gave {type(after).__name__}; need a State, as of "
            "net.next(state, x=...)"
        )
    if after.t != state.t + 1:
        raise ValueError(
            f"{algorithm.name}: step gave a state of round {after.t} after round {state.t}; need "
            f"t = {state.t + 1}, as of net.next(state, x=...)"
        )
    flight = exchange.flight()
    return after if flight is None and after.flight is None else replace(after, flight=flight)
