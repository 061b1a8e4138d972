"""Rounds for ``theorylab.hypergradients.hgp``: all of them with their chances, or drawn ones.

A round is an edge pattern and a choice of samples for every client. Run number r stands for the
sequence of rounds that r spells in base K, so that K^T runs are the whole law of T rounds.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theorylab.constants import kappa
from theorylab.experiments.pdbo._base import (
    Estimated,
    Floats,
    Ints,
    edge_spread,
    edge_swing,
    exacts,
    largest_covariance,
    network_of,
    norms,
)
from theorylab.hypergradients import EdgeLaw, hgp, patterns
from theorylab.hypergradients.edge_law import matrices, weigh
from theorylab.hypergradients.linear import assembled, mix
from theorylab.hypergradients.recursion import coefficients
from theorylab.kernels import Stream
from theorylab.known import Known
from theorylab.topologies import Topology

MOST = 2**17  # outcomes of a law


def _few(log2: float, outcomes: str) -> None:
    if log2 > np.log2(MOST):
        raise ValueError(
            f"the law of rounds: {outcomes}: more than {MOST} outcomes; need fewer terms, edges or "
            "samples, or drawn rounds where there is law='sample'"
        )


class Listed:
    """All K cases of a round: chances (K,), P (K, n, n), picks (K, n, b).

    Raises ValueError on more than 2^17 cases.
    """

    def __init__(self, maps: Maps, network: Topology) -> None:
        n, m, b = len(maps.c_y), maps.phi_y.shape[1], maps.batch
        _few(n * b * np.log2(m), f"{m}^{n * b} choices of samples in a round")
        chance, edges = patterns(network)
        picks = np.array(list(itertools.product(range(m), repeat=n * b))).reshape(-1, n, b)
        cases = len(chance) * len(picks)
        _few(np.log2(cases), f"{cases} cases of a round")
        self.maps = maps
        self.chance = np.repeat(chance, len(picks)) / len(picks)
        self.P = np.ascontiguousarray(np.repeat(weigh(network, edges), len(picks), axis=0))
        self.picks = np.tile(picks, (len(chance), 1, 1))

    def cases(self, t: int, runs: Ints) -> Ints:
        """Which case round t of the sequences ``runs`` is."""
        count = len(self.chance)
        return np.asarray((runs // count**t) % count)

    def hats(self, law: EdgeLaw, weights: str = "debiased") -> tuple[Floats, Floats]:
        """A-hat (K, N, N), B-hat (K, H, N) of every case; ``weights``: see ``Reading``."""
        return self.maps.matrices(coefficients(weights, law, self.P), self.picks)


class Rounds:
    """What ``hgp`` asks of a network, of a problem and of a point, for maps that are given by their
    Jacobians: any finite point will do. listed: a round's cases; None: rounds are drawn.
    """

    def __init__(self, maps: Maps, network: Topology, listed: Listed | None = None) -> None:
        self.maps, self.network, self.listed = maps, network, listed
        self.clients, self.dim, self.hyper = (*maps.c_y.shape, maps.c_lam.shape[1])
        self.problem = self
        self.x = self.lam = np.zeros((1, self.clients, 1))
        self.omega = np.ones((1, self.clients))

    def matrices(self, t: int, runs: Ints) -> Floats:
        if self.listed is None:
            return matrices(self.network, t, runs)
        return self.listed.P[self.listed.cases(t, runs)]

    def sample(self, seed: int, runs: Ints, t: int) -> Ints:
        """The numbers of the samples, (R, n, b)."""
        if self.listed is None:
            stream, samples = Stream(seed, "sample"), self.maps.phi_y.shape[1]
            return stream.integers(samples, runs, self.clients, t, 0, self.maps.batch)
        return self.listed.picks[self.listed.cases(t, runs)]

    def points(self, x: Floats) -> Floats:
        return x

    def numbers(self, x: Floats) -> Floats:
        return x

    def seeds(self) -> tuple[Floats, Floats]:
        return self.maps.c_y[None], self.maps.c_lam[None]

    def A(self, c: Floats, u: Floats, picks: Ints) -> Floats:
        return _times(self.maps.of_y(picks), c, u)

    def B(self, c: Floats, u: Floats, picks: Ints) -> Floats:
        return _times(self.maps.of_lam(picks), c, u)


def _times(parts: tuple[Floats, Floats], c: Floats, u: Floats) -> Floats:
    phi, psi = (np.swapaxes(part, 2, 3) for part in parts)
    return np.asarray(np.matmul(mix(c, u), phi) + np.matmul(u, psi))


@dataclass(kw_only=True, eq=False)
class Networked(Estimated):
    """Estimates on a network, whose options are {"name": ..., options of the topology}."""

    clients: int = 2
    network: Mapping[str, Any] = field(default_factory=lambda: {"name": "sto-d"})

    def __post_init__(self) -> None:
        super().__post_init__()
        self.topology, self.edges = network_of(self.network, self.clients)
        self.kappa = kappa(self.edges.mean, self.edges.frequency)

    def constants(self) -> dict[str, Known]:
        numbers = exacts("clients", n=self.clients)
        numbers |= exacts("sum_ij (pbar_ji / dbar_ij)^2", edge_spread=edge_spread(self.edges))
        numbers |= exacts("sum_ij pbar_ji^2 max(..)^2", edge_swing=edge_swing(self.edges))
        independent = {"independent_edges": largest_covariance(self.topology)["independent_edges"]}
        return super().constants() | numbers | independent | {"kappa": self.kappa}

    def estimates(
        self, maps: Maps, terms: int, runs: range | None = None, seed: int = 0
    ) -> tuple[Floats, Floats | None]:
        """(estimates (R, n, dlam) after M = ``terms`` terms, their chances or None).

        runs: ids of drawn runs; None: the whole law, ValueError on more than 2^17 outcomes.
        """
        listed = weights = None
        if runs is None:
            listed, used = Listed(maps, self.topology), 2 * terms - 1
            count = len(listed.chance)
            _few(used * np.log2(count), f"{count} cases a round, {used} rounds")
            weights = np.ones(1)
            for _ in range(used):
                weights = (listed.chance[:, None] * weights).ravel()  # round 0: the fastest digit
            runs = range(len(weights))
        rounds: Any = Rounds(maps, self.topology, listed)
        estimate = hgp(
            *(rounds, rounds, self.edges, terms),
            reading="appendix-b",
            alpha=self.alpha,
            beta=self.beta,
            seed=seed,
            runs=np.arange(runs.start, runs.stop),
            check=False,  # the experiment's own constants say whether the series converges
        )
        return np.asarray(estimate.gradient), weights


def trace(values: Floats, chance: Floats) -> float:
    """The trace of the covariance of values (K, N) with these chances."""
    away = values - chance @ values
    return float(chance @ (away * away).sum(axis=1))


Parts = tuple[Floats, Floats, Floats, Floats]  # phi_y, psi_y, phi_lam, psi_lam
INSIDE = 1 - 1e-12  # computed norms are right to a small multiple of the unit roundoff


@dataclass(frozen=True)
class Maps:
    """phi_y, psi_y (n, m, dy, dy), phi_lam, psi_lam (n, m, dlam, dy): samples 0 .. m - 1, evenly.

    c_y (n, dy), c_lam (n, dlam): the derivatives of Fbar. ``batch``: samples a step, with
    replacement. ``variant``: of SGP, or "" for other maps.
    """

    phi_y: Floats
    psi_y: Floats
    phi_lam: Floats
    psi_lam: Floats
    c_y: Floats
    c_lam: Floats
    batch: int = 1
    variant: str = ""

    @property
    def parts(self) -> Parts:
        return self.phi_y, self.psi_y, self.phi_lam, self.psi_lam

    def tops(self) -> list[float]:
        """The largest norm of each part over clients and samples."""
        return [float(norms(part).max()) for part in self.parts]

    def of(self, picks: Ints | None) -> Parts:
        """The parts averaged over the minibatches ``picks`` (..., n, b), (..., n, ., dy); None:
        over all samples, (n, ., dy)."""
        return (*self.of_y(picks), *self.of_lam(picks))

    def of_y(self, picks: Ints | None) -> tuple[Floats, Floats]:
        """phi_y and psi_y alone, see ``of``."""
        return self._average(self.phi_y, picks), self._average(self.psi_y, picks)

    def of_lam(self, picks: Ints | None) -> tuple[Floats, Floats]:
        """phi_lam and psi_lam alone, see ``of``."""
        return self._average(self.phi_lam, picks), self._average(self.psi_lam, picks)

    def _average(self, part: Floats, picks: Ints | None) -> Floats:
        if picks is None:
            return np.asarray(part.mean(axis=1))
        clients = np.arange(len(self.c_y))
        if picks.shape[-1] == 1:  # the mean of one
            return np.asarray(part[clients, picks[..., 0]])
        return np.asarray(part[clients[:, None], picks].mean(axis=-3))

    def matrices(self, c: Floats, picks: Ints | None = None) -> tuple[Floats, Floats]:
        """A (..., n dy, n dy) and B (..., n dlam, n dy) where i makes c_ij of j's message."""
        phi_y, psi_y, phi_lam, psi_lam = self.of(picks)
        return assembled(phi_y, psi_y, c), assembled(phi_lam, psi_lam, c)


