"""GPU cases of counter-based draws and of whole rounds of local steps."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.bench._gpu_board import Array, Board
from theorylab.bench._gpu_case import Case, Kernel, Place, Trial, Work
from theorylab.bench._gpu_time import Call
from theorylab.bench._peers import ALPHA, BATCH, ETA, RHO, SEED, STEPS
from theorylab.kernels import ClientLosses, Stream

REG = 0.1

NUMBERS, DRY_NUMBERS = {"R": 64, "n": 100, "count": 20_000}, {"R": 2, "n": 3, "count": 9}
KINDS = ("uniform", "normal")
DRAWS = tuple(
    Case(f"{kind}s", NUMBERS | {"kind": k}, DRY_NUMBERS | {"kind": k}, dtype="float64")
    for k, kind in enumerate(KINDS)
)
LOCAL = {"R": 64, "n": 100, "d": 784, "rows": 600}
DRY_LOCAL = {"R": 1, "n": 2, "d": 5, "rows": 33}
ROUNDS = (
    Case("logistic", LOCAL, DRY_LOCAL),
    Case("logistic float64", LOCAL, DRY_LOCAL, dtype="float64"),
)


def _draw_bytes(sizes: Mapping[str, int], itemsize: int) -> int:
    return sizes["R"] * sizes["n"] * sizes["count"] * 8


def _drawn(kind: str, R: int, n: int, count: int, round: int, like: Array) -> Array:
    stream: Any = Stream(3, "noise")
    return getattr(stream.beside(like), kind)(R, n, round, count=count)


def _draw_work(board: Board, case: Case, sizes: Mapping[str, int], sets: int) -> Work:
    R, n, count = (sizes[key] for key in ("R", "n", "count"))
    like = board.full((1,), 0.0, "float64")
    made = Work(_draw_bytes(sizes, 8), 0, "write", [])
    for number in range(sets):
        made.ours.append(partial(_drawn, KINDS[sizes["kind"]], R, n, count, number, like))
    if board.library == "cupy":
        made.lacking["random"] = "torch sees no GPU, and CuPy's needs one more library"
    else:
        peer = partial(board.random, (R, n, count), "float64", 1)
        made.peers[f"{board.library} random"] = [peer]
    return made


def _draws_tried(
    kind: str, R: int, n: int, count: int, round: int, place: Place, into: Any
) -> Sequence[Array]:
    return [_drawn(kind, R, n, count, round, place(np.zeros(1)))]


def _draw_trials(rng: np.random.Generator, dtype: str, small: bool) -> Iterator[Trial]:
    if dtype != "float64":
        return
    for kind in KINDS:
        R, n, count = (int(rng.integers(1, 40 if small else 200)) for _ in range(3))
        round = int(rng.integers(2**32))
        yield Trial(
            f"{kind} R={R} n={n} count={count}", partial(_draws_tried, kind, R, n, count, round)
        )


def _data(n: int, d: int, rows: int, dtype: str, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Features (n rows, d) and labels 0 and 1 of n clients with ``rows`` samples each."""
    draws = np.random.default_rng(seed)
    features = draws.standard_normal((n * rows, d)).astype(dtype)
    return features, draws.integers(0, 2, n * rows)


def _losses(n: int, d: int, rows: int, dtype: str, seed: int) -> ClientLosses:
    """Logistic regression on those data."""
    features, labels = _data(n, d, rows, dtype, seed)
    sizes = np.full(n, rows)
    return ClientLosses.regression(features, labels, sizes, columns=1, batch=BATCH, reg=REG)


