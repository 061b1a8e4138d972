"""What a run is made of, as a document: algorithm, problem, topology, rounds, seeds, faults.

The document is JSON. What is left out has a default, and ``Setting.configuration`` is the same
run with nothing left out, so that a saved run can be made again from its own file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from theorylab.algorithms import ALGORITHMS, Algorithm, State, algorithm
from theorylab.kernels import LONGEST_RUN, MOST_RUNS
from theorylab.problems import Problem, problem
from theorylab.registry import options_of
from theorylab.runs._columns import (
    Table,
    check_first_state,
    own_models,
    record_state,
)
from theorylab.runs.cadence import cadence
from theorylab.runs.faults import Faults
from theorylab.runs.simulate import Snapshot, initial_models, left_float64, simulate
from theorylab.runs.trace import COLUMNS, STATE_COLUMNS, WORK_COLUMNS, Trace
from theorylab.topologies import Topology, topology

_DTYPES = {"float64": np.float64, "float32": np.float32}
PARTS = ("algorithm", "problem", "topology")
Document = dict[str, Any]


class Configuration(BaseModel):
    """One run of ``simulate`` in JSON. A part is ``{"name": ..., option: value, ...}``.

    A name alone may stand for a part without options.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    algorithm: Document
    problem: Document
    topology: Document
    clients: int | None = Field(default=None, ge=1)  # an edge list says it itself
    rounds: int = Field(ge=1, le=LONGEST_RUN)
    seeds: int = Field(default=1, ge=1, le=MOST_RUNS)  # runs 0 .. seeds - 1, together
    seed: int = Field(default=0, ge=0, lt=2**64)
    x0: float | list[float] | list[list[float]] | None = None
    every: int | None = Field(default=None, ge=1, le=LONGEST_RUN)
    columns: list[str] | None = Field(default=None, min_length=1)
    dtype: str | None = None
    own_graphs: bool = False  # every run has edges of its own; else all see those of run 0
    faults: Document | None = None

    @property
    def document(self) -> Document:
        """It as plain JSON values."""
        made: Document = json.loads(self.model_dump_json())
        return made

    @field_validator(*PARTS, mode="before")
    @classmethod
    def _part(cls, value: Any) -> Any:
        made = {"name": value} if isinstance(value, str) else value
        if not isinstance(made, dict) or not isinstance(made.get("name"), str):
            raise ValueError('need a name, or {"name": ..., option: value, ...}')
        return made

    @field_validator("dtype")
    @classmethod
    def _dtype(cls, value: str | None) -> str | None:
        if value is not None and value not in _DTYPES:
            raise ValueError(f"{value!r}; need one of {', '.join(_DTYPES)}")
        return value

    @field_validator("columns")
    @classmethod
    def _columns(cls, value: list[str] | None) -> list[str] | None:
        for name in value or []:
            if value is not None and value.count(name) > 1:
                raise ValueError(f"{name!r} comes twice; need each column once")
        return value


def configuration(document: Any) -> Configuration:
    """The document, checked. Raises ValueError: one line naming the first thing wrong with it."""
    try:
        return Configuration.model_validate(document)
    except ValidationError as error:
        raise ValueError(first_fault(error)) from None


def first_fault(error: ValidationError) -> str:
    """``where: what is wrong`` of the first thing pydantic found."""
    first = error.errors(include_url=False, include_context=False)[0]
    tried = ("float", "list[")  # of a value that may be of several types: which was tried
    where = ".".join(str(k) for k in first["loc"] if not str(k).startswith(tried)) or "the document"
    text = first["msg"].removeprefix("Value error, ")
    if first["type"] == "missing":
        return f"{where} is missing; need it"
    if first["type"] == "extra_forbidden":
        return f"no key {where!r}; need some of {', '.join(Configuration.model_fields)}"
    if first["type"] == "value_error":
        return f"{where}: {text}"
    need = text.replace("Input should be", "need").replace("greater than or equal to", "at least")
    need = need.replace("less than or equal to", "at most")
    if not first["loc"] or first["type"].startswith("json"):
        return f"{where}: {text[:1].lower()}{text[1:]}"
    return f"{where} is {_shown(first['input'])}; {need}"


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # an integer of more digits than Python prints
        return "an integer of thousands of digits"


