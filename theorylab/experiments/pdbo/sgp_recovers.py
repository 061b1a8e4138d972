"""SGP's models beside those of the methods that it is said to recover (pdbo, Section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theorylab.experiments._base import Observation, Row, check_column, relative_error
from theorylab.experiments._plain import Plain, Spot, UnwrittenError
from theorylab.experiments.pdbo._base import (
    Floats,
    Ints,
    PdboExperiment,
    built,
    exacts,
    uppers,
)
from theorylab.hypergradients import SGP, QuadraticBilevel
from theorylab.hypergradients.edge_law import matrices
from theorylab.kernels import Stream
from theorylab.known import UNIT, Known

_VARIANT = {"bianchi": "4a", "lian": "4b", "fedavg": "4a", "alone": "4a"}
_VARIANT |= {"alg2_4a": "4a", "alg2_4b": "4b"}
_STEP_AFTER = ("lian", "alg2_4b")  # the other side's order, whatever the first one's is

_LOSSES = "f_i = (1 + noise s) (x'H_i x / 2 - x'push_i), s = +-1 the minibatch"
_FEDAVG = """
def pull(x, s):
    return step * (1 + noise * s)[:, None] * (np.einsum('iab,ib->ia', H, x) - push)
z, omega, x, measured = start, np.ones(n), start, 0.0
for t, s in enumerate(signs):
    z, x = P @ (z - pull(z / omega[:, None], s)), x - pull(x, s)  # (4a); alone
    omega = P @ omega
    if (t + 1) % K == 0:
        x = np.tile(x.mean(axis=0), (n, 1))  # FedAvg averages
        measured = max(measured, np.abs(z / omega[:, None] - x).max())
