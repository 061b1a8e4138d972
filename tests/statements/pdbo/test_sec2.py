"""SGP's special cases are what Section 2 says, and nothing else is."""

from dataclasses import replace

import numpy as np
import pytest

from theorylab.experiments.pdbo import sgp_recovers
from theorylab.statements import Check
from theorylab.statements.pdbo.sec2 import LOCAL, STATEMENT, STO_D, UNEVEN, WEIGHTED
from theorylab.verdicts import judge_check

FAULTS = [
    ("printed", UNEVEN),
    ("printed", STO_D),
    ("printed", WEIGHTED),
    ("printed/lian", UNEVEN),
    ("printed/lian", STO_D),
    ("printed/lian", WEIGHTED),
    ("printed/fedavg", {"clients": 5, "network": {"name": "ring", "weights": "metropolis"}}),
    ("printed/fedavg", {"clients": 5, "omega0": 2.0}),
    ("printed/self-loops", {"clients": 5, "network": {"name": "ring", "weights": "metropolis"}}),
    ("corrected/fedavg-local", LOCAL),
    ("corrected/fedavg-local", {**LOCAL, "rests": 2}),
    ("corrected/fedavg-local", {**LOCAL, "rests": 3, "network": {"name": "directed-ring"}}),
]


@pytest.mark.parametrize(("version", "instance"), FAULTS)
def test_without_its_assumptions_a_version_is_refuted(version, instance):
    told = STATEMENT.versions[version]
    assert judge_check(STATEMENT, version, Check("x", instance)).verdict == "ASSUMPTION_FAILS"
    bare = replace(STATEMENT, versions={version: replace(told, assumes=())})
    assert judge_check(bare, version, Check("x", instance)).verdict == "VIOLATED"


@pytest.mark.parametrize(
    ("version", "column", "variant"),
    [
        ("printed", "bianchi", "4b"),
        ("printed/lian", "lian", "4a"),
        ("printed/fedavg", "fedavg", "4b"),
    ],
)
def test_the_other_equation_does_not_recover_it(version, column, variant, monkeypatch):
    monkeypatch.setitem(sgp_recovers._VARIANT, column, variant)
    check = STATEMENT.versions[version].checks[0]
    # an observation is kept for its seed
    assert judge_check(STATEMENT, version, check, seed=1).verdict == "VIOLATED"


def random_instance(rng):
    n = int(rng.integers(2, 7))
    networks = [
        {"name": "ring", "weights": "metropolis"},
        {"name": "complete"},
        {"name": "directed-ring"},
        {"name": "star", "weights": "metropolis"},
        {"name": "sto-u", "weights": "constant", "seed": int(rng.integers(100))},
        {"name": "random-symmetric", "degree": 1},
    ]
    return {
        "clients": n,
        "network": networks[int(rng.integers(6))],
        "rounds": int(rng.integers(1, 30)),
        "step": (10 ** rng.uniform(-3, 0.5, n)).tolist(),
        "start": float(10 ** rng.uniform(-3, 3)),
        "problem": {
            "dim": int(rng.integers(1, 4)),
            "noise": float(rng.uniform(0, 0.9)),
            "seed": int(rng.integers(1000)),
        },
    }


@pytest.mark.parametrize("version", ["printed", "printed/lian"])
def test_random_networks_hold(never_violated, version):
    assert never_violated(STATEMENT, version, random_instance, range(20)) == 1


def averaging(rng):
    K = int(rng.integers(1, 5))
    made = {**random_instance(rng), "network": {"name": "complete"}}
    return made | {"local_steps": K, "rests": K, "rounds": K * int(rng.integers(1, 6))}


def test_random_schedules_hold(never_violated):
    assert never_violated(STATEMENT, "corrected/fedavg-local", averaging, range(20)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("version", ["printed", "printed/lian", "corrected/fedavg-local"])
def test_two_hundred_random_instances_hold(never_violated, version):
    make = averaging if version.startswith("corrected") else random_instance
    assert never_violated(STATEMENT, version, make, range(20, 220)) == 1


def test_local_steps_are_seen_from_two_on():
    for K, verdict in ((1, "HOLDS"), (2, "VIOLATED"), (6, "VIOLATED")):
        check = Check("K", {**LOCAL, "local_steps": K})
        assert judge_check(STATEMENT, "printed/fedavg-local", check).verdict == verdict


def test_equal_weights_other_than_one_are_dsgd_with_another_step():
    """omega = 2: z <- P (z - a g(z / 2)) is x <- P (x - a/2 g(x)); so steps of a differ."""
    check = STATEMENT.versions["printed"].checks[0]
    doubled = Check("double", {**check.instance, "omega0": 2.0})
    assert judge_check(STATEMENT, "printed", doubled).verdict == "ASSUMPTION_FAILS"
    assert np.isfinite(judge_check(STATEMENT, "printed", check).bound)