def bounded(
    n: int, dim: int, hyper: int, samples: int, batch: int, etas: tuple[float, float], kappa: float,
    *, outer: float, aligned: bool, seed: int,
) -> Maps:  # fmt: skip
    """Maps whose largest Jacobians have norm eta_A / (2 kappa), and eta_B / (2 kappa) in lambda.

    aligned: all are that number times the same positive matrix of norm 1, the case in which
    no norm of a sum is smaller than the sum of the norms; else normal ones, rescaled.
    """
    stream, parts = Stream(seed, "problem"), []
    sizes = [part for part in zip((dim, hyper), etas, strict=True) for _ in ("phi", "psi")]
    for step, (rows, eta) in enumerate(sizes):
        shape = (n, samples, rows, dim)
        if aligned:
            part = np.zeros(shape)
            part[..., 0, 0] = 1.0
        else:
            part = stream.normal(1, n, 0, step, samples * rows * dim)[0].reshape(shape)
            part = part / norms(part).max()
        parts.append(part * (eta / (2 * kappa)))
    c_y = stream.normal(1, n, 0, 8, dim)[0] / n
    c_lam = outer * stream.normal(1, n, 0, 9, hyper)[0] / n
    phi_y, psi_y, phi_lam, psi_lam = parts
    return Maps(phi_y, psi_y, phi_lam, psi_lam, np.abs(c_y) if aligned else c_y, c_lam, batch)


