"""Whole rounds on a GPU beside the same rounds in other libraries: wall time, start left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorylab.algorithms import DFedSGPSM
from theorylab.bench._checkout import ABSENT, beside
from theorylab.bench._gpu_board import Board
from theorylab.bench._gpu_time import Times
from theorylab.bench._measure import median
from theorylab.bench._peers import ALPHA, ETA, RHO, SEED
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

SIZES = ((100, 1_000), (100, 1_000_000), (1_000, 100_000), (16, 100))  # n, d
DRY = ((4, 6),)
COMPILED = ((100, 1_000), (100, 1_000_000), *DRY)  # whose peers may compile, for seconds each
KINDS = ((RHO, 0.1), (0.0, 0.1), (0.0, 0.0))  # rho of SAM, sigma of the noise
STEPS, DEGREE, CYCLE = 5, 10, 16
TARGET, MOST, TIMES = 0.1, 4_000, 3  # seconds of one measurement, rounds of it, how many of them
LEAST = 1e-9  # seconds of a round
ARRAYS = 24  # of (n, d) that must fit into the free memory: a peer's, and the matrices
Record = dict[str, Any]
Run = Callable[[int], Any]  # so many rounds from the start


@dataclass(frozen=True)
class Setting:
    """One method on one network: DFedSGPSM on log-cosh losses around ``centers`` (n, d).

    matrices: (CYCLE, n, n), the peers' networks, drawn beforehand; ours draws its own on the way.
    sigma: E|xi|^2 <= sigma^2, so that a coordinate's noise is N(0, sigma^2 / d).
    """

    centers: Any
    matrices: Any
    rho: float
    sigma: float
    steps: int = STEPS
    eta: float = ETA
    alpha: float = ALPHA


@dataclass(frozen=True)
class Contestant:
    """run(rounds): from the start; ``rounds`` is a multiple of ``unit``."""

    run: Run
    unit: int = 1


def rounds(
    board: Board, left: Callable[[], float], quick: bool, skipped: list[str]
) -> Iterator[Record]:
    """A row for each kind and size that fits, fit for JSON.

    Args:
        left: seconds. Peers that compile are met at the sizes in ``COMPILED``, with SAM and noise.
        skipped: takes the name of what does not fit.

    Yields:
        ``sizes``, ``rho``, ``sigma``; for each contestant ``round_ms``, ``spread``, ``rounds`` of
        one measurement and ``settled``; ``lacking``: peers that are not here, and why.
    """
    for rho, sigma in KINDS[: 1 if quick else None]:
        for n, d in DRY if board.emulated else SIZES[: 1 if quick else None]:
            name = f"rounds, n={n} d={d} rho={rho:g} sigma={sigma:g}"
            if left() < 0:
                skipped.append(f"{name}: no time left")
                continue
            if 4 * ARRAYS * n * d > board.free():
                needed = f"needs {4 * ARRAYS * n * d} bytes"
                skipped.append(f"{name}: {needed}, {board.free()} are free")
                continue
            compiling = (n, d) in COMPILED and (rho, sigma) == KINDS[0]
            yield _row(board, setting(n, d, rho, sigma), compiling)


def setting(n: int, d: int, rho: float, sigma: float, steps: int = STEPS) -> Setting:
    """Random centers in [0, 1), and a cycle of drawn networks."""
    draws = np.random.default_rng(SEED)
    centers = draws.random((n, d), np.float32)
    graph = _graph(n)
    matrices = np.zeros((CYCLE, n, n), np.float32)
    for t in range(CYCLE):
        matrices[t] = graph.matrix(t).toarray()
    return Setting(centers, matrices, rho, sigma, steps)


def _graph(n: int) -> Any:
    return topology("random-out", n, degree=min(DEGREE, n - 1), seed=SEED)


def ours(board: Board, given: Setting) -> Run:
    """A run of theorylab, as a user starts it, on the same losses."""
    n = len(given.centers)
    place = {} if board.emulated else {"device": "cuda"}
    losses = problem("log-cosh", n, centers=given.centers, sigma=given.sigma, **place)
    method = DFedSGPSM(eta=given.eta, alpha=given.alpha, rho=given.rho, local_steps=given.steps)
    graph = _graph(n)
    return lambda count: simulate(
        losses, graph, method, rounds=count, seed=SEED, every=count, dtype=np.float32
    )


def _row(board: Board, given: Setting, compiling: bool) -> Record:
    n, d = given.centers.shape
    contestants = {"theorylab": Contestant(ours(board, given))}
    lacking: dict[str, str] = {}
    peers = beside("gpu_rounds")
    if peers is None:
        lacking["others"] = ABSENT
    elif board.library == "cupy":
        lacking["others"] = "torch sees no GPU"
    else:
        makers = peers.makers(given, "cpu" if board.emulated else "cuda", compiling)
        for label, make in makers.items():
            try:
                made = Contestant(*make())
                made.run(made.unit)
                board.wait()
                contestants[label] = made
            except Exception as error:  # whatever a library lacks
                lacking[label] = f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
    row: Record = {
        "sizes": {"n": n, "d": d, "K": given.steps}, "rho": given.rho, "sigma": given.sigma,
        "round_ms": {}, "spread": {}, "rounds": {}, "settled": {}, "lacking": lacking,
    }  # fmt: skip
    counts = {label: _count(board, one) for label, one in contestants.items()}
    times = {label: Times() for label in contestants}
    for _ in range(1 if board.emulated else TIMES):
        for label, one in contestants.items():
            seconds = _each(board, one, counts[label])
            times[label].seconds.append(max(seconds, LEAST))
            times[label].unled += seconds < LEAST  # the start took longer than start and rounds
    for label, each in times.items():
        values = [1e3 * seconds for seconds in each.seconds]
        row["round_ms"][label] = median(values)
        row["spread"][label] = [min(values), max(values)]
        row["rounds"][label] = counts[label] * contestants[label].unit
        row["settled"][label] = each.settled
    return row


def _count(board: Board, one: Contestant) -> int:
    """Of how many units one measurement consists."""
    if board.emulated:
        return 1
    tried = 4 if _wall(board, one, 1) < TARGET else 1
    about = max(_each(board, one, tried), 1e-6) * one.unit
    return int(min(max(TARGET / about, tried), MOST // one.unit))


def _each(board: Board, one: Contestant, units: int) -> float:
    """Seconds of a round, what the start costs left out."""
    short = _wall(board, one, 1)
    return (_wall(board, one, 1 + units) - short) / (units * one.unit)


def _wall(board: Board, one: Contestant, units: int) -> float:
    board.wait()
    start = time.perf_counter()
    result = one.run(units * one.unit)
    board.wait()
    seconds = time.perf_counter() - start
    del result
    return seconds
