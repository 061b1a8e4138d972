"""What a bench asks of a GPU, or of the host that plays one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

from numpy.typing import NDArray

from theorylab.kernels._paths import Facts

Array = Any
Mark = Any


class NoGpuError(Exception):
    """No GPU can be used; the text says why, in one line."""


class Board(Protocol):
    """What a bench asks of a device. Everything but ``get`` and ``wait`` only queues work."""

    label: str  # library and device
    library: str  # torch, cupy or numpy
    emulated: bool
    paths: tuple[str, ...]
    lacking: dict[str, str]  # paths that do not work, and why

    def facts(self) -> Facts: ...
    def path(self, name: str) -> AbstractContextManager[object]:
        """Inside, kernels go this way."""

    def put(self, array: NDArray[Any]) -> Array: ...
    def get(self, array: Array) -> NDArray[Any]: ...
    def full(self, shape: tuple[int, ...], value: float, dtype: str) -> Array: ...
    def random(self, shape: tuple[int, ...], dtype: str, seed: int) -> Array:
        """Uniform numbers in [0, 1)."""

    def copy(self, to: Array, source: Array) -> None: ...
    def total(self, array: Array) -> Array:
        """A sum over all: one read."""

    def fill(self, array: Array) -> None: ...
    def wait(self) -> None: ...
    def free(self) -> int:
        """Bytes that can be allocated now, after giving back what is cached."""

    def forget_peak(self) -> None: ...
    def peak(self) -> int | None:
        """The most bytes that were allocated since it was forgotten; None where nobody counts."""

    def mark(self) -> Mark: ...
    def passed(self, mark: Mark) -> bool:
        """Whether the device is past it, without waiting."""

    def between(self, first: Mark, last: Mark) -> float:
        """Seconds on the device's own clock; both marks have passed."""

    def spin(self, cycles: int) -> None:
        """Queue a kernel that does nothing for so many cycles of the device."""
