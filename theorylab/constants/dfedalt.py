"""What DFedAlt's and DFedSalt's theorems speak of, by the names of their statements' symbols.

The losses' constants are those of ``personalised``, W's those of Definition 1, and the others what
an instance chooses: step sizes, numbers of steps, the start, how many minibatches a round has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theorylab.constants._bench import Bench
from theorylab.constants.definition1 import definition1
from theorylab.constants.losses import loss_constants
from theorylab.known import UNIT, How, Known
from theorylab.problems import Problem, independent_clients
from theorylab.topologies import Topology


def dfedalt_constants(bench: Bench) -> dict[str, Known]:
    """The constants of both papers' statements.

    rho is 0 where the algorithm has none.

    Raises:
        ValueError: one line, on a problem without a shared and a personal part, a network that
            changes from round to round, or numbers of steps that differ between clients.
    """
    problem, topology = bench.problem, bench.topology
    if not 0 < problem.shared < problem.dim:
        raise ValueError(
            f"DFedAlt: {problem.name} has no personal part; need a problem with shared and "
            "personal coordinates"
        )
    if topology.period != 1:
        raise ValueError(
            f"DFedAlt: {topology.name} changes from round to round; need one W (Definition 1)"
        )
    return {
        **dfedalt_losses(problem),
        **definition1_constants(topology),
        **_run(problem, bench.options, bench.start),
    }


def dfedalt_losses(problem: Problem) -> dict[str, Known]:
    """Assumptions 1 to 3, and F's infimum, of a problem with a personal part."""
    found = loss_constants(problem, shared=problem.shared)
    names = ("L_u", "L_v", "L_uv", "L_vu", "sigma_u", "sigma_v", "F_star")
    named = {f"dfedalt_{name}": found[name] for name in names if name in found}
    named["dfedalt_delta_one"] = found["partial_delta"]
    # u_i of its own for each summand: no less than one u for all, the same number where the
    # difference is one for all u, and at most the largest summand's, which one client attains
    largest = found["partial_sigma_g"]
    if largest.how is How.EXACT:
        largest = Known(largest.value, How.UPPER, f"at most that of one i: {largest.source}")
    one = found["partial_delta"]
    same = problem.has_fixed_gap or (one.how is How.EXACT and not one.finite)
    named["dfedalt_delta"] = one if same else largest
    return named | {
        "dfedalt_L_sample": _sample_smoothness(problem, found["L_u"]),
        "dfedalt_one_slope": _exactly(_one_slope(problem), "by the blocks A_i and C_i"),
    }


def _one_slope(problem: Problem) -> bool:
    """Whether nothing is coupled, every A_i is the same multiple of I, and the noise is additive,
    of variance sigma_u^2 wherever the models are."""
    if problem.square_form is None:
        return False
    H, d_u = problem.square_form[0], problem.shared
    additive = not problem.stochastic or problem.noise_variances() is not None
    alike = (H[:, :d_u, :d_u] == H[0, 0, 0] * np.eye(d_u)).all()
    return additive and bool(alike) and not H[:, :d_u, d_u:].any()


def _sample_smoothness(problem: Problem, L_u: Known) -> Known:
    field = getattr(problem, "field", None)
    if field is None or field.sigma == 0 or field.additive:
        return Known(L_u.value, L_u.how, "the noise shifts grad_u by a constant")
    if field.kind != "state":
        return Known(np.inf, How.UPPER, f"noise {field.kind} jumps")
    bend = float((field.scale[: problem.shared] / field.length).max())
    return Known(L_u.value + bend, How.UPPER, "L_u + sigma / (l sqrt(d)) of the noise")


def definition1_constants(topology: Topology) -> dict[str, Known]:
    """Whether W is as Definition 1 says, and its lambda."""
    matrix, n = topology.matrix(0), topology.clients
    W = matrix.toarray()
    broken = [item for item in definition1(matrix) if not item.holds]
    told = "items (i) to (iv) of Definition 1"
    if broken:  # a source that begins so is told with the assumption that fails
        told = "fails: " + "; ".join(f"item {item.item}, {item.reason}" for item in broken)
    values = np.linalg.eigvalsh((W + W.T) / 2 - 1 / n)
    # LAPACK is off by a few n eps; a spectrum far from that decides nothing more finely.
    top = float(np.abs(values).max()) + 8 * n * UNIT
    return {
        "dfedalt_definition": _exactly(not broken, told),
        "dfedalt_lambda": Known(top, How.UPPER, "||W - P|| by LAPACK, and 8 n eps"),
        "n": _exactly(n, "clients"),
    }


def _run(problem: Problem, options: Mapping[str, Any], start: Any) -> dict[str, Known]:
    for name in ("steps_u", "steps_v"):
        if not isinstance(options[name], int):
            raise ValueError(f"DFedAlt: {name} is {options[name]!r}; need one for all clients")
    u = start[:, : problem.shared]
    away = u - u.mean(axis=0)
    average = start.copy()
    average[:, : problem.shared] = u.mean(axis=0)
    spread = 0.0 if (u == u[:1]).all() else (away**2).sum(axis=1).mean()
    quiet = not problem.stochastic
    apart = independent_clients(problem) is not False
    fresh = quiet or options["batch"] == "per-step"
    loss = problem.loss(problem.points(average[None])).mean(axis=1)[0]
    return {
        "dfedalt_eta_u": _exactly(options["eta_u"], "option eta_u"),
        "dfedalt_eta_v": _exactly(options["eta_v"], "option eta_v"),
        "dfedalt_K_u": _exactly(options["steps_u"], "option steps_u"),
        "dfedalt_K_v": _exactly(options["steps_v"], "option steps_v"),
        "rho": _exactly(options.get("rho", 0.0), "option rho"),
        "dfedalt_fresh": _exactly(fresh, "a minibatch a step, or no noise"),
        "dfedalt_independent": _exactly(apart, "by the law of the noise"),
        "dfedalt_F_start": _exactly(loss, "F at the average start"),
        "dfedalt_start_spread": _exactly(spread, "of the first shared models"),
    }


def _exactly(value: float, source: str) -> Known:
    return Known(float(value), How.EXACT, source)
