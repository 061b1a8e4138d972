"""The instances that DFedPGP's statements are checked on."""

from __future__ import annotations

import math

from theorylab.statements._quadratics import Data as Data
from theorylab.statements._quadratics import changed as changed
from theorylab.statements._quadratics import scalars as scalars

LOOPS = [[i, i] for i in range(3)]
UNEVEN: Data = {
    "name": "edge-list",
    "edges": [[0, 1], [1, 2], [2, 0], [0, 2], *LOOPS],
    "weights": "uniform",
}
RING: Data = {"name": "directed-ring"}
PERMUTATION: Data = {"name": "directed-ring", "self_loops": False}  # |lambda_2| = 1
PAIR: Data = {
    "name": "edge-list",
    "edges": [[0, 0, 0.75], [1, 1, 0.75], [0, 1, 0.25], [1, 0, 0.25]],
}
ALONE: Data = {"name": "complete"}


def rows_at(*counts: int) -> Data:
    """Rows at several T, each of which may look at round T, too."""
    return {"rounds": counts[-1] + 1, "at": [*counts]}


FRESH: Data = {"batch": "per-step"}
STEPS: Data = {"eta_u": 0.05, "eta_v": 0.05, "steps_u": 1, "steps_v": 1, **FRESH}

# One client, u at its best from the start: nothing but the noise of u.
ONE_BATCH: Data = {
    "problem": scalars(1, 1.0, 1.0, sigma_u=1.0),
    "topology": ALONE,
    "clients": 1,
    "algorithm": {
        **{"eta_u": 5e-4, "eta_v": 1 / 32, "steps_u": 40, "steps_v": 1, "batch": "per-round"},
    },
    **rows_at(10, 1000, 10**5),
}
ONE_BATCH_RING: Data = {
    **ONE_BATCH,
    "problem": scalars(3, 1.0, 1.0, sigma_u=1.0),
    "topology": RING,
    "clients": 3,
    "algorithm": {**ONE_BATCH["algorithm"], "eta_u": 1e-6, "steps_u": 80},
    **rows_at(10**8),
}
SEVERAL_BATCHES: Data = changed(ONE_BATCH, **FRESH)
# The same for v, whose curvature is small against 1.
FLAT_HEADS: Data = {
    **ONE_BATCH_RING,
    "problem": scalars(3, 1.0, 0.01, sigma_v=1.0),
    "algorithm": {**STEPS, "eta_u": 1e-3, "eta_v": 0.01},
    **rows_at(100, 10**4, 10**7),
}
FLAT_HEADS_TWO_STEPS: Data = {  # and mu_i != 1
    **changed(FLAT_HEADS, steps_u=2, steps_v=2, eta_v=0.005),
    "topology": UNEVEN,
}
STEEP_HEADS: Data = {
    **FLAT_HEADS,
    "problem": scalars(3, 1.0, 1.0, sigma_v=1.0),
    **rows_at(10, 10**4),
}
# Stationary from the start: A (u - a_i) = 0 at u = 3, v_i + phi_i = 0, b_i = c sin 3. Only the
# biased u_i = mu_i u leaves it.
STATIONARY: Data = {
    "problem": {
        "name": "sin-sin", "A": [[1.0]], "B": [[1.0]], "c": [0.1] * 3, "phases": [[0.0]] * 3,
        "a": [[3.0]] * 3, "b": [[0.1 * math.sin(3.0)]] * 3,
    },
    "topology": UNEVEN,
    "clients": 3,
    "algorithm": {**STEPS, "eta_u": 1e-4, "eta_v": 1e-2},
    **rows_at(5, 20),
    "x0": [3.0, 0.0],
}  # fmt: skip
# What the printed inequality does hold on.
FINE: Data = {
    "problem": scalars(
        3, 1.0, 1.0, a=[1.0, -1.0, 0.0], b=[1.0, -2.0, 0.5], sigma_u=0.5, sigma_v=0.5
    ),
    "topology": RING,
    "clients": 3,
    "algorithm": {**STEPS, "eta_u": 0.005, "steps_u": 3, "steps_v": 2, "eta_v": 0.02},
    **rows_at(10, 1000),
    "x0": [0.5, 0.5],
}
# The same where (14)'s C/(1-q) has to fit under the step size.
STATIONARY_TINY: Data = {
    **changed(STATIONARY, eta_u=1e-12),
    **rows_at(1000),
}
STATIONARY_SMALL: Data = {**changed(STATIONARY_TINY, eta_u=1e-8), **rows_at(100)}
FINE_TINY: Data = changed(FINE, eta_u=1e-10)
UNMIXED: Data = {**FINE, "topology": PERMUTATION}
COUPLED: Data = {
    **FINE,
    "problem": {"name": "coupled-quadratic", "coupling": 0.1, "seed": 1},
    "x0": 0.5,
}
NONLINEAR: Data = {
    "problem": {"name": "sin-sin", "coupling": 0.2, "seed": 3},
    "topology": UNEVEN,
    "clients": 3,
    "algorithm": {"eta_u": 0.01, "eta_v": 0.2, "steps_u": 3, "steps_v": 2, **FRESH},
    **rows_at(10, 100, 400),
    "x0": 1.0,
}
NONLINEAR_NOISE: Data = {
    **NONLINEAR,
    "problem": {**NONLINEAR["problem"], "sigma_u": 0.3, "sigma_v": 0.3, "noise": "state"},
    **rows_at(10, 100),
}

