"""The edges of a stochastic network: at every round every client draws its receivers."""

from __future__ import annotations

import copy
import functools
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from theorylab import _core
from theorylab.kernels.draws import PURPOSES, Stream, _ids, _number

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array

Ints = NDArray[np.int64]


def random_edges(seed: int, t: int, runs: int | Ints, clients: int, degree: int) -> Ints:
    """Receivers of every client at round ``t``: ``degree`` distinct others, uniform over such sets.

    Floyd's sampling (Bentley, Floyd, CACM 30, 1987) of ``Stream(seed, "topology")``: step k takes
    one draw of a client, so that a value depends on (seed, run, t, client) alone. The formula is
    in csrc/kernels/random_edges.cuh.

    Args:
        seed: in [0, 2**64). t: round, in [0, 2**32).
        runs: R for ids 0 .. R-1, or a 1-D array of ids. clients: n >= 1. degree: 0 to n - 1.

    Returns:
        int64 (R, n, degree), in the order in which they were drawn.

    Raises:
        TypeError: an argument is no integer. ValueError: it is out of range.
    """
    n = _number("clients", clients, 1, 2**31, "random_edges")
    degree = _number("degree", degree, 0, n, "random_edges")
    stream, here, ids = Stream(seed, "topology"), np.arange(n), _ids("runs", runs)
    t, purpose = _number("round", t, 0, 2**32), PURPOSES["topology"]
    chosen, out = np.empty((ids.size, n, degree), np.int64), np.empty((ids.size, n, 1), np.int64)
    for k in range(degree):  # what ``Stream.integers`` draws, its ids checked once
        top = n - 1 - degree + k
        _core.draws_integer(stream.seed, purpose, t, k, ids, here, np.full(n, top + 1), out)
        drawn = out[..., 0]
        seen = (chosen[..., :k] == drawn[..., None]).any(axis=2)
        chosen[..., k] = np.where(seen, top, drawn)
    chosen += chosen >= here[:, None]  # skip the client itself
    return chosen


def random_mixing(
    seed: int, t: int, runs: int | Ints, clients: int, degree: int, *, self_loops: bool = True
) -> list[csr_array]:
    """The mixing matrices of :func:`random_edges`, one for each run.

    Every client splits its mass evenly: ``P[i,j] = 1 / (degree + 1)`` for its receivers and itself,
    without ``self_loops`` 1 / degree. Rows store their senders in ascending order.

    Raises:
        TypeError, ValueError: as ``random_edges``; or degree is 0 without self-loops.
    """
    where = "random_mixing"
    n = _number("clients", clients, 1, 2**31, where)
    degree = _number("degree", degree, 0, n, where)
    seed, t = _number("seed", seed, 0, 2**64, where), _number("t", t, 0, 2**32, where)
    loops = check_loops(self_loops, degree, where)
    made, entries, purpose = [], n * (degree + loops), PURPOSES["topology"]
    for run in _ids("runs", runs):
        indptr, indices = np.empty(n + 1, np.int32), np.empty(entries, np.int32)
        shares = np.empty(entries)
        _core.random_network(n, degree, loops, seed, purpose, t, int(run), indptr, indices, shares)
        P = copy.copy(_empty(n))  # its maker would look at every index
        P.data, P.indices, P.indptr = shares, indices, indptr
        P.has_canonical_format = True
        made.append(P)
    return made


@functools.lru_cache(maxsize=8)
def _empty(n: int) -> csr_array:
    """Nothing, (n, n), to be copied: SciPy's maker takes longer than a small network's draw."""
    from scipy.sparse import csr_array

    return csr_array((n, n))


def check_loops(self_loops: bool, degree: int, where: str) -> bool:
    """``self_loops``, if it is a bool and some share goes somewhere."""
    if not isinstance(self_loops, bool | np.bool_):
        raise TypeError(f"{where}: self_loops is {self_loops!r}; need a bool")
    if not self_loops and degree == 0:
        raise ValueError(f"{where}: degree is 0 without self_loops; need an out-edge a client")
    return bool(self_loops)
