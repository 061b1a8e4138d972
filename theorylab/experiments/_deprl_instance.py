"""What DePRL's statements run: a problem in (phi, theta_i), one static P, Algorithm 1's options."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from theorylab.algorithms import DePRL, algorithm
from theorylab.constants import lambda2, loss_constants, topology_constants
from theorylab.experiments._personal_parts import exactly, personal_parts
from theorylab.known import How, Known
from theorylab.runs import initial_models
from theorylab.topologies import Topology

Floats = Any
EPS = 2.0**-53
LONGEST = 256


class DeprlInstance:
    """The objects of an instance, and the constants that Theorem 1 speaks of.

    Args:
        where: what messages start with.
        problem, topology: options with a name each; the problem has a shared and a personal part,
            the topology is static. clients: N. x0: as for a run.
        steps: options of Algorithm 1 as printed: alpha, beta, tau, head.

    Raises:
        ValueError: one line, on any of these.
    """

    def __init__(
        self,
        where: str,
        problem_options: Mapping[str, Any],
        topology_options: Mapping[str, Any],
        clients: int,
        steps: Mapping[str, Any],
        x0: Any = 0.0,
    ) -> None:
        self.problem, self.topology = personal_parts(
            where, problem_options, topology_options, clients, "P"
        )
        for name in steps:
            if name not in ("alpha", "beta", "tau", "head"):
                raise ValueError(f"{where}: option {name!r}; need alpha, beta, tau or head")
        run = algorithm("deprl", **steps)
        assert isinstance(run, DePRL)
        if not isinstance(run.tau, int):
            raise ValueError(f"{where}: tau is {run.tau!r}; need one number of steps")
        self.algorithm, self.tau = run, run.tau
        self.kept = self.tau - (run.head == "printed")
        self.P = self.topology.matrix(0)
        self.start = initial_models(self.problem, 1, x0)[0]
        self.shared = self.problem.shared

    @functools.cached_property
    def known(self) -> dict[str, Known]:
        """The constants, by the names of ``statements.deprl._symbols``."""
        return {
            **self._losses(),
            **_measured(self.topology),
            **self._steps(),
            "n": Known(float(self.problem.clients), How.EXACT, "workers"),
        }

    def _losses(self) -> dict[str, Known]:
        found = loss_constants(self.problem, shared=self.shared)
        u = self.start[:, : self.shared]
        mean = np.broadcast_to(u.mean(axis=0), u.shape)
        point = np.concatenate([mean, self.start[:, self.shared :]], axis=1)[None]
        spread = 0.0 if (u == u[0]).all() else float(((u - mean) ** 2).sum())
        field = getattr(self.problem, "field", None)
        apart = field is None or field.independent_clients
        names = {
            **{"deprl_L": "L_deprl", "deprl_sigma": "sigma_deprl"},
            **{"deprl_varsigma": "partial_delta", "deprl_f_best": "F_star"},
        }
        return {
            **{own: found[name] for own, name in names.items() if name in found},
            "deprl_f_start": exactly(float(self.problem.loss(point).mean()), "f at the start"),
            "deprl_start_spread": exactly(spread, "of the first representations"),
            "deprl_independent": exactly(apart, "by the law of the noise"),
            "deprl_unbiased": exactly(1, "by the law of the noise"),
        }

    def _steps(self) -> dict[str, Known]:
        return {
            "deprl_alpha": exactly(self.algorithm.alpha, "option alpha"),
            "deprl_beta": exactly(self.algorithm.beta, "option beta"),
            "deprl_tau": exactly(self.tau, "option tau"),
            "deprl_kept": exactly(self.kept, f"tau, head {self.algorithm.head!r}"),
            "deprl_unit": exactly(1, "the printed number 1"),
        }


def _measured(network: Topology) -> dict[str, Known]:
    known = topology_constants(network, horizon=1)
    found = {
        "deprl_p": known["p"],
        "deprl_doubly": known["doubly_stochastic"],
        "deprl_loops": known["self_loops"],
        "deprl_connected": exactly(known["window"].value == 1, "every client is reached"),
    }
    if known["doubly_stochastic"].value != 1:
        none = Known(np.inf, How.EXACT, "P is not doubly stochastic: P^m does not tend to J")
        return {**found, "deprl_C2": none, "deprl_q2": none}
    C, q = contraction(network.matrix(0).toarray())
    return {**found, "deprl_C2": C, "deprl_q2": q}


def contraction(P: Floats) -> tuple[Known, Known]:
    """(C, q) with ||P^m - J||_2 <= C q^m for all m >= 1, C q / (1 - q) smallest among the H tried.

    P (n, n) doubly stochastic, so P^m - J = M^m with M = P - J. If ||M^H|| <= q^H, m = a H + b with
    1 <= b <= H gives ||M^m|| <= q^{a H} ||M^b||: C = max_{b <= H} ||M^b|| / q^b. H is a power of 2,
    up to ``LONGEST``; where that is not enough, one of many more with ||M^b|| <= 1 for all b.
    (inf, inf) where P has another eigenvalue of modulus 1, or rounding hides that it has none.
    For a symmetric P, ||P^m - J|| = |lambda_2|^m: no pair is better than (1, |lambda_2|).

    ``lower``: what no pair is below. q >= |lambda_2|, and C >= ||M||/q >= ||M||. So what fails with
    these two fails with every pair.
    """
    return _contraction(np.ascontiguousarray(P, np.float64).tobytes(), len(P))


@functools.lru_cache(maxsize=64)  # the values of a sweep, and the versions of a statement, share it
def _contraction(entries: bytes, n: int) -> tuple[Known, Known]:
    P = np.frombuffer(entries).reshape(n, n)
    M = P - 1 / n
    if (P == P.T).all():
        found = _symmetric(M)
        if found is not None:
            return found
    power, norms, best = M, [float(np.linalg.norm(M, 2))], (np.inf, np.inf, np.inf)
    H = 1
    while H <= LONGEST:
        # H products of norms <= 1, each off by n eps a row, and the norm itself by as much.
        q = (norms[-1] + 8 * n * H * EPS) ** (1 / H)
        if q < 1 - 1e-9:
            C = max((size + 8 * n * b * EPS) / q**b for b, size in enumerate(norms, start=1)) * (
                1 + 1e-9
            )
            best = min(best, (C * q / (1 - q), C, q))
        for _ in range(H):
            power = power @ M
            norms.append(float(np.linalg.norm(power, 2)))
        H *= 2
    if np.isinf(best[1]):
        best = _far(power, H, n)
    if np.isfinite(best[1]):
        source = "norms of (P - J)^m up to a power that contracts"
        C_least, q_least = max(0.0, norms[0] - 8 * n * EPS), _second_from_below(P)
        return (
            Known(best[1], How.UPPER, source, lower=min(C_least, best[1])),
            Known(best[2], How.UPPER, source, lower=min(q_least, best[2])),
        )
    second = lambda2(csr_array(P))
    source = "(P - J)^m does not tend to 0 as far as rounding lets see"
    source = second.source if second.how is How.EXACT and second.value == 1 else source
    return Known(np.inf, How.EXACT, source), Known(np.inf, How.EXACT, source)


def _symmetric(M: Floats) -> tuple[Known, Known] | None:
    """The pair of a symmetric P, from LAPACK's eigenvalues and their backward error; None where
    these are too near to 1 to tell."""
    second, room = float(np.abs(np.linalg.eigvalsh(M)).max()), 8 * len(M) * EPS
    if not second + room < 1 - 1e-9:
        return None
    source = "symmetric P: ||(P - J)^m|| = |lambda_2|^m"
    least = max(0.0, second - room)
    return (
        Known(1.0, How.UPPER, source, lower=least),
        Known(second + room, How.UPPER, source, lower=least),
    )


def _second_from_below(P: Floats) -> float:
    """At most |lambda_2|: LAPACK's less its backward error for a symmetric P; else by a trace,
    |tr M^m| <= (n - 1) |lambda_2|^m for M = P - J, which has the eigenvalue 0 besides.
    """
    n = len(P)
    if n == 1:
        return 0.0
    M = P - 1 / n
    if (P == P.T).all():
        return max(0.0, float(np.abs(np.linalg.eigvalsh(M)).max()) - 8 * n * EPS)
    best, power, m = 0.0, M, 1
    while m <= LONGEST:
        left = (abs(float(np.trace(power))) - 8 * n * n * m * EPS) / (n - 1)
        best = max(best, left ** (1 / m) * (1 - 4 * EPS)) if left > 0 else best
        power, m = power @ power, 2 * m
    return min(best, 1.0)


def _far(power: Floats, H: int, n: int) -> tuple[float, float, float]:
    """The same from M^H on, by squaring until the norm is below 1/2 or rounding is 1/4."""
    while (room := 8 * n * H * EPS) < 0.25:
        size = float(np.linalg.norm(power, 2)) + room
        if size < 0.5:
            q = float(np.exp(np.log(size) / H)) * (1 + 4 * EPS)
            C = 1 / size * (1 + 1e-9)  # ||M^b|| <= 1 <= C q^b for b <= H
            return (C * q / (1 - q), C, q) if q < 1 else (np.inf, np.inf, np.inf)
        power, H = power @ power, 2 * H
    return (np.inf, np.inf, np.inf)
