"""What the experiments about PDBO share: options as fields, a network, rows, and constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from theorylab.experiments._base import Experiment, Observation, Row
from theorylab.hypergradients import EdgeLaw, edge_law
from theorylab.hypergradients.edge_law import edge_covariance, is_redrawn
from theorylab.known import How, Known
from theorylab.topologies import (
    ErdosRenyi,
    RandomSymmetric,
    StochasticUndirected,
    Topology,
    topology,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Number = float | np.floating[Any]


@dataclass(kw_only=True, eq=False)
class PdboExperiment(Experiment):
    """An experiment whose options are its fields."""

    def describe(self) -> dict[str, Any]:
        return {option.name: _plain(getattr(self, option.name)) for option in fields(self)}

    def need(self, holds: bool, options: str, rule: str) -> None:
        """ValueError in one line, "NAME: OPTION is VALUE; need RULE", unless it ``holds``.

        options: their names, with a space between.
        """
        if not holds:
            given = ", ".join(f"{option} {getattr(self, option)!r}" for option in options.split())
            raise ValueError(f"{self.name}: {given.replace(' ', ' is ', 1)}; need {rule}")

    def need_terms(self, terms: Sequence[int], least: int) -> None:
        """The option ``terms`` lists numbers of terms."""
        fits = bool(terms) and all(type(M) is int and least <= M for M in terms)
        self.need(fits, "terms", f"integers >= {least}")


@dataclass(kw_only=True, eq=False)
class Estimated(PdboExperiment):
    """An experiment on estimates after M terms.

    Args:
        terms: the M. alpha, beta: VR-HGP's weights in [0, 1]; (1, 0) is HGP.
    """

    least_terms: ClassVar[int] = 1
    terms: Sequence[int] = (1, 2, 3)
    alpha: float = 0.9
    beta: float = 0.1

    def __post_init__(self) -> None:
        self.need_terms(self.terms, self.least_terms)
        for weight in ("alpha", "beta"):
            self.need(0 <= getattr(self, weight) <= 1, weight, "0..1")

    def constants(self) -> dict[str, Known]:
        return exacts("chosen", vr_alpha=self.alpha, vr_beta=self.beta)


def _plain(option: Any) -> Any:
    if isinstance(option, Mapping):
        return dict(option)
    return list(option) if isinstance(option, tuple) else option


def built(options: Mapping[str, Any], clients: int) -> Topology:
    """The topology of {"name": ..., options}."""
    rest = {key: value for key, value in options.items() if key != "name"}
    return topology(options["name"], clients, **rest)


def network_of(options: Mapping[str, Any], clients: int) -> tuple[Topology, EdgeLaw]:
    """The topology of {"name": ..., options}, and pbar and dbar, exact."""
    network = built(options, clients)
    return network, edge_law(network)


def exacts(source: str, **values: Number) -> dict[str, Known]:
    """Constants that are known exactly, all for the same reason."""
    return {name: Known(float(value), How.EXACT, source) for name, value in values.items()}


def uppers(source: str, **values: Number) -> dict[str, Known]:
    """Constants that are at most these values, all for the same reason."""
    return {name: Known(float(value), How.UPPER, source) for name, value in values.items()}


def single(value: Number, rounding: Number = 0.0, share: float | None = None) -> Observation:
    """One number, exact up to ``rounding``. share: its relative error, of an identity."""
    row = Row(np.array([float(value)]), rounding=float(rounding), relative_error=share)
    return Observation((row,), True)


def norm(matrix: NDArray[Any]) -> float:
    """The spectral norm of one matrix."""
    return float(np.linalg.norm(matrix, 2))


def norms(matrices: NDArray[Any]) -> Floats:
    """The spectral norms of (..., a, b), (...)."""
    return np.asarray(np.linalg.norm(matrices, 2, axis=(-2, -1)))


def solved(A: Floats, c: Floats) -> Floats:
    """(I - A)^{-1} c."""
    return np.asarray(np.linalg.solve(np.eye(len(A)) - A, c))


def squares(chance: Floats, matrices: Floats) -> Floats:
    """E[A (x) A], (N^2, N^2), of A (K, N, N) with these chances: vec S -> vec E[A S A^T]."""
    size = matrices.shape[1] ** 2
    each = np.einsum("k,kab,kcd->acbd", chance, matrices, matrices)
    return np.asarray(each.reshape(size, size))


def near(value: Any, room: float, text: str, least: float = -np.inf) -> Known:
    """A number within ``room`` of ``value``, and at least ``least``."""
    low, high = max(least, value - room), max(least, value) + room
    return Known(float(max(least, value)), How.CERTIFIED, text, lower=float(low), upper=float(high))


def largest_covariance(network: Topology) -> dict[str, Known]:
    """``edge_covariance``: the largest |Cov| of two different ordered edges of a round, and
    ``independent_edges``: 1 if it is 0, that is if Assumption 7 holds, else 0.

    Of the networks with an ``edge_law``: a static one has no covariance, StoD none of two edges,
    and every other one a pair whose covariance is not 0 unless nothing is random.
    """
    largest, text = 0.0, "a static network"
    if is_redrawn(network):
        table = edge_covariance(network).tocoo()
        n = network.clients
        (i, k), (j, m) = np.divmod(table.row, n), np.divmod(table.col, n)
        apart = np.abs(table.data[(i != k) | (j != m)])
        largest = float(apart.max(initial=0.0))
        text = f"{network.name}: Cov of two edges of a round, closed form"
    return exacts(text, edge_covariance=largest, independent_edges=largest == 0)


def edge_spread(law: EdgeLaw) -> float:
    """sum_ij (pbar_ji / dbar_ij)^2; infinite where Assumption 6 fails."""
    mean, often = law.mean, law.frequency.T
    with np.errstate(divide="ignore", over="ignore"):
        ratio = np.divide(mean, often, out=np.zeros_like(mean), where=mean > 0)
    return float((ratio**2).sum())


def edge_swing(law: EdgeLaw) -> float:
    """sum_ij pbar_ji^2 max (delta_ij / dbar_ij - 1)^2 over what delta_ij can be; infinite where
    Assumption 6 fails. An edge that is always there counts nothing."""
    mean, often = law.mean, law.frequency.T
    with np.errstate(divide="ignore", over="ignore"):
        away = np.where(often < 1, np.maximum(1.0, 1 / often - 1), 0.0)
        parts = np.multiply(mean, away, out=np.zeros_like(mean), where=mean > 0)
    return float((parts**2).sum())


def both_ways(network: Topology, law: EdgeLaw) -> bool:
    """True if in every round i hears j exactly where j hears i."""
    often = law.frequency
    certain = bool(((often == 0) | (often == 1)).all())
    paired = isinstance(network, StochasticUndirected | ErdosRenyi | RandomSymmetric)
    return paired or (certain and np.array_equal(often, often.T))


def one_way(law: EdgeLaw) -> int:
    """Ordered pairs with dbar_{j -> i} > 0 = dbar_{i -> j}; 0 iff Assumption 6 holds."""
    there = law.frequency > 0
    return int((there & ~there.T).sum())


def cut_off(law: EdgeLaw) -> int:
    """Ordered pairs (i, j) without a path from i to j in E P; 0 iff Assumption 2 holds."""
    steps = shortest_path(np.ascontiguousarray(law.mean.T) > 0, unweighted=True)
    return int(np.isinf(steps).sum())
