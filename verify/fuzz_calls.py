"""The calls that fuzz.py makes, each with its answer by NumPy; imported once _core is chosen."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theorylab import _core as core
from theorylab import kernels
from theorylab.kernels._matrix_norms import largest_norms

Array = NDArray[Any]
Rng = np.random.Generator
TAKEN = "bad input was taken"


def near(have: Array, want: Array, terms: float) -> None:
    """At most as far apart as roundings of ``terms`` operations on such numbers bring them."""
    size = max(float(np.abs(want).max(initial=0)), 1.0)
    room = 64 * terms * float(np.finfo(have.dtype).eps) * size
    assert have.shape == want.shape
    assert np.allclose(have, want, rtol=0, atol=room), np.abs(have - want).max()


def kind(rng: Rng) -> Any:
    return np.float32 if rng.random() < 0.4 else np.float64


def shifted(rng: Rng, array: Array) -> Array:
    """The same numbers, at an address that is not aligned in one of four cases."""
    if rng.random() < 0.75:
        return array
    room = np.empty(array.nbytes + 1, np.uint8)
    made = room[1:].view(array.dtype).reshape(array.shape) if array.size else array
    made[...] = array
    return made


def aligned(*arrays: Array) -> bool:
    return all(array.flags.aligned for array in arrays)


def sparse(rng: Rng, n: int) -> tuple[Array, Array, Array]:
    """A CSR with duplicates and unsorted rows; in one of two cases with something wrong in it."""
    index = np.int32 if rng.random() < 0.5 else np.int64
    counts = rng.integers(0, min(n, 12) + 1, n)
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(index)
    indices = rng.integers(0, n, indptr[-1]).astype(index)
    data = rng.random(len(indices)).astype(kind(rng))
    for _ in range(int(rng.integers(1, 4)) if rng.random() < 0.5 else 0):
        victim = (indptr, indices, data)[rng.integers(3)]
        if len(victim):
            wrong = rng.choice([-1, 0, 1, n - 1, n, n + 1, 2**31 - 1, -(2**31)])
            victim[rng.integers(len(victim))] = wrong
    if rng.random() < 0.05:
        indptr = indptr[:-1]
    if rng.random() < 0.05:
        indices = indices[: len(indices) // 2]
    return indptr, indices, data


def is_sound(n: int, indptr: Array, indices: Array, data: Array) -> bool:
    if len(indptr) != n + 1 or len(indices) != len(data) or indptr[0] != 0:
        return False
    if (np.diff(indptr.astype(np.int64)) < 0).any() or indptr[-1] > len(indices):
        return False
    used = indices[: indptr[-1]]
    return bool(((used >= 0) & (used < n)).all() and (data[: indptr[-1]] >= 0).all())


def fuzz_push_mix(rng: Rng) -> None:
    n, d, R = (
        int(rng.integers(1, 40)),
        int(rng.choice([1, 3, 64, 65, 200])),
        int(rng.integers(1, 3)),
    )
    dtype, own = kind(rng), rng.random() < 0.3
    parts = [sparse(rng, n) for _ in range(R if own else 1)]
    tuning = ("packed_from", "stream_bytes", "chunk_bytes", "chunk_limit", "strip_limit")
    core.tune(**{name: int(rng.choice([0, 1, 300, 2**20, 2**40])) for name in tuning})
    x = shifted(rng, rng.standard_normal((R, n, d)).astype(dtype))
    w = shifted(rng, rng.random((R, n)).astype(dtype))
    out = tuple(np.empty(a.shape, dtype) for a in (x, w, x))
    kinds = len({(str(part[0].dtype), str(part[2].dtype)) for part in parts}) == 1
    sound = kinds and all(is_sound(n, *part) for part in parts) and aligned(x, w)
    given = [(shifted(rng, p), shifted(rng, q), shifted(rng, v)) for p, q, v in parts]
    matrices = core.Matrices(n, given, own)
    core.push_mix(matrices, R, x, w, out[0], out[1], out[2])
    assert sound, TAKEN
    with np.errstate(all="ignore"):
        for r in range(R):
            indptr, indices, data = parts[r if own else 0]
            for i in range(n):
                total, weight = np.zeros(d, dtype), dtype(0)
                for e in range(indptr[i], indptr[i + 1]):  # the kernel's order: the same bits
                    total = total + dtype(data[e]) * x[r, indices[e]]
                    weight = weight + dtype(data[e]) * w[r, indices[e]]
                for have, want in zip(out, (total, weight, total / weight), strict=True):
                    assert np.array_equal(have[r, i], want, equal_nan=True)


def fuzz_race(rng: Rng) -> None:
    """Another thread writes into the caller's CSR during the call."""
    n = 200
    P = csr_array(rng.random((n, n)))
    x, w, stop = np.ones((1, n, 400)), np.ones((1, n)), threading.Event()

    def spoil() -> None:
        while not stop.is_set():
            P.indices[:] = 2**30
            P.indices[:] = 0

    other = threading.Thread(target=spoil)
    other.start()
    try:
        for _ in range(20):
            try:
                kernels.push_mix(P, x, w)
            except ValueError:
                continue
    finally:
        stop.set()
        other.join()


