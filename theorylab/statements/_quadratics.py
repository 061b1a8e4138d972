"""Losses of one shared and one personal number, and instances with other options."""

from __future__ import annotations

from typing import Any

Data = dict[str, Any]


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
