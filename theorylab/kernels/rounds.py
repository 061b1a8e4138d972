"""Whole rounds in one call: draw the network, do the local steps, mix; with the bits of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab import _core
from theorylab.kernels._arrays import integers
from theorylab.kernels._local_steps_tables import NO_INTEGERS, checked_counts, checked_ids
from theorylab.kernels.draws import PURPOSES
from theorylab.kernels.local_steps import ClientLosses
from theorylab.kernels.push_mix import Mixing

Floats = NDArray[Any]
FAULTS = ("", "no weight", "weight", "x")


@dataclass(frozen=True)
class DrawnNetwork:
    """Every client draws ``degree`` receivers a round, and all get equal shares: ``random_edges``.

    Args:
        clients: n. degree: 0 to n - 1. self_loops: every client keeps a share, too. seed: of the
            topology.
    """

    clients: int
    degree: int
    self_loops: bool
    seed: int


@dataclass(frozen=True)
class Fault:
    """What an audit found in round ``t``: "no weight" (the weight), or by how much more than
    rounding explains the sum of "weight" or of "x" has changed."""

    what: str
    t: int
    number: float


def rounds(
    losses: ClientLosses,
    network: DrawnNetwork | Mixing,
    x: Floats,
    w: Floats,
    *,
    seed: int,
    first: int,
    etas: NDArray[np.float64],
    runs: NDArray[np.int64],
    graphs: NDArray[np.int64],
    steps: int = 1,
    counts: NDArray[np.int64] | None = None,
    alpha: float = 0.0,
    rho: float = 0.0,
    push_sum: bool = True,
    conserves: bool = True,
    ends: NDArray[np.int64] | None = None,
) -> tuple[Floats, Floats, Floats, Fault | None]:
    """Rounds ``first``, ``first + 1``, ...: x = P(t) (local steps of x), and w = P(t) w.

    Each round is ``ClientLosses.local_steps`` and ``push_mix`` with the same bits, and P(t) is what
    ``random_mixing`` draws. Without ``push_sum`` the weights stay as they are.

    Args:
        network: drawn, or the matrices of one period: P(t) is number t mod their number.
        x, w: (R, n, d) and (R, n) of the losses' dtype, C-contiguous; not modified.
        etas: the step size of each round, (T,) with T >= 1. runs: (R,) ids. graphs: the run ids
            whose networks are drawn, (1,) for one that all runs see, or (R,).
        steps, counts, alpha, rho: as of ``ClientLosses.local_steps``.
        conserves: the sums of w are audited in every round, those of x in every eighth.
        ends: after how many rounds each state is handed out, (K,), increasing, the last T; None
            for the last state alone.

    Returns x, w, z = x / w (of no meaning without ``push_sum``), and the fault at which the rounds
    ended early, or None. The arrays have an axis (K, ...) more in front where ``ends`` is given.
    States after the round of a fault hold anything.

    Raises ValueError on a size or an id that is out of range, TypeError on a wrong dtype.
    """
    core = losses._core
    if core is None:
        raise TypeError("rounds: the losses are on a GPU; need them on the host")
    x, shape = losses._points("x", x), x.shape[:2]
    if w.dtype != losses.dtype or w.shape != shape:
        raise ValueError(
            f"rounds: w is {w.dtype} {w.shape}; need {losses.dtype} ({shape[0]},{shape[1]})"
        )
    ids, seen = checked_ids(runs, len(x)), checked_ids(graphs, len(graphs))
    work = NO_INTEGERS if counts is None else checked_counts(counts, shape, steps)
    matrices, drawn = None, None
    if isinstance(network, Mixing):
        matrices = network._matrices
    else:
        drawn = (
            network.clients, network.degree, network.self_loops, network.seed, PURPOSES["topology"]
        )  # fmt: skip
    states = np.array([len(etas)]) if ends is None else integers("rounds", "ends", ends)
    lead = () if ends is None else states.shape
    x1, z1 = np.empty((*lead, *x.shape), x.dtype), np.empty((*lead, *x.shape), x.dtype)
    w1 = np.empty((*lead, *w.shape), w.dtype)
    fault, t, number = _core.rounds(
        core, matrices, drawn, seen, x, np.ascontiguousarray(w), seed, first,
        np.ascontiguousarray(etas, dtype=np.float64), states, ids, steps, work, alpha, rho,
        push_sum, conserves, x1, w1, z1,
    )  # fmt: skip
    if not push_sum:
        w1 = np.broadcast_to(w, w1.shape) if lead else w
    return x1, w1, z1, Fault(FAULTS[fault], t, number) if fault else None
