"""GPU cases of push_mix, with a matrix that is given and with one that is drawn on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from theorylab import kernels
from theorylab.bench._checkout import ABSENT, beside
from theorylab.bench._gpu_board import Array, Board
from theorylab.bench._gpu_case import Case, Kernel, Place, Trial, Work
from theorylab.bench._gpu_time import Call
from theorylab.bench.push_mix import flops, least_bytes, random_out
from theorylab.kernels import Mixing, on_device, push_mix

DRY = {"n": 20, "d": 96, "column": 5}
CASES = (
    Case(
        "headline",
        {"n": 100, "d": 4_194_304, "column": 11},
        DRY,
        share=0.8,
        against=("torch csr out=", 2.0),
    ),
    Case("float64", {"n": 100, "d": 2_097_152, "column": 11}, DRY, dtype="float64"),
    Case("small", {"n": 100, "d": 65_536, "column": 11}, DRY | {"d": 50}),
    Case("odd", {"n": 100, "d": 1_048_575, "column": 11}, DRY | {"d": 33}),
    Case("many clients", {"n": 2000, "d": 131_072, "column": 11}, DRY | {"n": 300, "d": 40}),
    Case("many clients, denser", {"n": 1000, "d": 262_144, "column": 101}, DRY | {"column": 9}),
    Case("denser", {"n": 100, "d": 1_048_576, "column": 41}, DRY | {"column": 9}),
    Case("dense", {"n": 100, "d": 1_048_576, "column": 100}, DRY | {"column": 20}),
)
DENSE = tuple(
    Case(
        f"{name} {dtype}", {"n": 100, "d": d, "column": column}, DRY | {"column": dry}, dtype=dtype
    )
    for dtype, d in (("float32", 1_048_576), ("float64", 524_288))
    for name, column, dry in (("denser", 41, 9), ("dense", 100, 20))
)
DRAWN = (
    Case("one run", {"R": 1, "n": 100, "d": 4_194_304, "degree": 10}, {"R": 1, **DRY, "degree": 4}),
    Case("8 runs", {"R": 8, "n": 100, "d": 262_144, "degree": 10}, {"R": 3, **DRY, "degree": 4}),
)


def _set_bytes(sizes: Mapping[str, int], itemsize: int) -> int:
    return 3 * sizes.get("R", 1) * sizes["n"] * sizes["d"] * itemsize


def _arrays(
    board: Board, case: Case, shape: tuple[int, ...], number: int
) -> tuple[Array, Array, tuple[Array, Array, Array]]:
    """x, w and buffers for the results."""
    x, w = board.random(shape, case.dtype, 2 * number), board.random(shape[:-1], case.dtype, 1)
    x1, w1, z1 = (board.full(size, np.nan, case.dtype) for size in (shape, shape[:-1], shape))
    return x, w + 0.5, (x1, w1, z1)


def _work(
    board: Board, case: Case, sizes: Mapping[str, int], sets: int, units: bool = False
) -> Work:
    n, d, column = sizes["n"], sizes["d"], sizes["column"]
    P = random_out(n, column)
    mixing = Mixing(P)
    arrays = [_arrays(board, case, (n, d), number) for number in range(sets)]
    ours: list[Call] = [
        partial(push_mix, mixing, x, w, out=out, matrix_units=units) for x, w, out in arrays
    ]
    itemsize = np.dtype(case.dtype).itemsize
    made = Work(least_bytes(n, d, itemsize), flops(n, d, int(P.nnz)), "copy", ours)
    peers = beside("gpu_push_mix")
    if peers is None:
        made.lacking["others"] = ABSENT
    else:
        made.peers, made.lacking = peers.mixing_peers(board, P.astype(case.dtype), arrays)
    return made


def _drawn_work(board: Board, case: Case, sizes: Mapping[str, int], sets: int) -> Work:
    R, n, d, degree = (sizes[key] for key in ("R", "n", "d", "degree"))
    drawn: Any = kernels.push_mix_drawn
    itemsize = np.dtype(case.dtype).itemsize
    made = Work(R * least_bytes(n, d, itemsize), R * flops(n, d, n * (degree + 1)), "copy", [])
    given = Mixing(random_out(n, degree + 1))
    made.peers["theorylab, P given"] = []
    for number in range(sets):
        x, w, out = _arrays(board, case, (R, n, d), number)
        made.ours.append(partial(drawn, 7, number, R, degree, x, w, out=out))
        made.peers["theorylab, P given"].append(partial(push_mix, given, x, w, out=out))
    return made


def _matrix(rng: np.random.Generator, n: int, entries: int) -> csr_array:
    """Rows of up to 2 * entries senders in any order, among them rows of none."""
    counts = rng.integers(0, 2 * entries + 1, n)
    rows = np.repeat(np.arange(n), counts)
    pairs = np.unique(rows * n + rng.integers(0, n, len(rows)))  # no sender twice in a row
    pairs = rng.permutation(pairs)
    rows, indices = np.divmod(pairs[np.argsort(pairs // n, kind="stable")], n)
    indptr = np.searchsorted(rows, np.arange(n + 1))
    return csr_array((rng.random(len(indices)), indices, indptr), shape=(n, n))


def _sizes(rng: np.random.Generator, small: bool) -> Iterator[tuple[int, int, int]]:
    """(R, n, d): any; one that has no tile; one of many tiles; no coordinates."""
    most = 60 if small else 3000
    for _ in range(3):
        yield int(rng.integers(1, 4)), int(rng.integers(1, 130)), int(rng.integers(1, most))
    yield 1, 400 if small else 30_000, int(rng.integers(1, 30))
    yield 2, 100, most // 16 * 16
    yield 2, 5, 0


def _mixed(P: Any, x: Any, w: Any, place: Place, into: Any, units: bool = False) -> Sequence[Array]:
    there = place(x)
    return push_mix(P, there, place(w), out=into, matrix_units=units and on_device(there))


def _mixed_drawn(given: Any, x: Any, w: Any, place: Place, into: Any) -> Sequence[Array]:
    drawn: Any = kernels.push_mix_drawn
    made: Sequence[Array] = drawn(*given, place(x), place(w), out=into)
    return made


def _several(rng: np.random.Generator, n: int, column: int) -> csr_array:
    """``random_out`` with other shares in each entry."""
    P = random_out(n, column)
    P.data = rng.random(P.nnz)
    return P


def _networks(
    rng: np.random.Generator, small: bool
) -> Iterator[tuple[int, int, int, Callable[[], csr_array]]]:
    """(R, n, d, what makes P): of ``_sizes``; long rows of one share a column and of several; long
    rows of x that are no whole packets; many clients.
    """
    for R, n, d in _sizes(rng, small):
        yield R, n, d, partial(_matrix, rng, n, 6)
    n = int(rng.integers(60, 101))
    yield 2, n, 128, partial(random_out, n, 45)
    yield 2, n, 128, partial(_several, rng, n, 45)
    yield 1, 3, 2 * int(rng.integers(17_000, 18_000)) + 1, partial(random_out, 3, 2)
    for d in () if small else (2_400, 2_401):
        yield 1, 1_000, d, partial(random_out, 1_000, 11)
        yield 1, 1_000, d, partial(_several, rng, 1_000, 11)


def _trials(rng: np.random.Generator, dtype: str, small: bool) -> Iterator[Trial]:
    for R, n, d, network in _networks(rng, small):
        for per_run in (False, True):
            P: Any = [network() for _ in range(R if per_run else 1)]
            P = P if per_run else P[0]
            x = (rng.random((R, n, d)) - 0.5).astype(dtype)
            w = (rng.random((R, n)) + 0.5).astype(dtype)
            yield Trial(
                f"R={R} n={n} d={d}{', P a run' if per_run else ''}",
                partial(_mixed, P, x, w),
                (x.shape, w.shape, x.shape),
            )


def _dense_trials(rng: np.random.Generator, dtype: str, small: bool) -> Iterator[Trial]:
    """On matrix units x1 and z1 are not the host's to the bit; push_mix states how far off."""
    for n, d in ((8, 40), (int(rng.integers(2, 60)), int(rng.integers(1, 90))), (100, 512)):
        if small and n == 100:
            continue
        P = csr_array(rng.random((n, n)))
        x = (rng.random((2, n, d)) - 0.5).astype(dtype)
        w = (rng.random((2, n)) + 0.5).astype(dtype)
        shares = P.toarray().astype(dtype).astype(float)
        S, weight = shares @ np.abs(x).astype(float), (shares @ w.T.astype(float)).T[..., None]
        wide, u = -(-n // 8) * 8, np.finfo(dtype).eps / 2
        ours = (wide if dtype == "float64" else 14 + 8 * wide) * u * S / (1 - wide * u)
        far = ours + n * u * S / (1 - n * u)  # and the host's own error
        # w1 is off by n u; the quotient is rounded once on either side, so four u of it at most
        near = far / weight / (1 - 2 * n * u) + 4 * u * S / weight
        yield Trial(
            f"R=2 n={n} d={d}",
            partial(_mixed, P, x, w, units=True),
            (x.shape, w.shape, x.shape),
            (far, None, near),
        )


def _drawn_trials(rng: np.random.Generator, dtype: str, small: bool) -> Iterator[Trial]:
    for number in range(4):
        R, n, d = int(rng.integers(1, 4)), int(rng.integers(2, 130)), int(rng.integers(1, 300))
        if not number:  # rows of no whole packets, in many tiles
            R, n, d = 1, 3, 2 * int(rng.integers(17_000, 18_000)) + 1
        degree, seed, t = int(rng.integers(0, min(n, 12))), int(rng.integers(2**60)), 3
        x = (rng.random((R, n, d)) - 0.5).astype(dtype)
        w = (rng.random((R, n)) + 0.5).astype(dtype)
        yield Trial(
            f"R={R} n={n} d={d} degree={degree}",
            partial(_mixed_drawn, (seed, t, R, degree), x, w),
            (x.shape, w.shape, x.shape),
        )


PUSH_MIX = Kernel("_push_mix_device", CASES, _set_bytes, _work, _trials)
PUSH_MIX_DRAWN = Kernel("_push_mix_drawn_device", DRAWN, _set_bytes, _drawn_work, _drawn_trials)
PUSH_MIX_DENSE = Kernel(
    "_push_mix_dense_device", DENSE, _set_bytes, partial(_work, units=True), _dense_trials
)
