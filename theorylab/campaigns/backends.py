"""Where chunks are computed: in this process, in processes beside it, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
from concurrent.futures import CancelledError
from multiprocessing import resource_tracker
from typing import Any, Protocol

from theorylab.campaigns.worker import Chunk, Done, OtherCodeError, alone, compute, stamp
from theorylab.extras import need
from theorylab.processes import SAFE, apart

Answer = tuple[Chunk, list[Done] | None]  # None: its worker is gone, with all that it had
_PATIENCE = 10.0  # seconds to wait for a scheduler, and for a worker


class Backend(Protocol):
    """``room``: how many chunks it takes at the moment. ``most``: cells of one."""

    most: int

    @property
    def room(self) -> int: ...

    def submit(self, chunk: Chunk) -> None: ...

    def finished(self, seconds: float) -> list[Answer]:
        """What has ended; it waits for the first one, at most so long."""
        ...

    def close(self) -> None: ...


class Here:
    """In this process; there is no way to hand a chunk, so that each cell is one."""

    most = 1

    def __init__(self) -> None:
        self._chunks: list[Chunk] = []

    @property
    def room(self) -> int:
        return 1 - len(self._chunks)

    def submit(self, chunk: Chunk) -> None:
        self._chunks.append(chunk)

    def finished(self, seconds: float) -> list[Answer]:
        return [(chunk, compute(chunk)) for chunk in (self._chunks.pop(),)] if self._chunks else []

    def close(self) -> None:
        self._chunks.clear()


class Processes:
    """One loky executor a process: where one is killed, the others go on, and it is replaced."""

    most = 512

    def __init__(self, count: int) -> None:
        with apart():
            resource_tracker.ensure_running()  # it unblocks SIGINT when it starts; see submit
        self._ended: queue.Queue[tuple[int, Chunk, Any]] = queue.Queue()
        self._free = list(range(count))
        self._pools: dict[int, Any] = {}

    @property
    def room(self) -> int:
        return len(self._free)

    def _pool(self, place: int) -> Any:
        from joblib.externals.loky.process_executor import ProcessPoolExecutor

        if place not in self._pools:
            self._pools[place] = ProcessPoolExecutor(
                max_workers=1, initializer=alone, initargs=(os.getpid(),), env=_ENVIRONMENT
            )
        return self._pools[place]

    def submit(self, chunk: Chunk) -> None:
        place = self._free.pop()
        # A new process would end with a traceback at a Ctrl-C before it is deaf to it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            with apart():
                future = self._submitted(place, chunk)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        future.add_done_callback(lambda ended: self._ended.put((place, chunk, ended)))

    def _submitted(self, place: int, chunk: Chunk) -> Any:
        try:
            return self._pool(place).submit(compute, chunk)
        except (RuntimeError, OSError):  # it was killed while it had nothing to do
            self._drop(place)
            return self._pool(place).submit(compute, chunk)

    def finished(self, seconds: float) -> list[Answer]:
        answers: list[Answer] = []
        with contextlib.suppress(queue.Empty):
            answers.append(self._answer(*self._ended.get(timeout=seconds)))
            while True:
                answers.append(self._answer(*self._ended.get_nowait()))
        return answers

    def _answer(self, place: int, chunk: Chunk, future: Any) -> Answer:
        from concurrent.futures.process import BrokenProcessPool

        self._free.append(place)
        try:
            return chunk, future.result()
        except (BrokenProcessPool, CancelledError):
            self._drop(place)
            return chunk, None

    def _drop(self, place: int) -> None:
        pool = self._pools.pop(place, None)
        if pool is not None:
            pool.shutdown(wait=False, kill_workers=True)

    def close(self) -> None:
        for place in list(self._pools):
            self._drop(place)


_ENVIRONMENT = SAFE | {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
}


class Dask:
    """The workers of a scheduler.

    Raises ValueError: one line, where no scheduler or no worker answers, or one has another
    theorylab. MissingExtraError: one line, where distributed is not installed.
    """

    most = 512

    def __init__(self, address: str) -> None:
        need("--backend dask", "distributed")
        from distributed import Client

        self._address = address
        self._out: dict[Any, Chunk] = {}
        self._ended: queue.Queue[Any] = queue.Queue()
        try:
            make: Any = Client
            self._client: Any = make(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            what = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ValueError(
                f"--scheduler {address}: no scheduler answers ({what}); need the address of one"
            ) from None
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise ValueError(
                f"--scheduler {self._address}: it has no worker; need one or more"
            ) from None
        try:
            told = self._client.run(stamp)
        except Exception as error:  # whatever unpickling raises where there is another theorylab
            raise ValueError(
                f"--scheduler {self._address}: a worker has no such theorylab "
                f"({type(error).__name__}: {error}); need {stamp()}, as here"
            ) from None
        for worker, version in told.items():
            if version != stamp():
                raise ValueError(
                    f"--scheduler {self._address}: the worker {worker} has theorylab {version}; "
                    f"need {stamp()}, as here"
                )

    @property
    def room(self) -> int:
        info = self._client.scheduler_info(n_workers=-1)["workers"].values()
        threads = sum(int(worker["nthreads"]) for worker in info)
        return max(1, 2 * threads) - len(self._out)

    def submit(self, chunk: Chunk) -> None:
        future = self._client.submit(compute, chunk, pure=False, retries=0)
        self._out[future.key] = chunk
        future.add_done_callback(self._ended.put)

    def finished(self, seconds: float) -> list[Answer]:
        answers: list[Answer] = []
        with contextlib.suppress(queue.Empty):
            answers.append(self._answer(self._ended.get(timeout=seconds)))
            while True:
                answers.append(self._answer(self._ended.get_nowait()))
        if self._client.status not in ("running", "connecting"):
            raise ConnectionError(f"--scheduler {self._address}: it is gone; need it again")
        return answers

    def _answer(self, future: Any) -> Answer:
        from distributed import KilledWorker

        chunk = self._out.pop(future.key)
        try:
            return chunk, future.result()
        except OtherCodeError:
            raise
        except (KilledWorker, CancelledError, OSError):
            return chunk, None

    def close(self) -> None:
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self._client.close(timeout=2)