def _torch_steps(X: Any, t: Any, x: Any, w: Any) -> Any:
    """The same steps in torch, all clients of all runs at once; samples from torch's generator.

    X: (n, rows, d). t: (n, rows). x: (R, n, d). w: (R, n).
    """
    torch: Any = importlib.import_module("torch")
    R, n = w.shape
    model, v = x.clone(), torch.zeros_like(x)
    clients = torch.arange(n, device=x.device)[:, None]

    def gradient(A: Any, b: Any, z: Any) -> Any:
        slope = torch.sigmoid((A @ z[..., None])[..., 0]) - b
        return (slope[..., None, :] @ A)[..., 0, :] / BATCH + REG * z

    for _ in range(STEPS):
        rows = torch.randint(X.shape[1], (R, n, BATCH), device=x.device)
        A, b, z = X[clients, rows], t[clients, rows], model / w[..., None]
        g = gradient(A, b, z)
        size = torch.linalg.vector_norm(g, dim=-1, keepdim=True)
        g = gradient(A, b, z + RHO * torch.where(size > 0, g / size, 0.0))
        v.mul_(ALPHA).add_(g)
        model.sub_(v, alpha=ETA)
    return model


def _local_bytes(sizes: Mapping[str, int], itemsize: int) -> int:
    R, n, d, rows = (sizes[key] for key in ("R", "n", "d", "rows"))
    seen = -rows * np.expm1(R * STEPS * BATCH * np.log1p(-1 / rows))  # rows drawn at least once
    return int((2 * R * n * d + n * seen * d) * itemsize)


def _stepped(losses: ClientLosses, round: int, x: Array, w: Array) -> Array:
    ids = np.arange(len(x))
    return losses.local_steps(
        x, w, seed=SEED, runs=ids, round=round, steps=STEPS, eta=ETA, alpha=ALPHA, rho=RHO
    )


def _local_work(board: Board, case: Case, sizes: Mapping[str, int], sets: int) -> Work:
    R, n, d, rows = (sizes[key] for key in ("R", "n", "d", "rows"))
    losses = _losses(n, d, rows, case.dtype, 1)
    least = _local_bytes(sizes, np.dtype(case.dtype).itemsize)
    made = Work(least, R * n * STEPS * 2 * 4 * BATCH * d, "read", [])
    torch = sys.modules.get("torch") if board.library != "cupy" else None
    peers: list[Call] = []
    for number in range(sets):
        x = board.random((R, n, d), case.dtype, number)
        w = board.random((R, n), case.dtype, number) + 0.5
        made.ours.append(partial(_stepped, losses, number, x, w))
        if torch is not None:
            features, labels = _data(n, d, rows, case.dtype, 1)
            given = [torch.as_tensor(board.put(a)) for a in (features, labels.astype(case.dtype))]
            shaped = given[0].reshape(n, rows, d), given[1].reshape(n, rows)
            peers.append(partial(_torch_steps, *shaped, torch.as_tensor(x), torch.as_tensor(w)))
    if torch is None:
        made.lacking["torch batched"] = "torch sees no GPU"
    else:
        made.peers["torch batched"] = peers
    return made


def _steps_tried(
    losses: ClientLosses, round: int, x: Any, w: Any, place: Place, into: Any
) -> Sequence[Array]:
    return [_stepped(losses, round, place(x), place(w))]


def _local_trials(rng: np.random.Generator, dtype: str, small: bool) -> Iterator[Trial]:
    for _ in range(2):
        R, n, d = int(rng.integers(1, 5)), int(rng.integers(1, 9)), int(rng.integers(1, 90))
        losses = _losses(n, d, BATCH + 5, dtype, int(rng.integers(2**32)))
        x, w = rng.random((R, n, d)).astype(dtype), (rng.random((R, n)) + 0.5).astype(dtype)
        call = partial(_steps_tried, losses, int(rng.integers(2**32)), x, w)
        yield Trial(f"R={R} n={n} d={d}", call)


DRAWN_NUMBERS = Kernel("_draws_device", DRAWS, _draw_bytes, _draw_work, _draw_trials)
LOCAL_STEPS = Kernel("_local_steps_device", ROUNDS, _local_bytes, _local_work, _local_trials)
