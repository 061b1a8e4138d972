"""Rounds for ``theorylab.hypergradients.hgp``: all of them with their chances, or drawn ones.

A round is an edge pattern and a choice of samples for every client. Run number r stands for the
sequence of rounds that r spells in base K, so that K^T runs are the whole law of T rounds.
"""

from __future__ import annotations

import itertools
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._maps import Maps
from theorylab.hypergradients import EdgeLaw, Estimate, Linear, hgp, patterns
from theorylab.hypergradients.edge_law import matrices
from theorylab.hypergradients.random_rounds import weigh
from theorylab.kernels import Stream
from theorylab.topologies import Topology

Floats = NDArray[np.float64]
MOST = 2**17  # outcomes of a law


class Rounds:
    """What ``hgp`` asks of a network and of a problem. ``drawn``: rounds are drawn, not listed."""

    def __init__(self, maps: Maps, topology: Topology, *, drawn: bool) -> None:
        self.maps, self.topology, self.drawn = maps, topology, drawn
        n, m, b = len(maps.c_y), maps.phi_y.shape[1], maps.batch
        self.clients, self.dim, self.hyper = n, maps.c_y.shape[1], maps.c_lam.shape[1]
        self._m = m
        if drawn:
            return
        if n * b * np.log2(m) > np.log2(MOST):
            raise ValueError(
                f"hgp-error: {m}^{n * b} choices of samples in a round; need at most {MOST}, or "
                "law='sample'"
            )
        chance, edges = patterns(topology)
        P = weigh(topology, edges)
        listed = itertools.product(range(m), repeat=n * b)
        picks = np.array(list(listed) if m > 1 else [[0] * (n * b)]).reshape(-1, n, b)
        if len(chance) * len(picks) > MOST:
            raise ValueError(
                f"hgp-error: {len(chance) * len(picks)} cases of a round; need at most {MOST}, or "
                "law='sample'"
            )
        self.chance = np.repeat(chance, len(picks)) / len(picks)
        self.P = np.ascontiguousarray(np.repeat(P, len(picks), axis=0))
        self.picks = np.tile(picks, (len(chance), 1, 1))

    @property
    def patterns(self) -> int:
        return len(self.chance)

    def weights(self, rounds: int) -> Floats:
        """The chances of all sequences of ``rounds`` rounds, (K^rounds,)."""
        made = np.ones(1)
        for _ in range(rounds):
            made = (self.chance[:, None] * made).ravel()  # the first round is the fastest digit
        return made

    # The network, as ``hgp`` sees it.
    def matrices(self, t: int, runs: NDArray[np.int64]) -> Floats:
        if self.drawn:
            return matrices(self.topology, t, runs)
        return np.asarray(self.P[(runs // self.patterns**t) % self.patterns])

    # The problem, as ``hgp`` sees it.
    def sample(self, seed: int, runs: NDArray[np.int64], t: int) -> NDArray[Any]:
        if not self.drawn:
            return np.asarray(self.picks[(runs // self.patterns**t) % self.patterns])
        if self._m == 1:
            return np.zeros((len(runs), self.clients, 1), int)
        b = self.maps.batch
        return Stream(seed, "sample").integers(self._m, runs, self.clients, t, 0, b)

    def points(self, x: Floats) -> Floats:
        return x

    def numbers(self, x: Floats) -> Floats:
        return x


class At:
    """What ``hgp`` asks of a point: products with the maps' Jacobians."""

    def __init__(self, rounds: Rounds) -> None:
        self.problem = rounds
        self._maps = rounds.maps
        # The point itself: maps are given by their Jacobians, so any finite one will do.
        self.x = self.lam = np.zeros((1, rounds.clients, 1))
        self.omega = np.ones((1, rounds.clients))

    def seeds(self) -> tuple[Floats, Floats]:
        return self._maps.c_y[None], self._maps.c_lam[None]

    def A(self, c: Floats, u: Floats, sample: NDArray[Any]) -> Floats:
        return self._times(self._maps.phi_y, self._maps.psi_y, c, u, sample)

    def B(self, c: Floats, u: Floats, sample: NDArray[Any]) -> Floats:
        return self._times(self._maps.phi_lam, self._maps.psi_lam, c, u, sample)

    def _times(self, phi: Floats, psi: Floats, c: Floats, u: Floats, sample: Any) -> Floats:
        R, n, k, d = u.shape
        mixed = (c @ u.reshape(R, n, k * d)).reshape(R, n, k, d)
        own = np.arange(n)[:, None]
        J, K = (part[own, sample].mean(axis=2) for part in (phi, psi))  # (R, n, rows, d)
        out = np.matmul(mixed, np.swapaxes(J, 2, 3)) + np.matmul(u, np.swapaxes(K, 2, 3))
        return np.asarray(out)


def estimates(
    maps: Maps,
    topology: Topology,
    law: EdgeLaw,
    terms: int,
    alpha: float,
    beta: float,
    *,
    runs: range | None,
    seed: int,
) -> tuple[Floats, Floats | None]:
    """(estimates (R, n, dlam) after M = ``terms`` terms, their chances or None).

    runs: ids of drawn runs; None: the whole law.

    Raises:
        ValueError: on a law of more than 2^17 outcomes.
    """
    rounds = Rounds(maps, topology, drawn=runs is not None)
    weights = None
    if runs is None:
        used = 2 * terms - 1
        if used * np.log2(rounds.patterns) > np.log2(MOST):
            raise ValueError(
                f"hgp-error: {rounds.patterns} cases a round, {used} rounds: more than {MOST} "
                "outcomes; need fewer terms, edges or samples, or law='sample'"
            )
        weights = rounds.weights(used)
        ids = np.arange(len(weights))
    else:
        ids = np.arange(runs.start, runs.stop)
    found: Estimate = hgp(
        cast(Linear, At(rounds)),
        cast(Topology, rounds),
        law,
        terms,
        reading="appendix-b",
        alpha=alpha,
        beta=beta,
        seed=seed,
        runs=ids,
        check=False,  # the experiment's own constants say whether the series converges
    )
    return np.asarray(found.gradient), weights
