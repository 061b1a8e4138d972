"""Hessian-vector products of the problems in closed form, every client at its own point."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from theorylab.problems import Logistic, Noisy, Problem, Softmax, plain

Floats = NDArray[np.float64]


def hessian_product(problem: Problem, x: Floats, direction: Floats) -> Floats:
    """The Hessian of f_i at x[r, i] times direction[r, i], by formula: shape (R, n, d).

    Where clipped-linear has no second derivative (|x_j - c_ij| = clip) the slope from inside is
    taken, which is a limit of Hessians and so at most L as well.

    Args:
        x, direction: float64 (R, n, d).

    Raises:
        TypeError: if no formula is known for the problem. ValueError: on another shape.
    """
    shape = (len(x), problem.clients, problem.dim)
    if x.shape != shape or direction.shape != shape:
        raise ValueError(
            f"hessian_product: x has shape {x.shape}, direction {direction.shape}; "
            f"need (R,{problem.clients},{problem.dim}) both"
        )
    if plain(problem, Noisy):  # the noise has mean 0: f_i is the base's
        return hessian_product(problem.base, x, direction)
    if plain(problem, Logistic) or plain(problem, Softmax):
        return _regression_product(problem, x, direction)
    formula = getattr(problem, "formula", None)
    if formula is not None:
        return np.asarray(formula.hessian_product(x, direction))
    raise TypeError(
        f"hessian_product: problem is a {type(problem).__name__}; need a problem whose loss is one "
        "function, logistic or softmax"
    )


def _regression_product(problem: Logistic | Softmax, x: Floats, direction: Floats) -> Floats:
    """(1/m_i) sum_j x_j (A''(W^T x_j) V^T x_j)^T + reg V, with V the direction as a matrix."""
    from scipy.special import expit, softmax  # slow to import

    made = problem.reg * direction
    table = (len(x), -1, problem.columns)
    for i, (low, size) in enumerate(zip(problem.starts, problem.sizes, strict=True)):
        X = problem.features[low : low + size]
        z, dz = (np.matmul(X, part[:, i].reshape(table)) for part in (x, direction))
        if isinstance(problem, Logistic):
            dz *= expit(z) * expit(-z)
        else:
            p = softmax(z, axis=-1)
            dz = p * (dz - (p * dz).sum(axis=-1, keepdims=True))
        made[:, i] += np.matmul(X.T, dz).reshape(len(x), -1) / size
    return np.asarray(made)
