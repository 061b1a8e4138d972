"""GPU cases of glm_hvp, softmax_hvp and mix_jvp: bounded by one read of the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from theorylab.bench._checkout import ABSENT, beside
from theorylab.bench._gpu_board import Array, Board
from theorylab.bench._gpu_case import Case, Kernel, Place, Trial, Work
from theorylab.bench.glm_hvp import COLUMN, REG, flops, least_bytes
from theorylab.kernels import glm_hvp, mix_jvp, softmax_hvp

GLM = {"n": 100, "m": 600, "d": 784, "k": 2, "classes": 0}
DIGITS = GLM | {"d": 65, "classes": 10}
DRY, DRY_DIGITS = ({"n": 3, "m": 20, "d": 17, "k": 2, "classes": classes} for classes in (0, 3))
CASES = (
    Case("headline", GLM, DRY, share=0.7, against=("torch bmm out=", 2.0)),
    Case("large", GLM | {"m": 6000}, DRY, share=0.7),
    Case("one vector", GLM | {"k": 1}, DRY | {"k": 1}),
    Case("eight vectors", GLM | {"k": 8}, DRY | {"k": 4}),
    Case("digits", DIGITS | {"m": 6000}, DRY_DIGITS),
    Case("float64", GLM, DRY, dtype="float64", share=0.7),
)
STEPS = (
    Case("step", GLM, DRY, share=0.7, against=("torch bmm out=", 2.0)),
    Case("digits step", DIGITS | {"m": 6000}, DRY_DIGITS),
    Case("float64 step", GLM, DRY, dtype="float64"),
)


def _set_bytes(sizes: Mapping[str, int], itemsize: int) -> int:
    return least_bytes(**sizes, itemsize=itemsize)


def _given(board: Board, sizes: Mapping[str, int], dtype: str, number: int) -> dict[str, Array]:
    """A, h, V and, where they are needed, prob, c, s; as theorylab.bench.glm_hvp draws them."""
    n, m, d, k, classes = (sizes[key] for key in ("n", "m", "d", "k", "classes"))
    tail = (classes,) if classes else ()
    shapes = {"A": (n, m, d), "h": (n, m), "V": (n, k, d, *tail), "s": (n,), "prob": (n, m, *tail)}
    given = {
        name: board.random(shape, dtype, 8 * number + place)
        for place, (name, shape) in enumerate(shapes.items())
        if classes or name != "prob"
    }
    given["A"] -= 0.5
    given["V"] -= 0.5
    if classes:
        given["prob"] /= given["prob"].sum(-1)[..., None]
        given["h"] /= m
    kept = np.random.default_rng(number).permuted(np.tile(np.arange(n), (n, 1)), axis=1)
    c = np.zeros((n, n), dtype)
    np.put_along_axis(c, kept[:, : min(COLUMN, n)], 1 / min(COLUMN, n), axis=1)
    given["c"] = board.put(c)
    return given


def _call(kernel: str, given: Mapping[str, Any], out: Array | None) -> Array:
    A, h, V, prob = given["A"], given["h"], given["V"], given.get("prob")
    if kernel == "mix_jvp":
        return mix_jvp(given["c"], V, given["s"], A, h, REG, prob=prob, out=out)
    return glm_hvp(A, h, V, REG, out) if prob is None else softmax_hvp(A, prob, h, V, REG, out)


def _work(kernel: str, board: Board, case: Case, sizes: Mapping[str, int], sets: int) -> Work:
    edges = sizes["n"] * min(COLUMN, sizes["n"]) if kernel == "mix_jvp" else 0
    itemsize = np.dtype(case.dtype).itemsize
    made = Work(_set_bytes(sizes, itemsize), flops(**sizes, edges=edges), "read", [])
    for number in range(sets):
        given = _given(board, sizes, case.dtype, number)
        out = board.full(tuple(given["V"].shape), np.nan, case.dtype)
        made.ours.append(partial(_call, kernel, given, out))
        peers = beside("hvp")
        if board.library == "cupy" or peers is None:
            made.lacking["torch bmm out="] = ABSENT if peers is None else "torch sees no GPU"
        else:
            peer = peers.torch_peer(kernel, given, REG, reuse=True)
            made.peers.setdefault("torch bmm out=", []).append(peer)
    return made


def _tried(
    kernel: str, given: Mapping[str, Any], place: Place, into: tuple[Array, ...] | None
) -> Sequence[Array]:
    there = {name: place(array) for name, array in given.items()}
    return [_call(kernel, there, into[0] if into else None)]


# Features: two rows do not fit a block; sums stay in registers; neither; a softmax in one pass.
ENDLESS, WIDE, NARROW, PIXELS = 15_000, 268, 200, 65


def _trials(kernel: str, rng: np.random.Generator, dtype: str, small: bool) -> Iterator[Trial]:
    """Every other one for a schedule, 11 classes for the passes of a softmax; between them any."""
    most, some = 40 if small else 900, int(rng.integers(1, 11))
    wanted = ((0, WIDE), (some, PIXELS), (11, 0), (0, NARROW), (0, ENDLESS))
    for classes, width in (each for one in wanted for each in (one, (min(one[0], some), 0))):
        n, m, d = (int(rng.integers(1, end)) for end in (8, most, most))
        n, m, d = 2 if width == ENDLESS else n, min(m, 20) if width == ENDLESS else m, width or d
        k = int(rng.integers(1, 6))
        tail = (classes,) if classes else ()
        shapes = {"A": (n, m, d), "h": (n, m), "V": (n, k, d, *tail), "c": (n, n), "s": (n,)}
        if classes:
            shapes["prob"] = (n, m, classes)
        given = {name: (rng.random(size) - 0.3).astype(dtype) for name, size in shapes.items()}
        given["c"][rng.random((n, n)) < 0.5] = 0
        yield Trial(
            f"n={n} m={m} d={d} k={k} classes={classes}",
            partial(_tried, kernel, given),
            (given["V"].shape,),
        )


GLM_HVP = Kernel(
    "_hvp_device", CASES, _set_bytes, partial(_work, "glm_hvp"), partial(_trials, "glm_hvp")
)
MIX_JVP = Kernel(
    "_hvp_device", STEPS, _set_bytes, partial(_work, "mix_jvp"), partial(_trials, "mix_jvp")
)