def fuzz_draws(rng: Rng) -> None:
    seed, purpose = int(rng.integers(2**63)), int(rng.integers(1, 9))
    t, step, count = (int(rng.integers(high)) for high in (2**32, 2**32, 700))
    runs, clients = (rng.integers(0, 2**32, rng.integers(1, 4)) for _ in range(2))
    bound = shifted(rng, rng.integers(1, 2**62, len(clients)))
    shape = (len(runs), len(clients), count)
    where = (seed, purpose, t, step, runs, clients)
    real, normal, whole = np.empty(shape), np.empty(shape), np.empty(shape, np.int64)
    core.draws_real(False, *where, real)
    core.draws_real(True, *where, normal)
    core.draws_integer(*where, bound, whole)
    assert aligned(bound), TAKEN
    key = core.philox((purpose, step, 0, 0), (seed % 2**32, seed >> 32))[:2]
    for r, i in np.ndindex(shape[:2]):
        for m in rng.integers(0, count, 3) if count else ():
            words = core.philox((int(m) // 2, t, int(clients[i]), int(runs[r])), key)
            low, high = words[2:] if m % 2 else words[:2]
            bits = low | high << 32
            assert real[r, i, m] == (bits >> 11) * 2.0**-53
            assert normal[r, i, m] == core.normal(bits)
            assert whole[r, i, m] == bits * int(bound[i]) >> 64


def fuzz_hvp(rng: Rng) -> None:
    R, n, m, d, k = (int(rng.integers(1, high)) for high in (4, 4, 600, 40, 4))
    C, dtype = int(rng.choice([0, 1, 3, 11])), kind(rng)
    own = [bool(rng.random() < 0.5) for _ in range(4)]
    mixing, before = rng.random() < 0.5, bool(rng.random() < 0.5)
    classes = (C,) if C else ()

    def some(each: bool, *shape: int) -> Array:
        return rng.standard_normal((R if each else 1, *shape)).astype(dtype)

    A, h, V = some(own[0], n, m, d), some(own[1], n, m), some(True, n, k, d, *classes)
    p = np.abs(some(own[1], n, m, C)) / max(C, 1)
    c, s = (some(own[2], n, n), some(own[3], n)) if mixing else (some(False, 0), some(False, 0))
    h[..., rng.integers(1, m + 1) :] = 0
    reg, out = float(rng.choice([0.0, 0.1])), np.empty(V.shape, dtype)
    A, h, V, p = (shifted(rng, a) for a in (A, h, V, p))
    core.glm_hvp(
        "fuzz",
        [R, n, m, d, C, k],
        own,
        A,
        h,
        p if C else np.empty(0, dtype),
        V,
        reg,
        c,
        s,
        before,
        out,
    )
    assert aligned(A, h, V, *((p,) if C else ())), TAKEN
    data, curves, chances, edges, steps = (
        a if each else a[0] for a, each in zip((A, h, p, c, s), (*own[:2], *own[1:]), strict=True)
    )
    again = core.plain_hvp(
        data,
        curves,
        chances if C else None,
        V,
        reg,
        edges if mixing else None,
        steps if mixing else None,
        before,
        None,
    )
    assert again is not None
    assert again.tobytes() == out.tobytes(), "plain_hvp has other bits than glm_hvp"
    A, h, V, p, c, s = (a.astype(np.float64) for a in (A, h, V, p, c, s))
    mixed = np.einsum("rij,rj...->ri...", np.broadcast_to(c, (R, n, n)), V) if mixing else V
    v = mixed if mixing and before else V
    if C:
        z = np.einsum("rnmd,rnkdc->rnkmc", np.broadcast_to(A, (R, n, m, d)), v)
        q = (p[:, :, None] * z).sum(-1, keepdims=True)
        y = (z - q) * p[:, :, None] * h[:, :, None, :, None]
        want = np.einsum("rnmd,rnkmc->rnkdc", np.broadcast_to(A, (R, n, m, d)), y)
    else:
        z = np.einsum("rnmd,rnkd->rnkm", np.broadcast_to(A, (R, n, m, d)), v) * h[:, :, None]
        want = np.einsum("rnmd,rnkm->rnkd", np.broadcast_to(A, (R, n, m, d)), z) / m
    want = want + reg * v
    if mixing:
        want = mixed - np.broadcast_to(s, (R, n)).reshape(R, n, *(1,) * (want.ndim - 2)) * want
    near(out, want, m + d + 8.0 * (C + 1))


def fuzz_norms(rng: Rng) -> None:
    n, known = int(rng.integers(1, 40)), float(rng.choice([0.0, 1.0, np.inf]))
    M = rng.standard_normal((int(rng.integers(0, 5)), n, n)) * rng.choice([0.0, 1.0, 1e-200])
    if rng.random() < 0.2 and M.size:
        M.flat[rng.integers(M.size)] = rng.choice([np.inf, np.nan])
    given = shifted(rng, M)
    try:
        row, two = largest_norms(given, known)
    except ValueError:
        assert not aligned(given), "good input was refused"
        return
    if not np.isfinite(M).all():
        assert not np.isfinite([row, two]).any()
        return
    size = float(np.abs(M).max(initial=0)) or 1.0
    near(np.array(row / size), np.abs(M / size).sum(axis=2).max(initial=0), n)
    if known < np.inf:
        sizes = np.linalg.norm(M / size, 2, axis=(1, 2)) if len(M) else np.zeros(0)
        near(np.array(two / size), np.maximum(known / size, sizes.max(initial=0)), n * n)
