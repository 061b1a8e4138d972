"""Arrays on their way into a kernel: checked, never converted or copied."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = Any  # numpy.ndarray or torch.Tensor; torch costs seconds to import and may stay unimported
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def laid_out(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself if it is C-contiguous and aligned, or a copy that is."""
    flags = array.flags
    return array if flags.c_contiguous and flags.aligned else np.array(array, order="C")


def integers(where: str, name: str, value: Any) -> NDArray[np.int64]:
    """Integers as int64, contiguous and aligned; TypeError for any other kind."""
    array = value if isinstance(value, np.ndarray) else np.asarray(value)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{where}: {name} has dtype {array.dtype}; need an integer dtype")
    if array.dtype == np.uint64 and array.size and array.max() >= np.uint64(2**63):
        raise ValueError(f"{where}: {name} has {array.max()}; need less than 2**63")
    return laid_out(array.astype(np.int64, copy=False))  # exact: every value fits


class Arrays:
    """The arguments of one call. The first fixes the kind (NumPy or torch CPU) and the dtype.

    Args:
        where: the kernel's name, for messages. name, first: the argument that fixes both.
    """

    def __init__(self, where: str, name: str, first: Array) -> None:
        torch = sys.modules.get("torch")
        self.where, self.name = where, name
        self.is_torch = torch is not None and isinstance(first, torch.Tensor)
        self.dtype: np.dtype[Any] | None = None
        made = self.numpy(name, first)
        if made.dtype not in _FLOATS:
            raise TypeError(f"{where}: {name} has dtype {made.dtype}; need float32 or float64")
        self.dtype = made.dtype

    def numpy(self, name: str, array: Array) -> NDArray[Any]:
        """The array itself, or a tensor's memory as an array."""
        where = self.where
        if self.is_torch:
            torch = sys.modules["torch"]
            if not isinstance(array, torch.Tensor):
                raise TypeError(
                    f"{where}: {name} is {type(array).__name__}, but {self.name} is a tensor; "
                    "need one kind"
                )
            if array.device.type != "cpu" or array.layout != torch.strided:
                raise TypeError(
                    f"{where}: {name} is a {array.layout} tensor on {array.device}; "
                    "need a dense one on the CPU"
                )
            if array.requires_grad:
                raise ValueError(f"{where}: {name} requires grad, which is not kept; detach it")
            array = array.numpy()
        elif type(array) is not np.ndarray and type(array) is not np.memmap:
            raise TypeError(
                f"{where}: {name} is {type(array).__name__}; need a NumPy array or a torch tensor, "
                "all of one kind"
            )
        if self.dtype is not None and array.dtype != self.dtype:
            raise TypeError(
                f"{where}: {name} has dtype {array.dtype}, but {self.name} has {self.dtype}; "
                "need one dtype"
            )
        flags = array.flags
        if not (flags.c_contiguous and flags.aligned):
            raise ValueError(f"{where}: {name} is not C-contiguous and aligned; copy it first")
        return array  # type: ignore[no-any-return]

    def into(self, out: Array | None, like: NDArray[Any], name: str = "out") -> NDArray[Any]:
        """Where the result goes: ``out``, checked, or fresh memory of that shape."""
        if out is None:
            return np.empty(like.shape, like.dtype)
        made = self.numpy(name, out)
        if made.shape != like.shape:
            raise ValueError(f"{self.where}: {name} has shape {made.shape}; need {like.shape}")
        if not made.flags.writeable:
            raise ValueError(f"{self.where}: {name} is read-only; need writable memory")
        return made

    def given_back(self, out: Array | None, made: NDArray[Any]) -> Array:
        """``out`` itself, or the fresh memory as the kind that came."""
        if out is not None:
            return out
        return sys.modules["torch"].from_numpy(made) if self.is_torch else made

    def empty(self) -> NDArray[Any]:
        return np.empty(0, self.dtype)
