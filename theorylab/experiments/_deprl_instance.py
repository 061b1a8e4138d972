"""What DePRL's statements run: a problem in (phi, theta_i), one static P, Algorithm 1's options."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from theorylab.algorithms import DePRL, algorithm
from theorylab.constants import Bench, deprl_instance_constants
from theorylab.experiments._personal_parts import personal_parts
from theorylab.known import Known
from theorylab.runs import initial_models


class DeprlInstance:
    """The objects of an instance, and the constants that Theorem 1 speaks of.

    Args:
        where: what messages start with.
        problem, topology: options with a name each; the problem has a shared and a personal part,
            the topology is static. clients: N. x0: as for a run.
        steps: options of Algorithm 1 as printed: alpha, beta, tau, head.

    Raises:
        ValueError: one line, on any of these.
    """

    def __init__(
        self,
        where: str,
        problem_options: Mapping[str, Any],
        topology_options: Mapping[str, Any],
        clients: int,
        steps: Mapping[str, Any],
        x0: Any = 0.0,
    ) -> None:
        self.problem, self.topology = personal_parts(
            where, problem_options, topology_options, clients, "P"
        )
        for name in steps:
            if name not in ("alpha", "beta", "tau", "head"):
                raise ValueError(f"{where}: option {name!r}; need alpha, beta, tau or head")
        run = algorithm("deprl", **steps)
        assert isinstance(run, DePRL)
        if not isinstance(run.tau, int):
            raise ValueError(f"{where}: tau is {run.tau!r}; need one number of steps")
        self.algorithm, self.tau = run, run.tau
        self.kept = self.tau - (run.head == "printed")
        self.P = self.topology.matrix(0)
        self.start = initial_models(self.problem, 1, x0)[0]
        self.shared = self.problem.shared

    @functools.cached_property
    def known(self) -> dict[str, Known]:
        """The constants, by the names of ``statements.deprl._symbols``."""
        options = self.algorithm.options()
        return deprl_instance_constants(Bench(self.problem, self.topology, options, self.start, 1))
