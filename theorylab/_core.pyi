"""Types of the compiled host kernels. Nothing is converted: a wrong dtype is a TypeError."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

def set_threads(threads: int) -> None: ...
def get_threads() -> int: ...
def use_isa(name: str) -> None: ...
def isa() -> str: ...
def usable_isas() -> str: ...
def draws_real(
    is_normal: bool,
    seed: int,
    purpose: int,
    round: int,
    step: int,
    runs: NDArray[np.int64],
    clients: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
def draws_integer(
    seed: int,
    purpose: int,
    round: int,
    step: int,
    runs: NDArray[np.int64],
    clients: NDArray[np.int64],
    bound: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None: ...
def normal(bits: int) -> float: ...
def philox(
    counter: tuple[int, int, int, int], key: tuple[int, int]
) -> tuple[int, int, int, int]: ...

class Matrices:
    """CSR matrices (indptr, indices, data), every index checked; keeps the arrays alive."""

    def __init__(self, n: int, parts: list[tuple[Any, Any, Any]], per_run: bool) -> None: ...

def push_mix(
    P: Matrices,
    runs: int,
    x: NDArray[Any],
    w: NDArray[Any],
    x1: NDArray[Any],
    w1: NDArray[Any],
    z1: NDArray[Any],
) -> None: ...
def fresh32(shape: tuple[int, ...]) -> NDArray[np.float32]: ...
def fresh64(shape: tuple[int, ...]) -> NDArray[np.float64]: ...
def traffic(kind: str, source: NDArray[np.float64], target: NDArray[np.float64]) -> None: ...
def tune(**values: int) -> None: ...
