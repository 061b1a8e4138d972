"""GPU cases of counter-based draws: bounded by one write of the numbers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from theorylab.bench._gpu_board import Array, Board
from theorylab.bench._gpu_case import Case, Kernel, Place, Trial, Work
from theorylab.kernels import Stream

NUMBERS, DRY_NUMBERS = {"R": 64, "n": 100, "count": 20_000}, {"R": 2, "n": 3, "count": 9}
SHORT = {"R": 1, "n": 2_000_000, "count": 10}
KINDS = ("uniform", "normal")
DRAWS = tuple(
    Case(f"{kind}s{end}", sizes | {"kind": k}, DRY_NUMBERS | {"kind": k}, dtype="float64")
    for end, sizes in (("", NUMBERS), (", short rows", SHORT))
    for k, kind in enumerate(KINDS)
)


def _draw_bytes(sizes: Mapping[str, int], itemsize: int) -> int:
    return sizes["R"] * sizes["n"] * sizes["count"] * 8


def _drawn(kind: str, R: int, n: int, count: int, round: int, like: Array) -> Array:
    stream: Any = Stream(3, "noise")
    bound = (1000,) if kind == "integers" else ()
    return getattr(stream.beside(like), kind)(*bound, R, n, round, count=count)


def _draw_work(board: Board, case: Case, sizes: Mapping[str, int], sets: int) -> Work:
    R, n, count = (sizes[key] for key in ("R", "n", "count"))
    kind, like = KINDS[sizes["kind"]], board.full((1,), 0.0, "float64")
    made = Work(_draw_bytes(sizes, 8), 0, "write", [])
    for number in range(sets):
        made.ours.append(partial(_drawn, kind, R, n, count, number, like))
    if board.library == "cupy":
        made.lacking["random"] = "torch sees no GPU, and CuPy's needs one more library"
    elif board.library == "torch" and kind == "normal":
        torch: Any = sys.modules["torch"]
        peer = partial(torch.randn, (R, n, count), dtype=torch.float64, device="cuda")
        made.peers["torch randn"] = [peer]
    else:
        peer = partial(board.random, (R, n, count), "float64", 1)
        made.peers[f"{board.library} random"] = [peer]
    return made


def _draws_tried(
    kind: str, R: int, n: int, count: int, round: int, place: Place, into: Any
) -> Sequence[Array]:
    return [_drawn(kind, R, n, count, round, place(np.zeros(1)))]


def _draw_trials(rng: np.random.Generator, dtype: str, small: bool) -> Iterator[Trial]:
    """Rows so long that pieces are of one alone, even and odd; any; and many short ones."""
    if dtype != "float64":
        return
    most = 40 if small else 200
    for kind in (*KINDS, "integers"):
        long = 2 * int(rng.integers(512, 1500))
        for rows, least, end in (
            (3, long, long + 1), (most, 1, most), (20 * most, 1, 12), (3, long + 1, long + 2)
        ):  # fmt: skip
            R, n = int(rng.integers(1, 4)), int(rng.integers(1, rows))
            count = int(rng.integers(least, end))
            round = int(rng.integers(2**32))
            label = f"{kind} R={R} n={n} count={count}"
            yield Trial(label, partial(_draws_tried, kind, R, n, count, round))


DRAWN_NUMBERS = Kernel("_draws_device", DRAWS, _draw_bytes, _draw_work, _draw_trials)
