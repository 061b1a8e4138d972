"""The ways to run a GPU schedule: compiled ahead of time, by CuPy at run time, or as host loops.

A schedule of csrc/cuda/schedules.hpp gets a list of words: integers, addresses and doubles, 8 bytes
each.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import operator
import os
import pathlib
import struct
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Protocol

PATHS = ("aot", "jit")
ORDERS = range(6)  # of emulation, see AsLoops


@dataclass(frozen=True)
class Facts:
    """What a plan needs to know of a device. Sizes in bytes.

    shared: the most a block may have. shared_of_all: a multiprocessor's, for all its blocks. free:
    of memory, when the device was first asked; what is free now: ``Library.spare``.
    """

    name: str
    capability: int
    multiprocessors: int
    l2: int
    shared: int
    shared_of_all: int
    free: int
    total: int


@dataclass(frozen=True)
class Grid:
    """blocks of threads, each block with ``shared`` bytes of shared memory."""

    blocks: int
    threads: int
    shared: int = 0


@dataclass(frozen=True)
class Schedule:
    """A C++ template and what fills it.

    types: as csrc/cuda/schedules.hpp lists them. known: sizes that only run-time compilation can
    build in, after the types; 0 stands for a size that stays an argument.
    """

    name: str
    types: tuple[str, ...]
    known: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}<{', '.join(self.types)}>"

    @property
    def kernel(self) -> str:
        """C++ name of the ``__global__`` function, with the known sizes."""
        filled = (*self.types, *map(str, self.known))
        return f"tl::{self.name}_gpu<{', '.join(filled)}>"


class Path(Protocol):
    """One of the ways."""

    name: str

    def facts(self, device: int) -> Facts:
        """The same at every call, of which there is at least one for each kernel's."""

    def launch(
        self, schedule: Schedule, grid: Grid, words: Sequence[int | float], device: int, stream: int
    ) -> None:
        """Put it on the stream and return. RuntimeError naming the kernel if that fails."""


class _OnGpu(ABC):
    """A path to real devices. Each is asked for its facts once: the driver takes its time."""

    def __init__(self) -> None:
        self._asked: dict[int, Facts] = {}

    def facts(self, device: int) -> Facts:
        if device not in self._asked:
            self._asked[device] = self._ask(device)
        return self._asked[device]

    @abstractmethod
    def _ask(self, device: int) -> Facts: ...


class Ahead(_OnGpu):
    """``theorylab._cuda``: what nvcc compiled when theorylab was built."""

    name = "aot"

    def __init__(self) -> None:
        super().__init__()
        self._cuda = importlib.import_module("theorylab._cuda")
        self._known = frozenset(self._cuda.schedules())

    def _ask(self, device: int) -> Facts:
        return Facts(**self._cuda.facts(device))

    def launch(
        self, schedule: Schedule, grid: Grid, words: Sequence[int | float], device: int, stream: int
    ) -> None:
        name = str(schedule)
        if name not in self._known:
            raise ValueError(
                f"_cuda: {name} was not compiled; need THEORYLAB_CUDA_PATH=jit and CuPy"
            )
        packed = [_word(value) for value in words]
        self._cuda.launch(name, grid.blocks, grid.threads, grid.shared, packed, device, stream)


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
        )

    def launch(
        self, schedule: Schedule, grid: Grid, words: Sequence[int | float], device: int, stream: int
    ) -> None:
        cupy = self._cupy
        arguments = tuple(
            cupy.float64(word) if isinstance(word, float) else cupy.uint64(_word(word))
            for word in words
        )
        with cupy.cuda.Device(device), cupy.cuda.Stream.from_external(_Stream(stream)):
            try:
                kernel = _compiled(schedule.kernel, device)
                if grid.shared > 48 << 10:  # more must be asked for
                    kernel.max_dynamic_shared_size_bytes = grid.shared
                kernel((grid.blocks,), (grid.threads,), arguments, shared_mem=grid.shared)
            except Exception as error:  # NVRTC's, the driver's: each has a class of its own
                raise RuntimeError(f"{schedule} on {grid}: {error}") from error


@dataclass(frozen=True)
class _Stream:
    """A stream's handle in the form that CuPy takes from other libraries."""

    handle: int

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle  # version of the protocol, cudaStream_t


class AsLoops:
    """``theorylab._emulated``: the same code block by block on the host, for tests.

    Args:
        order: in which order the threads of a block take turns, one of ``ORDERS``; asynchronous
            copies arrive at their wait (0, 1, 2) or at once (3, 4, 5). No bit may depend on it.
        facts: of the device that is played; small numbers make small problems span many blocks.
    """

    name = "emulated"

    def __init__(self, order: int = 0, facts: Facts | None = None) -> None:
        self._emulated = importlib.import_module("theorylab._emulated")
        if order not in ORDERS:
            raise ValueError(f"emulated: order {order!r} came; need one of 0 to {len(ORDERS) - 1}")
        self._order = order
        self._facts = facts or Facts("host loops", 90, 4, 1 << 20, 227 << 10, 228 << 10, 1 << 40,
                                     1 << 40)  # fmt: skip
        self.launched: list[tuple[Schedule, Grid]] = []

    def facts(self, device: int) -> Facts:
        return self._facts

    def launch(
        self, schedule: Schedule, grid: Grid, words: Sequence[int | float], device: int, stream: int
    ) -> None:
        self.launched.append((schedule, grid))
        packed = [_word(value) for value in words]
        cut = (grid.blocks, grid.threads, grid.shared)
        try:
            self._emulated.launch(str(schedule), *cut, packed, self._order)
        except RuntimeError as error:  # what a GPU would do wrong without a word
            raise RuntimeError(f"{schedule} on {grid}: {error}") from error


def sources() -> pathlib.Path:
    """The folder of the ``.cuh`` files, which an installation carries along."""
    package: ModuleType = importlib.import_module("theorylab._csrc")
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


@functools.cache
def _compiled(kernel: str, device: int) -> Any:
    cupy = importlib.import_module("cupy")
    module = cupy.RawModule(code=SOURCE, options=options(), name_expressions=[kernel])
    return module.get_function(kernel)


def _word(value: int | float) -> int:
    if isinstance(value, float):
        word: int = struct.unpack("<Q", struct.pack("<d", value))[0]
        return word
    return operator.index(value) % 2**64  # no single-precision number: it would be cut


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


def chosen_path() -> Path:
    """The environment's ``THEORYLAB_CUDA_PATH`` (auto, aot, jit); auto is aot, or else jit.

    Raises:
        ValueError: another name. RuntimeError: none works, with each one's reason.
    """
    if _played:
        return _played[-1]
    asked = os.environ.get("THEORYLAB_CUDA_PATH", "auto")
    if asked not in ("auto", *PATHS):
        raise ValueError(f"THEORYLAB_CUDA_PATH: {asked!r} came; need auto, aot or jit")
    reasons = []
    for name in PATHS if asked == "auto" else (asked,):
        try:
            return _path(name)
        except ImportError as error:
            reasons.append(f"{name}: {' '.join(str(error).split())}")
    raise RuntimeError(f"no way to the GPU's kernels ({'; '.join(reasons)}); see theorylab doctor")
