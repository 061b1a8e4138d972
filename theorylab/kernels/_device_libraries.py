"""Whose arrays lie on a GPU: what is asked of torch, of CuPy, and of NumPy where it plays one."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._paths import chosen_path, emulating

Array = Any  # torch.Tensor or cupy.ndarray
ALIGNED = 16  # bytes: what a plan may read of an address, and the most that travels together
Seen = tuple[list[tuple[Any, ...]], list[int]]
"""(all that checks and plans read of each array besides its library, the addresses)."""


class Library(Protocol):
    """What is asked of torch and of CuPy."""

    name: str
    full: tuple[type[Exception], ...]  # what ``empty`` raises where there is no room

    def device(self, array: Array) -> int: ...
    def dtype(self, array: Array) -> np.dtype[Any]: ...
    def address(self, array: Array) -> int: ...
    def contiguous(self, array: Array) -> bool: ...
    def refusal(self, array: Array) -> str | None:
        """Why this array cannot be used, in words that end in what is needed; or None."""

    def seen(self, arrays: tuple[Array, ...]) -> Seen | None:
        """What is seen of the arrays, in little time; None where one is of another class."""

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], device: int) -> Array: ...
    def like(self, arrays: Sequence[Array], device: int) -> list[Array]:
        """Fresh memory, as ``empty``, of each one's shape and dtype."""

    def upload(self, array: NDArray[Any], device: int) -> Array:
        """The bytes of a host array on the device, as an array of uint8."""

    def stream(self, device: int) -> int: ...
    def spare(self, device: int) -> int:
        """Bytes that the library could allocate now, those of its own pool included."""


class Torch:
    name = "torch"

    def __init__(self) -> None:
        torch = self._torch = sys.modules["torch"]
        self.full: tuple[type[Exception], ...] = (torch.OutOfMemoryError,)

    def device(self, array: Array) -> int:
        return int(array.get_device()) if array.is_cuda else 0

    def dtype(self, array: Array) -> np.dtype[Any]:
        return _torch_dtype(array.dtype)

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

    def seen(self, arrays: tuple[Array, ...]) -> Seen | None:
        kind, dense = self._torch.Tensor, self._torch.strided
        seen, addresses = [], []
        for a in arrays:
            if type(a) is not kind or a.layout is not dense:
                return None
            address = a.data_ptr()
            addresses.append(address)
            seen.append((a.shape, a.dtype, a.get_device(), a.is_cuda, a.is_contiguous(),
                         a.requires_grad, a.is_neg(), address % ALIGNED))  # fmt: skip
        return seen, addresses

    def _place(self, device: int) -> str:
        return "cpu" if emulating() else f"cuda:{device}"

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], device: int) -> Array:
        kind = getattr(self._torch, dtype.name)
        return self._torch.empty(shape, dtype=kind, device=self._place(device))

    def like(self, arrays: Sequence[Array], device: int) -> list[Array]:
        plain = self._torch.contiguous_format
        return [self._torch.empty_like(array, memory_format=plain) for array in arrays]

    def upload(self, array: NDArray[Any], device: int) -> Array:
        flat = np.frombuffer(array.tobytes(), np.uint8).copy()
        return self._torch.from_numpy(flat).to(self._place(device))

    def stream(self, device: int) -> int:
        if emulating():
            return 0
        handle = getattr(self._torch._C, "_cuda_getCurrentRawStream", None)
        if handle is not None:  # as torch's own compiler asks; it makes no object
            return int(handle(device))
        return int(self._torch.cuda.current_stream(device).cuda_stream)

    def spare(self, device: int) -> int:
        if emulating():
            return chosen_path().facts(device).free
        cuda = self._torch.cuda
        pooled = cuda.memory_reserved(device) - cuda.memory_allocated(device)
        return int(cuda.mem_get_info(device)[0] + pooled)


class Cupy:
    name = "cupy"
    full: tuple[type[Exception], ...] = (MemoryError,)

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

    def seen(self, arrays: tuple[Array, ...]) -> Seen | None:
        kind = self._cupy.ndarray
        seen, addresses = [], []
        for a in arrays:
            if type(a) is not kind:
                return None
            address = a.data.ptr
            addresses.append(address)
            seen.append((a.shape, a.dtype, a.device.id, a.flags.c_contiguous, address % ALIGNED))
        return seen, addresses

    def like(self, arrays: Sequence[Array], device: int) -> list[Array]:
        with self._cupy.cuda.Device(device):
            return [self._cupy.empty(array.shape, array.dtype) for array in arrays]

    def upload(self, array: NDArray[Any], device: int) -> Array:
        with self._cupy.cuda.Device(device):
            return self._cupy.asarray(np.frombuffer(array.tobytes(), np.uint8))

    def stream(self, device: int) -> int:
        return int(self._cupy.cuda.get_current_stream(device).ptr)

    def spare(self, device: int) -> int:
        with self._cupy.cuda.Device(device):
            pooled = self._cupy.get_default_memory_pool().free_bytes()
            return int(self._cupy.cuda.runtime.memGetInfo()[0] + pooled)


class Host:
    """NumPy arrays that play a GPU's, inside ``emulated()``."""

    name = "numpy"
    full: tuple[type[Exception], ...] = (MemoryError,)

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

    def seen(self, arrays: tuple[Array, ...]) -> Seen | None:
        if any(type(a) is not np.ndarray for a in arrays):
            return None
        addresses = [a.ctypes.data for a in arrays]
        return [(a.shape, a.dtype, a.flags.c_contiguous, address % ALIGNED)
                for a, address in zip(arrays, addresses, strict=True)], addresses  # fmt: skip

    def like(self, arrays: Sequence[Array], device: int) -> list[Array]:
        return [self.empty(array.shape, array.dtype, device) for array in arrays]

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


@functools.cache
def _torch() -> Torch:
    return Torch()


@functools.cache
def _torch_dtype(kind: Any) -> np.dtype[Any]:
    try:
        made: np.dtype[Any] = np.dtype(str(kind).removeprefix("torch."))
        return made
    except TypeError:  # bfloat16 and its like, which NumPy does not know
        return np.dtype(object)


def library_of(array: Array) -> Library | None:
    """Whose GPU array this is; None for anything on the host, or no array."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    # An exact type is told at once, where isinstance asks the class in Python.
    if torch is not None and (type(array) is torch.Tensor or isinstance(array, torch.Tensor)):
        return _torch() if array.is_cuda or emulating() else None
    if cupy is not None and isinstance(array, cupy.ndarray):
        return Cupy()
    return Host() if emulating() and isinstance(array, np.ndarray) else None


def on_device(array: Array) -> bool:
    """Whether the array lives on a GPU (or plays that it does)."""
    return library_of(array) is not None


def stream_of(array: Array) -> tuple[str, int, int] | None:
    """The stream that a call with this GPU array is put on now: library, device and handle."""
    library = library_of(array)
    if library is None:
        return None
    device = library.device(array)
    return library.name, device, library.stream(device)
