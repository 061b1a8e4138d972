"""Constants of PDBO's Assumptions 4 and 8, from the Jacobians of its maps.

One round is y_i <- sum_j p_ji phi_j(y_j) + psi_i(y_i), and with the spectral norm

    kappa = sum_ij pbar_ji / dbar_ij,   pbar_ji = E p_ji (from j to i), dbar_ij = E delta_{i -> j}
    max(||d_y psi_i||, ||d_y phi_i||) <= eta_A / (2 kappa),   for all y, lambda, zeta, i
    max(||d_lambda psi_i||, ||d_lambda phi_i||) <= eta_B / (2 kappa)

so the least are eta_A = 2 kappa sup(...), eta_B = 2 kappa sup(...). Sources: pdbo, Assumption 8
(whose kappa prints delta for its mean; Appendix C, eq. 34, has the bar) and Assumption 4,
||Abar||_2 < 1 with Abar_ji = pbar_ji d phi_j + 1_ji d psi_j.

eta_A has to be below 1. As sum_i pbar_ji = 1 and dbar <= 1, kappa >= n. Both variants of SGP that
the paper gives (eq. 4a, 4b) hand omega_i on as it is, so ||d_y phi_i|| >= 1 and eta_A >= 2 n: on
the full y = (z, omega), no instance of SGP satisfies Assumption 8.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theorylab.known import EPS, How, Known
from theorylab.topologies import Topology

Floats = NDArray[np.float64]


def kappa(mean_P: ArrayLike, frequency: ArrayLike) -> Known:
    """sum over i, j of pbar_ji / dbar_{i -> j}, up to rounding.

    Args:
        mean_P: E P, (n, n), column-stochastic: [i, j] is the mean share of j's mass that i
            receives, the paper's pbar_ji.
        frequency: (n, n): [i, j] is how often there is an edge from j to i, in [0, 1]; the
            paper's dbar_{j -> i}.

    Returns:
        inf, naming the edge, where i receives from j but never sends to j: Assumption 6 fails.

    Raises:
        ValueError: on another shape, a number out of range, or a column that does not sum to 1.
    """
    P, often = np.asarray(mean_P, np.float64), np.asarray(frequency, np.float64)
    if P.ndim != 2 or P.shape[0] != P.shape[1] or not P.size or often.shape != P.shape:
        raise ValueError(
            f"kappa: mean_P has shape {P.shape}, frequency {often.shape}; need (n,n) both"
        )
    for name, table in (("mean_P", P), ("frequency", often)):
        bad = ~((table >= 0) & (table <= 1 + len(P) * EPS))
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise ValueError(f"kappa: {name}[{i},{j}] is {float(table[i, j])!r}; need 0..1")
    off = np.abs(P.sum(axis=0) - 1)
    if off.max() > 4 * len(P) * EPS:
        j = int(off.argmax())
        raise ValueError(f"kappa: column {j} of mean_P sums to {float(P[:, j].sum())!r}; need 1")
    lost = (P > 0) & (often.T == 0)
    if lost.any():
        i, j = np.argwhere(lost)[0]
        reason = f"Assumption 6 fails: client {j} sends to {i}, {i} never to {j}"
        return Known(math.inf, How.EXACT, f"no kappa: {reason}")
    value = float((P[P > 0] / often.T[P > 0]).sum())
    return Known(value, How.EXACT, "sum_ij pbar_ji / dbar_{i -> j}")


def topology_kappa(topology: Topology, rounds: int = 200, runs: int = 1) -> Known:
    """``kappa`` of a topology: exact for a static or periodic one, averaged over its period.

    For a drawn one, pbar and dbar are averages over rounds 0..rounds-1 of runs 0..runs-1.
    """
    P, often = _averages(topology, rounds, runs)
    found = kappa(P, often)
    if topology.period is not None:
        return Known(found.value, found.how, f"{found.source}, period {topology.period}")
    source = f"{found.source}, averages of {rounds} rounds of {runs} runs"
    return Known(found.value, How.ESTIMATE, source)


def pdbo_constants(
    kappa: Known,
    *,
    phi_y: ArrayLike | None = None,
    psi_y: ArrayLike | None = None,
    phi_lambda: ArrayLike | None = None,
    psi_lambda: ArrayLike | None = None,
    everywhere: bool = False,
    mean_P: ArrayLike | None = None,
) -> dict[str, Known]:
    """kappa, eta_A, eta_B; with ``mean_P`` also norm_A = ||Abar||_2, radius_A.

    radius_A is the spectral radius of Abar; below 1, I - Abar is invertible.

    Args:
        phi_y, psi_y: Jacobians with respect to y, (..., d_y, d_y): any number of clients and
            points. None is a map that does not depend on y. phi_lambda, psi_lambda: with respect
            to lambda, (..., d_lambda, d_y) or its transpose.
        everywhere: True says that the maps have no other Jacobians than these (they are affine,
            or all cases are listed): then the values are EXACT, else LOWER, being a supremum
            over a sample.
        mean_P: E P (n, n). Then phi_y and psi_y must be (n, d_y, d_y), one for each client, at
            the point where Abar is meant.

    Raises:
        ValueError: on a shape that does not fit, or nan.
    """
    made = {"kappa": kappa}
    for name, parts in (("eta_A", (phi_y, psi_y)), ("eta_B", (phi_lambda, psi_lambda))):
        norms = [_norm(f"{name}: Jacobian", part) for part in parts if part is not None]
        made[name] = _eta(kappa, max(norms, default=0.0), everywhere)
    if mean_P is not None:
        A = mean_jacobian(mean_P, phi_y, psi_y)
        how = How.EXACT if everywhere else How.ESTIMATE
        where = "" if everywhere else ", at the given point, not the stationary one"
        norm = float(np.linalg.norm(A, 2))
        made["norm_A"] = Known(norm, how, f"||Abar||_2, LAPACK{where}; Assumption 4 needs < 1")
        radius = float(np.abs(np.linalg.eigvals(A)).max())
        made["radius_A"] = Known(radius, How.ESTIMATE, f"spectral radius of Abar, LAPACK{where}")
    return made


def mean_jacobian(mean_P: ArrayLike, phi_y: ArrayLike | None, psi_y: ArrayLike | None) -> Floats:
    """Abar (n d, n d), whose block (j, i) is pbar_ji d phi_j + 1_ji d psi_j (pdbo, eq. 8a).

    Args:
        mean_P: (n, n), [i, j] from j to i. phi_y, psi_y: (n, d, d), the paper's layout
            [input, output]; None for 0, but not both.
    """
    P = np.asarray(mean_P, np.float64)
    n = len(P)
    given = [np.asarray(part, np.float64) for part in (phi_y, psi_y) if part is not None]
    if not given or any(part.shape != (n, *given[0].shape[-1:] * 2) for part in given):
        came = ", ".join(str(part.shape) for part in given) or "none"
        raise ValueError(f"pdbo: Jacobians have shape {came}; need ({n},d,d), one for each client")
    d = given[0].shape[-1]
    A = np.zeros((n, d, n, d))  # [j, input, i, output]
    if phi_y is not None:
        A += np.einsum("ij,jab->jaib", P, np.asarray(phi_y, np.float64))
    if psi_y is not None:
        A[np.arange(n), :, np.arange(n), :] += np.asarray(psi_y, np.float64)
    return A.reshape(n * d, n * d)


def _eta(kappa: Known, top: float, everywhere: bool) -> Known:
    source = "2 kappa max ||Jacobian||_2" + ("" if everywhere else " over the given ones")
    if math.isinf(kappa.value):
        return Known(math.inf, How.EXACT, kappa.source)
    how = How.EXACT if everywhere else How.LOWER
    if kappa.how is not How.EXACT:
        how = kappa.how if everywhere or kappa.how is How.LOWER else How.ESTIMATE
    return Known(2 * kappa.value * top, how, source)


def _norm(where: str, value: ArrayLike) -> float:
    table = np.asarray(value, np.float64)
    if table.ndim < 2 or not table.size:
        raise ValueError(f"pdbo: {where} has shape {table.shape}; need (..., rows, columns)")
    if not np.isfinite(table).all():
        raise ValueError(f"pdbo: {where} holds nan or inf; need finite numbers")
    return float(np.linalg.norm(table, ord=2, axis=(-2, -1)).max())


def _averages(topology: Topology, rounds: int, runs: int) -> tuple[Floats, Floats]:
    if topology.period is not None:
        rounds, runs = topology.period, 1
    if rounds < 1 or runs < 1:
        raise ValueError(f"kappa: rounds is {rounds}, runs {runs}; need at least 1 of both")
    n = topology.clients
    P, often = np.zeros((n, n)), np.zeros((n, n))
    for run in range(runs):
        for t in range(rounds):
            dense = topology.matrix(t, run).toarray()
            P += dense
            often += dense > 0
    # delta_{i -> i} = 1 always (Section 2), whether or not mass stays.
    often /= rounds * runs
    np.fill_diagonal(often, 1.0)
    return P / (rounds * runs), often
