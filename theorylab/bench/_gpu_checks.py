"""Fresh checks on a GPU: the host's bits, nothing left unwritten, nothing written beside."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.bench._gpu_board import Array, Board
from theorylab.bench._gpu_case import Kernel, Trial

DTYPES = ("float64", "float32")
_SPOILED = 8  # pieces of a result's size, which arguments take, too
GUARD = 64  # numbers on either side of a result
_OWN = "kns=N2tl"  # what the mangled name of every kernel of namespace tl contains
# Without initcheck: with our kernels alone it takes what torch's wrote for unwritten, and what ours
# leave unwritten shows as NaN. synccheck takes 8 s of an H200 where racecheck takes 16.
TOOLS = ("memcheck", "racecheck", "synccheck")
_UNPOOLED = "PYTORCH_NO_CUDA_MEMORY_CACHING"
ABSENT = "compute-sanitizer"  # what stands for all of them where it is not installed
Record = dict[str, Any]


def checked(
    board: Board,
    name: str,
    kernel: Kernel,
    rng: np.random.Generator,
    late: Callable[[], bool],
    small: bool = False,
) -> Iterator[Record]:
    """One record for each dtype and path: how many trials, and the first that failed, and how.

    Args:
        late: whether to stop; trials that are left then fail the check. small: every other one
        of the tiny trials alone.
    """
    for dtype in DTYPES:
        trials = list(kernel.trials(rng, dtype, small or board.emulated))[:: 2 if small else 1]
        for path in board.paths:
            record: Record = {"kernel": name, "dtype": dtype, "path": path, "trials": 0, "why": ""}
            for trial in trials:
                if late() or record["why"]:
                    break
                record["why"] = tried(board, trial, path, dtype)
                record["trials"] += 1
            if not record["why"] and record["trials"] < len(trials):
                record["why"] = f"{record['trials']} of {len(trials)} trials done in time"
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
            _spoil(board, want)
            first = _got(board, trial.call(board.put, into or None))
            _spoil(board, want)
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


def _spoil(board: Board, like: list[NDArray[Any]]) -> None:
    """Put NaN into memory that the library will hand out as fresh: it may still hold what was
    right, of the same trial on another path, and a number that no thread writes would not show.
    """
    if _UNPOOLED in os.environ:
        return  # nothing is handed out again
    for a in like:
        held = [board.full(a.shape, np.nan, f"float{8 * a.itemsize}") for _ in range(_SPOILED)]
        del held


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
    return {**os.environ, "PYTHONPATH": path, _UNPOOLED: "1"}


def _findings(text: list[str]) -> list[str]:
    """Of what a tool and its program said: what went wrong first, in which kernel, and the end."""
    marks = ("Invalid", "Uninit", "Error: ", "Program hit", "Barrier error", "WRONG")
    first = [k for k, line in enumerate(text) if any(mark in line for mark in marks)][:3]
    lines = [line for k in first for line in text[k : k + 2]] + text[-2:]
    return [line.removeprefix("=========").strip()[:200] for line in dict.fromkeys(lines)]


def sanitized(seconds: float) -> list[Record]:
    """Tiny checks of every kernel under each tool of compute-sanitizer, in processes of their own.

    Their inputs are the same every time, and all tools run at once.

    seconds: for all of them. Where there is no compute-sanitizer, the only record says so, and its
    ``clean`` is None, as that of a tool which is not done in time.
    """
    program = shutil.which("compute-sanitizer")
    if program is None:
        return [{"tool": ABSENT, "clean": None, "why": "not found on PATH"}]
    start, running = time.perf_counter(), dict[str, Any]()
    records = []
    try:
        for tool in TOOLS:
            running[tool] = _started(program, tool, seconds)
        for tool, process in running.items():
            left = max(seconds - (time.perf_counter() - start), 0.0)
            late = {"clean": None, "why": f"not done within {seconds:.0f} s"}
            found = _ended(process, left) or late
            records.append({"tool": tool} | found | {"seconds": time.perf_counter() - start})
    finally:
        for process in running.values():  # where this one is interrupted
            if process.returncode is None:
                _killed(process)
    return records


def _started(program: str, tool: str, seconds: float) -> Any:
    command = [program, "--tool", tool, "--error-exitcode", "99", "--kernel-name", _OWN]
    command += ["--show-backtrace", "no", "--print-limit", "20"]  # frames of Python take long
    command += [sys.executable, "-P", "-m", "theorylab.bench", "--gpu", "--tiny"]
    command += ["--budget", f"{2 * seconds:.0f}"]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=_environment(),
        start_new_session=True,  # a tool's own child holds its output, and must go with it
    )


def _ended(process: Any, left: float) -> Record | None:
    """What a tool found; None where it was not done in so many seconds, and was killed."""
    try:
        text = process.communicate(timeout=left)[0].strip().splitlines()
    except subprocess.TimeoutExpired:
        _killed(process)
        return None
    clean = process.returncode == 0
    return {"clean": clean, "why": "" if clean else " / ".join(_findings(text))[:900]}


def _killed(process: Any) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