"""


@dataclass(kw_only=True, eq=False)
class SgpRecovers(PdboExperiment, name="sgp-recovers"):
    """Largest |x_i^(t) - x_i| over clients, coordinates and t, one value a run.

    SGP's x_i = z_i / omega_i of Eq. (2) with (4a) or (4b); the other method's x_i are plain
    recursions without weights. Both start at the same z^(0), normal and each client its own, and
    take the gradients of the same minibatches.

    Columns:
        bianchi  (4a) against x_i <- sum_j P_ij (x_j - a_j g_j(x_j)), every t <= T
        lian     (4b) against x_i <- sum_j P_ij x_j - a_i g_i(x_i), every t <= T
        fedavg   (4a) against K local steps of every client and the average of all, one model for
                 everyone after each; at t = K, 2K, .. <= T
        alone    (4a) against x_i <- x_i - a_i g_i(x_i), every client by itself
        alg2_4a, alg2_4b  Eq. (2) against Algorithm 2, message by message, with (4a) or (4b)

    Each row has ``sums_gap``, the largest |row or column sum of P^(t) - 1|; ``average_gap``,
    ``alone_gap`` and ``schedule_gap``, the largest relative difference of an entry of P^(t) from
    1/n, from the identity's, and from 1/n where K divides t + 1 and the identity's elsewhere
    (infinite where that is 0 and P's is not).

    Args:
        clients, network: the topology. rounds: T. step: a_i, one number or one a client.
        local_steps: K. rests: P^(t) is the network's where this divides t + 1, else the identity.
        omega0: every omega_i^(0), one number or one a client. start: scale of z^(0).
        problem: options of ``QuadraticBilevel.random``. lam: of every lambda.
    """

    columns = tuple(_VARIANT)

    clients: int = 4
    network: Mapping[str, Any] = field(default_factory=lambda: {"name": "complete"})
    rounds: int = 12
    step: float | Sequence[float] = 0.2
    local_steps: int = 1
    rests: int = 1
    omega0: float | Sequence[float] = 1.0
    start: float = 1.0
    problem: Mapping[str, Any] = field(default_factory=lambda: {"noise": 0.3})
    lam: float = 0.5

    def __post_init__(self) -> None:
        for name in ("rounds", "local_steps", "rests"):
            count = getattr(self, name)
            self.need(type(count) is int and count >= 1, name, "an integer >= 1")
        self.need(self.local_steps <= self.rounds, "local_steps rounds", "K <= T")
        self.topology = built(self.network, self.clients)
        self.losses = QuadraticBilevel.random(self.clients, **self.problem)
        self.steps = SGP(self.step).steps(self.clients)[:, None]
        weights = np.asarray(self.omega0, np.float64)
        fits = weights.shape in ((), (self.clients,)) and ((weights > 0) & (weights < np.inf)).all()
        self.need(bool(fits), "omega0", "a number > 0, or one a client")
        self.weights = np.broadcast_to(weights, (self.clients,))

    def constants(self) -> dict[str, Known]:
        """``summands``: twice the operations that a number of either side passes through.

        A round has a gradient of d + h + 12 operations, the mix of n + 1, and the weights' up to 5
        units of P against the method's. omega^(t) is off by t rounds of n + 1 operations and a row
        sum up to 4 n u from 1, and is divided by in each of T rounds and at the end.
        """
        n, T, p = self.clients, self.rounds, self.losses
        count = 2 * ((T + 1) * (p.dim + p.hyper + n + 18) + (T + 1) ** 2 * (5 * n + 2))
        return {
            **exacts("of the instance", n=n, K=self.local_steps),
            **exacts("float64", roundoff=UNIT),
            **exacts("operations that a number passes through", summands=count),
            **exacts("largest |omega_i^(0) - 1|", omega_start=np.abs(self.weights - 1).max()),
        }

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        with np.errstate(over="ignore", invalid="ignore"):
            row = self._row(column, np.arange(runs.start, runs.stop), seed)
        return Observation((row,), exact=False)

    def plain(self, spot: Spot) -> Plain:
        """Eq. (2) with (4a) beside FedAvg with local steps, from one start with one minibatch
        each."""
        same = self.topology.period == 1 and self.rests == 1 and (self.weights == 1).all()
        if spot.column != "fedavg" or not same or np.ptp(self.steps):
            raise UnwrittenError(f"no script is written for {spot.column} of this instance")
        p, run = self.losses, np.array([spot.worst_run()])
        lam = np.full((p.clients, p.hyper), float(self.lam))
        signs = [p.sample(spot.seed, run, t) for t in range(self.rounds)]
        numbers = {
            "n": self.clients, "K": self.local_steps, "step": float(self.steps[0, 0]),
            "noise": p.noise, "P": self.topology.matrix(0).toarray(), "H": p.H,
            "push": p.b + np.einsum("nxl,nl->nx", p.G, lam),
            "start": self.start * Stream(spot.seed, "init").normal(run, p.clients, 0, 0, p.dim)[0],
            "signs": np.array([np.zeros(p.clients) if s is None else s[0] for s in signs]),
        }  # fmt: skip
        told = {"push": "b_i + G_i lambda", "signs": "of client i in round t"}
        return Plain(about={"H": _LOSSES}, told=told).of(_FEDAVG, **numbers)

    def _row(self, column: str, ids: Ints, seed: int) -> Row:
        n, d, K = self.clients, self.losses.dim, self.local_steps
        sgp = SGP(self.step, _VARIANT[column])
        x = self.start * Stream(seed, "init").normal(ids, n, 0, 0, d)
        z, omega = x, np.tile(self.weights, (len(ids), 1))
        lam = np.full((len(ids), n, self.losses.hyper), float(self.lam))
        size, plain_size, after = np.abs(x), np.abs(x), column in _STEP_AFTER
        gaps = dict.fromkeys(("sums_gap", "average_gap", "alone_gap", "schedule_gap"), 0.0)
        own = omega  # Algorithm 2's weights; 1 in the methods that have none
        gap, both, models = np.zeros(len(x)), 0.0, [0.0]  # largest entries of either side
        for t in range(self.rounds):
            P, sample = np.tile(np.eye(n), (len(ids), 1, 1)), self.losses.sample(seed, ids, t)
            if (t + 1) % self.rests == 0:
                P = matrices(self.topology, t, ids)
            gaps = {name: max(gaps[name], far) for name, far in _far(P, t, K).items()}
            size = self._grown(P, size / omega[..., None], omega[..., None], after)
            z = sgp.round(self.losses, P, z, omega, lam, sample)
            omega = (P * omega[:, None, :]).sum(axis=2)
            if column.startswith("alg2"):
                x, own = self._messages(P, x, own, lam, sample, after)
                plain_size = size
            else:
                Q = P if column in ("bianchi", "lian") else _schedule(n, t, K)
                Q = np.broadcast_to(np.eye(n) if column == "alone" else Q, P.shape)
                pull = self.steps * self.losses.inner_gradient(x, lam, sample)
                sent = x if after else x - pull
                mixed = sent if column == "alone" else (Q[..., None] * sent[:, None]).sum(axis=2)
                x = mixed - pull if after else mixed
                plain_size = self._grown(Q, plain_size, 1.0, after)
            both = max(both, float((size / omega[..., None]).max() + plain_size.max()))
            if (t + 1) % K == 0 or column != "fedavg":
                plain = x / own[..., None] if column.startswith("alg2") else x
                debiased = z / omega[..., None]
                gap = np.maximum(gap, np.abs(debiased - plain).max(axis=(1, 2)))
                models += [np.abs(plain).max(), np.abs(debiased).max()]
        if not (np.isfinite(gap).all() and np.isfinite(both)):
            raise ValueError(
                f"{self.name}: models are not finite after T rounds; need a smaller step"
            )
        at = {**uppers("both sides, every number replaced by its size", magnitude=both), **gaps}
        share = relative_error(gap, np.array(models))
        return Row(gap, at, f"T={self.rounds}", rounding=0.0, relative_error=share)

    def _messages(
        self, P: Floats, z: Floats, omega: Floats, lam: Floats, sample: Any, after: bool
    ) -> tuple[Floats, Floats]:
        """One round of Algorithm 2: z (R, n, d), omega (R, n) from what each client receives."""
        p = self.losses
        pull = self.steps * p.inner_gradient(z / omega[..., None], lam, sample)
        phi = np.concatenate([z if after else z - pull, omega[..., None]], axis=-1)
        y = np.zeros_like(phi)  # line 8
        for r, i, j in zip(*np.nonzero(P), strict=True):  # j sends to i: lines 6, 10 and 11
            y[r, i] += P[r, i, j] * phi[r, j]
        y[..., :-1] -= pull if after else 0  # line 13: psi
        return y[..., :-1], y[..., -1]

    def _grown(self, P: Floats, x: Floats, omega: Any, after: bool) -> Floats:
        """Sizes after a round from those of x = z / omega: every number replaced by its size."""
        p = self.losses
        slope = (np.abs(p.H) @ x[..., None])[..., 0] + np.abs(p.b)
        slope = slope + np.abs(p.G).sum(axis=-1) * abs(self.lam)
        pull = self.steps * (1 + p.noise) * slope
        return np.asarray(P @ (x * omega) + pull if after else P @ (x * omega + pull))


def _schedule(n: int, t: int, K: int) -> Floats:
    """FedAvg as a mix: the average of all after K steps, everyone alone before."""
    return np.full((n, n), 1 / n) if (t + 1) % K == 0 else np.eye(n)


def _far(P: Floats, t: int, K: int) -> dict[str, float]:
    def share(Q: Floats) -> float:
        off = np.abs(P - Q)
        shares = np.divide(off, Q, out=np.where(off > 0, np.inf, 0.0), where=Q > 0)
        return float(shares.max())

    n, sums = P.shape[-1], (np.abs(P.sum(axis=axis) - 1).max() for axis in (1, 2))
    gaps = {"sums_gap": float(max(sums)), "alone_gap": share(np.eye(n))}
    average, schedule = share(_schedule(n, t, 1)), share(_schedule(n, t, K))
    return {**gaps, "average_gap": average, "schedule_gap": schedule}
