"""A saved run: run.json and trace.npz. Bytes in, bytes out; the caller has the files.

Nothing is pickled. run.json carries the SHA-256 of the trace.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

import theorylab
from theorylab.characters import json_printable
from theorylab.imports import Code, codes
from theorylab.runs.configuration import Configuration, Document, first_fault
from theorylab.runs.simulate import Snapshot
from theorylab.runs.summary import student
from theorylab.runs.task import Task
from theorylab.runs.trace import long_table
from theorylab.tables import Columns, Framed

SCHEMA = 1
_FAR = 1e6  # a loss that ends so many times above its median did not converge
Array = NDArray[Any]


class Spread(BaseModel):
    """A number of every run; ``low`` and ``high``: Student's 95 % interval."""

    model_config = ConfigDict(extra="forbid")

    mean: float
    low: float | None
    high: float | None
    median: float
    p10: float
    p90: float


class Final(Spread):
    """A column at the last round that has it."""

    round: int


class Selected(BaseModel):
    """The columns where each run reports them: run r at ``rounds[r]`` of its own."""

    model_config = ConfigDict(extra="forbid")

    rounds: list[int]
    columns: dict[str, Spread]


class Record(BaseModel):
    """run.json. ``configuration`` alone makes the run again, with the code in ``imports``."""

    model_config = ConfigDict(extra="forbid")

    schema_number: Literal[1] = Field(default=1, alias="schema")
    theorylab: str
    status: Literal["running", "finished", "diverged"]
    note: str | None = None  # why it ended early
    configuration: Configuration
    imports: list[Code] = Field(default_factory=list)  # code of others; nothing here makes it run
    rounds_done: int = 0
    exact: bool = False  # nothing was random: every run is the expectation
    runs: list[int] = Field(default_factory=list)
    final: dict[str, Final] = Field(default_factory=dict)
    selected: Selected | None = None  # where a run does not report its last round
    trace_sha256: str | None = None

    def to_json(self) -> str:
        """The file's text; the same run gives the same bytes."""
        return json_printable(self.model_dump_json(by_alias=True, indent=1)) + "\n"


@dataclass(frozen=True)
class Saved(Framed):
    """Columns (R, S) recorded at rounds ``at`` (S,) of the runs ``runs`` (R,).

    The last round is the end of the run; columns that need the round after it are nan there.
    """

    columns: Mapping[str, Array]
    at: NDArray[np.int64]
    runs: NDArray[np.int64]

    def arrays(self) -> dict[str, Array]:
        """What trace.npz holds: ``rounds``, ``runs``, and a column under its own name."""
        return {"rounds": self.at, "runs": self.runs, **self.columns}

    def table(self) -> Columns:
        """One row a run and a recorded round."""
        return long_table(self.columns, self.at, self.runs)

    def as_json(self) -> Document:
        """The same as lists; JSON has no nan, it becomes null."""
        rows = {
            name: [[x if math.isfinite(x) else None for x in row] for row in values.tolist()]
            for name, values in self.columns.items()
        }
        return {"rounds": self.at.tolist(), "runs": self.runs.tolist(), "columns": rows}


def record(text: str) -> Record:
    """The record in a run.json. Raises ValueError: one line saying what is wrong with it."""
    try:
        return Record.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise ValueError(f"{first_fault(error)}; need a run.json of schema {SCHEMA}") from None


def saved(task: Task, snapshot: Snapshot | None, end: bool = True) -> Saved:
    """The trace up to ``snapshot``; where that is the end of the run, also the columns there.

    ``end``: False leaves the columns at the end out. Raises DivergedError where one overflowed.
    """
    given = task.configuration
    names, runs = given.columns or [], np.arange(given.seeds)
    if snapshot is None:
        none: dict[str, Array] = {name: np.empty((given.seeds, 0)) for name in names}
        return Saved(none, np.empty(0, dtype=np.int64), runs)
    columns = {name: np.array(snapshot.table[name]) for name in names}
    at = task.recorded()[: columns[names[0]].shape[1]]
    last = task.ending(snapshot.state) if end and snapshot.state.t == task.total else None
    if last is None:
        return Saved(columns, at, runs)
    columns = {name: np.concatenate([columns[name], last[name]], axis=1) for name in names}
    return Saved(columns, np.append(at, task.total), runs)


