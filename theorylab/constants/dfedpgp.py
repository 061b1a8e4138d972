"""The constants of an instance that DFedPGP's statements speak of, by the names of their symbols.

u and v are the shared and the personal part; m of the paper (clients) is n.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from theorylab.constants._bench import Bench
from theorylab.constants.losses import loss_constants
from theorylab.constants.remarks import dfedpgp_lemma3
from theorylab.constants.topology_constants import topology_constants
from theorylab.known import UNIT, How, Known, no_less
from theorylab.problems import Problem, joined

LONGEST = 10**5  # rounds whose products of P are looked at
OF_THE_NETWORK = ("window", "C", "q", "C_row", "q_row", "C_sgp", "q_sgp", "delta")


def dfedpgp_constants(bench: Bench) -> dict[str, Known]:
    """The constants that Theorem 1 and its lemmas speak of.

    The network's are those of u's coordinates, and reach ``bench.rounds`` far.

    Raises:
        ValueError: one line, on a problem without a shared and a personal part, on steps_u or
            steps_v that differ between clients, or on more rounds than can be looked at.
    """
    problem, options = bench.problem, bench.options
    if not 0 < problem.shared < problem.dim:
        raise ValueError(
            f"dfedpgp: {problem.name} has no personal part; need a problem with shared and "
            "personal coordinates"
        )
    for name in ("steps_u", "steps_v"):
        if not isinstance(options[name], int):
            raise ValueError(f"dfedpgp: {name} is {options[name]!r}; need one number of steps")
    network, losses = _network(bench), dfedpgp_losses(problem)
    field = getattr(problem, "field", None)
    own = {
        "n": problem.clients,
        "dfedpgp_K_u": options["steps_u"],
        "dfedpgp_K_v": options["steps_v"],
        "dfedpgp_eta_u": options["eta_u"],
        "dfedpgp_eta_v": options["eta_v"],
        "dfedpgp_fresh": options["batch"] == "per-step",
        "dfedpgp_independent": field is None or field.independent_clients,
        "dfedpgp_unit": 1,
    }
    return {
        **losses,
        **_start(bench, losses.get("dfedpgp_f_best")),
        **_lemma3(bench, network),
        **{name: network[name] for name in OF_THE_NETWORK},
        **{name: _exactly(float(value)) for name, value in own.items()},
    }


def dfedpgp_losses(problem: Problem) -> dict[str, Known]:
    """Assumptions 2 to 4 and F^*."""
    found = loss_constants(problem, shared=problem.shared)
    names = {
        **{f"dfedpgp_{name}": name for name in ("L_u", "L_v", "L_uv", "L_vu")},
        **{"dfedpgp_sigma_u": "sigma_u", "dfedpgp_sigma_v": "sigma_v"},
        **{"dfedpgp_sigma_g": "partial_sigma_g", "dfedpgp_f_best": "F_star"},
    }
    return {own: found[name] for own, name in names.items() if name in found}


def _start(bench: Bench, best: Known | None) -> dict[str, Known]:
    """How far the first models are from each other and from 0, and F(ubar^0, V^0)."""
    problem = bench.problem
    u, v = bench.start[:, : problem.shared], bench.start[:, problem.shared :]
    mean = u.mean(axis=0)
    spread = float(((u - mean) ** 2).sum() / len(u)) if (u != u[0]).any() else 0.0
    value = float(problem.loss(joined(mean[None, None], v[None])).mean())
    size = abs(value) + (abs(best.value) if best is not None and best.finite else 0.0)
    # two means of losses, each a sum of about d^2 numbers of one sign
    room = 4 * (problem.dim**2 + problem.clients + 8) * UNIT * size
    return {
        "dfedpgp_f_start": no_less(value, room, "loss at the start"),
        "dfedpgp_start_spread": _exactly(spread),
        "dfedpgp_start_size": _exactly(float((u**2).sum(axis=1).max())),
    }


def _network(bench: Bench) -> dict[str, Known]:
    """For all rounds where P repeats and mixes; else as far as ``LONGEST``."""
    far, topology = max(1, bench.rounds), bench.topology
    if topology.period is not None or far <= LONGEST:
        found = topology_constants(topology, min(far, LONGEST), dim=bench.problem.shared)
        if far <= LONGEST or not any(found[name].within for name in OF_THE_NETWORK):
            return found
    raise ValueError(
        f"dfedpgp: {far} rounds on {topology.name}; need at most {LONGEST}, but for a static or "
        "periodic network that mixes"
    )


def _lemma3(bench: Bench, network: Mapping[str, Known]) -> dict[str, Known]:
    """C_dfedpgp and q_dfedpgp, formulas (14). The lemma that they quote has self-loops and shares
    of at least 1/D: without these they are estimates, and decide nothing.
    """
    D, n = int(network["max_out_degree"].value), bench.problem.clients
    hops = (network["diameter"].value, network["window"].value)
    K_u, d_u = bench.options["steps_u"], bench.problem.shared
    found = dfedpgp_lemma3(n, D, *hops, local_steps=K_u, dim=d_u)
    # a Metropolis diagonal is 1 less n terms, so off by n eps
    even = D * network["p"].value >= 1 - 2 * D * n * UNIT
    quoted = even and network["self_loops"].value == 1
    pairs = {"eq14": (found["C_dfedpgp"], found["gap_dfedpgp"])}
    pairs["sgp"] = (network["C_sgp"], network["gap_sgp"])
    return {f"dfedpgp_asked_{name}": _asked(*pair) for name, pair in pairs.items()} | {
        name: known if quoted or not known.finite else dataclasses.replace(
            known, how=How.ESTIMATE,
            source=f"{known.source}; off the lemma (self-loops, shares >= 1/D): proves nothing",
        )
        for name, known in found.items() if name in ("C_dfedpgp", "q_dfedpgp")
    }  # fmt: skip


def _asked(C: Known, gap: Known) -> Known:
    """(C/(1-q))^2 of a printed pair; inf where its formula gives none."""
    if C.log10 is None or gap.log10 is None:
        return Known(math.inf, How.EXACT, C.source)
    power = 2 * (C.log10 - gap.log10)
    try:
        value = 10.0**power
    except OverflowError:
        value = math.inf
    return Known(value, How.EXACT, f"(C/(1-q))^2; {C.source}", log10_value=power)


def _exactly(value: float) -> Known:
    return Known(value, How.EXACT, "of the instance")
