"""What an instance builds, for whoever computes constants of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from theorylab.problems import Problem
from theorylab.topologies import Topology


class Bench(NamedTuple):
    """What an instance builds: options are the algorithm's, start is x^0 (n, d), rounds T."""

    problem: Problem
    topology: Topology
    options: Mapping[str, Any]
    start: Any
    rounds: int
