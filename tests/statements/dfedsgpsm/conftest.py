"""Drawn true instances are never VIOLATED."""

import numpy as np
import pytest

from theorylab.statements import Check
from theorylab.verdicts import judge_check


def drawn(index, noise=False):
    """Instance number ``index``: sizes, graph, losses, starts, steps and momentum all drawn."""
    rng = np.random.default_rng([17, index])  # the test's own draws, not a run's
    n = int(rng.integers(3, 6))  # two clients, and complete graphs, agree at once: a bound of 0
    topology = {"name": str(rng.choice(["directed-ring", "random-out"]))}
    if topology["name"] == "random-out":
        topology |= {"degree": 1, "seed": index}
    K = int(rng.integers(1, 4))
    if noise:
        n, K = 1, int(rng.integers(1, 6))
        topology = {"name": "complete"}
    problem = {
        "name": "log-cosh", "dim": int(rng.integers(1, 3)), "seed": index,
        "spread": float(rng.choice([0.0, 0.1, 3.0])), "center": float(rng.normal()),
        "scale": float(10 ** rng.uniform(-2, 2)),
    }  # fmt: skip
    algorithm = {
        "eta": float(10 ** rng.uniform(-4, -1)) / problem["scale"] / K,
        "alpha": float(rng.choice([0.05, 0.5, 0.9, 0.99])),
        "rho": float(rng.choice([0.0, 0.01, 0.3])),
        "local_steps": K,
    }
    made = {"topology": topology, "clients": n, "rounds": 1 if noise else 4}
    made |= {"x0": rng.normal(size=(n, problem["dim"])).tolist(), "algorithm": algorithm}
    if noise:
        field = {
            "name": "noisy",
            "base": problem,
            "field": str(rng.choice(["rademacher", "state"])),
        }
        field["sigma"] = float(10 ** rng.uniform(-2, 1)) * problem["scale"]
        return made | {"problem": field, "law": "enumerated"}
    return made | {"problem": problem}


@pytest.fixture
def never_violated():
    def run(statement, version, count, noise=False):
        """How many of ``count`` drawn instances hold; none may be VIOLATED."""
        held = 0
        for index in range(count):
            check = Check(f"drawn-{index}", drawn(index, noise and index % 2 == 0))
            result = judge_check(statement, version, check)
            assert result.verdict != "VIOLATED", (index, result.reason, result.instance)
            held += result.verdict == "HOLDS"
        return held

    return run
