"""What DFedPGP's statements run: losses in (u, v_i), a sequence P(t), Algorithm 1's options."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.algorithms import Context, DFedPGP, State, algorithm
from theorylab.constants import loss_constants, topology_constants
from theorylab.constants.remarks import dfedpgp_lemma3
from theorylab.experiments._personal_parts import personal_parts
from theorylab.experiments._personal_parts import point as point
from theorylab.known import How, Known
from theorylab.runs import initial_models

Floats = Any
EPS = 2.0**-53
LONGEST = 10**5  # rounds whose products of P are looked at
OPTIONS = ("eta_u", "eta_v", "steps_u", "steps_v", "batch")
OF_THE_NETWORK = ("window", "C", "q", "C_row", "q_row", "C_sgp", "q_sgp", "delta")


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
        self.shared, self.horizon = self.problem.shared, rounds

    @functools.cached_property
    def losses(self) -> dict[str, Known]:
        """Assumptions 2 to 4 and F^*."""
        return losses(self.problem)

    def _network(self) -> dict[str, Known]:
        """Of a static or periodic network for all rounds, so far as it mixes; else up to
        ``LONGEST``."""
        far, period = max(1, self.horizon), self.topology.period
        if period is not None or far <= LONGEST:
            found = topology_constants(self.topology, min(far, LONGEST), dim=self.shared)
            if far <= LONGEST or not any(found[name].within for name in OF_THE_NETWORK):
                return found
        raise ValueError(
            f"dfedpgp: {far} rounds on {self.topology.name}; need at most {LONGEST}, but for a "
            "static or periodic network that mixes"
        )

    @functools.cached_property
    def known(self) -> dict[str, Known]:
        """The constants, by the names of ``statements.dfedpgp._symbols``."""
        network = self._network()
        u = self.start[:, : self.shared]
        spread = float(((u - u.mean(axis=0)) ** 2).sum() / len(u)) if (u != u[0]).any() else 0.0
        own = {
            "n": self.problem.clients,
            "dfedpgp_K_u": self.K_u,
            "dfedpgp_K_v": self.K_v,
            "dfedpgp_eta_u": self.algorithm.eta_u,
            "dfedpgp_eta_v": self.algorithm.eta_v,
            "dfedpgp_fresh": self.algorithm.batch == "per-step",
            "dfedpgp_unit": 1,
            "dfedpgp_start_spread": spread,
            "dfedpgp_start_size": float((u**2).sum(axis=1).max()),
        }
        f_start = float(self.problem.loss(self.joined(u.mean(axis=0))).mean())
        best = self.losses.get("dfedpgp_f_best")
        size = abs(f_start) + (abs(best.value) if best is not None and best.finite else 0.0)
        # two means of losses, each a sum of about d^2 numbers of one sign
        room = 4 * (self.problem.dim**2 + self.problem.clients + 8) * EPS * size
        return {
            **self.losses,
            "dfedpgp_f_start": at_most(f_start, room, "loss at the start"),
            **self._lemma3(network),
            **{name: network[name] for name in OF_THE_NETWORK},
            **{name: Known(float(v), How.EXACT, "of the instance") for name, v in own.items()},
        }

    def _lemma3(self, network: Mapping[str, Known]) -> dict[str, Known]:
        """C_dfedpgp and q_dfedpgp, formulas (14). The lemma that they quote has self-loops and
        shares of at least 1/D: without these they are estimates, and decide nothing.
        """
        D, n = int(network["max_out_degree"].value), self.problem.clients
        hops = (network["diameter"].value, network["window"].value)
        found = dfedpgp_lemma3(n, D, *hops, local_steps=self.K_u, dim=self.shared)
        # a Metropolis diagonal is 1 less n terms, so off by n eps
        even = D * network["p"].value >= 1 - 2 * D * n * EPS
        quoted = even and network["self_loops"].value == 1
        return {
            name: known if quoted or not known.finite else dataclasses.replace(
                known, how=How.ESTIMATE,
                source=f"{known.source}; off the lemma (self-loops, shares >= 1/D): proves nothing",
            )
            for name, known in found.items() if name in ("C_dfedpgp", "q_dfedpgp")
        }  # fmt: skip

    def joined(self, u: Floats) -> Floats:
        """(u, v_i^0) for one u (d_u,), as points (1, n, d)."""
        return point(u[None, None], self.start[None, :, self.shared :])

    def rounds(self, ids: range, seed: int, count: int) -> Any:
        """(state, state after) of rounds t = 0 .. ``count`` - 1."""
        numbers = np.asarray(ids, np.int64)
        models = initial_models(self.problem, len(ids), self.start)
        state: State = self.algorithm.init(self.problem.points(models), self.problem)
        for t in range(count):
            P = self.topology.matrix(t, 0)
            after = self.algorithm.step(state, Context(self.problem, P, seed, numbers))
            yield state, after
            state = after


def losses(made: Any) -> dict[str, Known]:
    """Assumptions 2 to 4 of a problem, by the names of the statements."""
    found = loss_constants(made, shared=made.shared)
    names = {
        **{f"dfedpgp_{name}": name for name in ("L_u", "L_v", "L_uv", "L_vu")},
        **{"dfedpgp_sigma_u": "sigma_u", "dfedpgp_sigma_v": "sigma_v"},
        **{"dfedpgp_sigma_g": "partial_sigma_g", "dfedpgp_f_best": "F_star"},
    }
    return {own: found[name] for own, name in names.items() if name in found}


def at_most(value: float, room: float, what: str) -> Known:
    """A number of a bound that rounding may have made too small by ``room``."""
    text = f"{what}, rounding included"
    return Known(value + room, How.UPPER, text, lower=value - room, upper=value + room)


def increasing(where: str, what: str, given: Any) -> list[int]:
    """``given`` as a list; ValueError unless it holds increasing integers >= 1."""
    counts = list(given)
    if not counts or any(type(k) is not int or k < 1 for k in counts):
        raise ValueError(f"{where}: {what} is {given!r}; need integers >= 1")
    if sorted(set(counts)) != counts:
        raise ValueError(f"{where}: {what} is {given!r}; need them increasing")
    return counts
