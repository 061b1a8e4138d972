"""push_mix on a stochastic network that is drawn where x lives, so that no P crosses to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.kernels._device import on_device
from theorylab.kernels._draws_device import is_beside
from theorylab.kernels._push_mix_drawn_device import push_mix_drawn_on_device
from theorylab.kernels.draws import _WORD, _ids, _number
from theorylab.kernels.push_mix import push_mix
from theorylab.kernels.random_edges import check_loops, random_mixing

Array = Any  # numpy.ndarray, torch.Tensor or cupy.ndarray; none is imported for it
Ints = NDArray[np.int64]
_WHERE = "push_mix_drawn"


def push_mix_drawn(
    seed: int,
    t: int,
    runs: int | Ints,
    degree: int,
    x: Array,
    w: Array,
    *,
    self_loops: bool = True,
    out: tuple[Array, Array, Array] | None = None,
) -> tuple[Array, Array, Array]:
    """Return ``(x1, w1, z1)`` of :func:`push_mix` with the network of round ``t``.

    The matrices are those of ``random_mixing``, so of topology "random-out" with uniform weights;
    so are the bits. On a GPU each block draws the edges of its runs into shared memory and no
    matrix is ever stored; where a network does not fit there, and on the host, it is built by
    ``random_mixing`` (on a GPU: and uploaded, in every call).

    Args:
        seed: in [0, 2**64). t: round, in [0, 2**32).
        runs: R for ids 0 .. R-1, or R ids in a 1-D array. On a GPU they may be an int64 array
            there; consecutive ids on the host cost nothing, others are uploaded in every call.
        degree: receivers of a client besides itself, 0 to n - 1.
        x, w, out: as for ``push_mix``; an x (n, d) is one run.
        self_loops: every client keeps a share.

    Raises:
        TypeError, ValueError, MemoryError, RuntimeError: as ``push_mix`` and ``random_mixing``.
    """
    shape, weight = tuple(getattr(x, "shape", ())), tuple(getattr(w, "shape", ()))
    if len(shape) not in (2, 3):
        came = f"has shape {shape}" if shape else f"is {type(x).__name__}"
        raise ValueError(f"{_WHERE}: x {came}; need an array (n,d) or (R,n,d)")
    R, n = (1, *shape)[-3:-1]
    seed, t = _number("seed", seed, 0, 2**64, _WHERE), _number("t", t, 0, _WORD, _WHERE)
    degree = _number("degree", degree, 0, max(n, 1), _WHERE)
    self_loops = check_loops(self_loops, degree, _WHERE)
    placed = on_device(x)
    ids: Array = runs if placed and is_beside(runs, x) else _ids("runs", runs)
    if tuple(ids.shape) != (R,):
        raise ValueError(f"{_WHERE}: runs has shape {tuple(ids.shape)}, but x fixed R={R}")
    if placed:
        if weight != shape[:-1]:
            raise ValueError(
                f"{_WHERE}: w has shape {weight}, but x has {shape}; need {shape[:-1]}"
            )
        if out is not None and (not isinstance(out, tuple | list) or len(out) != 3):
            raise TypeError(f"{_WHERE}: out needs a tuple of three arrays, (x1, w1, z1)")
        made = push_mix_drawn_on_device(seed, t, ids, degree, x, w, self_loops, out)
        if made is not None:
            return made
        ids = ids if isinstance(ids, np.ndarray) else np.array(ids.tolist(), np.int64)
    if R == 0:  # no run, no matrix; the network of any run checks the rest
        P = random_mixing(seed, t, 1, n, degree, self_loops=self_loops)[0]
        return push_mix(P, x, w, out=out)
    matrices = random_mixing(seed, t, ids, n, degree, self_loops=self_loops)
    return push_mix(matrices if len(shape) == 3 else matrices[0], x, w, out=out)
