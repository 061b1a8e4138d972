"""Whole rounds in one call: draw the network, do the local steps, mix; with the bits of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab import _core
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

    Returns x, w, z = x / w (of no meaning without ``push_sum``), and the fault at which the rounds
    ended early, or None. The arrays hold anything after a fault.

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
    x1, w1, z1 = np.empty_like(x), np.empty_like(w, order="C"), np.empty_like(x)
    fault, t, number = _core.rounds(
        core, matrices, drawn, seen, x, np.ascontiguousarray(w), seed, first,
        np.ascontiguousarray(etas, dtype=np.float64), ids, steps, work, alpha, rho, push_sum,
        conserves, x1, w1, z1,
    )  # fmt: skip
    return x1, w1 if push_sum else w, z1, Fault(FAULTS[fault], t, number) if fault else None
