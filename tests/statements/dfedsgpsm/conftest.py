"""Every check gets its verdict; planted errors are refuted; true instances are never VIOLATED."""

import dataclasses

import numpy as np
import pytest

from theorylab.statements import Check
from theorylab.verdicts import judge_check


@pytest.fixture
def judged():
    def run(statement):
        """Judge every quick check; each must get the verdict it expects."""
        found = {}
        for name, version in statement.versions.items():
            assert version.checks, name
            for check in version.checks:
                if check.quick:
                    result = judge_check(statement, name, check)
                    assert result.verdict == check.expect, (name, check.name, result.reason)
                    found[name, check.name] = result
        return found

    return run


@pytest.fixture
def caught():
    def run(statement, version, variants, extra=()):
        """Names of the variants (other terms of ``version``) that some true instance refutes."""
        content = statement.versions[version]
        checks = [c for c in content.checks if c.quick and c.expect == "HOLDS"]
        checks += [Check(f"extra-{k}", instance) for k, instance in enumerate(extra)]
        for check in checks:
            assert judge_check(statement, version, check).verdict == "HOLDS", check.name
        found = set()
        for name, terms in variants.items():
            planted = dataclasses.replace(content, terms=terms, checks=())
            wrong = dataclasses.replace(statement, versions={version: planted})
            if any(judge_check(wrong, version, c).verdict == "VIOLATED" for c in checks):
                found.add(name)
        return found

    return run


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
