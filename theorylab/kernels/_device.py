"""Arrays on a GPU, on their way into a kernel: checked, never converted, copied or moved.

Whose array it is (torch's or CuPy's) decides who allocates the results and whose current stream the
kernel is put on; nothing here waits for the GPU.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._paths import Facts, Grid, Path, Schedule, chosen_path, emulating

Array = Any  # torch.Tensor or cupy.ndarray
TYPES = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}


class Library(Protocol):
    """What is asked of torch and of CuPy."""

    name: str

    def device(self, array: Array) -> int: ...
    def dtype(self, array: Array) -> np.dtype[Any]: ...
    def address(self, array: Array) -> int: ...
    def contiguous(self, array: Array) -> bool: ...
    def refusal(self, array: Array) -> str | None:
        """Why this array cannot be used, in words that end in what is needed; or None."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], device: int) -> Array: ...
    def upload(self, array: NDArray[Any], device: int) -> Array:
        """The bytes of a host array on the device, as an array of uint8."""

    def stream(self, device: int) -> int: ...
    def spare(self, device: int) -> int:
        """Bytes that the library could allocate now, those of its own pool included."""


class Torch:
    name = "torch"

    def __init__(self) -> None:
        self._torch = sys.modules["torch"]

    def device(self, array: Array) -> int:
        return 0 if array.device.type == "cpu" else int(array.device.index)

    def dtype(self, array: Array) -> np.dtype[Any]:
        try:
            kind: np.dtype[Any] = np.dtype(str(array.dtype).removeprefix("torch."))
            return kind
        except TypeError:  # bfloat16 and its like, which NumPy does not know
            return np.dtype(object)

    def address(self, array: Array) -> int:
        return int(array.data_ptr())

    def contiguous(self, array: Array) -> bool:
        return bool(array.is_contiguous())

    def refusal(self, array: Array) -> str | None:
        if array.layout != self._torch.strided:
            return f"is a {array.layout} tensor; need a dense one"
        if array.requires_grad:
            return "requires grad, which is not kept; detach it"
        if array.is_conj() or array.is_neg():
            return "is a conjugate or negative view; resolve it first"
        return None

    def _place(self, device: int) -> str:
        return "cpu" if emulating() else f"cuda:{device}"

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], device: int) -> Array:
        kind = getattr(self._torch, dtype.name)
        return self._torch.empty(shape, dtype=kind, device=self._place(device))

    def upload(self, array: NDArray[Any], device: int) -> Array:
        flat = np.frombuffer(array.tobytes(), np.uint8).copy()
        return self._torch.from_numpy(flat).to(self._place(device))

    def stream(self, device: int) -> int:
        return 0 if emulating() else int(self._torch.cuda.current_stream(device).cuda_stream)

    def spare(self, device: int) -> int:
        if emulating():
            return chosen_path().facts(device).free
        cuda = self._torch.cuda
        pooled = cuda.memory_reserved(device) - cuda.memory_allocated(device)
        return int(cuda.mem_get_info(device)[0] + pooled)


class Cupy:
    name = "cupy"

    def __init__(self) -> None:
        self._cupy = sys.modules["cupy"]

    def device(self, array: Array) -> int:
        return int(array.device.id)

    def dtype(self, array: Array) -> np.dtype[Any]:
        kind: np.dtype[Any] = np.dtype(array.dtype)
        return kind

    def address(self, array: Array) -> int:
        return int(array.data.ptr)

    def contiguous(self, array: Array) -> bool:
        return bool(array.flags.c_contiguous)

    def refusal(self, array: Array) -> str | None:
        return None

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], device: int) -> Array:
        with self._cupy.cuda.Device(device):
            return self._cupy.empty(shape, dtype)

    def upload(self, array: NDArray[Any], device: int) -> Array:
        with self._cupy.cuda.Device(device):
            return self._cupy.asarray(np.frombuffer(array.tobytes(), np.uint8))

    def stream(self, device: int) -> int:
        with self._cupy.cuda.Device(device):
            return int(self._cupy.cuda.get_current_stream().ptr)

    def spare(self, device: int) -> int:
        with self._cupy.cuda.Device(device):
            pooled = self._cupy.get_default_memory_pool().free_bytes()
            return int(self._cupy.cuda.runtime.memGetInfo()[0] + pooled)


