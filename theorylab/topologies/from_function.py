"""A topology from a function of the round, or from a law that draws each round anew."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from theorylab.topologies._base import TOPOLOGIES, Topology
from theorylab.topologies._given import canonical, check_sums, fitting
from theorylab.topologies._numbers import clients_of, count


def from_function(
    f: Callable[..., Any],
    *,
    clients: int | None = None,
    period: int | None = None,
    name: str | None = None,
    sums: str = "columns",
) -> Topology:
    """The topology P(t) = f(t, ...), where ``f`` names what it needs among its arguments.

    ``t``: the round. ``draws``: a NumPy Generator, of a network that is drawn anew in every round;
    it is a function of (seed, run, t), so that a round does not depend on the rounds before it.
    ``clients``: n, of a network that exists for any number of clients.

    Args:
        f: gives an (n, n) array, a scipy sparse array, a tensor or a networkx graph (with the
            weights of ``from_networkx``); ``P[i, j]`` is the weight of what i receives from j.
        clients: n. None: that of f at round 0; a function of ``clients`` needs it for the topology
            that is returned, and takes any other number by its name.
        period: p where P(t + p) = P(t), 1 for a static network; None: no two rounds need agree.
        name: under which commands and instances find it; None: none does.
        sums: "columns": every column sums to 1, mass is kept. "rows": every row, clients average.

    Returns:
        The sequence of the matrices that f gives.

    Raises:
        TypeError: on what is no function, or gives no matrix.
        ValueError: on a shape, an entry or a sum
            that is wrong, with the round and the column, when the round is first asked for; a name
            that is taken.

    >>> jump = from_function(lambda t: [[0, 1], [1, 0]] if t % 2 else np.eye(2), period=2)
    >>> jump.matrix(1).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    check_sums("from_function", sums)
    takes = _arguments(f)
    random, any_number = "draws" in takes, "clients" in takes
    if random and period is not None:
        raise ValueError(
            f"from_function: period is {period!r}, but f takes draws; need period=None"
        )
    every = None if period is None else count(period, "from_function: period", least=1)
    known: list[int] = [] if clients is None else [clients_of(clients, "from_function")]

    def matrix(where: str, t: int, run: int, seed: int, n: int | None) -> csr_array:
        given: dict[str, Any] = {"clients": n} if any_number else {}
        if random:
            given["draws"] = np.random.Generator(np.random.Philox([seed, run, t]))
        return canonical(f"{where}: t={t}", f(t, **given), n, sums)

    class FromFunction(Topology):
        column_stochastic = sums == "columns"

        def _build(self, t: int, run: int) -> csr_array:
            return matrix(place, t, run, self.seed, self.clients)

    def fixed(self: FromFunction, clients: int) -> None:
        n = clients if any_number else fitting(self.name, clients, known[0])
        Topology.__init__(self, n, period=every, options={})

    def drawn(self: FromFunction, clients: int, *, seed: int = 0) -> None:
        n = clients if any_number else fitting(self.name, clients, known[0])
        Topology.__init__(self, n, period=None, options={}, seed=seed)
        self.matrix(0)  # what does not fit together fails here

    FromFunction.__init__ = drawn if random else fixed  # type: ignore[method-assign,assignment]
    with TOPOLOGIES.adopted(FromFunction, name) as place:
        if not known:
            if any_number:
                raise ValueError(
                    f"{place}: f takes clients; need clients=, the number for what is made here"
                )
            known.append(matrix(place, 0, 0, 0, None).shape[0])
        made: Any = FromFunction
        built: Topology = made(known[0])
    return built


def _arguments(f: Any) -> set[str]:
    """What ``f`` takes beside t; TypeError or ValueError, one line, for what has another form."""
    if not callable(f):
        raise TypeError(f"from_function: f is {f!r}; need a function of t")
    names = list(inspect.signature(f).parameters)
    other = [name for name in names[1:] if name not in ("draws", "clients")]
    if not names or other:
        came = f"it takes {', '.join(names)}" if names else "it takes nothing"
        raise ValueError(f"from_function: {came}; need t, then any of draws and clients")
    return set(names[1:])
