"""Edges that are there or not, each with its own probability, drawn anew at every round.

delta_{j -> i} is Bernoulli(frequency[i, j]); every client always sends to itself. Two rules turn
the drawn edges into shares; both look only at the edges that leave the sender, which is what
pdbo's Eq. (3), p_ij(delta_i), allows (Metropolis weights also need the receiver's degree):

uniform   p_ij = delta_ij / sum_k delta_ik: the message is split evenly. The default: it needs no
          agreement between clients and no knowledge of n. The paper does not print its p_ij.
constant  p_ij = delta_ij / n, the rest stays at home. Doubly stochastic on undirected edges.

The mean of the uniform rule is exact. With q_k the probabilities of i's out-edges and K the number
of the others that are there, E[1/(m + K)] = int_0^1 s^(m-1) prod_k (1 - q_k + q_k s) ds, and the
integrand is a polynomial of degree < n + 1, which Gauss-Legendre integrates without error. All
terms are positive, so the relative rounding error is a few n eps.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.kernels import Stream
from theorylab.topologies._base import Topology
from theorylab.topologies._numbers import clients_of, count

Floats = NDArray[np.float64]
RULES = ("uniform", "constant")
_EDGES, _PROBABILITIES = 0, 1  # steps of the topology stream


class RandomEdges(Topology):
    """Stochastic networks of pdbo, Section 6.1; subclasses say whether edges come in pairs.

    Args:
        clients: n.
        low, high: each probability is uniform on [low, high], drawn once from the seed.
        probabilities: (n, n) instead of low and high; [i, j] is the probability of j -> i. The
            diagonal is ignored: every client sends to itself.
        weights: "uniform" or "constant", see the head of this module.
        seed: nonnegative integer.

    Attributes:
        frequency: (n, n), [i, j] the probability of j -> i, 1 on the diagonal (the paper's
            dbar_{j -> i}).

    Raises:
        ValueError: on a probability outside [0, 1], or a table of another shape.
    """

    symmetric: ClassVar[bool]

    def __init__(
        self,
        clients: int,
        *,
        low: float | None = None,
        high: float | None = None,
        probabilities: Any = None,
        weights: str = "uniform",
        seed: int = 0,
    ) -> None:
        n = clients_of(clients, self.name)
        if not isinstance(weights, str) or weights not in RULES:
            raise ValueError(f"{self.name}: weights={weights!r}; need one of {', '.join(RULES)}")
        self.weights = weights
        options: dict[str, Any] = {"weights": weights}
        if probabilities is None:
            low, high = 0.4 if low is None else low, 0.8 if high is None else high
            ends = tuple(_probability(f"{self.name}: {k}", v) for k, v in _ends(low, high))
            if ends[0] > ends[1]:
                raise ValueError(
                    f"{self.name}: low is {ends[0]!r}, high {ends[1]!r}; need low <= high"
                )
            options |= {"low": ends[0], "high": ends[1]}
            u = Stream(count(seed, f"{self.name}: seed", least=0), "topology").uniform(
                1, n, 0, _PROBABILITIES, n
            )[0]
            table = ends[0] + (ends[1] - ends[0]) * u
            if self.symmetric:
                table = np.triu(table, 1)
                table = table + table.T
        else:
            if low is not None or high is not None:
                raise ValueError(f"{self.name}: probabilities came with low or high; need one")
            table = self._table(probabilities, n)
            options["probabilities"] = table.tolist()
        np.fill_diagonal(table, 1.0)
        table.setflags(write=False)
        self.frequency: Floats = table
        super().__init__(n, period=None, seed=seed, options=options)

    def _table(self, probabilities: Any, n: int) -> Floats:
        table = np.array(probabilities, dtype=np.float64)
        if table.shape != (n, n):
            raise ValueError(f"{self.name}: probabilities have shape {table.shape}; need ({n},{n})")
        np.fill_diagonal(table, 1.0)
        bad = ~((table >= 0) & (table <= 1))
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise ValueError(
                f"{self.name}: probabilities[{i},{j}] is {float(table[i, j])!r}; need 0..1"
            )
        if self.symmetric and np.any(table != table.T):
            i, j = np.argwhere(table != table.T)[0]
            raise ValueError(
                f"{self.name}: probabilities[{i},{j}] is {float(table[i, j])!r}, [{j},{i}] is "
                f"{float(table[j, i])!r}; undirected edges need the same"
            )
        return table

    def edges(self, t: int, runs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which edges are there in round t, (R, n, n): [r, i, j] is j -> i."""
        n = self.clients
        u = Stream(self.seed, "topology").uniform(runs, n, t, _EDGES, n)
        drawn = u < self.frequency  # draw j of client i is the edge j -> i
        if self.symmetric:
            drawn = np.triu(drawn, 1)
            drawn = drawn | np.swapaxes(drawn, 1, 2)
        drawn[:, np.arange(n), np.arange(n)] = True
        return np.asarray(drawn)

    def weigh(self, edges: NDArray[np.bool_]) -> Floats:
        """P of given edges, (..., n, n) to (..., n, n), by the rule ``weights``."""
        n = self.clients
        if self.weights == "uniform":
            return np.asarray(edges / edges.sum(axis=-2, keepdims=True))
        P = edges / n
        kept = 1 - (edges.sum(axis=-2) - 1) / n
        P[..., np.arange(n), np.arange(n)] = kept
        return np.asarray(P)

    def matrices(self, t: int, runs: NDArray[np.int64]) -> Floats:
        """P(t) of many runs, dense (R, n, n): the entries of ``matrix(t, run)``."""
        return self.weigh(self.edges(t, runs))

    def _build(self, t: int, run: int) -> csr_array:
        return csr_array(self.matrices(t, np.array([run]))[0])

    def mean(self) -> Floats:
        """E P, (n, n): [i, j] is the mean share of j's mass that i gets (the paper's pbar_ji)."""
        n = self.clients
        if self.weights == "constant":
            P = self.frequency / n
            np.fill_diagonal(P, 1 - (P.sum(axis=0) - 1 / n))
            return P
        node, weight = np.polynomial.legendre.leggauss(n // 2 + 1)
        s, weight = (node + 1) / 2, weight / 2
        P = np.empty((n, n))
        for j in range(n):
            away = np.arange(n) != j
            q = self.frequency[away, j]
            factor = 1 - q[:, None] + q[:, None] * s  # (n - 1, nodes), positive as 0 < s < 1
            product = factor.prod(axis=0)
            P[j, j] = product @ weight
            P[away, j] = q * ((product / factor) @ (weight * s))
        return P


def _ends(low: float, high: float) -> tuple[tuple[str, float], tuple[str, float]]:
    return ("low", low), ("high", high)


def _probability(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating):
        raise TypeError(f"{what} is {value!r} ({type(value).__name__}); need a number")
    if not 0 <= value <= 1:
        raise ValueError(f"{what} is {float(value)!r}; need 0..1")
    return float(value)
