"""The constants of an instance that DePRL's statements speak of, by the names of their symbols.

What the paper prints for its C, q and caps is in ``deprl``.
"""

from __future__ import annotations

import numpy as np

from theorylab.constants._bench import Bench
from theorylab.constants.losses import loss_constants
from theorylab.constants.mixing_pair import mixing_pair
from theorylab.constants.topology_constants import graph_constants
from theorylab.known import How, Known
from theorylab.problems import Problem, independent_clients, joined
from theorylab.topologies import Topology


def deprl_instance_constants(bench: Bench) -> dict[str, Known]:
    """The constants of an instance, by the names of its statements' symbols.

    Raises:
        ValueError: one line, on a problem without a shared and a personal part, a network that
            changes from round to round, or a tau that differs between clients.
    """
    problem, topology, options = bench.problem, bench.topology, bench.options
    if not 0 < problem.shared < problem.dim:
        raise ValueError(
            f"deprl: {problem.name} has no personal part; need a problem with shared and personal "
            "coordinates"
        )
    if topology.period != 1:
        raise ValueError(f"deprl: {topology.name} changes from round to round; need one P")
    if not isinstance(options["tau"], int):
        raise ValueError(f"deprl: tau is {options['tau']!r}; need one number of steps")
    kept = options["tau"] - (options["head"] == "printed")
    network = deprl_network(topology)
    return {
        **deprl_losses(problem),
        **_start(bench),
        **network,
        **_pair(topology, network["deprl_doubly"]),
        "deprl_alpha": _exactly(options["alpha"], "option alpha"),
        "deprl_beta": _exactly(options["beta"], "option beta"),
        "deprl_tau": _exactly(options["tau"], "option tau"),
        "deprl_kept": _exactly(kept, f"tau, head {options['head']!r}"),
        "deprl_unit": _exactly(1, "the printed number 1"),
        "n": _exactly(problem.clients, "workers"),
    }


def deprl_losses(problem: Problem) -> dict[str, Known]:
    """Assumptions 2 to 5, and f's infimum, of a problem with a personal part."""
    found = loss_constants(problem, shared=problem.shared)
    apart = independent_clients(problem) is not False
    names = {
        **{"deprl_L": "L_deprl", "deprl_sigma": "sigma_deprl"},
        **{"deprl_varsigma": "partial_delta", "deprl_f_best": "F_star"},
    }
    return {
        **{own: found[name] for own, name in names.items() if name in found},
        "deprl_independent": _exactly(apart, "by the law of the noise"),
        "deprl_unbiased": _exactly(1, "by the law of the noise"),
    }


def _start(bench: Bench) -> dict[str, Known]:
    problem = bench.problem
    u, v = bench.start[:, : problem.shared], bench.start[:, problem.shared :]
    mean = u.mean(axis=0)
    spread = 0.0 if (u == u[0]).all() else float(((u - mean) ** 2).sum())
    value = float(problem.loss(joined(mean[None, None], v[None])).mean())
    return {
        "deprl_f_start": _exactly(value, "f at the start"),
        "deprl_start_spread": _exactly(spread, "of the first representations"),
    }


def deprl_network(network: Topology) -> dict[str, Known]:
    """What Assumption 1 and Section 2 ask of P, and its least positive entry."""
    known = graph_constants(network, horizon=1)
    return {
        "deprl_p": known["p"],
        "deprl_doubly": known["doubly_stochastic"],
        "deprl_loops": known["self_loops"],
        "deprl_connected": _exactly(known["window"].value == 1, "every client is reached"),
    }


def _pair(network: Topology, doubly: Known) -> dict[str, Known]:
    if doubly.value != 1:
        none = Known(np.inf, How.EXACT, "P is not doubly stochastic: P^m does not tend to J")
        return {"deprl_C2": none, "deprl_q2": none}
    C, q = mixing_pair(network.matrix(0).toarray())
    return {"deprl_C2": C, "deprl_q2": q}


def _exactly(value: float, source: str) -> Known:
    return Known(float(value), How.EXACT, source)
