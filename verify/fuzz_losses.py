"""Calls of client losses that fuzz.py makes, each with its answer by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from fuzz_calls import Array, Rng, kind, near, shifted

from theorylab import kernels


def losses_of(rng: Rng) -> tuple[Any, Callable[[Array, Any, Any], Array]]:
    """Client losses, and f(x (n, d), rows, noise): the gradients by NumPy in float64."""
    n, dtype, reg = int(rng.integers(1, 5)), kind(rng), float(rng.choice([0.0, 0.1]))
    if rng.random() < 0.5:
        p, C = int(rng.integers(1, 40)), int(rng.choice([1, 2, 5, 17]))
        sizes = rng.integers(1, 30, n)
        X = shifted(rng, rng.standard_normal((int(sizes.sum()), p)).astype(dtype))
        y = shifted(rng, rng.integers(0, max(C, 2), len(X)))
        batch = None if rng.random() < 0.3 else int(rng.integers(1, 20))
        table = kernels.ClientLosses.regression(X, y, sizes, columns=C, batch=batch, reg=reg)
        starts, X64, hot = np.cumsum(sizes) - sizes, X.astype(np.float64), np.eye(max(C, 2))[y]

        def regression(x: Array, rows: Any, noise: Any) -> Array:
            made = []
            for i in range(n):
                own = starts[i] + (np.arange(sizes[i]) if rows is None else rows[i])
                z = X64[own] @ x[i].reshape(p, C)
                if C == 1:
                    gap = 1 / (1 + np.exp(-z)) - y[own][:, None]
                else:
                    e = np.exp(z - z.max(1, keepdims=True))
                    gap = e / e.sum(1, keepdims=True) - hot[own]
                made.append((X64[own].T @ gap / len(own)).ravel() + reg * x[i])
            return np.array(made)

        return table, regression
    d = int(rng.integers(1, 40))
    c, noise_level = rng.standard_normal((n, d)).astype(dtype), float(rng.choice([0.0, 0.3]))
    H = rng.standard_normal((n, d, d)).astype(dtype)
    H, dense = H + H.transpose(0, 2, 1), rng.random() < 0.5
    if rng.random() < 0.5:
        given = shifted(rng, H if dense else np.ascontiguousarray(H[:, 0]))
        table = kernels.ClientLosses.quadratic(given, shifted(rng, c), noise_level)
        full = H if dense else H[:, 0, :, None] * np.eye(d)

        def shifted_gradient(x: Array, rows: Any, noise: Any) -> Array:
            return np.asarray(np.einsum("nij,nj->ni", full.astype(np.float64), x - c) + noise)

        return table, shifted_gradient
    clip = None if rng.random() < 0.5 else 0.6
    table = kernels.ClientLosses.separable(shifted(rng, c), scale=1.5, noise=noise_level, clip=clip)

    def slope(x: Array, rows: Any, noise: Any) -> Array:
        y = x - c
        return np.asarray(1.5 * (np.tanh(y) if clip is None else np.clip(y, -clip, clip)) + noise)

    return table, slope


def fuzz_local_steps(rng: Rng) -> None:
    table, gradient = losses_of(rng)
    n, d, dtype = table.clients, table.dim, table.dtype
    R, steps, seed, t = (
        int(rng.integers(low, high)) for low, high in ((0, 4), (0, 4), (0, 2**63), (0, 2**32))
    )
    x = shifted(rng, rng.standard_normal((R, n, d)).astype(dtype))
    w = shifted(rng, (rng.random((R, n)) + 0.5).astype(dtype))
    runs, counts = rng.integers(0, 2**32, R), rng.integers(0, steps + 1, (R, n))
    alpha, rho = float(rng.choice([0.0, 0.7])), float(rng.choice([0.0, 0.05]))
    have = table.local_steps(
        x,
        w,
        seed=seed,
        runs=runs,
        round=t,
        steps=steps,
        eta=0.1,
        counts=counts,
        alpha=alpha,
        rho=rho,
    )
    sample, drawn = (kernels.Stream(seed, name) for name in ("sample", "noise"))
    level, sizes = table._table.noise, table._table.sizes
    want, v = x.astype(np.float64), np.zeros((R, n, d))
    for k in range(steps):
        rows = sample.integers(sizes, runs, n, t, k, table.batch) if table.batch else [None] * R
        noise = level * drawn.normal(runs, n, t, k, d)
        for r in range(R):
            z = want[r] / w[r][:, None]
            g = gradient(z, rows[r], noise[r])
            if rho:
                length = np.sqrt((g * g).sum(-1, keepdims=True))
                g = gradient(z + rho / np.where(length > 0, length, 1) * g, rows[r], noise[r])
            v[r] = alpha * v[r] + g
            want[r] = np.where((k < counts[r])[:, None], want[r] - 0.1 * v[r], want[r])
    near(have, want, 100.0 * (d + (table._table.most or 1)))


def fuzz_gradients(rng: Rng) -> None:
    table, gradient = losses_of(rng)
    n, d, R = table.clients, table.dim, int(rng.integers(1, 4))
    x = shifted(rng, rng.standard_normal((R, n, d)).astype(table.dtype))
    sizes, rows, noise = table._table.sizes, None, None
    if table.batch and rng.random() < 0.7:
        rows = rng.integers(0, sizes[:, None], (R, n, table.batch))
        bad = rng.random() < 0.3
        if bad:
            rows[-1, -1, -1] = rng.choice([-1, sizes[-1], 2**62])
    elif not table.batch and rng.random() < 0.7:
        noise = shifted(rng, rng.standard_normal((R, n, d)))
    have = table.gradients(x, rows=rows, noise=noise)
    if rows is not None:
        assert ((rows >= 0) & (rows < sizes[:, None])).all(), "bad input was taken"
    added = np.zeros((R, n, d)) if noise is None else noise
    each = [
        gradient(x[r].astype(np.float64), None if rows is None else rows[r], added[r])
        for r in range(R)
    ]
    if sizes is None or noise is None:
        near(have, np.array(each), 4.0 * (d + (table._table.most or 1)))
    if sizes is not None:
        loss, mean = table.means(np.ascontiguousarray(x[:, 0]))
        assert np.isfinite(loss).all()
        assert np.isfinite(table.values(x)).all()
        full = [
            gradient(np.repeat(x[r, :1].astype(np.float64), n, 0), None, 0).mean(0)
            for r in range(R)
        ]
        near(mean, np.array(full), 4.0 * (d + sizes.sum()))


def fuzz_ascent(rng: Rng) -> None:
    dtype = kind(rng)
    z, g = (shifted(rng, rng.standard_normal((2, 3, 37)).astype(dtype)) for _ in range(2))
    if rng.random() < 0.2:
        g[0] = 0
    have = kernels.ascent(z, g, 0.3)
    length = np.sqrt((g.astype(np.float64) ** 2).sum(-1, keepdims=True))
    near(have, z + 0.3 / np.where(length > 0, length, 1) * g, 40.0)