# Each at the edge of one term of the corrected bound.
TIGHT: Data = {  # gradient descent with a step of nearly 1/L, once
    "problem": scalars(1, 1.0, 1.0),
    "topology": ALONE,
    "clients": 1,
    "algorithm": {**STEPS, "eta_u": 0.999, "eta_v": 1e-6},
    **rows_at(1),
    "x0": [1.0, 0.0],
}
TIGHT_HEADS: Data = {
    **TIGHT,
    "algorithm": {**STEPS, "eta_u": 1e-6, "eta_v": 0.125, "steps_v": 8},
    **rows_at(1, 2, 10),
    "x0": [0.0, 1.0],
}
TIGHT_NOISE: Data = {
    **TIGHT,
    "problem": scalars(1, 1.0, 1.0, sigma_u=1.0),
    "algorithm": {**STEPS, "eta_u": 0.01},
    **rows_at(10**6),
    "x0": 0.0,
}
TIGHT_HEAD_NOISE: Data = {
    **TIGHT,
    "problem": scalars(1, 1.0, 1.0, sigma_v=1.0),
    "algorithm": {**STEPS, "eta_v": 1.0, "eta_u": 1e-6},
    **rows_at(10**6),
    "x0": 0.0,
}

NOISE_OF_EIGHT: Data = {  # the same of eight clients that are one after every round
    **TIGHT_NOISE,
    "problem": scalars(8, 1.0, 1.0, sigma_u=1.0),
    "topology": ALONE,
    "clients": 8,
}
ONE_DRAW: Data = {  # eight clients with one noise
    **NOISE_OF_EIGHT,
    "problem": {**NOISE_OF_EIGHT["problem"], "noise": "common"},
}
CONSENSUS: Data = {  # the slowest mode of a ring: ubar stays at the optimum
    "problem": scalars(8, 1.0, 1.0, a=[math.cos(math.tau * i / 8) for i in range(8)]),
    "topology": RING,
    "clients": 8,
    "algorithm": {**STEPS, "eta_u": 2e-6, "steps_u": 2000},
    **rows_at(10, 100),
}
CONSENSUS_LONG: Data = changed(CONSENSUS, eta_u=5e-7, steps_u=8000)  # eta_u K_u is the same
_MORE = [125, 250, 500, 1000, 2000, 4000, 8000, 16000, 32000]