class Host:
    """NumPy arrays that play a GPU's, inside ``emulated()``."""

    name = "numpy"

    def device(self, array: Array) -> int:
        return 0

    def dtype(self, array: Array) -> np.dtype[Any]:
        kind: np.dtype[Any] = np.dtype(array.dtype)
        return kind

    def address(self, array: Array) -> int:
        return int(array.ctypes.data)

    def contiguous(self, array: Array) -> bool:
        return bool(array.flags.c_contiguous)

    def refusal(self, array: Array) -> str | None:
        return None

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], device: int) -> Array:
        made = np.empty(shape, dtype)
        made.view(np.uint8).fill(0xFF)  # NaN: what no schedule writes must show
        return made

    def upload(self, array: NDArray[Any], device: int) -> Array:
        room = np.empty(array.nbytes + 16, np.uint8)  # to 16 bytes, as a GPU's memory is
        start = -room.ctypes.data % 16
        flat = room[start : start + array.nbytes]
        flat[:] = np.frombuffer(array.tobytes(), np.uint8)
        return flat

    def stream(self, device: int) -> int:
        return 0

    def spare(self, device: int) -> int:
        return chosen_path().facts(device).free


def library_of(array: Array) -> Library | None:
    """Whose GPU array this is; None for anything on the host, or no array."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(array, torch.Tensor):
        return Torch() if array.device.type == "cuda" or emulating() else None
    if cupy is not None and isinstance(array, cupy.ndarray):
        return Cupy()
    return Host() if emulating() and isinstance(array, np.ndarray) else None


def on_device(array: Array) -> bool:
    """Whether the array lives on a GPU (or plays that it does)."""
    return library_of(array) is not None


@dataclass(frozen=True)
class Taken:
    """An argument that was checked: its array, where it starts, and its shape."""

    array: Array
    address: int
    shape: tuple[int, ...]


class DeviceArrays:
    """The arguments of one call on a GPU. The first fixes library, device and dtype.

    Args:
        where: the kernel's name, for messages. name, first: the argument that fixes the rest.
    """

    def __init__(self, where: str, name: str, first: Array) -> None:
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
        self.take(name, first)

    @property
    def facts(self) -> Facts:
        return self.path.facts(self.device)

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
        self, shapes: Mapping[str, tuple[int, ...]], out: Sequence[Array] | None
    ) -> list[Taken]:
        """Where results go: ``out``, checked, or fresh memory of these shapes.

        Raises MemoryError before anything is allocated where there is not enough.
        """
        if out is not None:
            taken = [self.take(name, array) for name, array in zip(shapes, out, strict=True)]
            for one, (name, shape) in zip(taken, shapes.items(), strict=True):
                if one.shape != shape:
                    raise ValueError(f"{self.where}: {name} has shape {one.shape}; need {shape}")
            return taken
        self.check_room(sum(math.prod(shape) for shape in shapes.values()) * self.dtype.itemsize)
        fresh = [self.library.empty(shape, self.dtype, self.device) for shape in shapes.values()]
        return [Taken(a, self.library.address(a), tuple(a.shape)) for a in fresh]

    def check_room(self, need: int, what: str = "the results need") -> None:
        """MemoryError, in one line, if the GPU cannot hold ``need`` more bytes."""
        spare = self.library.spare(self.device)
        if need > spare:
            raise MemoryError(
                f"{self.where}: {what} {need} bytes, but GPU {self.device} has {spare} "
                "left; need fewer runs, fewer coordinates or float32"
            )

    def apart(self, inputs: Mapping[str, Taken], outputs: Mapping[str, Taken]) -> None:
        """ValueError where an output overlaps an input or another output."""
        spans = []
        for name, one in (*inputs.items(), *outputs.items()):
            size = math.prod(one.shape) * self.library.dtype(one.array).itemsize
            spans.append((name, one.address, one.address + size))
        for k, (name, begin, end) in enumerate(spans):
            for other, first, last in spans[max(k + 1, len(inputs)) :]:
                if max(begin, first) < min(end, last):  # bytes in common: an empty one has none
                    raise ValueError(f"{self.where}: {other} overlaps {name}; need separate memory")

    def upload(self, array: NDArray[Any]) -> int:
        """Address of the bytes on the device; they stay until this object goes."""
        self._kept.append(self.library.upload(array, self.device))
        return self.library.address(self._kept[-1])

    def launch(self, schedule: Schedule, grid: Grid, *words: int | float | Taken) -> None:
        """Put a kernel on the caller's stream; an error names this kernel."""
        plain = [word.address if isinstance(word, Taken) else word for word in words]
        try:
            self.path.launch(schedule, grid, plain, self.device, self.library.stream(self.device))
        except (RuntimeError, ValueError) as error:
            raise RuntimeError(f"{self.where}: the launch failed: {error}") from error
