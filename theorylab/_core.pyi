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
def glm_hvp(
    where: str,
    shape: list[int],
    own: list[bool],
    A: NDArray[Any],
    weight: NDArray[Any],
    prob: NDArray[Any],
    V: NDArray[Any],
    reg: float,
    c: NDArray[Any],
    s: NDArray[Any],
    before: bool,
    out: NDArray[Any],
) -> None: ...
def arithmetic(single: bool, one_rounding: bool, products: int) -> bool: ...
def plain_hvp(
    A: Any, weight: Any, prob: Any, V: Any, reg: Any, c: Any, s: Any, before: bool, out: Any, /
) -> NDArray[Any] | None: ...

class Losses64:
    """Tables of client losses in float64, every index checked; keeps the arrays alive."""

    @staticmethod
    def regression(
        softmax: bool,
        columns: int,
        features: int,
        rows: NDArray[Any],
        single: NDArray[np.float32],
        labels: NDArray[np.int64],
        starts: NDArray[np.int64],
        sizes: NDArray[np.int64],
        batch: int,
        reg: float,
    ) -> Any: ...
    @staticmethod
    def quadratic(H: NDArray[Any], centers: NDArray[Any], diagonal: bool, noise: float) -> Any: ...
    @staticmethod
    def separable(centers: NDArray[Any], scale: float, clip: float, noise: float) -> Any: ...
    def steps(
        self,
        x: NDArray[Any],
        w: NDArray[Any],
        seed: int,
        round: int,
        runs: NDArray[np.int64],
        steps: int,
        counts: NDArray[np.int64],
        eta: float,
        alpha: float,
        rho: float,
        out: NDArray[Any],
    ) -> None: ...
    def gradients(
        self,
        x: NDArray[Any],
        rows: NDArray[np.int64],
        noise: NDArray[np.float64],
        out: NDArray[Any],
    ) -> None: ...
    def values(self, x: NDArray[Any], out: NDArray[Any]) -> None: ...
    def means(
        self,
        x: NDArray[Any],
        weights: NDArray[np.float64],
        loss: NDArray[np.float64],
        out: NDArray[Any],
    ) -> None: ...

class Losses32(Losses64):
    """The same in float32 (no subclass at run time)."""

def ascent(
    x: NDArray[Any], direction: NDArray[Any], rho: float, d: int, out: NDArray[Any]
) -> None: ...
def elementary(name: str, x: float) -> float: ...

class Matrices:
    """Private copies of CSR matrices (indptr, indices, data), every index checked."""

    parts: list[tuple[Any, Any, Any]]

    def __init__(self, n: int, parts: list[tuple[Any, Any, Any]], per_run: bool) -> None: ...

def push_mix(
    P: Matrices,
    runs: int,
    x: NDArray[Any],
    w: NDArray[Any],
    x1: NDArray[Any],
    w1: NDArray[Any],
    z1: NDArray[Any],
    given: list[tuple[Any, Any, Any]] = ...,
) -> None: ...
def mixed(P: Matrices, x: Any, w: Any, out: Any) -> tuple[Any, Any, Any] | None: ...
def fresh32(shape: tuple[int, ...]) -> NDArray[np.float32]: ...
def fresh64(shape: tuple[int, ...]) -> NDArray[np.float64]: ...
def idle_bytes() -> int: ...
def keep_blocks(on: bool) -> None: ...
def traffic(kind: str, source: NDArray[np.float64], target: NDArray[np.float64]) -> None: ...
def tune(**values: int) -> None: ...
def random_network(
    n: int,
    degree: int,
    self: bool,
    seed: int,
    purpose: int,
    round: int,
    run: int,
    indptr: NDArray[np.int32],
    indices: NDArray[np.int32],
    data: NDArray[np.float64],
) -> None: ...
def rounds(
    losses: Losses64,
    P: Matrices | None,
    drawn: tuple[int, int, bool, int, int] | None,
    graphs: NDArray[np.int64],
    x: NDArray[Any],
    w: NDArray[Any],
    seed: int,
    first: int,
    etas: NDArray[np.float64],
    ends: NDArray[np.int64],
    runs: NDArray[np.int64],
    steps: int,
    counts: NDArray[np.int64],
    alpha: float,
    rho: float,
    push_sum: bool,
    conserves: bool,
    x1: NDArray[Any],
    w1: NDArray[Any],
    z1: NDArray[Any],
) -> tuple[int, int, float]: ...
def repeat_intervals(
    steps: NDArray[np.int32],
    next: NDArray[np.int32],
    turns: int,
    slots: NDArray[np.float64],
) -> bool: ...
def matrix_norms(M: NDArray[np.float64], n: int, known: float) -> tuple[float, float]: ...
def lag_sums(
    P: Matrices | None,
    E: NDArray[np.float64],
    here: NDArray[np.float64],
    before: NDArray[np.float64],
    down: float,
    there: NDArray[np.float64],
    rows: NDArray[np.float64],
    squares: NDArray[np.float64],
    columns: NDArray[np.float64],
) -> float: ...
