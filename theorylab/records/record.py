"""A run from elsewhere, read from the file that it wrote: what was measured, who sent what to whom.

docs/records.md has the format. Nothing in a file is believed: shapes, kinds, rounds and the sums of
every column of every matrix are looked at, and nothing is unpickled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from theorylab.records.arrays import MOST_BYTES, arrays, lines
from theorylab.topologies import Topology, from_matrices

if TYPE_CHECKING:  # slow to import
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
EDGES = ("edge_round", "edge_from", "edge_to", "edge_weight")
SQUARES = ("squared_gradient", "squared_distance", "consensus")  # columns that are never below 0
SINGLE = 2.0**-23  # from 1 to the next float32, in which most models are trained
_MOST_ENTRIES = 1 << 27  # rounds x clients of a network
_KEYS = ("run", "round", *EDGES)


@dataclass(frozen=True)
class Record:
    """What some runs of one method over one network measured.

    Attributes:
        name: of its file, with which messages begin.
        columns: name -> (R, T + 1), the states before rounds 0 .. T-1, and the last.
        topology: the network that all runs have; its period is 1 or less than T where the matrices
            repeat, else T.
        numbers: what is one number: options of the method, ``dim``, ``precision``,
            ``size``.
        rounds: T.

    >>> import numpy as np, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.npz"
    >>> np.savez(path, round=[0, 1], loss=[1.0, 0.5], edge_round=[0], edge_from=[0], edge_to=[0],
    ...          edge_weight=[1.0], eta=0.1)
    >>> record = read(path)
    >>> record.runs, record.rounds, record.columns["loss"].tolist(), record.numbers
    (1, 1, [[1.0, 0.5]], {'eta': 0.1})
    """

    name: str
    columns: Mapping[str, Floats]
    topology: Topology
    numbers: Mapping[str, float]
    rounds: int

    @property
    def runs(self) -> int:
        """R."""
        return len(next(iter(self.columns.values())))

    @property
    def precision(self) -> float:
        """From 1 to the next number of the arithmetic of the run; that of float32 if not told."""
        return self.numbers.get("precision", SINGLE)

    @property
    def network(self) -> str:
        """Its clients and matrices, in words."""
        period, n = self.topology.period, self.topology.clients
        every = "static" if period == 1 else f"period {period}"
        listed = period == self.rounds and self.rounds > 1
        return f"{n} client{'s' * (n > 1)}, {f'{period} matrices listed' if listed else every}"


def read(path: str | Path) -> Record:
    """The record in a ``.npz`` or ``.jsonl`` file.

    Args:
        path: of the file; docs/records.md has its format.

    Returns:
        The columns (R, T + 1), the network and the numbers of the runs.

    Raises:
        ValueError: one line that starts with the file's name: where it is wrong, and what is
            needed.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.npz"
    >>> np.savez(path, round=[0, 1], loss=[1.0, 0.5], edge_round=[0], edge_from=[0], edge_to=[0],
    ...          edge_weight=[1.0], eta=0.1)
    >>> read(path).columns["loss"].tolist()
    [[1.0, 0.5]]
    """
    path = Path(path)
    name = path.name
    try:
        if not path.is_file():
            raise ValueError("is no file; need a record, .npz or .jsonl (docs/records.md)")
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"has more than {MOST_BYTES} bytes; need a smaller record")
        data = path.read_bytes()
        return _record(name, lines(data) if path.suffix == ".jsonl" else arrays(data))
    except OSError as error:
        raise ValueError(f"{name}: {error.strerror}; need a file that can be read") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def joined(records: Sequence[Record]) -> Record:
    """Runs of several files as one record.

    Raises ValueError, one line, where their networks, rounds, columns or numbers differ.
    """
    first = records[0]
    for other in records[1:]:
        told = {
            "rounds": first.rounds == other.rounds,
            "columns": set(first.columns) == set(other.columns),
            "numbers": first.numbers == other.numbers,
            "networks": _alike(first.topology, other.topology),
        }
        if differ := [what for what, same in told.items() if not same]:
            raise ValueError(
                f"{other.name}: its {' and '.join(differ)} differ from those of {first.name}; need "
                "runs of one method over one network"
            )
    columns = {k: np.concatenate([each.columns[k] for each in records]) for k in first.columns}
    name = first.name if len(records) == 1 else f"{first.name} .. {records[-1].name}"
    return Record(name, columns, first.topology, first.numbers, first.rounds)


def _alike(one: Topology, other: Topology) -> bool:
    if (one.clients, one.period) != (other.clients, other.period):
        return False
    pairs = ((one.matrix(t), other.matrix(t)) for t in range(one.period or 0))
    return all(_same(a, b) for a, b in pairs)


def _same(a: csr_array, b: csr_array) -> bool:
    return a.nnz == b.nnz and not (a != b).nnz


def _record(name: str, parts: Mapping[str, Any]) -> Record:
    tables = {key: value for key, value in parts.items() if value.ndim or key in _KEYS}
    for key, value in parts.items():
        if value.dtype.kind not in "iuf" and not (value.dtype.kind == "b" and not value.ndim):
            raise ValueError(f"{key} has dtype {value.dtype}; need real numbers")
        if value.ndim > 1 or (key in _KEYS and value.ndim != 1):
            raise ValueError(f"{key} has shape {value.shape}; need one number a row, (N,)")
        if not np.isfinite(value).all():
            raise ValueError(f"{key} has a number that is not finite; need finite ones")
    numbers = {key: float(value) for key, value in parts.items() if key not in tables}
    if numbers.get("size", 0) < 0:
        raise ValueError(f"size is {numbers['size']:g}; need the largest coordinate, 0 or more")
    if not 0 < numbers.get("precision", SINGLE) < 1:
        raise ValueError(f"precision is {numbers['precision']:g}; need eps of the run, as 2.2e-16")
    if numbers.get("deterministic", 0) not in (0, 1):
        raise ValueError(f"deterministic is {numbers['deterministic']:g}; need 0 or 1")
    columns, rounds = _columns(tables)
    network = _network(tables, rounds)
    for key, least in (("dim", 1), ("clients", network.clients)):
        count = numbers.get(key, least)
        if count != int(count) or count < 1 or (key == "clients" and count != least):
            need = f"{least}, as its edges" if key == "clients" else "a whole number, 1 or more"
            raise ValueError(f"{key} is {count:g}; need {need}")
    return Record(name, columns, network, numbers, rounds)


def _columns(tables: Mapping[str, Any]) -> tuple[dict[str, Floats], int]:
    if "round" not in tables:
        raise ValueError("has no array round; need the round t of every row")
    at = _whole("round", tables["round"])
    run = _whole("run", tables.get("run", np.zeros(len(at), int)))
    found = {key: value for key, value in tables.items() if key not in _KEYS}
    if not found:
        raise ValueError("has no column beside round; need one, as loss or squared_gradient")
    for key, value in {"run": run, **found}.items():
        if len(value) != len(at):
            raise ValueError(f"{key} has {len(value)} rows and round {len(at)}; need as many")
    for key in {*SQUARES} & {*found}:
        if found[key].min() < 0:
            k = int(found[key].argmin())
            raise ValueError(f"{key} is {found[key][k]:.6g} in round {at[k]}; need squares, >= 0")
    last = int(at.max())
    ids = np.unique(run)
    if last < 1:
        raise ValueError("holds no round after the first; need rounds 0 .. T, and T >= 1")
    if len(at) != len(ids) * (last + 1):
        _missing_or_twice(run, at, ids, last)
    order = np.lexsort((at, run))
    if (at[order] != np.tile(np.arange(last + 1), len(ids))).any():
        _missing_or_twice(run, at, ids, last)
    shape = (len(ids), last + 1)
    return {k: v[order].astype(np.float64).reshape(shape) for k, v in found.items()}, last


def _missing_or_twice(run: Any, at: Any, ids: Any, last: int) -> None:
    """Raises the ValueError that names the first round of a run that does not come once."""
    for one in ids:
        there = np.sort(at[run == one])
        if (there[1:] == there[:-1]).any():
            twice = int(there[1:][there[1:] == there[:-1]][0])
            raise ValueError(f"round {twice} of run {one} comes twice; need it once")
        if len(there) <= last:
            gap = int(np.argmax(there != np.arange(len(there)))) if len(there) else 0
            gap = gap if there[gap] != gap else len(there)
            raise ValueError(f"round {gap} of run {one} is missing; need rounds 0 .. {last}")


def _network(tables: Mapping[str, Any], rounds: int) -> Topology:
    """The matrices P(t)[to, from], the shortest period that they have first."""
    if lacking := [name for name in EDGES if name not in tables]:
        raise ValueError(f"has no array {lacking[0]}; need {', '.join(EDGES)}")
    at, source, target = (_whole(name, tables[name]) for name in EDGES[:3])
    weight = np.asarray(tables["edge_weight"], np.float64)
    if len({len(at), len(source), len(target), len(weight)}) > 1 or not len(at):
        raise ValueError(f"{', '.join(EDGES)} differ in length; need one number an edge, (E,)")
    if len(weight) and weight.min() < 0:
        k = int(weight.argmin())
        raise ValueError(f"edge_weight is {weight[k]:.6g} in round {at[k]}; need shares >= 0")
    n = int(max(source.max(), target.max())) + 1
    if n * rounds > _MOST_ENTRIES:
        raise ValueError(f"has {n} clients and {rounds} rounds; need at most {_MOST_ENTRIES} both")
    if lost := sorted({*range(rounds)} - {*np.unique(at).tolist()}):
        raise ValueError(f"has no edge in round {lost[0]}; need those of rounds 0 .. {rounds - 1}")
    if at.max() >= rounds:
        raise ValueError(f"has an edge in round {at.max()}; need rounds 0 .. {rounds - 1} alone")
    order = np.argsort(at, kind="stable")
    ends = np.searchsorted(at[order], np.arange(rounds + 1))
    from scipy.sparse import csr_array

    matrices = []
    for t in range(rounds):
        rows = order[ends[t] : ends[t + 1]]
        if len(np.unique(target[rows] * n + source[rows])) < len(rows):
            raise ValueError(f"an edge of round {t} comes twice; need one weight an edge")
        matrices.append(csr_array((weight[rows], (target[rows], source[rows])), shape=(n, n)))
    for t, matrix in enumerate(matrices):
        matrix.eliminate_zeros()
        if t and _same(matrix, matrices[t - 1]):  # one object for what stays
            matrices[t] = matrices[t - 1]
    try:
        return from_matrices(matrices[: _period(matrices)])
    except ValueError as error:
        raise ValueError(re.sub(r"^.*?: matrix (\d+)", r"round \1", str(error))) from None


def _period(matrices: Sequence[csr_array]) -> int:
    """The least p with P(t) = P(t - p) for every t, where it comes twice at least; else all."""
    count = len(matrices)
    for p in range(1, min(count // 2, 4096) + 1):
        pairs = ((matrices[t], matrices[t - p]) for t in range(p, count))
        if all(a is b or _same(a, b) for a, b in pairs):
            return p
    return count


def _whole(name: str, value: Any) -> NDArray[np.int64]:
    if value.ndim != 1 or not len(value):
        raise ValueError(f"{name} has shape {value.shape}; need one number a row, (N,)")
    if value.dtype.kind == "f" and (value != np.floor(value)).any():
        raise ValueError(f"{name} has a fraction; need whole numbers")
    if value.min() < 0 or value.max() >= 2**31:
        k = int(value.min()) if value.min() < 0 else int(value.max())
        raise ValueError(f"{name} is {k} somewhere; need 0 or more, below 2^31")
    whole: NDArray[np.int64] = value.astype(np.int64)
    return whole
