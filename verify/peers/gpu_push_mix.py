"""push_mix as others write it: torch and CuPy, sparse (cuSPARSE) and dense, and a division."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from theorylab.bench._gpu_board import Array, Board
from theorylab.bench._gpu_time import Call

Arrays = Sequence[tuple[Array, Array, tuple[Array, Array, Array]]]  # x, w, (x1, w1, z1)


def mixing_peers(
    board: Board, P: csr_array, arrays: Arrays
) -> tuple[dict[str, list[Call]], dict[str, str]]:
    """(contestants, those that are not here and why); the results' buffers are shared with ours."""
    peers: dict[str, list[Call]] = {}
    lacking: dict[str, str] = {}
    makers: dict[str, Callable[[], dict[str, list[Call]]]] = {
        "torch": lambda: _torch(board, P, arrays),
        "cupy": lambda: _cupy(board, P, arrays),
        "scipy": lambda: _scipy(board, P, arrays),
    }
    for name, make in makers.items():
        try:
            peers |= make()
        except Exception as error:  # whatever a library lacks: its own parts, a device, memory
            lacking[name] = f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
    return peers, lacking


def _torch(board: Board, P: csr_array, arrays: Arrays) -> dict[str, list[Call]]:
    torch: Any = importlib.import_module("torch")
    if board.library == "cupy":
        raise LookupError("torch sees no GPU")
    given = arrays
    if board.emulated:
        given = [
            (torch.from_numpy(x), torch.from_numpy(w), tuple(map(torch.from_numpy, out)))
            for x, w, out in arrays
        ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls its sparse CSR a beta
        sparse = torch.sparse_csr_tensor(
            torch.from_numpy(P.indptr.astype(np.int64)),
            torch.from_numpy(P.indices.astype(np.int64)),
            torch.from_numpy(P.data),
            size=P.shape,
        ).to(given[0][0].device)
        dense = torch.from_numpy(P.toarray()).to(given[0][0].device)

    def product(matrix: Any, x: Any, w: Any, out: Any) -> Call:
        def call() -> object:
            w1 = matrix @ w
            torch.mm(matrix, x, out=out[0])
            return torch.div(out[0], w1[:, None], out=out[2])

        return call

    def rounded(x: Any, w: Any, out: Any) -> Call:
        exact = product(dense, x, w, out)

        def call() -> object:  # its own mode for one call: nobody else's product is rounded
            torch.backends.cuda.matmul.allow_tf32 = True
            try:
                return exact()
            finally:
                torch.backends.cuda.matmul.allow_tf32 = False

        return call

    made = {
        "torch csr out=": [product(sparse, *one) for one in given],
        "torch dense out=": [product(dense, *one) for one in given],
    }
    if not board.emulated and P.dtype == np.float32:
        made["torch dense tf32 out="] = [rounded(*one) for one in given]
    return made


def _cupy(board: Board, P: csr_array, arrays: Arrays) -> dict[str, list[Call]]:
    if board.emulated:
        raise LookupError("needs a GPU")
    cupy: Any = importlib.import_module("cupy")
    sparse: Any = importlib.import_module("cupyx.scipy.sparse").csr_matrix(P)

    def call(x: Any, w: Any, z1: Any) -> object:
        w1 = sparse @ w
        return cupy.divide(sparse @ x, w1[:, None], out=z1)

    made: list[Call] = []
    for x, w, out in arrays:  # the same memory, seen by CuPy
        every = (x, w, out[2])
        seen = every if board.library == "cupy" else map(cupy.from_dlpack, every)
        made.append(partial(call, *seen))
    return {"cupy csr": made}


def _scipy(board: Board, P: csr_array, arrays: Arrays) -> dict[str, list[Call]]:
    if not board.emulated:
        raise LookupError("runs on the host: theorylab bench push_mix")

    def product(x: Any, w: Any, out: Any) -> Call:
        return lambda: np.divide(P @ x, (P @ w)[:, None], out=out[2])

    return {"scipy csr": [product(*one) for one in arrays]}