def record_of(task: Task, trace: Saved, exact: bool, note: str | None) -> Record:
    """The record of a run that ended: as it should, or with the line that says why not."""
    done = int(trace.at[-1]) if len(trace.at) else 0
    note = note or _grown(task.shown, trace)
    final = {name: _final(trace, name, exact) for name in trace.columns if len(trace.at)}
    return Record(
        theorylab=theorylab.__version__,
        status="finished" if note is None else "diverged",
        note=note,
        configuration=task.configuration,
        imports=codes(),
        rounds_done=done,
        exact=exact,
        runs=trace.runs.tolist(),
        final={name: value for name, value in final.items() if value is not None},
        selected=_selected(task, trace, exact),
        trace_sha256=digest(trace.arrays()),
    )


def _grown(name: str, trace: Saved) -> str | None:
    """Where the loss of a run ended above all else that was recorded of it, and by far: it is on
    its way out of float64, whether it got there or not."""
    values = trace.columns.get(name)
    if values is None or not values.size:
        return None
    last, usual = values[:, -1], np.median(np.abs(values), axis=1)
    away = (last >= _FAR * usual) & (last >= values.max(axis=1)) & (usual > 0)
    if not away.any():
        return None
    run = int(np.argmax(away))
    return (
        f"simulate: {name} grew from {values[run, 0]:.3g} to {last[run]:.3g} by round "
        f"{trace.at[-1]}; need a smaller step size"
    )


def _final(trace: Saved, name: str, exact: bool) -> Final | None:
    values = trace.columns[name]
    kept = np.flatnonzero(np.isfinite(values).all(axis=0))
    if not len(kept):
        return None
    return Final(round=int(trace.at[kept[-1]]), **_spread(values[:, kept[-1]], exact))


def _selected(task: Task, trace: Saved, exact: bool) -> Selected | None:
    at = task.chosen(trace.columns) if len(trace.at) else None
    if at is None:
        return None
    here = {name: values[np.arange(len(at)), at] for name, values in trace.columns.items()}
    spreads = {
        name: Spread(**_spread(values, exact))
        for name, values in here.items()
        if np.isfinite(values).all()
    }
    return Selected(rounds=trace.at[at].tolist(), columns=spreads)


def _spread(values: Array, exact: bool) -> dict[str, Any]:
    mean, low, high = student(values, exact)
    p10, median, p90 = map(float, np.quantile(values, (0.1, 0.5, 0.9)))
    ends = {
        "low": low if math.isfinite(low) else None,
        "high": high if math.isfinite(high) else None,
    }
    return {"mean": mean, **ends, "median": median, "p10": p10, "p90": p90}


def trace_bytes(trace: Saved) -> bytes:
    """trace.npz; the same trace gives the same bytes."""
    return npz(trace.arrays())


def trace_from(data: bytes, expected: Record) -> Saved:
    """The trace in a trace.npz. Raises ValueError unless it is the one of that record."""
    arrays = arrays_of(data)
    if digest(arrays) != expected.trace_sha256:
        raise ValueError("is not the trace that run.json speaks of (its SHA-256 differs)")
    columns = {name: arrays[name] for name in arrays if name not in ("rounds", "runs")}
    at, runs = (arrays.get(name, np.empty(0)) for name in ("rounds", "runs"))
    fits = {part.dtype for part in (at, runs)} == {np.dtype(np.int64)} and at.ndim == runs.ndim == 1
    if not fits or any(
        part.dtype != np.float64 or part.shape != (len(runs), len(at)) for part in columns.values()
    ):  # whoever writes the digest can write a file that fits it
        raise ValueError("is no trace: its arrays do not have the kinds and shapes of one")
    if list(columns) != (expected.configuration.columns or []) and len(at):
        raise ValueError("is no trace of that run: it has other columns")
    return Saved(columns, at, runs)


def digest(arrays: Mapping[str, Array]) -> str:
    """SHA-256 over names, kinds, shapes and bytes of the arrays, in the order of their names."""
    made = hashlib.sha256()
    for name in sorted(arrays):
        part = arrays[name]
        made.update(f"{name}\0{part.dtype.str}\0{part.shape}\0".encode())
        made.update(np.ascontiguousarray(part).tobytes())
    return made.hexdigest()


def npz(arrays: Mapping[str, Array]) -> bytes:
    """The arrays as a file; the same arrays give the same bytes."""
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def arrays_of(data: bytes) -> dict[str, Array]:
    """What an NPZ file holds. Raises ValueError where it is none; nothing is unpickled.

    ``npz`` compresses nothing. A file that unpacks to more than it is would fill the memory.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            packed = sum(part.file_size for part in parts.infolist()) > len(data)
        if packed:
            raise ValueError
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception:  # a changed byte can make any part of the reader fail
        raise ValueError("is damaged: it is no readable NPZ file") from None
