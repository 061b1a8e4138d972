"""Iterative differentiation against the derivative along one path (pdbo, Appendix H)."""

from __future__ import annotations

from collections.abc import Mapping
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
from theorylab.hypergradients import SGP, QuadraticBilevel, algorithm2, itd
from theorylab.hypergradients.linear import Linear
from theorylab.hypergradients.oracle import dense
from theorylab.hypergradients.sgp import Path
from theorylab.known import How, Known
from theorylab.topologies import topology

Floats = NDArray[np.float64]
_MODES = {
    "eq41": "eq41",
    "eq42": "forward",
    "backward": "backward",
    "backward_printed": "backward-printed",
}


class Itd(Experiment):
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

    name = "itd"
    columns = (*_MODES, "eq43")

    def __init__(
        self,
        clients: int = 3,
        network: Mapping[str, Any] | None = None,
        rounds: int = 6,
        sgp: Mapping[str, Any] | None = None,
        problem: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(rounds, int) or rounds < 1:
            raise ValueError(f"itd: rounds is {rounds!r}; need >= 1")
        network = {"name": "sto-d"} if network is None else dict(network)
        sgp = {"step": 0.2, "variant": "4b"} if sgp is None else dict(sgp)
        problem = {} if problem is None else dict(problem)
        self.options: dict[str, Any] = {
            **{"clients": clients, "network": network, "rounds": rounds},
            **{"sgp": sgp, "problem": problem},
        }
        rest = {key: value for key, value in network.items() if key != "name"}
        self.topology = topology(network["name"], clients, **rest)
        self.problem = QuadraticBilevel.random(clients, **problem)
        self.sgp = SGP(**sgp)

    def describe(self) -> dict[str, Any]:
        return dict(self.options)

    def constants(self) -> dict[str, Known]:
        o, p = self.options, self.problem
        # A number passes through T rounds of dx + n + dlam + 8 operations in the path, as many in
        # the derivative, and F's; twice that, as the sum of sizes is computed, too.
        each = p.dim + o["clients"] + p.hyper + 8
        count = 2.0 * (2 * o["rounds"] + 4) * each
        return {"summands": Known(count, How.EXACT, "operations that a number passes through")}

    def observe(self, column: str, runs: range, seed: int) -> Observation:
        check_column(self, column)
        o, p = self.options, self.problem
        ids = np.arange(runs.start, runs.stop)
        lam = np.ones((1, p.clients, p.hyper))

        def run(at: Floats) -> Any:
            return algorithm2(
                p, self.topology, self.sgp, at, o["rounds"], seed=seed, runs=ids, keep=True
            )

        trained = run(lam)
        path: Path = trained.path
        wanted = np.zeros((len(ids), p.clients, p.hyper))
        for i, k in np.ndindex(p.clients, p.hyper):
            step = np.zeros_like(lam)
            step[0, i, k] = 1.0
            up, down = (
                p.outer(run(lam + sign * step).x, np.broadcast_to(lam + sign * step, wanted.shape))
                for sign in (1, -1)
            )
            wanted[:, i, k] = (up - down).mean(axis=1) / 2
        gaps, sizes, sides = [], [], [wanted]
        for r in range(len(ids)):
            if column == "eq43":
                found = self._blockwise(path, lam[0], r)
            else:
                found = itd(p, self.sgp, lam[0], path, _MODES[column], run=r)
            gaps.append(np.abs(found - wanted[r]).max())
            sizes.append(self._size(path, r))
            sides.append(found)
        room = Known(max(sizes), How.UPPER, "the same sums with every number replaced by its size")
        row = Row(
            np.array(gaps),
            {"hyper_magnitude": room},
            f"T={o['rounds']}",
            rounding=0.0,
            relative_error=relative_error(gaps, *sides),
        )
        return Observation((row,), exact=False)

    def _jacobians(self, path: Path, lam: Floats, t: int, run: int) -> tuple[Floats, Floats]:
        here = slice(run, run + 1)
        omega = path.omega[t, here]
        at = Linear(self.problem, self.sgp, path.z[t, here] / omega[..., None], omega, lam[None])
        drawn = path.samples[t]
        return dense(at, path.P[t, run].T, None if drawn is None else drawn[here])

    def _blockwise(self, path: Path, lam: Floats, run: int) -> Floats:
        """Eq. (43): U_ki <- sum_j delta_{j->i} U_kj <A>_ji + delta_{k->i} <B>_ki; Eq. (44)."""
        n, d, h = self.problem.clients, self.problem.dim, self.problem.hyper
        U = np.zeros((n, n, h, d))
        T = len(path.P) - 1
        for t in range(T):
            A, B = (m.reshape(n, -1, n, d) for m in self._jacobians(path, lam, t, run))
            there = path.P[t, run] > 0  # [i, j]: j -> i
            there[np.arange(n), np.arange(n)] = True
            after = np.zeros_like(U)
            for k, i in np.ndindex(n, n):
                for j in range(n):
                    if there[i, j]:
                        after[k, i] += U[k, j] @ A[j, :, i]
                if there[i, k]:
                    after[k, i] += B[k, :, i]
            U = after
        here = slice(run, run + 1)
        omega = path.omega[T, here]
        at = Linear(self.problem, self.sgp, path.z[T, here] / omega[..., None], omega, lam[None])
        c, c_lam = (np.asarray(part)[0] for part in at.seeds())
        return np.asarray(np.einsum("kjab,jb->ka", U, c) + c_lam)

    def _size(self, path: Path, run: int) -> float:
        """An upper bound on the sums of absolute values in Fbar(x^(T)) at lambda +- e."""
        p, T = self.problem, len(path.P) - 1
        steps = self.sgp.steps(p.clients)[:, None]
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
