"""Arrays on a GPU, on their way into a kernel: checked, never converted, copied or moved.

Whose array it is (torch's or CuPy's) decides who allocates the results and whose current stream the
kernel is put on; nothing here waits for the GPU.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._calls import Calls, Kept, Launches, failed, overlapping
from theorylab.kernels._device_libraries import ALIGNED
from theorylab.kernels._device_libraries import Array as Array
from theorylab.kernels._device_libraries import Host as Host
from theorylab.kernels._device_libraries import Torch as Torch
from theorylab.kernels._device_libraries import library_of as library_of
from theorylab.kernels._device_libraries import on_device as on_device
from theorylab.kernels._device_libraries import stream_of as stream_of
from theorylab.kernels._paths import Facts, Grid, Path, Schedule, chosen_path, emulating
from theorylab.kernels._tape import Launch, Moving, recording

TYPES = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
_LARGE = 1 << 30  # bytes that a kernel needs half a millisecond for: as long as the driver answers


@dataclass(frozen=True)
class Taken:
    """An argument that was checked: its array, where it starts, and its shape.

    A plan reads of the address only how it is aligned, up to ``ALIGNED`` bytes: see ``Calls``.
    """

    array: Array
    address: int
    shape: tuple[int, ...]


class DeviceArrays:
    """The arguments of one call on a GPU. The first fixes library, device and dtype.

    Args:
        where: the kernel's name, for messages. name, first: the argument that fixes the rest.
        listed: launches wait for ``run``, and may be kept for a call that comes again.
    """

    def __init__(self, where: str, name: str, first: Array, listed: bool = False) -> None:
        library = library_of(first)
        if library is None:
            raise TypeError(f"{where}: {name} is on the host; need an array on a GPU")
        self.where, self.name, self.library = where, name, library
        self.device = library.device(first)
        self.path: Path = chosen_path()
        self.dtype = library.dtype(first)
        if self.dtype not in TYPES:
            raise TypeError(f"{where}: {name} has dtype {self.dtype}; need float32 or float64")
        self.type = TYPES[self.dtype]
        self._kept: list[Array] = []
        self._listed: list[tuple[Schedule, Grid, tuple[Any, ...]]] | None = [] if listed else None
        self.take(name, first)

    @property
    def place(self) -> tuple[bool, str, int]:
        """Where what is uploaded lies, and whose it is."""
        return emulating(), self.library.name, self.device

    @property
    def facts(self) -> Facts:
        try:
            return self.path.facts(self.device)
        except Exception as error:  # the driver's, CuPy's: each has a class of its own
            line = f"{self.where}: GPU {self.device} cannot be used: {error}"
            raise RuntimeError(line) from error

    def take(self, name: str, array: Array, dtype: Any = None) -> Taken:
        """Check an argument: same library, same device, right dtype, contiguous."""
        where, library = self.where, self.library
        own = library_of(array)
        if own is None or own.name != library.name:
            came = f"{type(array).__module__.split('.')[0]}.{type(array).__name__}"
            place = "" if own else " on the host" if hasattr(array, "dtype") else ""
            raise TypeError(
                f"{where}: {name} is {came}{place}, but {self.name} is {library.name}'s on GPU "
                f"{self.device}; need one library and one device"
            )
        if library.device(array) != self.device:
            raise ValueError(
                f"{where}: {name} is on GPU {library.device(array)}, but {self.name} on GPU "
                f"{self.device}; need one device"
            )
        wanted = self.dtype if dtype is None else np.dtype(dtype)
        if library.dtype(array) != wanted:
            raise TypeError(
                f"{where}: {name} has dtype {array.dtype}, but {self.name} has {self.dtype}; "
                f"need {wanted}"
            )
        why = library.refusal(array)
        if why is not None:
            raise ValueError(f"{where}: {name} {why}")
        if not library.contiguous(array):
            raise ValueError(f"{where}: {name} is not C-contiguous; copy it first")
        address = library.address(array)
        if address % wanted.itemsize:
            raise ValueError(f"{where}: {name} is not aligned to its dtype; copy it first")
        return Taken(array, address, tuple(array.shape))

    def results(
        self,
        shapes: Mapping[str, tuple[int, ...]],
        out: Sequence[Array] | None,
        inputs: Mapping[str, Taken],
    ) -> list[Taken]:
        """Where results go: ``out``, checked, or fresh memory of these shapes.

        ``out`` may overlap neither itself nor ``inputs``. MemoryError as of ``fresh``.
        """
        if out is not None:
            taken = [self.take(name, array) for name, array in zip(shapes, out, strict=True)]
            for one, (name, shape) in zip(taken, shapes.items(), strict=True):
                if one.shape != shape:
                    raise ValueError(f"{self.where}: {name} has shape {one.shape}; need {shape}")
            self.apart(inputs, dict(zip(shapes, taken, strict=True)))
            return taken
        return self.fresh(*((shape, self.dtype) for shape in shapes.values()))

    def fresh(
        self, *wanted: tuple[tuple[int, ...], np.dtype[Any]], what: str = "the results need"
    ) -> list[Taken]:
        """Memory of these shapes and dtypes, all or none; MemoryError in one line.

        What is free costs more to ask than a small kernel takes, so that it is asked before large
        memory is taken, and otherwise where the library refuses.
        """
        library, device = self.library, self.device
        need = sum(math.prod(shape) * dtype.itemsize for shape, dtype in wanted)
        with self._room(need, what):
            arrays = [library.empty(shape, dtype, device) for shape, dtype in wanted]
        return [Taken(a, library.address(a), tuple(a.shape)) for a in arrays]

    def sent(self, arrays: Sequence[NDArray[Any]], what: str) -> list[Array]:
        """Their bytes on the device, for whoever keeps them; MemoryError as of ``fresh``."""
        with self._room(sum(array.nbytes for array in arrays), what):
            return [self.library.upload(array, self.device) for array in arrays]

    @contextmanager
    def _room(self, need: int, what: str) -> Iterator[None]:
        """For so many bytes, which are taken inside."""
        if need >= _LARGE or emulating():
            self.check_room(need, what)
        try:
            yield
        except self.library.full as error:
            raise MemoryError(self._no_room(need, what)) from error

    def check_room(self, need: int, what: str) -> None:
        """MemoryError, in one line, if the GPU cannot hold ``need`` more bytes."""
        if need > self.library.spare(self.device):
            raise MemoryError(self._no_room(need, what))

    def _no_room(self, need: int, what: str) -> str:
        spare = self.library.spare(self.device)
        left = f"{spare} left" if need > spare else f"no piece of that size among {spare} left"
        return (
            f"{self.where}: {what} {need} bytes, but GPU {self.device} has {left}; need fewer "
            "runs, fewer coordinates or float32"
        )

    def apart(self, inputs: Mapping[str, Taken], outputs: Mapping[str, Taken]) -> None:
        """ValueError where an output overlaps an input or another output."""
        names, arrays = [*inputs, *outputs], [*inputs.values(), *outputs.values()]
        places = [one.address for one in arrays]
        met = overlapping(places, [one.array.nbytes for one in arrays], len(inputs))
        if met is not None:
            first, second = (names[k] for k in met)
            raise ValueError(f"{self.where}: {second} overlaps {first}; need separate memory")

    def upload(self, array: NDArray[Any]) -> int:
        """Address of the bytes on the device; they stay until this object goes."""
        return self.keep(self.library.upload(array, self.device))

    def keep(self, array: Array) -> int:
        """Address of an array on the device, which stays until this object goes."""
        self._kept.append(array)
        return self.library.address(array)

    def launch(self, schedule: Schedule, grid: Grid, *words: int | float | Taken | Moving) -> None:
        """Put a kernel on the caller's stream, or on the tape that records; an error names it."""
        tape = recording()
        if tape is not None:
            tape.add(self, schedule, grid, words)
            return
        if self._listed is not None:
            self._listed.append((schedule, grid, words))
            return
        self._put(schedule, grid, words)

    def _put(self, schedule: Schedule, grid: Grid, words: Sequence[Any]) -> None:
        plain: list[Any] = [word.address if isinstance(word, Taken) else word for word in words]
        try:
            self.path.launch(schedule, grid, plain, self.device, self.library.stream(self.device))
        except (RuntimeError, ValueError) as error:
            raise failed(self.where, error) from error

    def run(
        self,
        calls: Calls,
        what: Hashable,
        given: Sequence[Taken],
        results: Sequence[Taken],
        own: bool,
        work: Sequence[Taken] = (),
    ) -> None:
        """Make the launches that were listed, whose arrays these are, and keep them in ``calls``.

        Args:
            what: as of ``Calls.again``. given: in its order. own: the results are fresh.
            work: memory for this call alone.
        """
        if not self._listed:
            return
        for each in self._listed:
            self._put(*each)
        shown = given if own else [*given, *results]
        looked = self.library.seen(tuple(one.array for one in shown))
        fresh = [*(results if own else ()), *work]
        # What was uploaded for this call alone goes with it, and its address is a word.
        if looked is None or self._kept or any(one.address % ALIGNED for one in fresh):
            return
        arrays = [*given, *results, *work]
        number = {id(one): k for k, one in enumerate(arrays)}
        made = [Launch.of(*each, number) for each in self._listed]
        launches = Launches(self.where, self.path, self.device, len(arrays), made)
        shapes = [one.shape for one in given]
        calls.keep(what, Kept(
            launches, looked[0], len(given), tuple(one.array.nbytes for one in shown),
            tuple(shapes.index(one.shape) for one in results),
            tuple(math.prod(one.shape) for one in work), self.dtype,
        ))  # fmt: skip