def tight(
    n: int, dim: int, hyper: int, samples: int, batch: int, etas: tuple[float, float], kappa: float,
    family: str, seed: int,
) -> Maps:  # fmt: skip
    """Maps whose Jacobians all have norm eta_A / (2 kappa) or eta_B / (2 kappa): Assumption 9 with
    equality, or 1e-12 less. c^y is 1, c^lambda 0.

    family: "random" (normal entries, scaled), or "aligned" (the identity's pattern, the last
    sample with the other sign: as far from the mean as Assumption 9 lets it be).
    """
    parts: list[Floats] = []
    for step, (rows, eta) in enumerate(zip((dim, hyper), etas, strict=True)):
        shape, size = (2, n, samples, rows, dim), INSIDE * (eta / (2 * kappa))
        if family == "aligned":
            sign = np.ones(samples)
            sign[-1] = -1.0 if samples > 1 else 1.0
            both = np.broadcast_to(size * sign[:, None, None] * np.eye(rows, dim), shape)
        else:
            drawn = Stream(seed, "problem").normal(2, n, 0, step, samples * rows * dim)
            both = drawn.reshape(shape)
            both = both * (size / norms(both))[..., None, None]
        parts += [both[1], both[0]]
    phi_y, psi_y, phi_lam, psi_lam = parts
    return Maps(phi_y, psi_y, phi_lam, psi_lam, np.ones((n, dim)), np.zeros((n, hyper)), batch)
