"""The instances that DePRL's statements are checked on."""

from __future__ import annotations

import math

from theorylab.statements._quadratics import Data as Data
from theorylab.statements._quadratics import changed as changed
from theorylab.statements._quadratics import scalars as scalars

RING_OF_FOUR = {
    "name": "edge-list",
    "edges": [[i, j % 4, 0.5] for i in range(4) for j in (i + 1, i + 3)],
    "self_loops": False,
}


def after(*counts: int) -> Data:
    """The rounds of an instance that is looked at after each of ``counts``."""
    return {"rounds": counts[-1], "at": list(counts)}


UNEVEN = {"name": "edge-list", "edges": [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]}
PAIR = {
    "name": "edge-list",
    "edges": [[0, 0, 0.625], [1, 1, 0.625], [0, 1, 0.375], [1, 0, 0.375]],
}

# phi is at its best from the start, both heads are 1 away: M(k) = alpha tau/beta (1 - alpha)^2k.
HEAD_STEP: Data = {
    "problem": scalars(2, 1.0, 1.0),
    "topology": PAIR,
    "clients": 2,
    "algorithm": {"alpha": 3.0, "beta": 1e-4, "tau": 1},
    **after(1, 2, 5, 10, 20, 50),
    "x0": [[0.0, 1.0], [0.0, 1.0]],
}
THROWN_AWAY: Data = {
    **changed(HEAD_STEP, alpha=0.02, head="printed"),
    **after(10, 100, 1000),
}
LINE_10_RUN: Data = {
    **changed(HEAD_STEP, alpha=1e-3, tau=2, head="printed"),
    "problem": scalars(2, 1.0, 1.0, a=[1.0, -1.0], b=[1.0, -2.0], sigma_u=1.0, sigma_v=1.0),
    **after(10, 1000, 100000),
}
PRINTED_FINE: Data = changed(LINE_10_RUN, alpha=0.003, head="all-steps")
# No loss depends on phi, so that nothing but consensus could hold the noise down.
FLAT: Data = scalars(4, 0.0, 0.05, sigma_u=1.0)
RING_RUN: Data = {
    "problem": FLAT,
    "topology": RING_OF_FOUR,
    "clients": 4,
    "algorithm": {"alpha": 1e-9, "beta": 4e-4, "tau": 1},
    **after(*(10**k for k in range(2, 9))),
}
# A connected graph, of whose edges P uses two: pairs that never hear of each other.
BLOCKS: Data = {
    **RING_RUN,
    "topology": {
        "name": "edge-list",
        "edges": [[i, j, 0.5] for pair in ((0, 1), (2, 3)) for i in pair for j in pair],
        "allow_disconnected": True,
    },
}
COUPLED: Data = {
    "problem": {"name": "coupled-quadratic", "coupling": 0.1, "seed": 1},
    "topology": {"name": "ring"},
    "clients": 4,
    "algorithm": {"alpha": 1e-3, "beta": 1e-7, "tau": 2, "head": "printed"},
    "rounds": 10,
}
FINE: Data = {
    "problem": scalars(
        4, 0.7, 1.0, a=[2.0, -1.0, 0.0, 1.0], b=[1.0, -2.0, 3.0, 0.0], sigma_u=0.5, sigma_v=0.1
    ),
    "topology": {"name": "ring"},
    "clients": 4,
    "algorithm": {"alpha": 0.05, "beta": 0.1, "tau": 4},
    **after(1, 10, 100, 1000, 10**6),
    "x0": 4.0,
}
COMMON_NOISE: Data = {**FINE, "problem": {**FINE["problem"], "noise": "common"}, **after(10)}
NOISY_HEADS: Data = {
    **changed(FINE, alpha=0.25, beta=0.05),
    "problem": scalars(4, 0.2, 1.0, sigma_u=1.0, sigma_v=2.0),
    "topology": {"name": "directed-ring"},
    **after(10, 1000, 10**5),
    "x0": 0.0,
}
# Near the corrected bound, one term at a time.
TIGHT: Data = {
    "problem": scalars(4, 1.0, 1.0),
    "topology": {"name": "complete"},
    "clients": 4,
    "algorithm": {"alpha": 1e-6, "beta": 0.999, "tau": 1},
    "rounds": 1,
    "x0": [1.0, 0.0],
}
TIGHT_NOISE: Data = {
    **TIGHT,
    "problem": scalars(4, 1.0, 1.0, sigma_u=1.0),
    **after(10**4, 10**6),
    "x0": 0.0,
}
TIGHT_HEADS: Data = {
    **changed(TIGHT, alpha=0.0999, beta=1e-3, tau=10),
    **after(1, 10, 100),
    "x0": [0.0, 1.0],
}
TIGHT_HEAD_NOISE: Data = {
    **changed(TIGHT, alpha=0.999, beta=1e-3),
    "problem": scalars(4, 1.0, 1.0, sigma_v=1.0),
    **after(10**4, 10**6),
    "x0": 0.0,
}
TIGHT_SPREAD: Data = {
    "problem": scalars(2, 1.0, 1.0, a=[1.0, -1.0]),
    "topology": PAIR,
    "clients": 2,
    "algorithm": {"alpha": 1e-6, "beta": 0.01, "tau": 1},
    **after(10**3, 10**6),
}


