"""A linear method on networks, as a certificate of its rate speaks of it: all in rationals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theorylab.algorithms import Algorithm
from theorylab.topologies import Topology
from theorylab.worst.certificate import NotCertifiedError
from theorylab.worst.check_certificate import Rounds, networks, over
from theorylab.worst.rationals import stochastic
from theorylab.worst.recursion import Exact, echelon, exact
from theorylab.worst.round_map import RoundMap, round_map

WIDTH = Fraction(1, 10**6)  # relative, of the range of push-sum weights near their limit
LATEST = 2000  # most rounds until the weights are there
LONGEST = 64  # most phases of a network


@dataclass(frozen=True)
class DoublyStochastic:
    """All sequences of doubly stochastic matrices with entries of at least ``least`` on ``support``
    (n, n) of zeros and ones, and 0 elsewhere. Each row and column has as many ones."""

    support: Sequence[Sequence[int]]
    least: Fraction

    def as_json(self) -> dict[str, Any]:
        """As a certificate has it."""
        rows = [[str(int(entry)) for entry in row] for row in self.support]
        return {"support": rows, "least": str(Fraction(self.least))}


@dataclass(frozen=True)
class Setting:
    """A method on networks.

    method: as in the certificate. rounds: as its checker reads it. slopes: per phase and client,
    least and largest curvature in terms of w_i times the point.
    """

    round_map: RoundMap
    method: dict[str, Any]
    rounds: Rounds
    slopes: list[list[tuple[Fraction, Fraction]]]
    mu: Fraction
    L: Fraction

    @classmethod
    def of(
        cls, method: Algorithm, network: Topology | DoublyStochastic, mu: Fraction, L: Fraction
    ) -> Setting:
        """Raises ValueError, one line, on a class or a network that is none, or is drawn."""
        if not 0 <= mu < L:
            raise ValueError(f"the class has mu = {mu}, L = {L}; need 0 <= mu < L")
        if isinstance(network, DoublyStochastic):
            told: Any = network.as_json()
            n = len(told["support"])
        else:
            told, n = _matrices(network), network.clients
        vertices, method_map, weights = networks(told, n), round_map(method, n), None
        if method_map.weighted and not isinstance(network, DoublyStochastic):
            dense = ([[row.get(j, 0) for j in range(n)] for row in P] for (P,) in vertices)
            weights = _weights([exact(P) for P in dense])
        as_json = method_map.as_json(told, weights)
        rounds = Rounds(as_json, n)
        slopes = [[(mu * low, L * high) for low, high in some] for some in rounds.ranges]
        return cls(method_map, as_json, rounds, slopes, mu, L)

    @property
    def slopes_in_the_limit(self) -> list[list[tuple[Fraction, Fraction]]]:
        """``slopes`` where push-sum weights are their limits."""
        if self.rounds.weights is None:
            return self.slopes
        limit, made = [{0: Fraction(w)} for w in self.rounds.weights["limit"]], []
        for (P,) in self.rounds.phases:
            made.append([(self.mu / w[0], self.L / w[0]) for w in limit])
            limit = [over(row, limit) for row in P]
        return made

    @property
    def fixed(self) -> bool:
        """Whether there is one network, and weights, if any, are 1."""
        phases = self.rounds.phases
        return len(phases) == len(phases[0]) == 1 and self.rounds.weights is None


def _matrices(network: Topology) -> list[list[list[str]]]:
    """P of every phase, as texts of rationals."""
    if network.networks:
        raise ValueError(f"{network.name} is several networks; need one")
    if network.period is None:
        raise ValueError(f"{network.name} is drawn anew every round; need a periodic network")
    if network.period > LONGEST:
        raise ValueError(f"{network.name} has {network.period} phases; need at most {LONGEST}")
    phases = [stochastic(network.matrix(t)) for t in range(network.period)]
    return [[[str(entry) for entry in row] for row in P] for P in phases]


def _weights(phases: list[Exact]) -> dict[str, Any] | None:
    """The limits of the weights, and from when on they are near; None where they are always 1."""
    if any((P.sum(0) != 1).any() for P in phases):
        raise ValueError("a column of a network does not sum to 1; need networks of push-sum")
    if all((P.sum(1) == 1).all() for P in phases):
        return None
    n = len(phases[0])
    unit = exact(np.eye(n, dtype=int).tolist())
    whole = unit
    for P in phases:
        whole = P @ whole
    rows, pivots = echelon(list(whole - unit))
    if pivots != list(range(n - 1)):
        raise NotCertifiedError("the push-sum weights have no single limit on this network")
    limit = exact([*(-rows[:, -1]), 1])
    limit = limit * n / limit.sum()
    w, first = exact([1] * n), 0
    while (abs(w - limit) > WIDTH * limit).any():
        for P in phases:
            w = P @ w
        first += len(phases)
        if first > LATEST:
            raise NotCertifiedError(
                f"push-sum weights are farther than {float(WIDTH)} from their limit after {LATEST} "
                "rounds"
            )
    return {"limit": [str(v) for v in limit], "width": str(WIDTH), "from": first}
