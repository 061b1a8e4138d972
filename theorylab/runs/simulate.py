"""Run an algorithm on a problem over a topology, R runs at once, and record its columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm, Context, LocalGradients, State
from theorylab.problems import Problem
from theorylab.runs.trace import COLUMNS, LOCAL_COLUMNS, STATE_COLUMNS, Array, Trace
from theorylab.topologies import Topology


def initial_models(
    problem: Problem, runs: int, x0: float | Sequence[float] | Array = 0.0
) -> NDArray[np.float64]:
    """x^0 of shape (R, n, d) from a number, a model (d,), or one model a client (n, d).

    Raises ValueError when the shape fits none of these or a number is not finite.
    """
    start = np.asarray(x0, dtype=float)
    if not np.all(np.isfinite(start)):
        raise ValueError("x0: holds a NaN or an infinity; need finite numbers")
    try:
        return np.array(np.broadcast_to(start, (runs, problem.clients, problem.dim)))
    except ValueError:
        raise ValueError(
            f"x0: shape {start.shape}; need a number, ({problem.dim},) or "
            f"({problem.clients}, {problem.dim})"
        ) from None


def simulate(
    problem: Problem,
    topology: Topology,
    algorithm: Algorithm,
    *,
    rounds: int,
    runs: int | Sequence[int] = 1,
    seed: int = 0,
    x0: float | Sequence[float] | Array = 0.0,
    graph_run: int | None = 0,
    columns: Sequence[str] = STATE_COLUMNS,
    dtype: type = np.float64,
    progress: Callable[[int], None] | None = None,
) -> Trace:
    """Run ``rounds`` rounds of R runs together and return their trace.

    Args:
        runs: how many runs (ids 0..R-1), or their ids.
        graph_run: the run whose edges every run sees (expectations are then conditional on that
            graph sequence); None gives each run its own edges.
        columns: which of ``COLUMNS`` to record.

    Raises:
        ValueError: on sizes that do not agree, an unknown column, or a run that overflows.
    """
    ids = np.arange(runs) if isinstance(runs, (int, np.integer)) else np.asarray(runs)
    ids = ids.astype(np.int64)
    _check(problem, topology, rounds, ids, columns)
    models: Array = initial_models(problem, len(ids), x0).astype(dtype)
    state = algorithm.init(models)
    local = any(name in LOCAL_COLUMNS for name in columns)
    table = {name: np.empty((len(ids), rounds)) for name in columns}
    options = algorithm.options()
    for t in range(rounds):
        _record_state(table, t, problem, state)
        record = LocalGradients([], []) if local else None
        mixing = (
            topology.matrix(t, graph_run) if graph_run is not None else _matrices(topology, t, ids)
        )
        after = algorithm.step(state, Context(problem, mixing, seed, ids, record))
        if record is not None:
            _record_local(table, t, state, record, options)
        state = after
        if progress is not None:
            progress(t + 1)
    for name, values in table.items():
        if not np.all(np.isfinite(values)):
            first = int(np.argmax(~np.isfinite(values).all(axis=0)))
            raise ValueError(
                f"simulate: {name} overflowed at round {first}; need a smaller step size"
            )
    exact = not problem.stochastic and (topology.period is not None or graph_run is not None)
    return Trace(table, ids, exact, state.x, state.w)


def _check(
    problem: Problem, topology: Topology, rounds: int, ids: Array, columns: Sequence[str]
) -> None:
    if topology.clients != problem.clients:
        raise ValueError(
            f"simulate: the topology has {topology.clients} clients, the problem "
            f"{problem.clients}; need the same number"
        )
    if rounds < 1:
        raise ValueError(f"simulate: rounds is {rounds}; need at least 1")
    if len(ids) < 1 or ids.min() < 0 or len(set(ids.tolist())) != len(ids):
        raise ValueError("simulate: run ids repeat, are negative or are none; need distinct ids")
    for name in columns:
        if name not in COLUMNS:
            raise ValueError(f"simulate: no column {name!r}; need one of {', '.join(COLUMNS)}")


def _matrices(topology: Topology, t: int, ids: Array) -> object:
    if topology.period is not None:
        return topology.matrix(t)
    return [topology.matrix(t, int(run)) for run in ids]


def _record_state(table: dict[str, Array], t: int, problem: Problem, state: State) -> None:
    mean = state.x.mean(axis=1)
    if "squared_gradient" in table:
        gradient = problem.mean_gradient(mean)
        table["squared_gradient"][:, t] = np.sum(gradient * gradient, axis=1)
    if "loss" in table:
        table["loss"][:, t] = problem.mean_loss(mean)
    if "consensus" in table:
        away = state.z - mean[:, None, :]
        table["consensus"][:, t] = np.sum(away * away, axis=(1, 2)) / state.w.shape[1]
    if "weight_min" in table:
        table["weight_min"][:, t] = state.w.min(axis=1)
    if "weight_max" in table:
        table["weight_max"][:, t] = state.w.max(axis=1)


def _record_local(
    table: dict[str, Array],
    t: int,
    state: State,
    record: LocalGradients,
    options: dict[str, float],
) -> None:
    """Both readings of dfedsgpsm's Lemma 1, summed literally: sum_k sum_{s<=k} alpha^{k-s} g_s."""
    alpha = options.get("alpha", 0.0)
    eta = options["eta"] * options.get("decay", 1.0) ** state.t
    steps = len(record.used)
    assert record.half is not None
    for name, gradients in (
        ("update_residual_line7", record.plain),
        ("update_residual_line9", record.used),
    ):
        total = np.zeros_like(state.x)
        size = np.zeros_like(state.x)
        for k in range(1, steps + 1):
            for s in range(1, k + 1):
                total += alpha ** (k - s) * gradients[s - 1]
                size += alpha ** (k - s) * np.abs(gradients[s - 1])
        residual = np.abs(record.half - (state.x - eta * total))
        if name in table:
            table[name][:, t] = residual.max(axis=(1, 2))
        if "update_magnitude" in table:
            size = np.abs(state.x) + eta * size
            table["update_magnitude"][:, t] = np.maximum(
                size.max(axis=(1, 2)), 0 if name.endswith("7") else table["update_magnitude"][:, t]
            )
