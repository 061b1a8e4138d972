"""What runs: a problem, a network, an algorithm, a start, and how many rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theorylab.algorithms import Algorithm
from theorylab.known import Known
from theorylab.problems import Problem
from theorylab.topologies import Topology


@dataclass(frozen=True)
class Setting:
    """The objects of an instance.

    given: constants that came with it. rounds: T. start: x^0 of every client, (n, d).
    """

    problem: Problem
    topology: Topology
    algorithm: Algorithm
    given: Mapping[str, Known]
    rounds: int
    start: NDArray[np.float64]
