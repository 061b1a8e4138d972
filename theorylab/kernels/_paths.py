"""The ways to run a GPU schedule: compiled ahead of time, by CuPy at run time, or as host loops.

A schedule of csrc/cuda/schedules.hpp gets a list of words: integers, addresses and doubles, 8 bytes
each.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import os
import pathlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from theorylab.kernels._as_loops import ORDERS as ORDERS
from theorylab.kernels._as_loops import AsLoops as AsLoops
from theorylab.kernels._schedule import Facts as Facts
from theorylab.kernels._schedule import Grid as Grid
from theorylab.kernels._schedule import Schedule as Schedule
from theorylab.kernels._schedule import carve_out, packed
from theorylab.kernels._tape import Launch, PlainTape, Player, played_by

PATHS = ("aot", "jit")
_NAME = "THEORYLAB_CUDA_PATH"
_PREPARED = 1024  # kernels and cuts that are kept


class Path(Protocol):
    """One of the ways."""

    name: str

    def facts(self, device: int) -> Facts:
        """The same at every call, of which there is at least one for each kernel's."""

    def launch(
        self, schedule: Schedule, grid: Grid, words: Sequence[int | float], device: int, stream: int
    ) -> None:
        """Put it on the stream and return. RuntimeError naming the kernel if that fails."""

    def player(self, phases: Sequence[Sequence[Launch]], device: int) -> Player:
        """What plays rounds of a period's phases, each a list of launches."""


class _OnGpu(ABC):
    """A path to real devices. Each is asked for its facts once: the driver takes its time."""

    def __init__(self) -> None:
        self._asked: dict[int, Facts] = {}
        self._prepared: dict[tuple[Schedule, Grid, int], Any] = {}

    def facts(self, device: int) -> Facts:
        if device not in self._asked:
            self._asked[device] = self._ask(device)
        return self._asked[device]

    def launch(
        self, schedule: Schedule, grid: Grid, words: Sequence[int | float], device: int, stream: int
    ) -> None:
        key = schedule, grid, device
        made = self._prepared.get(key)
        if made is None:
            made = self._prepare(schedule, grid, device)
            if len(self._prepared) >= _PREPARED:
                self._prepared.clear()
            self._prepared[key] = made
        made.launch(packed(words), stream)

    def player(self, phases: Sequence[Sequence[Launch]], device: int) -> Player:
        return played_by(self._tape(), lambda kind, grid: self._prepare(kind, grid, device), phases)

    @abstractmethod
    def _ask(self, device: int) -> Facts: ...

    @abstractmethod
    def _tape(self) -> Any: ...

    @abstractmethod
    def _prepare(self, schedule: Schedule, grid: Grid, device: int) -> Any:
        """What has ``launch(words, stream)``."""


class Ahead(_OnGpu):
    """``theorylab._cuda``: what nvcc compiled when theorylab was built."""

    name = "aot"

    def __init__(self) -> None:
        super().__init__()
        self._cuda = importlib.import_module("theorylab._cuda")
        self._known = frozenset(self._cuda.schedules())

    def _ask(self, device: int) -> Facts:
        return Facts(**self._cuda.facts(device))

    def _tape(self) -> Any:
        return self._cuda.Tape()  # nothing of Python runs between two launches

    def _prepare(self, schedule: Schedule, grid: Grid, device: int) -> Any:
        name = str(schedule)
        if name not in self._known:
            raise ValueError(
                f"_cuda: {name} was not compiled; need THEORYLAB_CUDA_PATH=jit and CuPy"
            )
        share = carve_out(grid, self.facts(device))
        return self._cuda.Prepared(name, grid.blocks, grid.threads, grid.shared, share, device)


class AtRunTime(_OnGpu):
    """CuPy's RawModule: compiled by NVRTC when first asked for, for just these types and sizes."""

    name = "jit"

    def __init__(self) -> None:
        super().__init__()
        self._cupy = importlib.import_module("cupy")

    def _ask(self, device: int) -> Facts:
        runtime = self._cupy.cuda.runtime
        p = runtime.getDeviceProperties(device)
        with self._cupy.cuda.Device(device):
            free, total = runtime.memGetInfo()
        return Facts(
            name=p["name"].decode(),
            capability=10 * p["major"] + p["minor"],
            multiprocessors=p["multiProcessorCount"],
            l2=p["l2CacheSize"],
            shared=p["sharedMemPerBlockOptin"],
            shared_of_all=p["sharedMemPerMultiprocessor"],
            free=free,
            total=total,
            threads_of_all=p["maxThreadsPerMultiProcessor"],
        )

    def _tape(self) -> Any:
        return PlainTape()

    def _prepare(self, schedule: Schedule, grid: Grid, device: int) -> Any:
        share = carve_out(grid, self.facts(device))
        return _CompiledCut(self._cupy, schedule, grid, share, device)


