"""Local steps as one would write them at first: plain per-client loops in NumPy.

``samples``: the draws to use, one a step; None: each draws with its own library's generator.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

Array = NDArray[Any]
BATCH, STEPS = 32, 5
ETA, ALPHA, RHO, SEED = 0.1, 0.9, 0.05, 1


def logistic_loop(losses: Any, x: Array, w: Array, samples: list[Any] | None) -> Array:
    """One client of one run at a time; a minibatch is gathered once for both gradients."""
    out, draws = x.copy(), np.random.default_rng(SEED)
    for r in range(len(x)):
        for i in range(losses.clients):
            own = slice(losses.starts[i], losses.starts[i] + losses.sizes[i])
            X, t, model, weight = losses.features[own], losses.targets[own, 0], out[r, i], w[r, i]
            v = np.zeros_like(model)
            for k in range(STEPS):
                rows = samples[k][r, i] if samples else draws.integers(len(X), size=BATCH)
                A, b, z = X[rows], t[rows], model / weight
                g = (expit(A @ z) - b) @ A / BATCH
                size = math.sqrt(g @ g)
                if size > 0:
                    z += (RHO / size) * g
                    g = (expit(A @ z) - b) @ A / BATCH
                v *= ALPHA
                v += g
                model -= ETA * v
    return out


def quadratic_loop(losses: Any, x: Array, w: Array, samples: list[Any] | None) -> Array:
    out, draws = x.copy(), np.random.default_rng(SEED)
    scale = losses.sigma / math.sqrt(losses.dim)
    for r in range(len(x)):
        for i in range(losses.clients):
            H, c, model, weight = losses.hessians[i], losses.centers[i], out[r, i], w[r, i]
            v = np.zeros_like(model)
            for k in range(STEPS):
                z = model / weight
                noise = samples[k][r, i] if samples else scale * draws.standard_normal(len(c))
                g = H @ (z - c) + noise
                size = math.sqrt(g @ g)
                if size > 0:
                    z += (RHO / size) * g
                    g = H @ (z - c) + noise
                v *= ALPHA
                v += g
                model -= ETA * v
    return out
