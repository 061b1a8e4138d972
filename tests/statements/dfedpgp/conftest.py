"""Drawn true instances are never VIOLATED."""

import numpy as np
import pytest

from theorylab.statements import Check
from theorylab.verdicts import judge_check

EDGES = [[0, 1], [1, 2], [2, 0], [0, 2], [0, 0], [1, 1], [2, 2]]


def drawn(index, wild=False):
    """Instance number ``index``: sizes, graph, losses, starts and steps all drawn.

    Even ones are uncoupled quadratics (noisy ones too), odd ones sin-sin without noise; ``wild``:
    starts that differ from client to client.
    """
    rng = np.random.default_rng([29, index])  # the test's own draws, not a run's
    n, K_u, K_v = (int(rng.integers(1, top)) for top in (6, 5, 4))
    topology = {"name": str(rng.choice(["directed-ring", "complete", "edge-list"]))}
    if topology["name"] == "edge-list":
        n, topology = 3, {**topology, "edges": EDGES, "weights": "uniform"}
    if topology["name"] == "directed-ring":
        n = max(n, 2)
    L_u, L_v = (float(x) for x in 10 ** rng.uniform(-2, 2, 2))
    shares = 10 ** rng.uniform(-3, -0.5, 2)
    if index % 2 == 0:
        problem = {
            "name": "coupled-quadratic", "A": [[[L_u]]] * n, "B": [[[L_v]]] * n,
            "C": [[[0.0]]] * n, "a": rng.normal(size=(n, 1)).tolist(),
            "b": rng.normal(size=(n, 1)).tolist(),
            "sigma_u": float(rng.choice([0.0, 1.0, 30.0])),
            "sigma_v": float(rng.choice([0.0, 1.0, 30.0])),
        }  # fmt: skip
    else:
        L_u = L_v = 1.0
        problem = {"name": "sin-sin", "dim_u": 1, "dim_v": 1, "seed": index}
        problem["coupling"] = float(rng.choice([0.0, 0.1, 1.0]))
    start = rng.normal(size=(n if wild else 1, 2)) * 2
    return {
        "problem": problem, "topology": topology, "clients": n,
        "algorithm": {
            "eta_u": float(0.5 * shares[0] / (K_u * L_u)), "eta_v": float(shares[1] / (K_v * L_v)),
            "steps_u": K_u, "steps_v": K_v, "batch": "per-step",
        },
        "x0": start.tolist() if wild else start[0].tolist(),
    }  # fmt: skip


@pytest.fixture
def never_violated():
    def run(statement, version, indices, **changes):
        """How many of the drawn instances hold; none may be VIOLATED."""
        held = 0
        for index in indices:
            check = Check(f"drawn-{index}", {**drawn(index, wild=True), **changes})
            result = judge_check(statement, version, check)
            assert result.verdict != "VIOLATED", (index, result.reason, result.instance)
            held += result.verdict == "HOLDS"
        return held

    return run
