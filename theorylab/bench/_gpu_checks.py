"""Fresh checks on a GPU: the host's bits, nothing left unwritten, nothing written beside."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.bench._gpu_board import Array, Board
from theorylab.bench._gpu_case import Kernel, Trial

DTYPES = ("float64", "float32")
GUARD = 64  # numbers on either side of a result
_OWN = "kns=N2tl"  # what the mangled name of every kernel of namespace tl contains
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
Record = dict[str, Any]


def checked(
    board: Board, name: str, kernel: Kernel, rng: np.random.Generator, late: Callable[[], bool]
) -> Iterator[Record]:
    """One record for each dtype and path: how many trials, and the first that failed, and how.

    Args:
        late: whether to stop.
    """
    for dtype in DTYPES:
        trials = list(kernel.trials(rng, dtype, board.emulated))
        for path in board.paths:
            record: Record = {"kernel": name, "dtype": dtype, "path": path, "trials": 0, "why": ""}
            for trial in trials:
                if late() or record["why"]:
                    break
                record["why"] = tried(board, trial, path, dtype)
                record["trials"] += 1
            if trials:
                yield record


def tried(board: Board, trial: Trial, path: str, dtype: str) -> str:
    """What is wrong with one call on the device, or nothing."""
    want = [np.asarray(a) for a in trial.call(np.array, None)]
    rooms = [board.full((int(np.prod(s)) + 2 * GUARD,), np.nan, dtype) for s in trial.shapes]
    into = tuple(
        room[GUARD:-GUARD].reshape(shape) for room, shape in zip(rooms, trial.shapes, strict=True)
    )
    try:
        with board.path(path):
            first = _got(board, trial.call(board.put, into or None))
            again = _got(board, trial.call(board.put, None))
    except Exception as error:  # a refused launch, a fault on the device: the record says which
        return f"{trial.label}: {type(error).__name__}: {' '.join(str(error).split())}"
    for where, made in (("into buffers", first), ("into fresh memory", again)):
        for number, (a, b) in enumerate(zip(made, want, strict=True)):
            if (a.dtype, a.shape) != (b.dtype, b.shape):
                came, need = f"{a.dtype} {a.shape}", f"{b.dtype} {b.shape}"
                return f"{trial.label}: result {number} {where} is {came}; need {need}"
            limit = trial.limits[number] if trial.limits else None
            right = _equal(a, b) if limit is None else np.abs(a - b) <= limit
            if not right.all():
                wrong = int(np.sum(~right))
                return f"{trial.label}: result {number} {where}: {wrong} of {b.size} differ"
    for number, room in enumerate(map(board.get, rooms)):
        if not (np.isnan(room[:GUARD]).all() and np.isnan(room[-GUARD:]).all()):
            return f"{trial.label}: result {number}: written beside its buffer"
    return ""


def same_bits(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Bit for bit, but any nan for any nan: their signs are the hardware's."""
    return a.dtype == b.dtype and a.shape == b.shape and bool(_equal(a, b).all())


def _equal(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    word = f"u{a.itemsize}"
    both = np.isnan(a) & np.isnan(b)
    return np.asarray(both | (np.ascontiguousarray(a).view(word) == b.view(word)))


def _got(board: Board, arrays: Any) -> list[NDArray[Any]]:
    made: list[Array] = list(arrays)
    board.wait()
    return [board.get(array) for array in made]


def _environment() -> dict[str, str]:
    """This process's, with this theorylab, and without a memory pool, which would hide overruns."""
    here = str(pathlib.Path(__file__).resolve().parents[2])
    path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}


def sanitized(seed: int, seconds: float) -> list[Record]:
    """The checks again under each tool of compute-sanitizer, in processes of their own.

    seconds: for all of them. A tool that is not there, or not done in time, says so under ``why``;
    ``clean`` is None then.
    """
    program = shutil.which("compute-sanitizer")
    if program is None:
        return [{"tool": "compute-sanitizer", "clean": None, "why": "not found on PATH"}]
    records = []
    for tool in TOOLS:
        command = [program, "--tool", tool, "--error-exitcode", "99", "--kernel-name", _OWN]
        command += [sys.executable, "-P", "-m", "theorylab.bench", "--gpu", "--only-checks"]
        command += ["--seed", str(seed), "--budget", f"{2 * seconds / len(TOOLS):.0f}"]
        record: Record = {"tool": tool, "clean": None, "why": ""}
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=seconds / len(TOOLS),
                check=False,
                env=_environment(),
            )
            text = (done.stdout + done.stderr).strip().splitlines()
            record["clean"] = done.returncode == 0
            record["why"] = "" if record["clean"] else " / ".join(text[-3:])[:500]
        except subprocess.TimeoutExpired:
            record["why"] = f"not done within {seconds / len(TOOLS):.0f} s"
        records.append(record)
    return records
