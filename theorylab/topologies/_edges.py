"""Checks of a mixing matrix, and who can reach whom in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels.random_edges import random_edges
from theorylab.topologies._numbers import clients_of, count

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]


def check_column_stochastic(P: Any, where: str, rows: bool = False) -> None:
    """Raise unless ``P`` is square, finite, nonnegative, and every column sums to 1 within n eps.

    Args:
        P: (n, n) array or scipy sparse array; ``P[i, j]`` is the share of j's mass i receives.
        where: how the message begins. rows: every row sums to 1, instead of every column.

    Raises:
        TypeError: if ``P`` is not an array of real numbers.
        ValueError: naming the first bad entry or column, and its value.
    """
    from scipy.sparse import csr_array, issparse

    if not issparse(P) and not isinstance(P, np.ndarray):
        raise TypeError(f"{where}: P is a {type(P).__name__}; need a numpy or scipy sparse array")
    if P.dtype.kind not in "fiu":
        raise TypeError(f"{where}: P has dtype {P.dtype}; need real numbers")
    if P.ndim != 2 or P.shape[0] != P.shape[1] or P.shape[0] == 0:
        raise ValueError(f"{where}: P has shape {P.shape}; need (n, n) with n >= 1")
    if hasattr(P, "check_format"):  # scipy's own code trusts indices and indptr
        try:
            P.check_format(full_check=True)
        except ValueError as error:
            raise ValueError(f"{where}: P is a broken sparse array: {error}") from None
    entries = csr_array(P).tocoo()
    bad = ~(np.isfinite(entries.data) & (entries.data >= 0))
    if bad.any():
        k = int(np.argmax(bad))
        raise ValueError(
            f"{where}: P[{entries.row[k]},{entries.col[k]}] = {float(entries.data[k])!r}; "
            "need finite and >= 0"
        )
    n = P.shape[0]
    line, ends = ("row", entries.row) if rows else ("column", entries.col)
    sums = np.bincount(ends, weights=entries.data, minlength=n)
    # n terms, each rounded once by whoever wrote them down and once by this sum.
    off = np.abs(sums - 1) > n * np.finfo(float).eps
    if off.any():
        j = int(np.argmax(off))
        raise ValueError(f"{where}: {line} {j} of P sums to {float(sums[j])!r}; need 1")


def unreachable(P: csr_array) -> str | None:
    """None if the graph of ``P`` is strongly connected, else a witness in words.

    The witness names a client that client 0 cannot reach, or that cannot reach client 0.
    """
    from scipy.sparse.csgraph import breadth_first_order  # slow to import

    for graph, words in (
        (P.T.tocsr(), "client {0} cannot be reached from client 0"),
        (P.tocsr(), "client {0} cannot reach client 0"),
    ):
        reached = breadth_first_order(graph, 0, directed=True, return_predecessors=False)
        if len(reached) < P.shape[0]:
            missed = np.setdiff1d(np.arange(P.shape[0]), reached)[0]
            return words.format(int(missed))
    return None


def check_strongly_connected(
    P: csr_array, where: str, other: str = "allow_disconnected=True"
) -> None:
    """Raise ValueError, naming a client that is cut off, unless ``P`` is strongly connected.

    other: what the caller takes where it is not.
    """
    witness = unreachable(P)
    if witness is not None:
        raise ValueError(f"{where}: {witness}; need a strongly connected graph, or {other}")


def random_others(seed: int, clients: int, degree: int, t: int, run: int) -> Ints:
    """For every client ``degree`` distinct others, uniform over all such sets, (n, degree).

    A function of (seed, run, t, client) only.
    """
    chosen: Ints = random_edges(seed, t, np.array([run]), clients, degree)[0]
    return chosen


def degree_of(where: str, clients: int, degree: int | None) -> int:
    """``degree`` other clients, or min(10, n - 1) for None; ValueError above n - 1."""
    others = clients_of(clients, where) - 1
    made = count(min(10, others) if degree is None else degree, f"{where}: degree", least=0)
    if made > others:
        raise ValueError(
            f"{where}: degree is {made}, but each of {clients} clients has only "
            f"{others} others; need degree <= {others}"
        )
    return made