@dataclass(slots=True)
class _CompiledCut:
    """A schedule with its cut, which is compiled when it is first launched."""

    cupy: Any
    schedule: Schedule
    grid: Grid
    share: int
    device: int
    kernel: _Function | None = None

    def launch(self, words: bytes, stream: int) -> None:
        cuda, grid = self.cupy.cuda, self.grid
        arguments = tuple(np.frombuffer(words, np.uint64))  # bits: CuPy copies 8 bytes
        with cuda.Device(self.device), cuda.Stream.from_external(_Stream(stream)):
            try:
                if self.kernel is None:
                    self.kernel = _compiled(self.schedule.kernel, self.device)
                self.kernel.ask(grid.shared, self.share)
                self.kernel.call((grid.blocks,), (grid.threads,), arguments, shared_mem=grid.shared)
            except Exception as error:  # NVRTC's, the driver's: each has a class of its own
                raise RuntimeError(f"{self.schedule} on {grid}: {error}") from error


@dataclass(frozen=True)
class _Stream:
    """A stream's handle in the form that CuPy takes from other libraries."""

    handle: int

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle  # version of the protocol, cudaStream_t


def sources() -> pathlib.Path:
    """The folder of the ``.cuh`` files, which an installation carries along, or a checkout's."""
    try:
        package: ModuleType = importlib.import_module("theorylab._csrc")
    except ImportError:
        checkout = pathlib.Path(__file__).resolve().parents[2] / "csrc"
        if not (checkout / "cuda/schedules.hpp").exists():
            raise
        return checkout
    assert package.__file__ is not None
    return pathlib.Path(package.__file__).resolve().parent


@functools.cache
def options() -> tuple[str, ...]:
    """NVRTC's options. CuPy's cache sees no included file, so their hash goes with the options."""
    folder, digest = sources(), hashlib.sha256()
    for path in sorted([*folder.rglob("*.cuh"), *folder.rglob("*.hpp")]):
        digest.update(path.read_bytes())
    text = digest.hexdigest()[:16]
    return ("-std=c++17", f"-I{folder}", "--fmad=false", f"-DTL_SOURCES=0x{text}")


SOURCE = '#include "cuda/schedules.hpp"\n'


class _Function:
    """CuPy's kernel on one device, and what the driver was last asked for it."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self._shared, self._share = 48 << 10, -1  # what a block may have unasked

    def ask(self, shared: int, share: int) -> None:
        """Room for blocks with so much shared memory; nothing where it was asked for before."""
        if shared > self._shared:  # never less again: another cut may still need more
            self.call.max_dynamic_shared_size_bytes = self._shared = shared
        if share != self._share:
            self.call.preferred_shared_memory_carveout = self._share = share


@functools.cache
def _compiled(kernel: str, device: int) -> _Function:
    cupy = importlib.import_module("cupy")
    module = cupy.RawModule(code=SOURCE, options=options(), name_expressions=[kernel])
    return _Function(module.get_function(kernel))


@functools.cache
def _path(name: str) -> Path:
    return Ahead() if name == "aot" else AtRunTime()


_played: list[AsLoops] = []


@contextmanager
def emulated(order: int = 0, facts: Facts | None = None) -> Iterator[AsLoops]:
    """Inside, NumPy arrays and CPU tensors count as a GPU's, and schedules run as host loops."""
    _played.append(AsLoops(order, facts))
    try:
        yield _played[-1]
    finally:
        _played.pop()


def emulating() -> bool:
    """Whether arrays on the host are to be treated as a GPU's."""
    return bool(_played)


def _is_set() -> bool:
    """Whether the environment may name a path: each call on a GPU asks, and to look up what is not
    there costs ``os.environ`` an exception.
    """
    known = getattr(os.environ, "_data", None)  # CPython's dictionary of it
    return not isinstance(known, dict) or os.environ.encodekey(_NAME) in known


def chosen_path() -> Path:
    """The environment's ``THEORYLAB_CUDA_PATH`` (auto, aot, jit); auto is aot, or else jit.

    Raises:
        ValueError: another name. RuntimeError: none works, with each one's reason.
    """
    if _played:
        return _played[-1]
    asked = os.environ.get(_NAME, "auto") if _is_set() else "auto"
    if asked not in ("auto", *PATHS):
        raise ValueError(f"{_NAME}: {asked!r} came; need auto, aot or jit")
    reasons = []
    for name in PATHS if asked == "auto" else (asked,):
        try:
            return _path(name)
        except ImportError as error:
            reasons.append(f"{name}: {' '.join(str(error).split())}")
    raise RuntimeError(f"no way to the GPU's kernels ({'; '.join(reasons)}); see theorylab doctor")
