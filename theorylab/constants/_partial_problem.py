"""Block constants of the problems, with their coordinates split into shared u and own v."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theorylab.constants.personalised import PartialQuadratic, derived
from theorylab.known import EPS, How, Known
from theorylab.problems import (
    ClippedLinear,
    CoupledQuadratic,
    LogCosh,
    Logistic,
    Noisy,
    Problem,
    Quadratic,
    Softmax,
    plain,
    problem,
)

Mask = NDArray[np.bool_]
WHOLE = ("L", "mu", "B", "sigma_l")  # of F(u, V), or known to the problem itself


def partial_constants(made: Problem, shared: Mask) -> dict[str, Known]:
    """L_u, ..., partial_delta of a problem by formula; see ``personalised`` for the definitions.

    Raises:
        TypeError: if no formula is known for the problem. ValueError: if it is known only for
            another cut.
    """
    if not plain(made, object):
        raise TypeError(f"loss_constants: no formula is known for the losses of {made.name}")
    if isinstance(made, Noisy):
        return _noisy(partial_constants(made.base, shared), made, shared)
    if hasattr(made, "personal_constants"):
        return _by_itself(made, shared)
    if isinstance(made, Quadratic | CoupledQuadratic):
        exact = PartialQuadratic.of(made, shared).constants()
        found = {name: known for name, known in exact.items() if name not in WHOLE}
        if isinstance(made, Quadratic):
            return found
        if _own_cut(made, shared):
            source = "F at its minimiser, by the Schur complements of the B_i"
            found["F_star"] = Known(made.F_star, How.EXACT, source)
        return _noisy(found, made, shared)
    if isinstance(made, LogCosh | ClippedLinear):
        blocks = _separable(made, shared)
    elif isinstance(made, Logistic | Softmax):
        blocks = _regression(made, shared)
    else:
        raise TypeError(
            f"loss_constants: shared came with a {type(made).__name__}; need quadratic, "
            "log-cosh, clipped-linear, logistic, softmax, coupled-quadratic, noisy or a problem "
            "with personal_constants"
        )
    found = blocks | derived(blocks)
    if found["chi"].how is How.ESTIMATE:
        # H_i >= 0, so |a^T H_uv b|^2 <= (a^T H_uu a) (b^T H_vv b) at every point.
        source = "convex f_i: ||H_uv||^2 <= ||H_uu|| ||H_vv||; of the least L_u, L_v, L_uv"
        found["chi"] = Known(1.0, How.UPPER, source)
    return found | {"partial_delta": _mean_square(found["partial_sigma_g"])}


def _own_cut(made: Problem, shared: Mask) -> bool:
    return bool(np.array_equal(shared, np.arange(made.dim) < made.shared))


def _noisy(found: dict[str, Known], made: Any, shared: Mask) -> dict[str, Known]:
    """``found`` with what the noise field puts on u and on v."""
    sigmas = {"sigma_u": made.field.part_sigma(shared), "sigma_v": made.field.part_sigma(~shared)}
    found = found | sigmas
    return found | {"sigma_deprl": derived(found)["sigma_deprl"]}


def _by_itself(made: Any, shared: Mask) -> dict[str, Known]:
    """By the problem's own proofs, which hold for its own u and v."""
    if not _own_cut(made, shared):
        raise ValueError(
            f"loss_constants: shared is {np.flatnonzero(shared).tolist()}; need the first "
            f"{made.shared} coordinates, where {made.name} itself is cut"
        )
    found = dict(made.personal_constants)
    none = Known(0.0, How.EXACT, "no noise")
    found |= derived({"sigma_u": none, "sigma_v": none} | found)
    return _noisy(found, made, shared) if hasattr(made, "field") else found


def _mean_square(largest: Known) -> Known:
    """delta from sigma_g: the mean over the clients is at most the largest."""
    if largest.value == 0:
        return largest
    if math.isinf(largest.value):  # n times the mean is at least the largest
        return largest
    return Known(largest.value, How.UPPER, f"at most partial_sigma_g: {largest.source}")