def _along_steps(values: list[int]) -> Data:
    """The slow mode of a ring of three, at one eta_u K_u."""
    sweep = {"parameter": "algorithm.steps_u", "values": values}
    return {
        **CONSENSUS,
        "problem": scalars(3, 1.0, 1.0, a=[1.0, -1.0, 0.0]),
        "clients": 3,
        **rows_at(10),
        "sweep": {**sweep, "set": {"algorithm.eta_u": "0.004/steps_u"}},
    }


ALONG_STEPS: Data = _along_steps(_MORE[:4])
ALONG_MORE_STEPS: Data = _along_steps(_MORE)
CONSENSUS_NOISE: Data = {
    **CONSENSUS,
    "problem": scalars(8, 1.0, 1.0, sigma_u=1.0),
    "algorithm": {**STEPS, "eta_u": 1e-3, "steps_u": 2},
}
AWAY: Data = {  # client 0 starts at 1, the others at 0; gradients are next to nothing
    **CONSENSUS,
    "problem": scalars(3, 1.0, 1.0),
    "clients": 3,
    "algorithm": {**STEPS, "eta_u": 1e-6},
    **rows_at(1, 2, 5),
    "x0": [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]],
}
PUSHED: Data = {  # alike losses on an uneven network: what splits the z_i is the gradient of F
    **CONSENSUS,
    "problem": scalars(3, 1.0, 1.0, a=3.0),
    "topology": UNEVEN,
    "clients": 3,
    "algorithm": {**STEPS, "eta_u": 1e-4, "steps_u": 5},
    **rows_at(2, 10, 100),
}
NEVER_MIXED: Data = {**CONSENSUS_NOISE, "topology": PERMUTATION}
TINY_STEPS: Data = {  # (14)'s C is 2 sqrt d D^((K_u+1) Delta B), 1 - q about 1/C
    **CONSENSUS,
    "problem": scalars(3, 1.0, 1.0, a=[1.0, -1.0, 0.0]),
    "clients": 3,
    "algorithm": {**STEPS, "eta_u": 1e-8},
    **rows_at(10),
}
TIGHT_SPREAD: Data = {  # two clients pulled apart, P symmetric: every inequality nearly attained
    **CONSENSUS,
    "problem": scalars(2, 1.0, 1.0, a=[1.0, -1.0]),
    "topology": PAIR,
    "clients": 2,
    "algorithm": {**STEPS, "eta_u": 1e-4},
    **rows_at(10, 1000, 10**5),
}
TIGHT_PUSHED: Data = {  # the same by the gradient of F alone, at the first rounds
    **PUSHED,
    "algorithm": {**STEPS, "eta_u": 1e-4},
    **rows_at(2, 10, 100),
}


def corollary(instance: Data, T: int, c_u: float = 1.0, c_v: float = 0.125) -> Data:
    """T rounds at Corollary 1's eta = c/(L K sqrt T), of clients with one curvature."""
    steps = {}
    for part, table, c in (("u", "A", c_u), ("v", "B", c_v)):
        L, K = instance["problem"][table][0][0][0], instance["algorithm"][f"steps_{part}"]
        steps[f"eta_{part}"] = c / (L * K * math.sqrt(T))
    return {**changed(instance, **steps), **rows_at(T)}


FINE_ONE_BATCH: Data = changed(FINE, batch="per-round")
NOISE_ONE_BATCH: Data = changed(TIGHT_NOISE, steps_u=100, batch="per-round")
NOISE_OF_TWO: Data = {
    **changed(NOISE_ONE_BATCH, steps_u=400),
    **{"problem": scalars(2, 1.0, 1.0, sigma_u=1.0), "clients": 2},
}
FLATTER_HEADS: Data = {
    **TIGHT_NOISE,
    **{"problem": scalars(3, 1e-3, 1e-3, sigma_v=1.0), "topology": RING, "clients": 3},
}
