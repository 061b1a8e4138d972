"""Run an algorithm on a problem over a topology, R runs at once, and record its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from theorylab.algorithms import Algorithm, State, largest_entry, numbers
from theorylab.kernels import LONGEST_RUN, MOST_RUNS, check_room
from theorylab.own import is_own
from theorylab.problems import Problem
from theorylab.runs._columns import (
    LocalGradients,
    Table,
    check_columns,
    check_first_state,
    record_state,
)
from theorylab.runs._fused import fused
from theorylab.runs._looks import DivergedError as DivergedError
from theorylab.runs._looks import Looks, Watch
from theorylab.runs._looks import left_float64 as left_float64
from theorylab.runs._looks import lost as lost
from theorylab.runs._sealed import Watched
from theorylab.runs.faults import Faults
from theorylab.runs.price import Price, charge
from theorylab.runs.rounds import Rounds
from theorylab.runs.starts import first_points
from theorylab.runs.starts import initial_models as initial_models
from theorylab.runs.trace import STATE_COLUMNS, WORK_COLUMNS, Array, Trace
from theorylab.topologies import Topology

_ALIKE, _NEAR = 3, 1e-4  # rounds of the same run twice in a batch, and how near its models are


@dataclass(frozen=True)
class Snapshot:
    """A run between two rounds: with it, ``simulate`` goes on to the same digits.

    table: every column (R, S) so far. state.t is the next round.
    """

    state: State
    table: Table


def simulate(
    problem: Problem,
    topology: Topology,
    algorithm: Algorithm,
    *,
    rounds: int,
    runs: int | Sequence[int] = 1,
    seed: int = 0,
    x0: float | Sequence[float] | Array | None = None,
    graph_run: int | None = 0,
    columns: Sequence[str] = STATE_COLUMNS,
    every: int = 1,
    dtype: type | None = None,
    faults: Faults | None = None,
    progress: Callable[[int], None] | None = None,
    checkpoint: Callable[[Snapshot], None] | None = None,
    resume: Snapshot | None = None,
    watch: Watch | None = None,
) -> Trace:
    """Run ``rounds`` rounds of R runs together and return their trace.

    Args:
        problem: the n losses.
        topology: the network of the n clients.
        algorithm: the method; ``step`` is called once a round.
        rounds: T >= 1.
        seed: what all draws derive from, together with run, client and round.
        runs: how many runs (ids 0..R-1), or their ids.
        x0: the first models; None: the problem's own (0, or a network's random layers).
        graph_run: the run whose edges every run sees (expectations are then conditional on that
            graph sequence); None gives each run its own edges.
        columns: which of ``COLUMNS`` to record.
        every: columns are recorded at rounds 0, every, 2 every, ...
        dtype: of the models; None: float64, or what the problem's network has.
        faults: lost messages, failing clients, delays, stragglers.
        progress: called with the number of rounds that were played.
        checkpoint: called between rounds with what ``resume`` takes, first after the first round
            or the last before the next one that is recorded, and then at the latest after 256
            rounds; of models of many numbers, after the last round before one that is recorded. It
            decides what it keeps.
        resume: a snapshot of the same call, to go on from.
        watch: called with (states, count): the states of ``count`` recorded rounds, in their
            order, with R count runs, one round's runs below another's; and once with the last one.

    Returns:
        The columns (R, T) and the last state.

    Raises:
        ValueError: on sizes that do not agree, or a column that is unknown or that this algorithm
            or problem cannot give.
        DivergedError: (a ValueError) where a run overflows.

    >>> from theorylab.algorithms import algorithm
    >>> from theorylab.problems import problem
    >>> from theorylab.topologies import topology
    >>> losses, ring = problem("quadratic", 4, dim=3), topology("ring", 4)
    >>> trace = simulate(losses, ring, algorithm("dpsgd", eta=0.1), rounds=5, runs=2)
    >>> trace.columns["loss"].shape, trace.final_x.shape  # (R, T) and (R, n, d)
    ((2, 5), (2, 4, 3))
    """
    check_columns(columns)
    _check_sizes(problem, topology, algorithm, rounds, every, runs, len(columns))
    ids = np.arange(runs) if isinstance(runs, (int, np.integer)) else np.asarray(runs)
    ids = ids.astype(np.int64)
    if len(ids) < 1 or ids.min() < 0 or len(set(ids.tolist())) != len(ids):
        raise ValueError("simulate: run ids repeat, are negative or are none; need distinct ids")
    at = np.arange(0, rounds, every)
    table: Table = {name: np.full((len(ids), len(at)), np.nan) for name in columns}
    if resume is None:
        state = algorithm.init(first_points(problem, seed, ids, x0, dtype), problem)
    else:
        state = resume.state
        for name, values in table.items():
            values[:, : resume.table[name].shape[1]] = resume.table[name]
    check_first_state(columns, state, problem)
    played = Rounds(problem, topology, algorithm, ids, seed, graph_run, faults)
    play = None
    if faults is None and not any(name in WORK_COLUMNS for name in columns):
        play = fused(
            problem, topology, algorithm, state,
            seed=seed, runs=ids, graph_run=graph_run, audits=played.audits, every=every,
        )  # fmt: skip
    looks = Looks(table, problem, algorithm, every, state, watch)
    if checkpoint is not None and play is None:
        looks.most = 1  # a snapshot has every column of the rounds before it
    begun = checkpoint is None  # a checkpoint that cannot be kept is told at once
    while state.t < rounds:
        recorded = state.t % every == 0
        if recorded:
            looks.at(state)
        try:
            if play is not None:
                ends = looks.ends(state.t, rounds)
                before, after = play(state, ends if begun else ends[:1])
                if before is not None:
                    looks.at(before, len(before.x) // len(ids))
                looks.finish()
            else:
                record = LocalGradients() if looks.local and recorded else None
                after = played.play(state, record)
                if recorded or checkpoint is not None:
                    played.audits.settle()
                if recorded:
                    looks.played(after, record)
        except Exception:
            if looks.heard:
                raise
            again = play is not None and looks.most > 1
            looks.alone(recorded)
            if not again:
                raise
            continue  # round by round, up to the one that raises
        state = after
        if checkpoint is not None:
            checkpoint(_snapshot(state, table, every))
            begun = True
        if progress is not None:
            progress(state.t)
    looks.finish()
    played.audits.settle()
    if watch is not None:
        watch(state, 1)
    fixed = topology.period is not None or graph_run is not None
    random = problem.stochastic or algorithm_draws(algorithm) or bool(played.tosses)
    exact = not random and fixed and faults is None
    states = [name for name in columns if name not in WORK_COLUMNS]
    end: Table = {name: np.full((len(ids), 1), np.nan) for name in states}
    with np.errstate(all="ignore"):  # who asks for what overflowed here is told
        record_state(end, 0, problem, state)
    last = {name: values[:, 0] for name, values in end.items()}
    return Trace(
        table,
        ids,
        exact,
        state.x,
        state.w,
        state.v,
        None if every == 1 else at,
        last,
        largest_entry(state.z, state.v),
    )


def _snapshot(state: State, table: Table, every: int) -> Snapshot:
    kept = (state.t - 1 + every) // every
    return Snapshot(state, {name: values[:, :kept] for name, values in table.items()})


def algorithm_draws(algorithm: Algorithm) -> bool:
    """True if the algorithm itself draws (which clients take part, whom to send to)."""
    return bool(getattr(algorithm, "draws", False))


def check_draws(
    problem: Problem,
    topology: Topology,
    algorithm: Algorithm,
    *,
    rounds: int,
    x0: float | Sequence[float] | Array,
    seed: int,
) -> bool:
    """Whether a stranger's step tosses coins, or reads what it could draw from, the seed or the
    numbers of the runs, and its class does not say so: one run is not all then.

    Raises ValueError, one line, where two runs of two seeds differ though nothing is random.
    """
    if is_own(type(algorithm)):
        return False
    _check_sizes(problem, topology, algorithm, 1, 1, 1, 1)
    ends, watched = [], Watched(problem)
    for ids, last in (([0], rounds), ([1], rounds), ([0, 0], min(rounds, _ALIKE))):
        watched.seed, watched.ids = seed + ids[0], np.array(ids)
        charge(Price.of(problem, algorithm, len(ids), last))
        state = algorithm.init(problem.points(initial_models(problem, len(ids), x0)), problem)
        played = Rounds(problem, topology, algorithm, watched.ids, watched.seed, samples=watched)
        with np.errstate(all="ignore"):  # who asks for what overflows here is told
            for _ in range(last):
                state = played.play(state)
        played.audits.settle()
        ends.append([numbers(a) for a in (state.x, state.v) if a is not None])
    same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*ends[:2], strict=True))
    # the same run twice in one batch: not to the bit, for products of matrices see their neighbours
    twice = all(
        np.allclose(a[0], a[1], _NEAR, _NEAR * _largest_finite(a), equal_nan=True) for a in ends[2]
    )
    if not (twice and (same or watched.tossed)):
        raise ValueError(
            f"{algorithm.name}: two runs differ, and neither its class nor the problem is random; "
            "need draws = True on the class, or net.coins"
        )
    return watched.tossed or watched.read


def _largest_finite(a: Array) -> float:
    """The largest |entry| that is finite: a tolerance that is nan is none."""
    return largest_entry(a[np.isfinite(a)])


def _check_sizes(
    problem: Problem,
    topology: Topology,
    algorithm: Algorithm,
    rounds: int,
    every: int,
    runs: int | Sequence[int],
    columns: int,
) -> None:
    """Refuse sizes that do not agree, are out of range, or have no room on this machine."""
    if topology.clients != problem.clients:
        raise ValueError(
            f"simulate: the topology has {topology.clients} clients, the problem "
            f"{problem.clients}; need the same number"
        )
    for name, value in (("rounds", rounds), ("every", every)):
        if value < 1:
            raise ValueError(f"simulate: {name} is {value}; need at least 1")
    count = int(runs) if isinstance(runs, (int, np.integer)) else len(runs)
    for name, value, most in (("rounds", rounds, LONGEST_RUN), ("runs", count, MOST_RUNS)):
        if value > most:
            raise ValueError(f"simulate: {name} is {value}; need at most {most}")
    charge(Price.of(problem, algorithm, count, rounds))  # before the room, which machines differ in
    points, size = -(-rounds // every), problem.clients * problem.dim
    what = f"{count} runs of {columns} x {points} recorded and {size} model numbers"
    check_room("simulate", count * (columns * points + size), what)
