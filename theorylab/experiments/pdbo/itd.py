"""Iterative differentiation against the derivative along one path (pdbo, Appendix H)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theorylab.experiments._base import Observation, Row, check_column, relative_error
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import Floats, PdboExperiment, built, exacts, uppers
from theorylab.experiments.pdbo._plain_place import LOSSES
from theorylab.hypergradients import SGP, QuadraticBilevel, algorithm2, itd
from theorylab.hypergradients.edge_law import arrived
from theorylab.hypergradients.itd import round_of
from theorylab.hypergradients.linear import dense
from theorylab.hypergradients.sgp import Path, Trained
from theorylab.known import Known

_MODES = {  # of ``itd``, by column
    **{"eq41": "eq41", "eq42": "forward"},
    **{"backward": "backward", "backward_printed": "backward-printed"},
}
_PATH = """
P, (d, h) = edges / edges.sum(axis=1, keepdims=True), G.shape[1:]
def path(lam):  # Eq. (2) with (4b): x and omega after every round
    z, omega, made = np.zeros((n, d)), np.ones((n, 1)), []
    for t in range(T + 1):
        x = z / omega
        made.append((x, omega))
        slope = np.einsum('iab,ib->ia', H, x) - b - np.einsum('iak,ik->ia', G, lam)
        z, omega = P[t] @ z - step * slope, P[t] @ omega
    return made
def outer(lam):  # Fbar(x^(T)), a quadratic function of lambda
    x = path(lam)[T][0]
    mixed = x * np.einsum('iak,ik->ia', S, lam)
    return np.sum((x - t_) ** 2 / 2 + mixed) / n + reg * np.sum(lam**2) / (2 * n)
one, units = np.ones((n, h)), np.eye(n * h).reshape(n * h, n, h)
truth = np.array([outer(one + e) - outer(one - e) for e in units]) / 2
def blocks(own):  # of own_i x_i
    return np.einsum('ij,iab->iajb', np.eye(n), own).reshape(n * own.shape[1], n * d)
made, eye = path(one), np.eye(d)
A = [np.kron(P[t].T, eye) - blocks(step * H / made[t][1][:, :, None]) for t in range(T + 1)]
B, (x, omega) = blocks(step * np.swapaxes(G, 1, 2)), made[T]
c = ((x - t_ + S.sum(-1)) / (n * omega)).ravel()
c_lam = ((np.einsum('iak,ia->ik', S, x) + reg) / n).ravel()
"""
_ESTIMATES = {
    "eq41": """estimate = c_lam
for t in range(T):  # Eq. (41): later factors to the left, as line 31 has them
    u = c
    for s in range(t + 1, T):
        u = A[s] @ u
    estimate = estimate + B @ u
""",
    "backward_printed": """estimate, u = c_lam, c
for t in range(T, 0, -1):  # lines 1259 and 1267 read round t + 1 for t
    estimate, u = estimate + B @ u, A[t] @ u