def _nonlinear(scale: float) -> Data:
    """grad_phi F_1 bends, grad_phi F_2 does not; phi starts where their average is 0.

    With the heads at pi/2 off (they stay there) F_i = scale ((phi - a_i)^2 + c_i sin phi),
    a = (3, -3), c = (1, 0).
    """
    start = -0.24267468064089018  # 4 phi + cos phi = 0, where f is least
    return {
        "problem": {
            "name": "sin-sin",
            "A": [[2 * scale]],
            "B": [[2 * scale]],
            "c": [scale, 0.0],
            "phases": [[math.pi / 2]] * 2,
            "a": [[3.0], [-3.0]],
            "b": [[0.0], [0.0]],
        },
        "topology": PAIR,
        "clients": 2,
        "algorithm": {"alpha": 0.006 / scale, "beta": 1.3e-4 / scale, "tau": 1},
        **after(4000),
        "x0": [start, 0.0],
    }


OTHER_UNITS = _nonlinear(1e9)
SAME_UNITS = _nonlinear(1.0)
DESCENT: Data = {
    "problem": {
        "name": "sin-sin",
        "coupling": 0.4,
        "heterogeneity": 2.0,
        "sigma_u": 0.3,
        "sigma_v": 0.3,
        "seed": 3,
    },
    "topology": {"name": "ring"},
    "clients": 5,
    "algorithm": {"alpha": 0.1, "beta": 0.08, "tau": 3},
    "rounds": 40,
    "x0": 1.0,
}
NONLINEAR: Data = {**DESCENT, **after(10, 100, 400)}

# alpha = 1/(tau sqrt K), beta = sqrt(N/K): every K has a run of its own, which is no sampled one.
CHOSEN = {"algorithm.alpha": "1/(tau*sqrt(rounds))", "algorithm.beta": "sqrt(clients/rounds)"}


def chosen(*counts: int) -> Data:
    """The rounds of Corollary 1 at each of ``counts``."""
    sweep = {"parameter": "rounds", "values": list(counts), "set": CHOSEN}
    return {"rounds": counts[0], "law": "moments", "sweep": sweep}


# On PAIR Corollary 1 asks for K >= 9.6e6 L^2.
COROLLARY: Data = {
    "problem": scalars(2, 1.0, 1.0, a=[1.0, -1.0], b=[1.0, -2.0], sigma_u=1.0, sigma_v=1.0),
    "topology": PAIR,
    "clients": 2,
    "algorithm": {"tau": 2},
    **chosen(*(10**k for k in range(7, 12))),
    "x0": 2.0,
}
COROLLARY_FROZEN: Data = {
    **COROLLARY,
    "problem": scalars(2, 1.0, 1.0),
    "algorithm": {"tau": 1, "head": "printed"},
    "x0": [[0.0, 1.0], [0.0, 1.0]],
}
COROLLARY_RING: Data = {
    "problem": FLAT,
    "topology": RING_OF_FOUR,
    "clients": 4,
    "algorithm": {"tau": 1},
    **chosen(2 * 10**7, 2 * 10**8),
}
COROLLARY_EARLY: Data = {**COROLLARY, **chosen(10, 100, 1000, 10**5)}
COROLLARY_TIGHT: Data = {
    **COROLLARY,
    "problem": scalars(2, 1.0, 1.0, sigma_u=1.0),
    "topology": {"name": "complete"},
    **chosen(2, 10, 1000),
    "x0": 0.0,
}
COROLLARY_LARGE_L: Data = {
    **COROLLARY,
    "problem": scalars(2, 1e4, 1e4, a=[1.0, -1.0], b=[1.0, -2.0], sigma_u=1.0, sigma_v=1.0),
    **chosen(10**9, 10**10),
}

DRAWN = {
    **{"name": "coupled-quadratic", "mu_u": 1.0, "L_u": 1.0, "coupling": 0.0},
    **{"mu_v": 1.0, "L_v": 1.0, "dim_u": 1, "dim_v": 1, "sigma_u": 1.0, "sigma_v": 1.0},
    "heterogeneity": 0.0,  # centers that are drawn would move f(0) - f* along N
}

# The experiments' 128 workers, tau = 2, on their three kinds of graph; K = 200, L = 1. The paper
# does not say how its random graph is drawn: here with twice the chance of an edge from which on
# such graphs are connected.
RANDOM: Data = {"name": "erdos-renyi", "seed": 0}


def of_128(network: Data) -> Data:
    """Corollary 1 on 128 workers."""
    return {
        **COROLLARY,
        "problem": DRAWN,
        "topology": network,
        "clients": 128,
        **chosen(200),
    }


# Points rather than runs.
PROBED: Data = {
    "problem": {
        "name": "sin-sin",
        "coupling": 0.5,
        "sigma_u": 0.4,
        "sigma_v": 0.4,
        "noise": "state",
        "seed": 2,
    },
    "clients": 4,
}
NETWORK: Data = {"topology": {"name": "ring"}, "clients": 4}
PROBED_COUPLED: Data = {
    **PROBED,
    "problem": {"name": "coupled-quadratic", "sigma_u": 0.1, "sigma_v": 0.1, "seed": 2},
}
PROBED_UNCOUPLED: Data = {
    **PROBED,
    "problem": scalars(4, 1.0, 2.0, a=[1.0, -1.0, 0.5, 0.0], b=[1.0, -1.0, 2.0, 0.0]),
}
DESCENT_COUPLED: Data = {
    **DESCENT,
    "problem": {"name": "coupled-quadratic", "sigma_u": 0.1, "sigma_v": 0.1, "seed": 2},
}
