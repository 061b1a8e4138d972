"""Everything that a file registers, each thing checked by the checks of its kind."""

from __future__ import annotations

import inspect
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from theorylab.algorithms import ALGORITHMS
from theorylab.conformance._sheet import LIE, RAISES, Finding, said
from theorylab.conformance.algorithms import check_algorithm
from theorylab.conformance.experiments import check_experiment
from theorylab.conformance.metrics import check_metric
from theorylab.conformance.problems import check_problem
from theorylab.conformance.topologies import check_topology
from theorylab.experiments import EXPERIMENTS
from theorylab.metrics import METRICS
from theorylab.problems import PROBLEMS
from theorylab.registry import Table, options_of
from theorylab.topologies import TOPOLOGIES

_KINDS: tuple[tuple[Table[Any], Any], ...] = (
    (PROBLEMS, check_problem),
    (TOPOLOGIES, check_topology),
    (ALGORITHMS, check_algorithm),
    (METRICS, check_metric),
    (EXPERIMENTS, check_experiment),
)


def brought(files: Sequence[pathlib.Path]) -> list[tuple[str, str]]:
    """(kind, name) of everything that these files register."""
    here = {str(file.resolve()) for file in files}
    return [
        (table.kind, name)
        for table, _ in _KINDS
        for name in table
        if table.entry(name).file in here
    ]


def check_things(
    things: Sequence[tuple[str, str]], given: Mapping[str, Any], clients: int | None = None
) -> Iterator[Finding]:
    """The findings of every thing. ``given``: options by name, for each thing that takes them.

    Raises ValueError, one line, for an option that none takes.
    """
    tables = {table.kind: (table, check) for table, check in _KINDS}
    known = set[str]()
    for kind, name in things:
        if kind != "metric":
            known |= set(options_of(tables[kind][0].entry(name).value))
    for option in given:
        if option not in known:
            need = f"one of {', '.join(sorted(known))}" if known else "none"
            raise ValueError(f"check: nothing here has an option {option!r}; need {need}")
    methods = [name for kind, name in things if kind == "algorithm"]
    for kind, name in things:
        table, check = tables[kind]
        try:
            table.find(name)
            more = {"methods": methods} if "methods" in inspect.signature(check).parameters else {}
            with np.errstate(all="ignore"):  # the findings say what is not finite
                found = check(name, given, clients, **more)
            yield from found
        except Exception as error:
            yield Finding(kind, name, "everything", "building it", RAISES, said(error))


def exit_code(findings: Sequence[Finding]) -> int:
    """1 where something is a lie, else 2 where something cannot be built, else 0."""
    found = {each.result for each in findings}
    return 1 if LIE in found else 2 if RAISES in found else 0
