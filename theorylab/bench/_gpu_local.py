"""GPU cases of whole rounds of local steps."""

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
from theorylab.kernels import ClientLosses

REG = 0.1

LOCAL = {"R": 64, "n": 100, "d": 784, "rows": 600, "classes": 2}
DRY_LOCAL = {"R": 1, "n": 2, "d": 5, "rows": 33, "classes": 2}
DIGITS, DRY_DIGITS = LOCAL | {"d": 65, "classes": 10}, DRY_LOCAL | {"classes": 3}
ROUNDS = (
    Case("logistic", LOCAL, DRY_LOCAL),
    Case("softmax, digits", DIGITS, DRY_DIGITS),
    Case("logistic float64", LOCAL, DRY_LOCAL, dtype="float64"),
)
FAMILIES = ("logistic", "softmax", "dense", "diagonal", "log-cosh", "clipped")
NOISE, LONG = 0.1, 300_001  # LONG: coordinates of a model that no block holds
PASSES = 4_001  # from which SAM goes in passes, with one client


def _data(
    n: int, d: int, rows: int, dtype: str, seed: int, classes: int = 2
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Features (n rows, d) and labels below ``classes`` of n clients with ``rows`` samples each."""
    draws = np.random.default_rng(seed)
    features = draws.standard_normal((n * rows, d)).astype(dtype)
    return features, draws.integers(0, classes, n * rows)


def _losses(n: int, d: int, rows: int, dtype: str, seed: int, classes: int = 2) -> ClientLosses:
    """Logistic regression on those data, or softmax regression for more than two classes."""
    features, labels = _data(n, d, rows, dtype, seed, classes)
    sizes, columns = np.full(n, rows), _columns(classes)
    return ClientLosses.regression(features, labels, sizes, columns=columns, batch=BATCH, reg=REG)


def _columns(classes: int) -> int:
    return classes if classes > 2 else 1


def _family(family: str, n: int, d: int, dtype: str, seed: int) -> ClientLosses:
    """Losses of one of ``FAMILIES`` in d coordinates, three of which are softmax's classes."""
    if family in ("logistic", "softmax"):
        return _losses(n, d, BATCH + 5, dtype, seed, 3 if family == "softmax" else 2)
    draws = np.random.default_rng(seed)
    centers = draws.standard_normal((n, d)).astype(dtype)
    if family in ("log-cosh", "clipped"):
        clip = 0.5 if family == "clipped" else None
        return ClientLosses.separable(centers, scale=1.5, noise=NOISE, clip=clip)
    H = draws.random((n, d, d) if family == "dense" else (n, d)).astype(dtype)
    if family == "dense":
        H = (H + H.transpose(0, 2, 1)) / np.asarray(2 * d, dtype)
    return ClientLosses.quadratic(H, centers, NOISE)


def _torch_steps(X: Any, t: Any, x: Any, w: Any) -> Any:
    """The same steps in torch, all clients of all runs at once; samples from torch's generator.

    X: (n, rows, d). t: labels as numbers (n, rows), or one of each class (n, rows, classes).
    x: (R, n, d), or (R, n, d classes). w: (R, n).
    """
    torch: Any = importlib.import_module("torch")
    R, n = w.shape
    model, v = x.clone(), torch.zeros_like(x)
    clients = torch.arange(n, device=x.device)[:, None]

    def gradient(A: Any, b: Any, z: Any) -> Any:
        if b.ndim > 3:
            slope = torch.softmax(A @ z.unflatten(-1, (A.shape[-1], -1)), dim=-1) - b
            return (A.transpose(-1, -2) @ slope).flatten(-2) / BATCH + REG * z
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
    return int((2 * R * n * d * _columns(sizes["classes"]) + n * seen * d) * itemsize)


def _stepped(losses: ClientLosses, round: int, x: Array, w: Array, rho: float = RHO) -> Array:
    ids = np.arange(len(x))
    return losses.local_steps(
        x, w, seed=SEED, runs=ids, round=round, steps=STEPS, eta=ETA, alpha=ALPHA, rho=rho
    )


def _local_work(board: Board, case: Case, sizes: Mapping[str, int], sets: int) -> Work:
    R, n, d, rows, classes = (sizes[key] for key in ("R", "n", "d", "rows", "classes"))
    losses, columns = _losses(n, d, rows, case.dtype, 1, classes), _columns(classes)
    least = _local_bytes(sizes, np.dtype(case.dtype).itemsize)
    made = Work(least, R * n * STEPS * 2 * 4 * BATCH * d * columns, "read", [])
    torch = sys.modules.get("torch") if board.library != "cupy" else None
    peers: list[Call] = []
    for number in range(sets):
        x = board.random((R, n, d * columns), case.dtype, number)
        w = board.random((R, n), case.dtype, number) + 0.5
        made.ours.append(partial(_stepped, losses, number, x, w))
        if torch is not None:
            features, labels = _data(n, d, rows, case.dtype, 1, classes)
            if columns > 1:
                labels = np.eye(classes)[labels]
            given = [torch.as_tensor(board.put(a)) for a in (features, labels.astype(case.dtype))]
            shaped = given[0].reshape(n, rows, d), given[1].reshape(n, rows, *labels.shape[1:])
            peers.append(partial(_torch_steps, *shaped, torch.as_tensor(x), torch.as_tensor(w)))
    if torch is None:
        made.lacking["torch batched"] = "torch sees no GPU"
    else:
        made.peers["torch batched"] = peers
    return made


def _steps_tried(
    losses: ClientLosses, round: int, rho: float, x: Any, w: Any, place: Place, into: Any
) -> Sequence[Array]:
    return [_stepped(losses, round, place(x), place(w), rho)]


def _local_trials(rng: np.random.Generator, dtype: str, small: bool) -> Iterator[Trial]:
    """Every family with SAM and without, and models that no block holds."""
    tried = [
        (family, rho, 0)
        for number, family in enumerate(FAMILIES)
        for rho in ((0.0, RHO) if number % 2 else (RHO, 0.0))
    ]
    if small:
        tried += [("log-cosh", RHO, PASSES), ("diagonal", RHO, PASSES)]
    else:
        tried += [("log-cosh", RHO, LONG), ("diagonal", RHO, LONG), ("clipped", 0.0, LONG)]
        tried += [("clipped", RHO, LONG)]
    for family, rho, long in tried:
        R, n, d = int(rng.integers(1, 5)), int(rng.integers(1, 9)), int(rng.integers(1, 90))
        R, n, d = (1, 3 if long == LONG else 1, long) if long else (R, n, d)
        losses = _family(family, n, d, dtype, int(rng.integers(2**32)))
        x, w = rng.random((R, n, losses.dim)).astype(dtype), (rng.random((R, n)) + 0.5)
        call = partial(_steps_tried, losses, int(rng.integers(2**32)), rho, x, w.astype(dtype))
        yield Trial(f"{family} R={R} n={n} d={d} rho={rho:g}", call)


LOCAL_STEPS = Kernel("_local_steps_device", ROUNDS, _local_bytes, _local_work, _local_trials)
