"""Where GPU benches run: torch's or CuPy's arrays on a GPU, or the host that plays one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.bench._gpu_protocol import Array as Array
from theorylab.bench._gpu_protocol import Board as Board
from theorylab.bench._gpu_protocol import Mark as Mark
from theorylab.bench._gpu_protocol import NoGpuError as NoGpuError
from theorylab.kernels._paths import PATHS, Facts, chosen_path, emulated


@contextmanager
def _forced(name: str) -> Iterator[None]:
    before = os.environ.get("THEORYLAB_CUDA_PATH")
    os.environ["THEORYLAB_CUDA_PATH"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["THEORYLAB_CUDA_PATH"]
        else:
            os.environ["THEORYLAB_CUDA_PATH"] = before


def _usable(lacking: dict[str, str]) -> tuple[str, ...]:
    """Ways that load here; why the others do not goes into ``lacking``."""
    found = []
    for name in PATHS:
        with _forced(name):
            try:
                chosen_path().facts(0)
                found.append(name)
            except Exception as error:  # the driver's, CuPy's: each has a class of its own
                lacking[name] = " ".join(str(error).split())
    return tuple(found)


class _Real:
    emulated = False

    def __init__(self) -> None:
        self.lacking: dict[str, str] = {}
        self.paths = _usable(self.lacking)
        if not self.paths:
            raise NoGpuError("; ".join(f"{name}: {why}" for name, why in self.lacking.items()))

    def facts(self) -> Facts:
        with _forced(self.paths[0]):
            return chosen_path().facts(0)

    def path(self, name: str) -> AbstractContextManager[object]:
        return _forced(name)


class TorchBoard(_Real):
    library = "torch"

    def __init__(self) -> None:
        import torch

        self._torch: Any = torch
        if not torch.cuda.is_available():
            raise NoGpuError("torch sees no GPU")
        super().__init__()
        name = torch.cuda.get_device_name(0)
        self.label = f"torch {torch.__version__} on {name}, driver CUDA {torch.version.cuda}"

    def put(self, array: NDArray[Any]) -> Array:
        return self._torch.from_numpy(np.ascontiguousarray(array)).cuda()

    def get(self, array: Array) -> NDArray[Any]:
        return np.asarray(array.cpu().numpy())

    def full(self, shape: tuple[int, ...], value: float, dtype: str) -> Array:
        kind = getattr(self._torch, dtype)
        return self._torch.full(shape, value, dtype=kind, device="cuda")

    def random(self, shape: tuple[int, ...], dtype: str, seed: int) -> Array:
        source = self._torch.Generator("cuda").manual_seed(seed)
        kind = getattr(self._torch, dtype)
        return self._torch.rand(shape, dtype=kind, device="cuda", generator=source)

    def copy(self, to: Array, source: Array) -> None:
        to.copy_(source)

    def total(self, array: Array) -> Array:
        return array.sum()

    def fill(self, array: Array) -> None:
        array.fill_(1.0)

    def wait(self) -> None:
        self._torch.cuda.synchronize()

    def free(self) -> int:
        self._torch.cuda.empty_cache()
        return int(self._torch.cuda.mem_get_info()[0])

    def forget_peak(self) -> None:
        self._torch.cuda.reset_peak_memory_stats()

    def peak(self) -> int | None:
        return int(self._torch.cuda.max_memory_allocated())

    def mark(self) -> Mark:
        event = self._torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def passed(self, mark: Mark) -> bool:
        return bool(mark.query())

    def between(self, first: Mark, last: Mark) -> float:
        return float(first.elapsed_time(last)) / 1e3

    def spin(self, cycles: int) -> None:
        self._torch.cuda._sleep(cycles)


_SPIN = """extern "C" __global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
}"""  # as torch.cuda._sleep


class CupyBoard(_Real):
    library = "cupy"

    def __init__(self) -> None:
        try:
            import cupy

            cupy.cuda.runtime.getDeviceCount()
        except Exception as error:
            raise NoGpuError(f"cupy: {' '.join(str(error).split())}") from error
        self._cupy = cupy
        super().__init__()
        self._spin = cupy.RawKernel(_SPIN, "spin")
        self.label = f"cupy {cupy.__version__} on {self.facts().name}"

    def put(self, array: NDArray[Any]) -> Array:
        return self._cupy.asarray(array)

    def get(self, array: Array) -> NDArray[Any]:
        return np.asarray(self._cupy.asnumpy(array))

    def full(self, shape: tuple[int, ...], value: float, dtype: str) -> Array:
        return self._cupy.full(shape, value, dtype)

    def random(self, shape: tuple[int, ...], dtype: str, seed: int) -> Array:
        """A block of the host's numbers again and again (CuPy's own need one more library)."""
        size = int(np.prod(shape))
        block = np.random.default_rng(seed).random(min(size, (1 << 22) + 1)).astype(dtype)
        made, near = self._cupy.empty(size, dtype), self._cupy.asarray(block)
        for begin in range(0, size, len(block)):
            part = made[begin : begin + len(block)]
            part[:] = near[: len(part)]
        return made.reshape(shape)

    def copy(self, to: Array, source: Array) -> None:
        self._cupy.copyto(to, source)

    def total(self, array: Array) -> Array:
        return array.sum()

    def fill(self, array: Array) -> None:
        array.fill(1.0)

    def wait(self) -> None:
        self._cupy.cuda.runtime.deviceSynchronize()

    def free(self) -> int:
        self._cupy.get_default_memory_pool().free_all_blocks()
        return int(self._cupy.cuda.runtime.memGetInfo()[0])

    def forget_peak(self) -> None:
        pass

    def peak(self) -> int | None:
        return None

    def mark(self) -> Mark:
        event = self._cupy.cuda.Event()
        event.record()
        return event

    def passed(self, mark: Mark) -> bool:
        return bool(mark.done)

    def between(self, first: Mark, last: Mark) -> float:
        return float(self._cupy.cuda.get_elapsed_time(first, last)) / 1e3

    def spin(self, cycles: int) -> None:
        self._spin((1,), (1,), (np.int64(cycles),))


class DryBoard:
    """NumPy arrays and host loops: shows that every case runs, and nothing about speed."""

    library, emulated = "numpy", True
    paths: tuple[str, ...] = ("emulated",)
    label = "EMULATED on the host: sizes and times say nothing about a GPU"

    def __init__(self) -> None:
        self.lacking: dict[str, str] = {}
        self._facts = Facts("host loops", 90, 4, 1 << 12, 48 << 10, 100 << 10, 1 << 34, 1 << 34)

    def facts(self) -> Facts:
        return self._facts

    def path(self, name: str) -> AbstractContextManager[object]:
        return emulated(facts=self._facts)

    def put(self, array: NDArray[Any]) -> Array:
        return np.array(array)

    def get(self, array: Array) -> NDArray[Any]:
        return np.asarray(array)

    def full(self, shape: tuple[int, ...], value: float, dtype: str) -> Array:
        return np.full(shape, value, dtype)

    def random(self, shape: tuple[int, ...], dtype: str, seed: int) -> Array:
        return np.random.default_rng(seed).random(shape).astype(dtype)

    def copy(self, to: Array, source: Array) -> None:
        to[...] = source

    def total(self, array: Array) -> Array:
        return array.sum()

    def fill(self, array: Array) -> None:
        array.fill(1.0)

    def wait(self) -> None:
        pass

    def free(self) -> int:
        return self._facts.free

    def forget_peak(self) -> None:
        pass

    def peak(self) -> int | None:
        return None

    def mark(self) -> Mark:
        return time.perf_counter()

    def passed(self, mark: Mark) -> bool:
        return False  # the host is the device, and waits for nobody

    def between(self, first: Mark, last: Mark) -> float:
        return max(float(last - first), 1e-9)

    def spin(self, cycles: int) -> None:
        pass


def board(dry: bool) -> Board:
    """Torch's GPU, else CuPy's; or the host if ``dry``.

    Raises:
        NoGpuError: neither sees one, with both reasons.
    """
    if dry:
        return DryBoard()
    reasons = []
    boards: tuple[Callable[[], Board], ...] = (TorchBoard, CupyBoard)
    for made in boards:
        try:
            return made()
        except NoGpuError as why:
            reasons.append(str(why))
    raise NoGpuError("; ".join(reasons))
