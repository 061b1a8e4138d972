"""SGP's models beside those of the methods that it is said to recover (pdbo, Section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.experiments._base import (
    Experiment,
    Observation,
    Row,
    check_column,
    relative_error,
)
from theorylab.hypergradients import SGP, QuadraticBilevel
from theorylab.hypergradients.edge_law import matrices
from theorylab.kernels import Stream
from theorylab.known import How, Known
from theorylab.topologies import topology

Floats = NDArray[np.float64]
_VARIANT = {"bianchi": "4a", "lian": "4b", "fedavg": "4a", "alone": "4a"}
_VARIANT |= {"alg2_4a": "4a", "alg2_4b": "4b"}
_STEP_AFTER = ("lian", "alg2_4b")  # the other side's order, whatever the first one's is


class SgpRecovers(Experiment):
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

    name = "sgp-recovers"
    columns = tuple(_VARIANT)

    def __init__(
        self,
        clients: int = 4,
        network: Mapping[str, Any] | None = None,
        rounds: int = 12,
        step: float | Sequence[float] = 0.2,
        local_steps: int = 1,
        rests: int = 1,
        omega0: float | Sequence[float] = 1.0,
        start: float = 1.0,
        problem: Mapping[str, Any] | None = None,
        lam: float = 0.5,
    ) -> None:
        for name, count in (("rounds", rounds), ("local_steps", local_steps), ("rests", rests)):
            if type(count) is not int or count < 1:
                raise ValueError(f"{self.name}: {name} is {count!r}; need an integer >= 1")
        if local_steps > rounds:
            raise ValueError(
                f"{self.name}: local_steps is {local_steps}, rounds {rounds}; need K <= T"
            )
        network = {"name": "complete"} if network is None else dict(network)
        problem = {"noise": 0.3} if problem is None else dict(problem)
        self.options: dict[str, Any] = {
            **{"clients": clients, "network": network, "rounds": rounds, "step": step},
            **{"local_steps": local_steps, "rests": rests, "omega0": omega0, "start": start},
            **{"problem": problem, "lam": lam},
        }
        rest = {key: value for key, value in network.items() if key != "name"}
        self.topology = topology(network["name"], clients, **rest)
        self.problem = QuadraticBilevel.random(clients, **problem)
        self.steps = SGP(step).steps(clients)[:, None]
        weights = np.asarray(omega0, np.float64)
        if (
            weights.shape not in ((), (clients,))
            or not (np.isfinite(weights) & (weights > 0)).all()
        ):
            raise ValueError(
                f"{self.name}: omega0 is {omega0!r}; need a number > 0, or one a client"
            )
        self.omega0 = np.broadcast_to(weights, (clients,))
        self.lam = np.full((1, clients, self.problem.hyper), float(lam))

    def describe(self) -> dict[str, Any]:
        return dict(self.options)

    def constants(self) -> dict[str, Known]:
        """``summands``: twice the operations that a number of either side passes through.

        A round has a gradient of d + h + 12 operations, the mix of n + 1, and the weights' up to 5
        units of P against the method's. omega^(t) is off by t rounds of n + 1 operations and a row
        sum up to 4 n u from 1, and is divided by in each of T rounds and at the end.
        """
        n, T, p = self.topology.clients, self.options["rounds"], self.problem
        count = 2.0 * ((T + 1) * (p.dim + p.hyper + n + 18) + (T + 1) ** 2 * (5 * n + 2))
        far = float(np.abs(self.omega0 - 1).max())
        return {
            "n": Known(float(n), How.EXACT, "clients"),
            "K": Known(
                float(self.options["local_steps"]), How.EXACT, "local steps between averages"
            ),
            "roundoff": Known(2.0**-53, How.EXACT, "float64"),
            "summands": Known(count, How.EXACT, "operations that a number passes through"),
            "omega_start": Known(far, How.EXACT, "largest |omega_i^(0) - 1|"),
        }

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        with np.errstate(over="ignore", invalid="ignore"):
            row = self._row(column, np.arange(runs.start, runs.stop), seed)
        return Observation((row,), exact=False)

    def _row(self, column: str, ids: NDArray[np.int64], seed: int) -> Row:
        o = self.options
        n, d, K = self.topology.clients, self.problem.dim, o["local_steps"]
        sgp = SGP(o["step"], _VARIANT[column])
        x = o["start"] * Stream(seed, "init").normal(ids, n, 0, 0, d)
        z, omega, lam = x, np.tile(self.omega0, (len(ids), 1)), np.repeat(self.lam, len(ids), 0)
        size, plain_size, after = np.abs(x), np.abs(x), column in _STEP_AFTER
        gaps = dict.fromkeys(("sums_gap", "average_gap", "alone_gap", "schedule_gap"), 0.0)
        own = omega  # Algorithm 2's weights; 1 in the methods that have none
        gap, both, models = np.zeros(len(x)), 0.0, [0.0]  # largest entries of either side
        for t in range(o["rounds"]):
            P, sample = self._mixing(t, ids), self.problem.sample(seed, ids, t)
            gaps = {name: max(gaps[name], far) for name, far in _far(P, t, K).items()}
            size = self._grown(P, size / omega[..., None], omega[..., None], after)
            z = sgp.round(self.problem, P, z, omega, lam, sample)
            omega = (P * omega[:, None, :]).sum(axis=2)
            last = (t + 1) % K == 0 or column != "fedavg"
            if column.startswith("alg2"):
                x, own = self._messages(P, x, own, lam, sample, after)
                plain_size = size
            else:
                Q = P if column in ("bianchi", "lian") else _schedule(n, t, K)
                Q = np.broadcast_to(np.eye(n) if column == "alone" else Q, P.shape)
                pull = self.steps * self.problem.inner_gradient(x, lam, sample)
                sent = x if after else x - pull
                mixed = sent if column == "alone" else (Q[..., None] * sent[:, None]).sum(axis=2)
                x = mixed - pull if after else mixed
                plain_size = self._grown(Q, plain_size, 1.0, after)
            both = max(both, float((size / omega[..., None]).max() + plain_size.max()))
            if last:
                plain = x / own[..., None] if column.startswith("alg2") else x
                debiased = z / omega[..., None]
                gap = np.maximum(gap, np.abs(debiased - plain).max(axis=(1, 2)))
                models += [np.abs(plain).max(), np.abs(debiased).max()]
        if not (np.isfinite(gap).all() and np.isfinite(both)):
            raise ValueError(
                f"{self.name}: models are not finite after T rounds; need a smaller step"
            )
        text = "both sides, every number replaced by its size"
        at: dict[str, Known | float] = {"magnitude": Known(both, How.UPPER, text), **gaps}
        share = relative_error(gap, np.array(models))
        return Row(gap, at, f"T={o['rounds']}", rounding=0.0, relative_error=share)

    def _mixing(self, t: int, ids: NDArray[np.int64]) -> Floats:
        if (t + 1) % self.options["rests"]:
            n = self.topology.clients
            return np.broadcast_to(np.eye(n), (len(ids), n, n))
        return matrices(self.topology, t, ids)

    def _messages(
        self, P: Floats, z: Floats, omega: Floats, lam: Floats, sample: Any, after: bool
    ) -> tuple[Floats, Floats]:
        """One round of Algorithm 2: z (R, n, d), omega (R, n) from what each client receives."""
        p = self.problem
        pull = self.steps * p.inner_gradient(z / omega[..., None], lam, sample)
        phi = np.concatenate([z if after else z - pull, omega[..., None]], axis=-1)
        psi = np.concatenate([-pull if after else 0 * pull, 0 * omega[..., None]], axis=-1)
        y = np.zeros_like(phi)  # line 8
        for r, i, j in zip(*np.nonzero(P), strict=True):  # j sends to i: lines 6, 10 and 11
            y[r, i] += P[r, i, j] * phi[r, j]
        y += psi  # line 13
        return y[..., :-1], y[..., -1]

    def _grown(self, P: Floats, x: Floats, omega: Any, after: bool) -> Floats:
        """Sizes after a round from those of x = z / omega: every number replaced by its size."""
        p = self.problem
        slope = (np.abs(p.H) @ x[..., None])[..., 0] + np.abs(p.b)
        slope = slope + (np.abs(p.G) @ np.abs(self.lam)[..., None])[..., 0]
        pull = self.steps * (1 + p.noise) * slope
        return np.asarray(P @ (x * omega) + pull if after else P @ (x * omega + pull))


def _schedule(n: int, t: int, K: int) -> Floats:
    """FedAvg as a mix: the average of all after K steps, everyone alone before."""
    return np.full((n, n), 1 / n) if (t + 1) % K == 0 else np.eye(n)


def _far(P: Floats, t: int, K: int) -> dict[str, float]:
    n = P.shape[-1]
    sums = [float(np.abs(P.sum(axis=axis) - 1).max()) for axis in (1, 2)]
    found = {"sums_gap": max(sums)}
    for name, wanted in (
        ("average_gap", _schedule(n, t, 1)),
        ("alone_gap", np.eye(n)),
        ("schedule_gap", _schedule(n, t, K)),
    ):
        off = np.abs(P - wanted)
        share = np.divide(off, wanted, out=np.where(off > 0, np.inf, 0.0), where=wanted > 0)
        found[name] = float(share.max())
    return found