@dataclass(frozen=True)
class Setting:
    """A run of ``simulate``: a configuration with nothing left out, and what it describes."""

    unit: ClassVar[str] = "round"
    shown: ClassVar[str] = "loss"
    configuration: Configuration
    problem: Problem
    topology: Topology
    algorithm: Algorithm
    faults: Faults | None

    @property
    def document(self) -> Document:
        """The configuration as plain JSON values."""
        return self.configuration.document

    @property
    def total(self) -> int:
        return self.configuration.rounds

    def recorded(self) -> NDArray[np.int64]:
        return np.arange(0, self.configuration.rounds, self.configuration.every or 1)

    def ending(self, state: State) -> Table | None:
        names, runs = self.configuration.columns or [], self.configuration.seeds
        last: Table = {name: np.full((runs, 1), np.nan) for name in names}
        here = {name: row for name, row in last.items() if name not in WORK_COLUMNS}
        record_state(here, 0, self.problem, state)
        for name, row in here.items():
            if not np.isfinite(row).all():
                raise left_float64(name, row, self.total)
        return last

    def chosen(self, columns: Mapping[str, NDArray[Any]]) -> NDArray[np.int64] | None:
        return None

    def simulate(
        self,
        checkpoint: Callable[[Snapshot], None] | None = None,
        resume: Snapshot | None = None,
    ) -> Trace:
        """Run it; arguments and errors as of ``theorylab.runs.simulate``."""
        given = self.configuration
        x0: Any = given.x0
        return simulate(
            self.problem,
            self.topology,
            self.algorithm,
            rounds=given.rounds,
            runs=given.seeds,
            seed=given.seed,
            x0=x0,
            graph_run=None if given.own_graphs else 0,
            columns=given.columns or STATE_COLUMNS,
            every=given.every or 1,
            dtype=None if given.dtype is None else _DTYPES[given.dtype],
            faults=self.faults,
            checkpoint=checkpoint,
            resume=resume,
        )


def built(given: Configuration) -> Setting:
    """Problem, topology, algorithm and faults of a configuration.

    Raises:
        ValueError: an unknown name or option, or a value out of range.
        TypeError: a value of the wrong kind.
    """
    graph = topology(**arguments("topology", given.topology, given.clients))
    losses = problem(**arguments("problem", given.problem, graph.clients))
    method = algorithm(**_with_rounds(given))
    faults = None if given.faults is None else _faults(given.faults)
    _check_x0(given.x0, losses)
    for column in given.columns or []:
        if column not in COLUMNS:
            known = ", ".join(COLUMNS)
            raise ValueError(f"columns: no column {column!r}; need some of {known}")
    first = method.init(losses.points(losses.initial(0, np.arange(1))), losses)
    check_first_state(given.columns or [], first, losses)
    complete = given.model_copy(
        update={
            "algorithm": plain({"name": method.name, **method.options()}),
            "problem": described(losses.describe()),
            "topology": described(graph.describe()),
            "clients": graph.clients,
            "every": given.every or cadence(losses, method, given.rounds),
            "columns": given.columns or default_columns(losses, first),
            "faults": None if faults is None else plain(faults.describe()),
        }
    )
    return Setting(complete, losses, graph, method, faults)


def default_columns(losses: Problem, first: State) -> list[str]:
    """What to record where nobody says: the state, and what this problem and method have more."""
    made = list(STATE_COLUMNS)
    if first.v is not None or "own" in first.memory:
        made.append("own_loss")
    if losses.accuracy(own_models(first)) is not None:
        made += ["accuracy", "accuracy_low"]
    return made


def first_difference(old: Any, new: Any, where: str = "") -> str | None:
    """``problem.dim was 5, is 6``: the first entry in which two documents differ, or None."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            inner = f"{where}.{key}" if where else str(key)
            if key not in old or key not in new:
                has = (old if key in old else new)[key]
                return f"{inner} was {_text(has) if key in old else 'not given'}, is " + (
                    _text(has) if key in new else "not given"
                )
            found = first_difference(old[key], new[key], inner)
            if found is not None:
                return found
        return None
    same = type(old) is type(new) or (_number(old) and _number(new))
    return None if same and old == new else f"{where} was {_text(old)}, is {_text(new)}"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def arguments(kind: str, part: Document, clients: int | None) -> Document:
    known = part.get("clients", clients)
    if clients is not None and known != clients:
        raise ValueError(f"{kind}: clients is {known!r}, and {clients} outside; need one of them")
    if known is None and part["name"] != "edge-list":
        raise ValueError("clients is missing; need the number of clients")
    return {**part, "clients": known}


def _with_rounds(given: Configuration) -> Document:
    """The algorithm's options; one that is scheduled over the rounds is told how many they are."""
    kind = ALGORITHMS.get(given.algorithm["name"])
    scheduled = kind is not None and "rounds" in options_of(kind)
    return {"rounds": given.rounds, **given.algorithm} if scheduled else given.algorithm


def _check_x0(x0: Any, losses: Problem) -> None:
    if isinstance(x0, list) and len({len(row) if isinstance(row, list) else 0 for row in x0}) > 1:
        raise ValueError("x0: rows of different lengths; need one model, or one a client")
    if x0 is not None:
        initial_models(losses, 1, x0)


def _faults(given: Document) -> Faults:
    known = list(Faults.__dataclass_fields__)
    for option in given:
        if option not in known:
            raise ValueError(f"faults: no option {option!r}; has {', '.join(known)}")
    return Faults(**given)


def described(part: Document) -> Document:
    return plain({key: value for key, value in part.items() if key != "clients"})


def plain(part: Any) -> Document:
    """As it will be read again: tuples as lists."""
    made: Document = json.loads(json.dumps(part, allow_nan=False))
    return made
