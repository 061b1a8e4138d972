"""Times of several functions, taken in turns so that a slow minute of the machine hits them all."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from theorylab import _core
from theorylab.kernels import get_threads

# OpenMP's workers spin for a while after a parallel region and would compete with the next peer,
# which uses another OpenMP: they are asleep after this.
_REST = 0.005


def interleaved(functions: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each function in each round, A B C A B C ..., after one warm-up round.

    What a call returns is released after its clock stops, and before the next call.
    """
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for number in range(rounds + 1):
        for name, function in functions.items():
            time.sleep(_REST)
            start = time.perf_counter()
            result = function()
            elapsed = time.perf_counter() - start
            del result
            if number:
                seconds[name].append(elapsed)
    return seconds


def median(values: list[float]) -> float:
    return statistics.median(values)


def machine() -> dict[str, Any]:
    """What a reader needs to know to compare two records."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processor": platform.machine(),
        "cores": cores,
        "threads": get_threads(),
        "isa": _core.isa(),
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numpy", "scipy", "torch")},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
