"""What a triangle is about: a method, the class of its losses, what is measured, its bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from theorylab.algorithms import Algorithm
from theorylab.known import Known
from theorylab.topologies import Topology

L = 1.0  # smoothness of every f_i; this and the next two fix the units of f and x
GAP = 1.0  # f(x^0) - f*, or |x^0 - x*| for the convex claim
B = 1.0  # the largest gradient of a client along the run, where the bound needs one

MEAN, LEAST, LAST = "mean squared gradient", "least squared gradient", "last suboptimality"

# (gradient(i, z) -> g, x^0) -> xbar^0, ..., xbar^{T-1} (and xbar^T for LAST)
Trajectory = Callable[[Callable[[int, Any], Any], Any], list[Any]]


@dataclass(frozen=True)
class Setting:
    """One row of the table, before it is solved.

    Attributes:
        claim: MEAN or LEAST of |grad f(xbar^t)|^2 over t < T, or LAST, f(xbar^T) - f*.
        trajectory: the method as linear combinations of the gradients it asks for. It is written
            from the paper a second time, and not derived from ``algorithm``, which simulates.
        convex: every f_i convex and GAP is |x^0 - x*|; else only L-smooth, and f(x^0) - f*.
        bounded: |grad f_i| <= B at every point that the run looks at.
        bound: the theorem's number, and whose it is.
    """

    method: str
    claim: str
    clients: int
    rounds: int
    trajectory: Trajectory
    topology: Topology
    algorithm: Algorithm
    bound: Known
    convex: bool = False
    bounded: bool = False
