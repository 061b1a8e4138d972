"""Losses of one shared and one personal number, and instances with other options."""

from __future__ import annotations

from typing import Any

import sympy as sp

Data = dict[str, Any]
_CONSTANT = ("gaussian", "rademacher", "skewed", "two-point", "coordinate")  # laws of one variance


def uncoupled(problem: Any) -> bool:
    """Whether it is a coupled quadratic with no coupling and a noise that is as large wherever the
    models are."""
    if problem.name != "coupled-quadratic" or problem.C.any():
        return False
    return not problem.stochastic or problem.field.kind in _CONSTANT


def one_slope(blocks: Any) -> bool:
    """Whether these matrices, (n, d, d), are all the same multiple of I."""
    eye, first = sp.eye(blocks.shape[1]).tolist(), float(blocks[0, 0, 0])
    same = [[first * float(e) for e in row] for row in eye]
    return all(block.tolist() == same for block in blocks)


def scalars(
    clients: int, curvature: float, head: float, *, a: Any = 0.0, b: Any = 0.0, **noise: Any
) -> Data:
    """u, v_i in R, F_i = A/2 (u - a_i)^2 + B/2 (v - b_i)^2, uncoupled, noisy."""
    return {
        "name": "coupled-quadratic",
        "A": [[[curvature]]] * clients,
        "B": [[[head]]] * clients,
        "C": [[[0.0]]] * clients,
        "a": [[v] for v in (a if isinstance(a, list) else [a] * clients)],
        "b": [[v] for v in (b if isinstance(b, list) else [b] * clients)],
        **noise,
    }


def changed(instance: Data, **algorithm: Any) -> Data:
    """The instance with other options of the algorithm."""
    return {**instance, "algorithm": {**instance["algorithm"], **algorithm}}
