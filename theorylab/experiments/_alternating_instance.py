"""What DFedAlt's and DFedSalt's statements run: a problem in (u, v_i), one W, Algorithm 1."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from theorylab.constants import Bench, dfedalt_constants
from theorylab.experiments._personal_parts import personal_parts
from theorylab.known import Known
from theorylab.metrics import _dfedalt_terms as terms
from theorylab.runs import initial_models
from theorylab.runs.rounding import in_float64 as in_float64

Floats = Any
OPTIONS = ("eta_u", "eta_v", "steps_u", "steps_v", "rho", "batch")


class AlternatingInstance:
    """The objects of an instance, and the constants that the theorems speak of.

    Args:
        where: what messages start with.
        problem, topology: options with a name each; the problem has a shared and a personal part,
            the topology is static. clients: m of the paper. x0: as for a run.
        steps: eta_u, eta_v, steps_u, steps_v, rho (DFedSalt's; 0 is DFedAlt), batch "per-step"
            (default) or "per-round", line 4's one minibatch.

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
            where, problem_options, topology_options, clients, "W"
        )
        self.steps = _checked(where, steps)
        self.W = self.topology.matrix(0).toarray()
        self.start = initial_models(self.problem, 1, x0)
        self.shared = self.problem.shared

    @functools.cached_property
    def known(self) -> dict[str, Known]:
        """The constants, by the names of ``statements.dfedalt._symbols``."""
        bench = Bench(self.problem, self.topology, self.steps, self.start[0], 1)
        return dfedalt_constants(bench)

    def joined(self, u: Floats, v: Floats) -> Floats:
        """(u, v_i) as one point (R, n, d); u (R, 1, d_u) or (R, n, d_u)."""
        return terms.joined(u, v)

    def at_average(self, u: Floats, v: Floats) -> Floats:
        """Delta_u = ||grad_u F(ubar, V)||^2, (R,)."""
        return terms.at_average(self.problem, u, v)

    def heads(self, u: Floats, v: Floats) -> Floats:
        """||grad_v F_i(u_i, v_i)||^2, (R, n)."""
        return terms.heads(self.problem, u, v)


def _checked(where: str, steps: Mapping[str, Any]) -> dict[str, Any]:
    for name in steps:
        if name not in OPTIONS:
            raise ValueError(f"{where}: option {name!r}; need one of {', '.join(OPTIONS)}")
    made: dict[str, Any] = {"eta_u": 1.0, "eta_v": 1.0, "steps_u": 1, "steps_v": 1, "rho": 0.0}
    made |= {"batch": "per-step", **steps}
    for name in ("eta_u", "eta_v"):
        if not made[name] > 0:
            raise ValueError(f"{where}: {name} is {made[name]!r}; need > 0")
    for name in ("steps_u", "steps_v"):
        if type(made[name]) is not int or made[name] < 1:
            raise ValueError(f"{where}: {name} is {made[name]!r}; need one integer >= 1")
    if not made["rho"] >= 0:
        raise ValueError(f"{where}: rho is {made['rho']!r}; need >= 0")
    if made["batch"] not in ("per-step", "per-round"):
        raise ValueError(f"{where}: batch is {made['batch']!r}; need per-step or per-round")
    return made
