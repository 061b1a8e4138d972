"""What DFedPGP's statements run: losses in (u, v_i), a sequence P(t), Algorithm 1's options."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from theorylab.algorithms import DFedPGP, algorithm
from theorylab.constants import Bench, dfedpgp_constants, dfedpgp_losses
from theorylab.experiments._personal_parts import increasing as increasing
from theorylab.experiments._personal_parts import personal_parts
from theorylab.known import Known
from theorylab.runs import initial_models
from theorylab.runs.rounding import EPS as EPS

OPTIONS = ("eta_u", "eta_v", "steps_u", "steps_v", "batch")


class DfedpgpInstance:
    """The objects of an instance, and the constants that Theorem 1 speaks of.

    Args:
        where: what messages start with.
        problem, topology: options with a name each; the problem has a shared and a personal part.
        clients: m of the paper. x0: as for a run. rounds: how far the network's constants reach.
        steps: Algorithm 1's options: eta_u, eta_v, steps_u, steps_v, batch.

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
        rounds: int,
        x0: Any = 0.0,
    ) -> None:
        self.problem, self.topology = personal_parts(
            where, problem_options, topology_options, clients
        )
        for name in steps:
            if name not in OPTIONS:
                raise ValueError(f"{where}: option {name!r}; need one of {', '.join(OPTIONS)}")
        run = algorithm("dfedpgp", **steps)
        assert isinstance(run, DFedPGP)
        if not isinstance(run.steps_u, int) or not isinstance(run.steps_v, int):
            raise ValueError(f"{where}: steps_u is {run.steps_u!r}; need one number of steps")
        self.algorithm, self.K_u, self.K_v = run, run.steps_u, run.steps_v
        self.start = initial_models(self.problem, 1, x0)[0]
        self.horizon = rounds

    @functools.cached_property
    def losses(self) -> dict[str, Known]:
        """Assumptions 2 to 4 and F^*."""
        return dfedpgp_losses(self.problem)

    @functools.cached_property
    def known(self) -> dict[str, Known]:
        """The constants, by the names of ``statements.dfedpgp._symbols``."""
        options = self.algorithm.options()
        return dfedpgp_constants(
            Bench(self.problem, self.topology, options, self.start, self.horizon)
        )
