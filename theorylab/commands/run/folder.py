"""The folder of a saved run: run.json, trace.npz, curves, and checkpoints while it is not over.

Two checkpoints take turns, so that the one before is whole while the next is written. Every file
is there whole or not at all; run.json says last that the run is finished.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock, Timeout

import theorylab
from theorylab.commands.refusal import Refused, refusing
from theorylab.imports import codes
from theorylab.kernels import read_text
from theorylab.report.atomic import check_regular, check_writable, write_atomic
from theorylab.runs import Snapshot
from theorylab.runs.checkpoint import check_fits, checkpoint_bytes, checkpoint_from
from theorylab.runs.configuration import first_difference
from theorylab.runs.record import (
    Record,
    Saved,
    record,
    trace_bytes,
    trace_from,
)
from theorylab.runs.task import Task

RUN, TRACE, PAGE = "run.json", "trace.npz", "index.html"
CURVES = ("curves.svg", "curves.png")
CHECKPOINTS = ("checkpoint-1.npz", "checkpoint-2.npz")
_LOCK = ".lock"  # held while a process runs here; the system lets go of it when the process ends


class RunFolder:
    """One run's folder; nothing is read or written before a method is called."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._slot = 0  # of the next checkpoint: never that of the newest

    @contextlib.contextmanager
    def prepared(self) -> Iterator[None]:
        """Make the folder and keep others out of it; a new one that is still empty when Refused
        passes is removed again.

        Raises Refused where it or a file in it could not be written, or another process runs here.
        """
        new = not self.path.exists()
        with refusing(f"--out {self.path}"):
            self.path.mkdir(parents=True, exist_ok=True)
            for name in (RUN, TRACE, PAGE, *CURVES, *CHECKPOINTS, _LOCK):
                check_writable(self.path / name)
        try:
            with self._alone():
                yield
        except Refused:
            if new:
                with contextlib.suppress(OSError):  # it holds something
                    self.path.rmdir()
            raise

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        lock = FileLock(self.path / _LOCK, blocking=False)
        with refusing(f"--out {self.path}"):
            try:
                lock.acquire()
            except Timeout:
                text = "another process runs here; need it to end, or another folder"
                raise ValueError(text) from None
        try:
            yield
        finally:
            (self.path / _LOCK).unlink(missing_ok=True)  # before letting go: it is still ours
            lock.release()

    def record(self) -> Record | None:
        """What run.json says; None where there is none. Raises Refused where it is damaged."""
        path = self.path / RUN
        try:
            with refusing(str(path)):
                check_regular(path)
                return record(read_text(path))
        except Refused as error:
            if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                return None
            raise

    def trace(self, expected: Record) -> Saved:
        """The trace that ``expected`` speaks of. Raises Refused where it is not there or whole."""
        path = self.path / TRACE
        try:
            check_regular(path)
            return trace_from(path.read_bytes(), expected)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
        except ValueError as error:
            reason = str(error)
        raise Refused(f"{path}: {reason}; need the run again (--force)")

    def begin(self, setting: Task) -> None:
        """Start anew: run.json with the configuration, no checkpoints."""
        with refusing(f"--out {self.path}"):
            started = Record(
                theorylab=theorylab.__version__,
                status="running",
                configuration=setting.configuration,
                imports=codes(),
            )
            self._clear()  # first: killed in between, the folder holds no mixture of two runs
            write_atomic(self.path / RUN, started.to_json())

    def latest(self, setting: Task, note: Callable[[str], None]) -> Snapshot | None:
        """The newest whole checkpoint, or None; ``note`` is told of a damaged one.

        Raises Refused where a checkpoint is of another configuration.
        """
        found: Snapshot | None = None
        for slot, name in enumerate(CHECKPOINTS):
            path = self.path / name
            try:
                check_regular(path)
                header, snapshot = checkpoint_from(path.read_bytes(), setting.problem)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise Refused(f"{path}: {error.strerror}; need a file that can be read") from None
            except ValueError as error:
                note(f"theorylab: {path} {error}; the checkpoint before it is used")
                continue
            old = {"theorylab": header.get("theorylab"), **header.get("configuration", {})}
            new = {"theorylab": theorylab.__version__, **setting.document}
            difference = first_difference(old, new)
            if difference is not None:
                raise Refused(
                    f"{path}: is of another run: {difference}; need the same, --force, or another "
                    "folder"
                )
            with refusing(str(path)):
                check_fits(snapshot, setting.configuration)
            if found is None or snapshot.state.t > found.state.t:
                found, self._slot = snapshot, 1 - slot
        return found

    def keep(self, setting: Task, snapshot: Snapshot) -> None:
        """Write a checkpoint in the place of the older one. Raises OSError."""
        data = checkpoint_bytes(setting.document, snapshot)
        write_atomic(self.path / CHECKPOINTS[self._slot], data)
        self._slot = 1 - self._slot

    def finish(self, ended: Record, trace: Saved, drawn: dict[str, str | bytes]) -> None:
        """Write what the run leaves behind, run.json last, and remove the checkpoints."""
        with refusing(f"--out {self.path}"):
            write_atomic(self.path / TRACE, trace_bytes(trace))
            for name, content in drawn.items():
                write_atomic(self.path / name, content)
            write_atomic(self.path / RUN, ended.to_json())
            self._clear()

    def _clear(self) -> None:
        for name in CHECKPOINTS:
            (self.path / name).unlink(missing_ok=True)
        for stale in self.path.glob(f".{'[0-9a-f]' * 16}.tmp"):  # of a writer that was killed
            stale.unlink(missing_ok=True)
        self._slot = 0
