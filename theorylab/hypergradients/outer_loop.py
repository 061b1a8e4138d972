"""A run of PDBO: the trace of its outer steps, and which of them validation selects (pdbo, 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from theorylab.hypergradients._bilevel import Array, Bilevel, Floats
from theorylab.hypergradients.descent import RATED, Training, Watch, rated, too_large
from theorylab.hypergradients.edge_law import network_of
from theorylab.hypergradients.pdbo import PDBO, OuterState
from theorylab.hypergradients.sgp import SGP, Trained
from theorylab.topologies import Topology

OUTER_COLUMNS = {
    "outer_loss": "Fbar = (1/n) sum_i F_i(x_i^(T), lambda_i) after T rounds at lambda^(s)",
    "validation_accuracy": "share of validation samples that are right, each at its client's model",
    "test_accuracy": "share of test samples that are right, each at its client's model",
    "test_accuracy_low": "10th percentile over clients of the share of own test samples",
    "outer_change": "Fbar at lambda^(s+1) less that at lambda^(s), trained with the same draws: "
    "< 0 on the way down; none at the last step",
    "hypergradient": "sum_i ||estimate of d_lambda_i Fbar||^2; none at the last step",
    **RATED,
}
SELECTS = "validation_accuracy"


class StoppedError(ValueError):
    """An outer step after the first could not be made: the steps before it are sound."""


@dataclass(frozen=True)
class Outer:
    """lam (S + 1, R, n, dlam): lambda^(0) .. lambda^(S). outer (S, R, n): F_i at y^(T) of each."""

    lam: Floats
    outer: Floats


@dataclass(frozen=True)
class OuterSnapshot:
    """A run between two outer steps: with it, ``pdbo`` goes on to the same digits.

    table: every column (R, s) so far, s = state.s of the S + 1 trainings.
    """

    state: OuterState
    table: Mapping[str, Floats]


def pdbo(
    problem: Bilevel,
    topology: Topology,
    method: PDBO,
    *,
    rounds: int,
    runs: int | Sequence[int] = 1,
    seed: int = 0,
    columns: Sequence[str] | None = None,
    checkpoint: Callable[[OuterSnapshot], None] | None = None,
    resume: OuterSnapshot | None = None,
    tell: Callable[[str], None] | None = None,
) -> OuterSnapshot:
    """S outer steps and one more training: columns (R, S + 1) of lambda^(0) .. lambda^(S).

    Args:
        rounds: T, of each training. runs: how many (ids 0 .. R - 1), or their ids; every run has
            edges and minibatches of its own, and every outer step rounds of its own.
        seed: of the minibatches and the first models; the topology has its own.
        columns: some of ``OUTER_COLUMNS``; None: all that the problem has.
        checkpoint: called after every outer step with what ``resume`` takes.
        tell: gets a line at the first outer step that raises the outer cost (with
            ``descent="flag"``), and at the first estimate that cannot be relied on. None: they are
            warnings, ``RisingCostWarning`` and ``UnreliableEstimateWarning``.

    Raises:
        ValueError: one line: bad input, or as ``PDBO.train`` and ``PDBO.hypergradient``, or a
            rising outer cost with ``descent="refuse"``.
        StoppedError: (a ValueError) the same at an outer step after the first.
    """
    ids = np.arange(runs) if isinstance(runs, int | np.integer) else np.asarray(runs)
    ids = ids.astype(np.int64)
    if len(ids) < 1 or ids.min() < 0 or len(set(ids.tolist())) != len(ids):
        raise ValueError("pdbo: run ids repeat, are negative or are none; need distinct ids")
    topology = network_of("pdbo", topology)
    method = method.settled(problem, topology)
    names = available(problem, method) if columns is None else list(columns)
    check_outer_columns(names, problem, method)
    total = method.outer_steps + 1
    table = {name: np.full((len(ids), total), np.nan) for name in names}
    if resume is None:
        state = method.init(problem, seed, ids)
    else:
        state = resume.state
        for name, values in table.items():
            values[:, : state.s] = resume.table[name]
    training = Training(method, problem, topology, rounds, seed, ids)
    watch = Watch(training, table, tell)
    trained: Trained | None = None
    for s in range(state.s, total):
        try:
            trained = training.at(state) if trained is None else trained
            for name, value in _evaluated(problem, trained.x, state.lam, names).items():
                table[name][:, s] = value
            if s + 1 < total:
                found = method.hypergradient(problem, topology, state, trained, rounds, seed, ids)
                watch.estimate(state, trained, found)
                before, state = state, method.step(state, trained, found)
                trained = watch.step(before, state, trained, found)
            else:
                state = replace(state, s=total)
        except ValueError as error:
            if s == 0:
                raise
            raise StoppedError(f"outer step {s}: {error}") from error
        if checkpoint is not None:
            checkpoint(_snapshot(state, table))
    return _snapshot(state, table)


def _snapshot(state: OuterState, table: Mapping[str, Floats]) -> OuterSnapshot:
    return OuterSnapshot(state, {name: each[:, : state.s].copy() for name, each in table.items()})


def selected(table: Mapping[str, Floats]) -> NDArray[np.int64]:
    """The outer step each run reports, (R,): the first with its best validation accuracy."""
    return np.asarray(table[SELECTS].argmax(axis=1))


def at_selected(table: Mapping[str, Floats]) -> dict[str, Floats]:
    """The other columns at the selected step of each run, (R,) each."""
    at = selected(table)
    here = np.arange(len(at))
    last = ("hypergradient", "outer_change", *RATED)  # not there at the last step
    return {name: each[here, at] for name, each in table.items() if name not in last}


def available(problem: Bilevel, method: PDBO) -> list[str]:
    """The columns that this problem and this method can give."""
    there = (None, *problem.part_sizes)
    left_out = {"outer_change"} if method.descent == "off" else set()
    left_out |= {*RATED} - {*rated(problem)}
    return [name for name in OUTER_COLUMNS if _part(name) in there and name not in left_out]


def _part(column: str) -> str | None:
    """The samples an accuracy is of; None for other columns."""
    return column.partition("_")[0] if "accuracy" in column else None


def check_outer_columns(columns: Sequence[str], problem: Bilevel, method: PDBO) -> None:
    """Raise ValueError for a column that does not exist, or that cannot be given here."""
    known = available(problem, method)
    for name in columns:
        if name not in OUTER_COLUMNS:
            raise ValueError(f"pdbo: no column {name!r}; need some of {', '.join(OUTER_COLUMNS)}")
        if name not in known and name == "outer_change":
            raise ValueError("pdbo: column outer_change came with descent=off; need flag or refuse")
        if name not in known and name in RATED:
            raise ValueError(f"pdbo: column {name} came; {too_large(problem)}")
        if name not in known:
            raise ValueError(
                f"pdbo: column {name} needs {_part(name)} samples, and {problem.name} has none; "
                "need a problem with them"
            )


def _evaluated(problem: Bilevel, x: Floats, lam: Floats, names: Sequence[str]) -> dict[str, Floats]:
    """The columns of one point but the hypergradient, (R,) each."""
    at, lams = problem.points(np.ascontiguousarray(x)), problem.points(lam)
    made: dict[str, Floats] = {}
    if "outer_loss" in names:
        made["outer_loss"] = problem.numbers(problem.outer(at, lams)).mean(axis=1)
        if not np.isfinite(made["outer_loss"]).all():
            raise ValueError("pdbo: the outer loss is not finite; need a smaller step or rate")
    for part in ("validation", "test"):
        if part not in map(_part, names):
            continue
        right, sizes = _shares(problem, at, lams, part)
        made |= {
            f"{part}_accuracy": (right * sizes).sum(axis=1) / sizes.sum(),
            f"{part}_accuracy_low": np.percentile(right, 10, axis=1),
        }
    return {name: value for name, value in made.items() if name in names}


def _shares(problem: Bilevel, at: Array, lams: Array, part: str) -> tuple[Floats, Floats]:
    """(shares (R, k), sizes (k,)) of the k clients that have samples of this part."""
    sizes = problem.sizes_of(part).astype(np.float64)
    if not sizes.sum() > 0:
        raise ValueError(f"pdbo: {problem.name} has no {part} samples; need some")
    right = problem.accuracy(at, lams, part=part)
    has = sizes > 0
    return right[:, has], sizes[has]


def algorithm1(
    problem: Bilevel,
    topology: Topology,
    sgp: SGP,
    lam: Floats,
    *,
    steps: int,
    rounds: int,
    terms: int,
    rate: float,
    alpha: float = 1.0,
    beta: float = 0.0,
    printed: bool = False,
    seed: int = 0,
    runs: NDArray[np.int64] | None = None,
) -> Outer:
    """S plain outer steps from lam (R, n, dlam), each trained from y^(0): Algorithm 1 as printed.

    ``printed``: as of ``PDBO``. y^(0) is (0, 1), or the problem's first models.

    Raises:
        ValueError: as ``algorithm2`` and ``hgp``, or steps < 1.
    """
    if steps < 1:
        raise ValueError(f"algorithm1: steps is {steps}; need at least 1")
    runs = np.arange(1) if runs is None else runs
    method = PDBO(
        sgp.step, steps, terms, alpha, beta if alpha < 1 else None, sgp.variant, "sgd", rate,
        printed=printed,
    ).settled(problem, topology)  # fmt: skip
    state = method.init(problem, seed, runs, lam)
    seen, costs = [state.lam], []
    for _ in range(steps):
        trained = method.train(problem, topology, state, rounds, seed, runs)
        gradient = method.hypergradient(problem, topology, state, trained, rounds, seed, runs)
        costs.append(problem.numbers(problem.outer(*map(problem.points, (trained.x, state.lam)))))
        state = method.step(state, trained, gradient)
        seen.append(state.lam)
    return Outer(np.array(seen), np.array(costs))
