"""push_mix as others would write it: x1 = P x, w1 = P w, z1 = x1 / w1; buffers where any go.

Each peer is a function that builds a call, or that raises ImportError where its library is absent.
"""

from __future__ import annotations

import importlib.metadata
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Array = NDArray[Any]
Call = Callable[[], Any]


def torch_csr(P: csr_array, x: Array, w: Array, threads: int) -> Call:
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls its sparse CSR a beta
        sparse = torch.sparse_csr_tensor(
            torch.from_numpy(P.indptr.astype(np.int64)),
            torch.from_numpy(P.indices.astype(np.int64)),
            torch.from_numpy(P.data),
            size=P.shape,
        )
    return _torch(sparse, x, w)


def torch_dense(P: csr_array, x: Array, w: Array, threads: int) -> Call:
    import torch

    return _torch(torch.from_numpy(P.toarray()), x, w)


def _torch(matrix: Any, x: Array, w: Array) -> Call:
    import torch

    xt, wt = torch.from_numpy(x), torch.from_numpy(w)
    x1, z1 = torch.empty_like(xt), torch.empty_like(xt)

    def call() -> Any:
        w1 = matrix @ wt
        torch.mm(matrix, xt, out=x1)
        return x1, w1, torch.div(x1, w1[:, None], out=z1)

    return call


def find_mkl() -> None:
    """Points sparse_dot_mkl to the library that the package mkl put beside this Python."""
    if "MKL_RT" in os.environ:
        return
    for file in importlib.metadata.files("mkl") or ():
        if file.name.startswith("libmkl_rt.so"):
            os.environ["MKL_RT"] = str(file.locate())
            return


def mkl(P: csr_array, x: Array, w: Array, threads: int) -> Call:
    try:
        find_mkl()
        from sparse_dot_mkl import dot_product_mkl, mkl_set_num_threads
    except importlib.metadata.PackageNotFoundError as error:
        raise ImportError("mkl is not installed") from error

    x1, z1 = np.empty_like(x), np.empty_like(x)

    def call() -> Any:
        mkl_set_num_threads(threads)  # another library may have set its own meanwhile
        dot_product_mkl(P, x, out=x1, out_scalar=0.0)  # by default it adds to what is there
        w1 = dot_product_mkl(P, w)
        return x1, w1, np.divide(x1, w1[:, None], out=z1)

    return call


def numba_loops(P: csr_array, x: Array, w: Array, threads: int) -> Call:
    """Our own loops, compiled; over all threads where there is enough to do."""
    import numba

    def loops(
        ptr: Array, at: Array, data: Array, x: Array, w: Array, x1: Array, w1: Array, z1: Array
    ) -> None:
        for i in numba.prange(len(ptr) - 1):
            mass = w[0] * 0
            x1[i, :] = 0
            for e in range(ptr[i], ptr[i + 1]):
                mass += data[e] * w[at[e]]
                for k in range(x.shape[1]):
                    x1[i, k] += data[e] * x[at[e], k]
            w1[i] = mass
            for k in range(x.shape[1]):
                z1[i, k] = x1[i, k] / mass

    wide = threads > 1 and x.size >= 10_000
    compiled: Any = numba.njit(loops, parallel=wide, error_model="numpy")
    if wide:
        most: int = vars(numba.config)["NUMBA_NUM_THREADS"]
        numba.set_num_threads(min(threads, most))
    x1, w1, z1 = np.empty_like(x), np.empty_like(w), np.empty_like(x)

    def call() -> Any:
        compiled(P.indptr, P.indices, P.data, x, w, x1, w1, z1)
        return x1, w1, z1

    return call


PEERS = {
    "torch csr out=": torch_csr,
    "torch dense out=": torch_dense,
    "MKL csr out=": mkl,
    "numba out=": numba_loops,
}
