"""Clients' Jacobians drawn freely within Assumption 9, and the matrices HGP makes of them.

Client t has ``population`` samples xi, each with d_y g, d_y h (d, d) and d_lambda g, d_lambda h
(k, d); psi_t and phi_t average a minibatch's (pdbo, A.3). Block (t, s) of A-hat is
1_ts A-hat_t^psi + delta_{s -> t} pbar_ts / dbar_{s -> t} A-hat_t^phi (A.4).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._hgp_terms import Sequence
from theorylab.hypergradients import EdgeLaw
from theorylab.hypergradients.edge_law import arrived, matrices
from theorylab.kernels import Stream
from theorylab.topologies import Topology

Floats = NDArray[np.float64]
INSIDE = 1 - 1e-12  # computed norms are right to a small multiple of the unit roundoff


@dataclass(frozen=True)
class Clients:
    """own[t, xi] = d g, sent[t, xi] = d h: (n, S, rows, d), rows = d for y and k for lambda."""

    own: Floats
    sent: Floats

    def expected(self, law: EdgeLaw) -> Floats:
        """A-bar or B-bar, (n rows, n d)."""
        mean = np.asarray(law.mean.T)
        return assembled(self.own.mean(axis=1), self.sent.mean(axis=1), mean)


def assembled(own: Floats, sent: Floats, c: Floats) -> Floats:
    """Block (t, s) = 1_ts own_t + c_ts sent_t, for (n, rows, d) and c (n, n)."""
    n, rows, d = own.shape
    made = np.einsum("ts,tab->tasb", c, sent)
    made[np.arange(n), :, np.arange(n), :] += own
    return np.asarray(made.reshape(n * rows, n * d))


def drawn_clients(
    n: int, population: int, rows: int, d: int, norm: float, family: str, seed: int, step: int
) -> Clients:
    """Every sample's Jacobians of spectral norm ``norm`` (at most 1e-12 of it less).

    family: "random" (normal entries, scaled), or "aligned" (the identity's pattern, the last
    sample with the other sign: as far from the mean as Assumption 9 lets it be).
    """
    if family == "aligned":
        sign = np.ones(population)
        sign[-1] = -1.0 if population > 1 else 1.0
        one = np.broadcast_to(INSIDE * norm * sign[:, None, None] * np.eye(rows, d), (
            n, population, rows, d
        ))  # fmt: skip
        return Clients(one.copy(), one.copy())
    draws = Stream(seed, "problem").normal(2, n, 0, step, population * rows * d)
    both = draws.reshape(2, n, population, rows, d)
    sizes = np.linalg.norm(both, 2, axis=(-2, -1))
    both = both * (INSIDE * norm / sizes)[..., None, None]
    return Clients(both[0], both[1])


@dataclass(frozen=True)
class Drawn:
    """Rounds 0 .. 2M of R runs: edges (R, T, n, n), batches (R, T, n, b) of sample numbers."""

    there: NDArray[np.bool_]
    batch: NDArray[np.int64]


def drawn_rounds(
    network: Topology, runs: NDArray[np.int64], rounds: int, population: int, b: int, seed: int
) -> Drawn:
    there = np.stack([arrived(matrices(network, t, runs)) for t in range(rounds)], axis=1)
    stream, n = Stream(seed, "sample"), network.clients
    picked = [stream.integers(population, runs, n, t, 0, b) for t in range(rounds)]
    return Drawn(there, np.stack(picked, axis=1))


def batch_mean(samples: Floats, batch: NDArray[np.int64]) -> Floats:
    """(n, rows, d): each client's average over its minibatch, for samples (n, S, rows, d)."""
    return np.asarray(samples[np.arange(len(samples))[:, None], batch].mean(axis=1))


def edge_by_edge(drawn: Drawn, clients: Clients, law: EdgeLaw, r: int, t: int) -> Floats:
    """The right side of C.2: what A-hat - A-bar (B-hat - B-bar) of round t is the sum of."""
    own, sent = (batch_mean(part, drawn.batch[r, t]) for part in (clients.own, clients.sent))
    edge = (drawn.there[r, t] / np.where(law.frequency > 0, law.frequency, 1)) - 1
    off = (own - clients.own.mean(axis=1), sent - clients.sent.mean(axis=1))
    mean = np.asarray(law.mean.T)
    return assembled(np.zeros_like(own), sent, edge * mean) + assembled(*off, mean)


def rounds_of(
    drawn: Drawn, y: Clients, lam: Clients, law: EdgeLaw, c: Floats, alpha: float, beta: float
) -> Sequence:
    """The sequence of A-hat (odd rounds) and B-hat (even rounds)."""

    def made(clients: Clients, r: int, t: int) -> Floats:
        own, sent = (batch_mean(part, drawn.batch[r, t]) for part in (clients.own, clients.sent))
        return assembled(own, sent, drawn.there[r, t] * law.debiased)

    R, T = drawn.there.shape[:2]
    size = len(c)
    A = [[made(y, r, t) for t in range(1, T, 2)] for r in range(R)]
    B = np.array([[made(lam, r, t) for t in range(0, T, 2)] for r in range(R)])
    stacked = np.array(A) if T > 1 else np.zeros((R, 0, size, size))
    return Sequence(stacked, B, y.expected(law), lam.expected(law), c, alpha, beta)