""",
}
_DISTANCE = "measured = np.abs(estimate - truth).max()"


@dataclass(kw_only=True, eq=False)
class Itd(PdboExperiment, name="itd"):
    """Largest difference of d^ITD_lambda Fbar from the derivative of Fbar(x^(T)) in lambda.

    On a quadratic problem x^(T) is affine in lambda along one path, so Fbar(x^(T)) is quadratic,
    and (Fbar(lambda + e) - Fbar(lambda - e)) / 2 is its derivative without an error of
    approximation: nothing but the inner loop is used for it. One value a run.

    Columns: eq41 (the printed product), eq42 (forward), eq43 (its blocks, client by client, and
    Eq. (44)), backward, backward_printed (lines 1259 and 1267).

    Args:
        clients, network: the topology. rounds: T. sgp: {"step", "variant"}. problem: options of
        ``QuadraticBilevel.random``.
    """

    columns = (*_MODES, "eq43")

    clients: int = 3
    network: Mapping[str, Any] = field(default_factory=lambda: {"name": "sto-d"})
    rounds: int = 6
    sgp: Mapping[str, Any] = field(default_factory=lambda: {"step": 0.2, "variant": "4b"})
    problem: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.need(type(self.rounds) is int and self.rounds >= 1, "rounds", ">= 1")
        self.topology = built(self.network, self.clients)
        self.losses = QuadraticBilevel.random(self.clients, **self.problem)
        self.steps = SGP(**self.sgp)

    def constants(self) -> dict[str, Known]:
        # A number passes through T rounds of dx + n + dlam + 8 operations in the path, as many in
        # the derivative, and F's; twice that, as the sum of sizes is computed, too.
        count = 2 * (2 * self.rounds + 4) * (self.losses.dim + self.clients + self.losses.hyper + 8)
        return exacts("operations that a number passes through", summands=count)

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        p, ids = self.losses, np.arange(runs.start, runs.stop)
        lam = np.ones((1, p.clients, p.hyper))

        def run(at: Floats) -> Trained:
            return algorithm2(
                p, self.topology, self.steps, at, self.rounds, seed=seed, runs=ids, keep=True
            )

        path = run(lam).path
        assert path is not None
        derivative = np.zeros((len(ids), p.clients, p.hyper))
        for i, k in np.ndindex(p.clients, p.hyper):
            step = np.zeros_like(lam)
            step[0, i, k] = 1.0
            ends = (lam + step, lam - step)
            up, down = (p.outer(run(at).x, np.broadcast_to(at, derivative.shape)) for at in ends)
            derivative[:, i, k] = (up - down).mean(axis=1) / 2
        estimates = np.array([
            self._blockwise(path, lam[0], r) if column == "eq43"
            else itd(p, self.steps, lam[0], path, _MODES[column], run=r)
            for r in range(len(ids))
        ])  # fmt: skip
        gaps = np.abs(estimates - derivative).max(axis=(1, 2))
        size = max(self._size(path, r) for r in range(len(ids)))
        at = uppers("the same sums with every number replaced by its size", hyper_magnitude=size)
        share = relative_error(gaps, derivative, estimates)
        row = Row(gaps, at, f"T={self.rounds}", rounding=0.0, relative_error=share)
        return Observation((row,), exact=False)

    def plain(self, spot: Spot) -> Plain:
        """Eq. (41), or the printed backward pass, beside the derivative of Fbar along one path."""
        p, sgp, T = self.losses, self.steps, self.rounds
        if spot.column not in _ESTIMATES:
            return super().plain(spot)
        if p.stochastic or sgp.variant != "4b":
            raise UnwrittenError("a path of (4a), or with noise, has no script")
        lam, ids = np.ones((1, p.clients, p.hyper)), np.array([spot.worst_run()])
        path = algorithm2(p, self.topology, sgp, lam, T, seed=spot.seed, runs=ids, keep=True).path
        assert path is not None
        numbers: dict[str, Any] = {
            **{"n": p.clients, "T": T, "step": float(sgp.steps(1)[0]), "reg": p.reg},
            **{"H": p.H, "b": p.b, "G": p.G, "t_": p.t, "S": p.S},
        }
        plain = Plain(about={"H": LOSSES}, told={"edges": "[t, i, j]: j -> i in round t"})
        text = _PATH + _ESTIMATES[spot.column] + _DISTANCE
        return plain.of(text, **numbers, edges=path.P[:, 0] > 0)

    def _blockwise(self, path: Path, lam: Floats, run: int) -> Floats:
        """Eq. (43): U_ki <- sum_j delta_{j->i} U_kj <A>_ji + delta_{k->i} <B>_ki; Eq. (44)."""
        n, d, h = self.losses.clients, self.losses.dim, self.losses.hyper
        rounds = [round_of(self.losses, self.steps, lam, path, t, run) for t in range(len(path.P))]
        U = np.zeros((n, n, h, d))
        for t, one in enumerate(rounds[:-1]):
            A, B = (matrix.reshape(n, -1, n, d) for matrix in dense(*one))
            there = arrived(path.P[t, run])  # [i, j]: j -> i
            after = np.zeros_like(U)
            for k, i in np.ndindex(n, n):
                for j in np.flatnonzero(there[i]):
                    after[k, i] += U[k, j] @ A[j, :, i]
                if there[i, k]:
                    after[k, i] += B[k, :, i]
            U = after
        c, c_lam = (np.asarray(part)[0] for part in rounds[-1][0].seeds())
        return np.asarray(np.einsum("kjab,jb->ka", U, c) + c_lam)

    def _size(self, path: Path, run: int) -> float:
        """An upper bound on the sums of absolute values in Fbar(x^(T)) at lambda +- e."""
        p, T = self.losses, len(path.P) - 1
        steps = self.steps.steps(p.clients)[:, None]
        lam = np.full((p.clients, p.hyper, 1), 2.0)
        push = (np.abs(p.b)[..., None] + np.abs(p.G) @ lam)[..., 0]
        z = np.zeros((p.clients, p.dim))
        for t in range(T):
            x = z / path.omega[t, run][:, None]
            inner = (1 + p.noise) * ((np.abs(p.H) @ x[..., None])[..., 0] + push)
            # (4a) mixes the step, too; (4b) does not: both are below their sum.
            z = path.P[t, run] @ (z + steps * inner) + steps * inner
        x = z / path.omega[T, run][:, None] + np.abs(p.t)
        mixed = (np.abs(p.S) @ lam)[..., 0]
        each = (x * x).sum(axis=1) + (x * mixed).sum(axis=1) + 2 * p.reg * p.hyper
        return float(4 * each.sum())
