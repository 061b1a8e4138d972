"""What a topology is: an infinite sequence of mixing matrices t -> P(t), and its registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from theorylab.kernels import DrawnNetwork
from theorylab.registry import Named, Table, near, options_of, table
from theorylab.topologies._given import canonical
from theorylab.topologies._numbers import clients_of, count

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array


class Topology(Named, ABC, kind="topology"):
    """A sequence of mixing matrices: ``P[i, j]`` is the weight of what i receives from j.

    Column-stochastic (a share of j's mass) unless ``column_stochastic`` says otherwise.

    Args:
        clients: n.
        period: 1 if static, p if P(t + p) = P(t), None if drawn anew at every round.
        options: all options by name, from which ``topology`` builds the same sequence.
        seed: the seed of a drawn topology; None where nothing is drawn.

    Attributes:
        name: the name in the registry.
        column_stochastic: every column sums to 1, so mass is conserved. False where clients pull
            and average instead (rows sum to 1).
        networks: of ``networks``, the networks by name; none where the topology is one.

    A subclass names itself in the class statement, ``class Ring(Topology, name="ring")``, takes
    ``clients`` and keyword options, and hands every option to ``super().__init__`` so that
    ``topology(**t.describe())`` builds the same sequence.

    >>> drawn = topology("random-out", 5, degree=2, seed=1)
    >>> drawn.period, drawn.matrix(7).toarray().sum(axis=0).round(12).tolist()
    (None, [1.0, 1.0, 1.0, 1.0, 1.0])
    """

    column_stochastic: bool = True
    networks: Mapping[str, Topology] = MappingProxyType({})

    def __init__(
        self,
        clients: int,
        *,
        period: int | None,
        options: dict[str, Any],
        seed: int | None = None,
    ) -> None:
        self.clients = clients_of(clients, self.name)
        self.period = period
        self._drawn = seed is not None
        self.seed = 0 if seed is None else count(seed, f"{self.name}: seed", least=0)
        self._options = options
        self._built: dict[int, csr_array] = {}
        if period is not None:
            self.matrix(0)  # what does not fit together fails here, not in the middle of a run

    def matrix(self, t: int, run: int = 0) -> csr_array:
        """P(t), shape (n, n), float64 CSR, sorted, without duplicates or stored zeros, read-only.

        A static or periodic topology builds each matrix once and returns the same object after
        that. A drawn one is a function of (seed, run, t) only.

        Raises:
            ValueError: if ``t`` or ``run`` is negative.
            TypeError: if one is not an integer.
        """
        t = count(t, f"{self.name}: round t", least=0)
        run = count(run, f"{self.name}: run", least=0)
        if self.period is None:
            return self._frozen(t, run)
        phase = t % self.period
        if phase not in self._built:
            self._built.setdefault(phase, self._frozen(phase, 0))
        return self._built[phase]

    @abstractmethod
    def _build(self, t: int, run: int) -> csr_array:
        """P(t) of one run; called once per phase for a static or periodic topology.

        A class of a user may give an array, lists, a tensor or a graph, as ``from_function`` does.
        """

    def _frozen(self, t: int, run: int) -> csr_array:
        P = self._build(t, run)
        from scipy.sparse import csr_array

        if not isinstance(P, csr_array):
            sums = "columns" if self.column_stochastic else "rows"
            P = canonical(f"{self.name}: t={t}", P, self.clients, sums)
        # The same object goes to every caller: one in-place edit would change every later round.
        for array in (P.data, P.indices, P.indptr):
            array.setflags(write=False)
        return P

    @property
    def drawn(self) -> DrawnNetwork | None:
        """What ``kernels.rounds`` needs to draw it by itself; None where it cannot."""
        return None

    def cycle(self, most: int) -> list[csr_array] | None:
        """P(0), ..., P(period - 1); None where the period is longer than ``most``, or there is
        none, or ``matrix`` need not keep to it."""
        if self.period is None or self.period > most or self._rewritten:
            return None
        return [self.matrix(t) for t in range(self.period)]

    @property
    def _rewritten(self) -> bool:
        """Whether a subclass wrote ``matrix`` anew, which then keeps no promise of this class."""
        return type(self).matrix is not Topology.matrix

    def describe(self) -> dict[str, Any]:
        """Everything ``topology(**description)`` needs to build it again; fit for JSON."""
        drawn = {"seed": self.seed} if self._drawn else {}
        return {"name": self.name, "clients": self.clients, **self._options, **drawn}

    @property
    def uniform_out_degree(self) -> bool:
        """True if P[j, i] = 1 / |N_out(i)| on every edge, the self-loop counted."""
        if self.period is None:
            return self._options.get("weights") == "uniform"
        return all(_uniform(self.matrix(t)) for t in range(self.period))

    def __repr__(self) -> str:
        return f"topology({', '.join(f'{k}={v!r}' for k, v in self.describe().items())})"


TOPOLOGIES: Table[type[Topology]] = table("topology")


def topology(name: str, clients: int, **options: Any) -> Topology:
    """Build a topology by its name.

    Args:
        name: a registered name, such as "directed-ring"; ``theorylab list topologies`` has all.
        clients: n >= 1.
        options: of that topology.

    Returns:
        The sequence of its mixing matrices.

    Raises:
        ValueError: on an unknown name or option, or a value the topology cannot take.
        TypeError: on a value of the wrong kind.

    >>> topology("directed-ring", 3).matrix(0).toarray().tolist()
    [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    """
    made = TOPOLOGIES.find(name)
    takes = options_of(made)
    for option in options:
        if option not in takes:
            raise ValueError(
                f"topology: {name} takes no option {option!r}; need {near(option, takes)}"
            )
    return made(clients, **options)


def names() -> list[str]:
    """The names of every registered topology, sorted."""
    return list(TOPOLOGIES)


def _uniform(P: csr_array) -> bool:
    # Metropolis diagonals are 1 - (a sum of n terms), so equality holds up to n eps only.
    degree = np.bincount(P.indices, minlength=P.shape[1])
    tolerance = P.shape[0] * np.finfo(float).eps
    return bool(np.all(np.abs(P.data * degree[P.indices] - 1) <= tolerance))
