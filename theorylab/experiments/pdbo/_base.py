"""What the experiments about PDBO share: options as fields, a network, rows, and constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import Experiment, Observation, Row
from theorylab.hypergradients import EdgeLaw, edge_law
from theorylab.known import How, Known
from theorylab.topologies import Topology, topology

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


def near(value: Any, room: float, text: str, least: float = -np.inf) -> Known:
    """A number within ``room`` of ``value``, and at least ``least``."""
    low, high = max(least, value - room), max(least, value) + room
    return Known(float(max(least, value)), How.CERTIFIED, text, lower=float(low), upper=float(high))
