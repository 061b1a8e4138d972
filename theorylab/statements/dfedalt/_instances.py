"""The instances that DFedAlt's and DFedSalt's statements are checked on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from theorylab.statements._quadratics import Data as Data
from theorylab.statements._quadratics import changed as changed
from theorylab.statements._quadratics import scalars as scalars


def pair(weight: float) -> Data:
    """Two clients that send each other the share ``weight``: lambda = 1 - 2 weight."""
    edges = [[0, 0, 1 - weight], [1, 1, 1 - weight], [0, 1, weight], [1, 0, weight]]
    return {"name": "edge-list", "edges": edges}


def steps(eta_u: float, eta_v: float, steps_u: int = 1, steps_v: int = 1) -> Data:
    """Options of DFedAlt; every local step has a minibatch of its own."""
    return {
        **{"eta_u": eta_u, "eta_v": eta_v, "steps_u": steps_u, "steps_v": steps_v},
        "batch": "per-step",
    }


def averaged(instance: Data, *counts: int) -> Data:
    """The averages over the rounds before each of these T, rising."""
    return {**instance, "rounds": counts[-1], "at": list(counts)}


COMPLETE: Data = {"name": "complete"}
RING: Data = {"name": "ring", "weights": "metropolis"}
# eigenvalues 1, .1, .1, -.8 in order of value
FEW_LOOPS: Data = {
    "name": "edge-list",
    "edges": [[i, j % 4, 0.45] for i in range(4) for j in (i + 1, i + 3)]
    + [[i, i, 0.1] for i in range(4)],
}
PROBED: Data = {
    "problem": {"name": "sin-sin", "dim_u": 1, "dim_v": 1, "coupling": 0.5, "seed": 1},
    "clients": 5,
}
PROBED_COUPLED: Data = {
    **PROBED,
    "problem": {"name": "coupled-quadratic", "mu_u": 1.0, "L_u": 1.0, "coupling": 1e-3, "seed": 1},
}
PROBED_QUADRATIC: Data = {
    **PROBED,
    "problem": scalars(5, 1.0, 2.0, a=[1.0, -1.0, 0.0, 2.0, -2.0]),
}
NETWORK: Data = {"topology": RING, "clients": 5}
PROBED_NOISE: Data = {
    **PROBED,
    "problem": {**PROBED["problem"], "sigma_u": 0.5, "sigma_v": 2.0, "noise": "state"},
}
# A sine couples u and v: every assumption holds. Noise-free, and with signs as noise.
SINES: Data = {
    "problem": PROBED["problem"],
    "topology": RING,
    "clients": 5,
    "algorithm": steps(0.02, 0.05, 3, 2),
    "rounds": 12,
    "x0": 0.0,
}
SIGNS: Data = {
    "problem": scalars(2, 1.0, 1.0, a=[0.5, -0.5], sigma_u=1.0, sigma_v=1.0, noise="rademacher"),
    "topology": pair(0.25),
    "clients": 2,
    "algorithm": steps(0.03, 0.06, 4, 3),
    "rounds": 1,
    "x0": 0.3,
    "law": "enumerated",
}
ONE_BATCH: Data = changed(SIGNS, batch="per-round")
APART: Data = {**SINES, "x0": [[float(i), 0.5] for i in range(5)]}

# Heterogeneity along the slowest mode of a ring of 32, where consensus is worst.
SLOW_MODE: Data = {
    "problem": scalars(32, 1.0, 1.0, a=[math.cos(2 * math.pi * i / 32) for i in range(32)]),
    "topology": RING,
    "clients": 32,
    "algorithm": steps(1e-5, 0.1),
    "rounds": 400,
    "x0": 0.0,
    "at": [0, 1, 10, 100, 399],
}
TWO_ROUNDS: Data = {
    **changed(SIGNS, steps_u=3, steps_v=1),
    "problem": scalars(2, 1.0, 1.0, a=[0.5, -0.5], sigma_u=1.0, noise="rademacher"),
    "rounds": 2,
}
LONG: Data = {  # y = eta_u K_u L_u = 3 in 1500 steps, in units where L_u is large
    "problem": scalars(2, 1e6, 1.0),
    "topology": COMPLETE,
    "clients": 2,
    "algorithm": steps(2e-9, 0.1, 1500),
    "rounds": 1,
    "x0": [1.0, 0.0],
}
# Losses with a third derivative and as much diversity as one likes. From 0, where F has a slope of
# 0, eta L = 8.4 throws two clients apart that differ by .003, and both come to rest at slopes of
# 6e-3, 6.6 apart. And K_u = 1000 steps at eta K L = .2352 that start in the steepest place of a
# ripple, downhill; the tilts pull the clients over all of it, where it goes uphill on average.
UNSTABLE: Data = {
    "problem": {"name": "rippled", "A": 0.05, "r": 1.0, "a": [[-0.06], [0.06]], "b": [[0.0]] * 2},
    "topology": pair(0.25),
    "clients": 2,
    "algorithm": steps(8.0, 0.1, 4),
    "rounds": 2,
    "x0": 0.0,
}
UNSTABLE_UNITS: Data = {  # the losses 1e9 times as large, the steps as much smaller
    **UNSTABLE,
    "problem": {**UNSTABLE["problem"], "A": 5e7, "r": 1e9},
    "algorithm": steps(8e-9, 0.1, 4),
}
TILTED: Data = {
    "problem": {
        "name": "rippled", "A": 10.0, "r": 1e4, "a": [[-13300.0], [12700.0]], "b": [[0.0]] * 2,
    },
    "topology": COMPLETE,
    "clients": 2,
    "algorithm": steps(2.35e-8, 0.1, 1000),
    "rounds": 1,
    "x0": [-1.57, 0.0],
}  # fmt: skip


# TILTED at a share of its y = eta_u K_u L_u = .2352, the cap: more and smaller steps, and tilts so
# much larger that the clients wander as far, eta_u K_u A tilt = 3.055. Losses of 1e9, for which 2 +
# eta_u L_u^2 of (13) is about eta_u L_u^2.
def _tilted(share: float, steps: int) -> Data:
    A, r = 1e8, 1e9
    tilt = 3.055 / (0.2352 * share) * (A + r) / A
    return {
        **changed(TILTED, eta_u=0.2352 * share / (steps * (A + r)), steps_u=steps),
        "problem": {**TILTED["problem"], "A": A, "r": r, "a": [[-tilt - 3.0], [tilt - 3.0]]},
    }


TILTED_FAR = _tilted(0.1, 5_000)
TILTED_SHARES: Data = {
    **TILTED_FAR,
    "sweep": {
        "parameter": "share",
        "values": [1, 0.3, 0.1, 0.03, 0.01],
        "set": {
            "algorithm.steps_u": "300/share",
            "algorithm.eta_u": "0.2352*share/(steps_u*1.1e9)",
            "problem.a.0.0": "-3.055*11/(0.2352*share) - 3",
            "problem.a.1.0": "3.055*11/(0.2352*share) - 3",
        },
    },
}
# One client's part of a proof at a time: many small steps, heads far off, noise that bends.
MANY_STEPS: Data = {
    "problem": scalars(2, 1.0, 1.0),
    "topology": COMPLETE,
    "clients": 2,
    "algorithm": steps(1e-5, 0.1, 200),
    "rounds": 1,
    "x0": [1.0, 0.0],
}
STEEP_HEADS: Data = {
    "problem": scalars(2, 1.0, 10.0),
    "topology": COMPLETE,
    "clients": 2,
    "algorithm": steps(0.01, 0.01, steps_v=2),
    "rounds": 1,
    "x0": [0.0, 1.0],
}
HEADS_AT_CAP: Data = {  # of Lemma 2: eta_v = 1/(2 K_v L_v)
    **STEEP_HEADS,
    "problem": scalars(2, 1.0, 1.0),
    "algorithm": steps(0.01, 1 / 128, steps_v=64),
}
BENT_NOISE: Data = {
    "problem": scalars(2, 1.0, 1.0, sigma_u=1.0, noise="state", length=0.05),
    "topology": COMPLETE,
    "clients": 2,
    "algorithm": steps(0.01, 0.1, 5),
    "rounds": 1,
    "x0": [0.1178, 0.0],
    "law": "enumerated",
}
# The heads' slope at u = +-pi/2 is 1, at ubar = 0 it is -1: steps that help at home hurt there.
OPPOSED: Data = {
    "problem": {
        "name": "sin-sin", "dim_u": 1, "dim_v": 1, "A": [[1.0]], "B": [[1.0]], "c": [2.0, 2.0],
        "phases": [[0.0], [math.pi]], "a": [[0.0], [0.0]], "b": [[1.0], [1.0]],
    },
    "topology": pair(0.25),
    "clients": 2,
    "algorithm": steps(1e-6, 0.01),
    "rounds": 1,
    "x0": [[math.pi / 2, 0.0], [-math.pi / 2, 0.0]],
}  # fmt: skip
SMALL_STEPS: Data = changed(SINES, eta_u=0.005, eta_v=0.05)
SMALL_SIGNS: Data = changed(SIGNS, eta_u=0.01, eta_v=0.05)
# Both parts far away, or at rest with noise: one term of the bounds at a time.
FAR: Data = {
    "problem": scalars(2, 1.0, 1.0),
    "topology": pair(0.25),
    "clients": 2,
    "algorithm": steps(0.05, 0.2),
    "rounds": 1,
    "x0": [1.0, 1.0],
}
LONG_RUN: Data = averaged(FAR, 1, 10, 100, 1000, 10**6)
NOISE_U: Data = {
    **averaged(FAR, 10, 10**3, 10**6),
    "problem": scalars(2, 1.0, 1.0, sigma_u=1.0),
    "algorithm": steps(0.02, 0.2, 3),
    "x0": 0.0,
}
NOISE_V: Data = {
    **NOISE_U,
    "problem": scalars(2, 1.0, 1.0, sigma_v=1.0),
    "algorithm": steps(0.05, 0.12, steps_v=2),
}
SINES_RUN: Data = averaged({**SINES, "topology": {"name": "complete"}}, 1, 10, 200)
SINES_RING: Data = {**changed(SINES_RUN, eta_u=0.004), "topology": RING}
# O(.): along T (the noise of u decides), and along the other parameters.
_SWEEP: Data = {
    "problem": scalars(2, 1.0, 1.0, sigma_u=1.0),
    "topology": COMPLETE,
    "clients": 2,
    "rounds": 1,
    "sweep": {"parameter": "rounds", "values": [10**k for k in range(2, 8)], "window": 4},
}
_UNIT = {"u": "1", "v": "1"}


def swept(
    scale: float = 0.1, radius: float | None = None, L: Mapping[str, str] = _UNIT, **options: Any
) -> Data:
    """A sweep, along T with no other options, with the theorems' steps at every value.

    scale: c of eta_u = c/(L_u K_u sqrt T), eta_v likewise. radius: rho_0 of rho_0/sqrt T, of
    DFedSalt alone. L: L_u and L_v of ``options``, in numbers of the instance.
    """
    made: Data = {**_SWEEP, **options}
    chosen = {
        f"algorithm.eta_{part}": f"dfedalt_scale/({L[part]}*steps_{part}*sqrt(rounds))"
        for part in "uv"
    }
    made["algorithm"], made["constants"] = steps(1.0, 1.0), {"dfedalt_scale": scale}
    if radius is not None:
        chosen["algorithm.rho"] = "dfedalt_radius/sqrt(rounds)"
        made["algorithm"]["rho"], made["constants"]["dfedalt_radius"] = radius, radius
    made["sweep"] = {**made["sweep"], "set": {**made["sweep"].get("set", {}), **chosen}}
    return made


def along(parameter: str, values: list[int], window: int = 0) -> Data:
    """A sweep in which the steps alone follow."""
    return {"parameter": parameter, "values": values, "window": window}


BOTH_NOISES = scalars(2, 1.0, 1.0, sigma_u=1.0, sigma_v=1.0)
_ALIKE: Data = {
    "name": "coupled-quadratic", "dim_u": 1, "dim_v": 1, "mu_u": 1.0, "L_u": 1.0, "mu_v": 1.0,
    "L_v": 1.0, "coupling": 0.0, "heterogeneity": 0.0, "sigma_u": 1.0,
}  # fmt: skip
ALONG_ROUNDS: Data = {"problem": {**BOTH_NOISES, "a": [[1.0], [-1.0]]}, "topology": pair(0.25)}
ALONG_CLIENTS: Data = {
    "problem": _ALIKE, "rounds": 10**5, "sweep": along("clients", [2, 4, 8, 16, 32]),
}  # fmt: skip
ALONG_GAP: Data = {
    "problem": ALONG_ROUNDS["problem"],
    "topology": pair(0.25),
    "sweep": {  # 1/(1 - lambda) of two clients' W
        "parameter": "gap",
        "values": [2, 10, 100, 1000],
        "set": {
            "rounds": "100*(gap/2)**2",
            **{f"topology.edges.{k}.2": f"{'1 - ' * (k < 2)}0.5/gap" for k in range(4)},
        },
    },
}


def along_steps(name: str) -> Data:
    """K_u or K_v."""
    sweep = along(f"algorithm.{name}", [1, 10, 100, 1000])
    return {"problem": BOTH_NOISES, "rounds": 10**6, "sweep": sweep}


def along_curvature(part: str, blocks: str) -> Data:
    """L_u by the A_i or L_v by the B_i of two clients."""
    paths = [f"problem.{blocks}.{i}.0.0" for i in range(2)]
    sweep = {**along("curvature", [1, 10, 100, 1000]), "set": dict.fromkeys(paths, "curvature")}
    L = {**_UNIT, part: "curvature"}
    return {**ALONG_ROUNDS, "x0": 1.0, "rounds": 10**5, "sweep": sweep, "L": L}


QUIET: Data = {"problem": scalars(2, 1.0, 1.0), "x0": 1.0}
