"""From a document to what can be run: rounds of an algorithm, or outer steps of PDBO."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import State
from theorylab.commands.refusal import tell
from theorylab.hypergradients import (
    PDBO,
    SELECTS,
    Bilevel,
    OuterSnapshot,
    OuterState,
    StoppedError,
    bilevel,
    pdbo,
    selected,
)
from theorylab.hypergradients.descent import RATED, rated, too_large
from theorylab.hypergradients.outer_loop import available, check_outer_columns
from theorylab.runs import DivergedError, Snapshot, Trace
from theorylab.runs.configuration import (
    Configuration,
    Document,
    arguments,
    configuration,
    described,
    plain,
)
from theorylab.runs.configuration import built as built_setting
from theorylab.runs.task import Task
from theorylab.topologies import Topology, topology

NAME = "pdbo"


def built(given: Document | Configuration) -> Task:
    """The task of a document, or of a configuration.

    Raises:
        ValueError: an unknown name or option, or a value out of range.
        TypeError: a value of the wrong kind.
    """
    own = isinstance(given, dict) and given.get("own_graphs") is False
    made = configuration(given) if isinstance(given, dict) else given
    if made.algorithm["name"] != NAME:
        return built_setting(made)
    if own:
        raise ValueError("pdbo: --one-graph came; need --own-graphs: estimates average over edges")
    return _outer_steps(made)


@dataclass(frozen=True)
class OuterSteps:
    """A run of PDBO. ``state.t`` counts trainings: S + 1 of them, with an outer step after each
    but the last. In a ``State`` x is z of the next start, and v is lambda."""

    unit: ClassVar[str] = "training"
    shown: ClassVar[str] = "outer_loss"
    configuration: Configuration
    problem: Bilevel
    topology: Topology
    method: PDBO

    @property
    def document(self) -> Document:
        """The configuration as plain JSON values."""
        return self.configuration.document

    @property
    def total(self) -> int:
        return self.method.outer_steps + 1

    def recorded(self) -> NDArray[np.int64]:
        return np.arange(self.total)

    def ending(self, state: State) -> None:
        return None

    def chosen(self, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.int64] | None:
        return selected(columns) if SELECTS in columns else None

    def simulate(
        self,
        checkpoint: Callable[[Snapshot], None] | None = None,
        resume: Snapshot | None = None,
    ) -> Trace:
        """Run it. Raises ValueError, or DivergedError at an outer step after the first."""
        given = self.configuration

        partly = len(rated(self.problem)) < len(RATED)

        def say(line: str) -> None:
            tell(f"theorylab: {line}", file=sys.stderr, flush=True)

        def keep(at: OuterSnapshot) -> None:
            if at.state.s == 1 and "series_radius" in at.table and partly:
                say(f"pdbo: {too_large(self.problem)}")
            if checkpoint is not None:
                checkpoint(_snapshot(at))

        try:
            made = pdbo(
                self.problem,
                self.topology,
                self.method,
                rounds=given.rounds,
                runs=given.seeds,
                seed=given.seed,
                columns=given.columns,
                checkpoint=keep,
                resume=None if resume is None else _outer(resume),
                tell=say,
            )
        except StoppedError as error:
            raise DivergedError(str(error)) from error
        return Trace(dict(made.table), np.arange(given.seeds), False)


def _snapshot(at: OuterSnapshot) -> Snapshot:
    state = at.state
    x = state.z / state.omega[..., None]
    kept = State(state.s, state.z, state.omega, x, state.lam, memory=state.moments)
    return Snapshot(kept, dict(at.table))


def _outer(at: Snapshot) -> OuterSnapshot:
    state = at.state
    assert state.v is not None  # lambda, see ``_snapshot``
    made = OuterState(state.t, state.v, state.x, state.w, state.memory)
    return OuterSnapshot(made, at.table)


def _outer_steps(given: Configuration) -> OuterSteps:
    for flag, came in (
        ("--x0", given.x0 is not None),
        ("--dtype", given.dtype is not None),
        ("--every", given.every not in (None, 1)),
        ("a fault (--loss, --failing, --delay, --stragglers, --fault)", given.faults is not None),
    ):
        if came:
            raise ValueError(f"pdbo: {flag} came; need a run without it")
    graph = topology(**arguments("topology", given.topology, given.clients))
    losses = bilevel(**arguments("problem", given.problem, graph.clients))
    options = {key: value for key, value in given.algorithm.items() if key != "name"}
    known = [each.name for each in fields(PDBO)]
    for option in options:
        if option not in known:
            raise ValueError(f"pdbo: unknown option {option!r}; need one of {', '.join(known)}")
    method = PDBO(**options).settled(losses, graph)
    names = available(losses, method) if given.columns is None else given.columns
    check_outer_columns(names, losses, method)
    complete = given.model_copy(
        update={
            "algorithm": plain({"name": NAME, **method.options()}),
            "problem": described(losses.describe()),
            "topology": described(graph.describe()),
            "clients": graph.clients,
            "every": 1,
            "own_graphs": True,
            "columns": names,
        }
    )
    return OuterSteps(complete, losses, graph, method)
