"""Constants of a sequence P(0), P(1), ...: the connectivity window and the floor of the weights."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab.constants.mixing import diameter
from theorylab.known import How, Known
from theorylab.topologies import Topology, unreachable


def window(topology: Topology, horizon: int, run: int = 0) -> Known:
    """Smallest B such that the edges of any B consecutive rounds join up strongly connected.

    Exact for all rounds of a static or periodic topology; for a drawn one, exact for the windows
    inside rounds 0..horizon-1 of this run.

    Returns:
        B, or inf with a cut-off client named in ``source``.
    """
    rounds = _rounds(topology, horizon)
    period = topology.period
    where = f"rounds 0..{rounds - 1} of run {run}" if period is None else f"period {period}"
    within = f"rounds 0..{horizon}, run {run}" if period is None else ""
    # Every window of a periodic sequence starts in one of the first `period` rounds.
    last = rounds if period is None else 2 * rounds - 1
    need = _window_lengths([_pattern(topology.matrix(t, run)) for t in range(last)])
    starts = len(need) if period is None else rounds
    worst = np.maximum.accumulate(need[:starts])
    for B in range(1, rounds + 1):
        last_start = starts - B if period is None else starts - 1
        if worst[last_start] <= B:
            source = f"union of edges over every window, {where}"
            return Known(float(B), How.EXACT, source, within=within)
    union = _union(topology, 0, rounds, run)
    return Known(math.inf, How.EXACT, f"union of the edges over {where}: {unreachable(union)}")


def window_diameter(topology: Topology, horizon: int, run: int, B: int) -> tuple[Known, bool]:
    """Largest diameter of the union graph of B consecutive rounds, and if all those are equal.

    Args:
        B: a window for which every union is strongly connected, see ``window``.
    """
    rounds = _rounds(topology, horizon)
    starts = rounds - B + 1 if topology.period is None else rounds
    unions = [_union(topology, start, B, run) for start in range(starts)]
    different = [G for G in unions if not _same(G, unions[0])]
    longest = max((diameter(G) for G in [unions[0], *different]), key=lambda known: known.value)
    if rounds == 1:
        return longest, True
    source = f"largest over the union graphs of {B} rounds: {longest.source}"
    return Known(longest.value, longest.how, source), not different


def weights(topology: Topology, horizon: int, run: int = 0) -> Iterator[NDArray[np.float64]]:
    """w(0), ..., w(horizon) with w(t) = P(t-1) ... P(0) 1, shape (n,) each.

    Relative error of every entry at most ``weight_error(...)``: only nonnegative numbers are
    added and multiplied.
    """
    w = np.ones(topology.clients)
    yield w
    for t in range(horizon):
        w = topology.matrix(t, run) @ w
        yield w


def rounding(steps: int) -> float:
    """gamma_k = k u / (1 - k u): k roundings in a row change a positive number by at most this.

    Higham 2002, Lemma 3.1.
    """
    ku = steps * np.finfo(float).eps / 2
    if ku >= 0.5:
        raise ValueError(f"rounding: {steps} roundings; float64 keeps no digit after that many")
    return float(ku / (1 - ku))


def row_terms(topology: Topology, horizon: int, run: int = 0) -> int:
    """Largest number of entries in a row of any P(t), t < horizon: terms per sum in P(t) w."""
    rounds = min(horizon, topology.period or horizon)
    rows = (int(np.diff(topology.matrix(t, run).indptr).max()) for t in range(rounds))
    return max(rows, default=1)


def delta(topology: Topology, horizon: int, run: int = 0) -> Known:
    """min over 0 <= t <= horizon and i of w_i(t): the smallest row sum of P(t-1) ... P(0).

    t rounds of m-term sums of nonnegative products, from entries rounded once themselves, are off
    by at most gamma_{(m + 1) t} relative, m the longest row.

    Args:
        topology: the network.
        horizon: the last round, >= 0.
        run: the run of a drawn topology.

    Returns:
        A lower bound, with an enclosure; ``within`` says of which rounds.

    Raises:
        ValueError: where ``horizon`` is below 0.

    >>> from theorylab.topologies import topology
    >>> round(delta(topology("directed-ring", 4), horizon=10).value, 6)
    1.0
    """
    if horizon < 0:
        raise ValueError(f"delta: horizon is {horizon}; need >= 0")
    smallest = [float(w.min()) for w in weights(topology, horizon, run)]
    t = int(np.argmin(smallest))
    allowance = rounding((row_terms(topology, horizon, run) + 1) * horizon)
    scope = f"rounds 0..{horizon}" + ("" if topology.period else f", run {run}")
    return Known(
        smallest[t] * (1 - allowance),
        How.LOWER,
        f"min of P(t-1)...P(0) 1 over {scope}, attained at t = {t}, less rounding",
        lower=smallest[t] * (1 - allowance),
        upper=smallest[t] * (1 + allowance),
        within=scope,
    )


def _rounds(topology: Topology, horizon: int) -> int:
    if topology.period is not None:
        return topology.period
    if horizon < 1:
        raise ValueError(f"window: horizon is {horizon}; a drawn topology needs at least 1 round")
    return horizon


def _pattern(P: csr_array) -> csr_array:
    return csr_array((np.ones(P.nnz, np.int64), P.indices.copy(), P.indptr.copy()), P.shape)


def _union(topology: Topology, start: int, rounds: int, run: int) -> csr_array:
    union = _pattern(topology.matrix(start, run))
    for t in range(start + 1, start + rounds):
        union = union + _pattern(topology.matrix(t, run))
    union.data[:] = 1
    return union


def _same(G: csr_array, H: csr_array) -> bool:
    return np.array_equal(G.indptr, H.indptr) and np.array_equal(G.indices, H.indices)


def _window_lengths(patterns: list[csr_array]) -> list[float]:
    """For every start, the length of the shortest strongly connected window; inf if none.

    The end of that window never moves back as the start moves on, so each edge set enters and
    leaves the running union once.
    """
    shape = patterns[0].shape
    union = csr_array(shape, dtype=np.int64)
    lengths: list[float] = []
    end, joined = 0, False
    for start in range(len(patterns)):
        while (end <= start or not joined) and end < len(patterns):
            union = union + patterns[end]
            end += 1
            joined = unreachable(union) is None
        lengths.append(end - start if joined else math.inf)
        union = union - patterns[start]
        union.eliminate_zeros()
        joined = unreachable(union) is None
    return lengths