def _separable(made: LogCosh | ClippedLinear, shared: Mask) -> dict[str, Known]:
    """f_i is a sum over coordinates: no coupling, and u is a problem of its own."""
    whole = made.constants()
    options: dict[str, Any] = {"scale": made.scale, "centers": made.centers[:, shared]}
    if isinstance(made, ClippedLinear):
        options["clip"] = made.describe()["clip"]
    alone = problem(made.name, made.clients, **options).constants()
    none = Known(0.0, How.EXACT, "a sum over coordinates: H_uv = 0")
    share = float(np.mean(shared))
    source = "sigma^2 / d on each coordinate"
    return {
        "L_u": whole["L"],
        "L_v": whole["L"],
        "L_uv": none,
        "L_vu": none,
        "sigma_u": Known(made.sigma * math.sqrt(share), How.EXACT, source),
        "sigma_v": Known(made.sigma * math.sqrt(1 - share), How.EXACT, source),
        "partial_sigma_g": alone["sigma_g"],
    }


def _regression(made: Logistic | Softmax, shared: Mask) -> dict[str, Known]:
    """With M_i = (1/m_i) sum_j A''(W^T x_j) (x) x_j x_j^T, H_i = M_i + reg I and A'' <= a:

    ||M_uu|| <= a ||X_S^T X_S / m_i||, S the features that u touches;  M >= 0 gives
    ||M_uv|| <= sqrt(||M_uu|| ||M_vv||), and reg I has no block uv.
    Noise: E|.|^2 <= r^2 mean_j |x_jS|^2 / b with r = sup |residual| (see ``_regression``).
    Diversity: reg u cancels, |data part of grad_u f_i| <= r mean_j |x_jS| whatever V is, and
    g_i - mean g = (1 - 1/n) (g_i - average of the others).
    """
    a, r = (0.25, 1.0) if isinstance(made, Logistic) else (0.5, math.sqrt(2))
    n = made.clients
    found: dict[str, Known] = {}
    data: list[list[float]] = []
    for name, mask in (("u", shared), ("v", ~shared)):
        features = mask.reshape(-1, made.columns).any(axis=1)
        X = made.features[:, features]
        rounding = 1 + 4 * (sum(X.shape) + made.columns + 16) * EPS  # of the sums below
        square = (X * X).sum(axis=1)
        tops, second = [], 0.0
        for low, size in zip(made.starts, made.sizes, strict=True):
            rows = slice(low, low + size)
            # ||G|| by LAPACK is off by p eps ||G|| times a modest constant, here 4.
            top = float(np.linalg.norm(X[rows].T @ X[rows] / size, 2))
            tops.append(a * top * (1 + 4 * X.shape[1] * EPS) * rounding)
            second = max(second, float(square[rows].mean()))
        data.append(tops)
        source = f"max_i {a} ||X_S^T X_S / m_i|| + reg, S the features of {name}"
        found[f"L_{name}"] = Known(max(tops) + made.reg, How.UPPER, source)
        noise = Known(0.0, How.EXACT, "full gradients")
        if made.batch is not None:
            bound = r * math.sqrt(second / made.batch) * rounding
            noise = Known(bound, How.UPPER, f"max_i {r:.6g} sqrt(mean_j |x_jS|^2 / b)")
        found[f"sigma_{name}"] = noise
        if name == "u":
            reach = [
                r * float(np.sqrt(square[low : low + size]).mean()) * rounding
                for low, size in zip(made.starts, made.sizes, strict=True)
            ]
    cross = max(math.sqrt(u * v) for u, v in zip(*data, strict=True)) * (1 + 8 * EPS)
    found["L_uv"] = Known(cross, How.UPPER, "sqrt(||M_uu|| ||M_vv||) of the data part M >= 0")
    found["L_vu"] = found["L_uv"]
    if n == 1:
        gap = Known(0.0, How.EXACT, "one client: f_1 is f")
    else:
        total = sum(reach)
        worst = max(own + (total - own) / (n - 1) for own in reach) * (1 - 1 / n)
        source = f"max_i (1 - 1/n) (|g_i| + mean of the others), |g_i| <= {r:.6g} mean_j |x_jS|"
        gap = Known(worst * (1 + (n + 8) * EPS), How.UPPER, source)
    return found | {"partial_sigma_g": gap}
