"""Small problems and networks that several statements of PDBO are checked on."""

from __future__ import annotations

from typing import Any

NOISY = {"clients": 3, "dim": 2, "hyper": 2, "noise": 0.3, "seed": 1}
TWO = {"clients": 2, "dim": 1, "hyper": 1, "noise": 0.4, "seed": 1}
STO_D: dict[str, Any] = {"name": "sto-d", "seed": 2}
STO_U: dict[str, Any] = {"name": "sto-u", "seed": 2}

# f_1 = (x + 1)^2 / 2, f_2 = (x - 1)^2 / 2 at lambda = 0: the optimum of Eq. (1) is 0.
OPPOSED = {
    "H": [[[1.0]], [[1.0]]],
    "b": [[-1.0], [1.0]],
    "G": [[[1.0]], [[1.0]]],
    "t": [[0.0], [0.0]],
}
AVERAGING = {
    "name": "edge-list",
    "edges": [[0, 0], [0, 1], [1, 0], [1, 1]],
    "weights": "uniform",
}


def place(
    problem: dict[str, Any], network: dict[str, Any], variant: str = "4b", step: float = 0.3
) -> dict[str, Any]:
    """Options of an experiment at the stationary point."""
    return {"problem": problem, "network": network, "variant": variant, "step": step}
