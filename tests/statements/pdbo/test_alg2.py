"""Algorithm 2's messages are Eq. (2), on any network."""

import numpy as np
import pytest

from theorylab.experiments.pdbo import sgp_recovers
from theorylab.statements.pdbo.alg2 import STATEMENT
from theorylab.verdicts import judge_check

# An observation is kept for its seed, so every planted fault has one of its own.
KEY = {"4a": 1, "4b": 2, "no_own_message": 3, "transposed": 4, "never_sent": 5}
CHECKS = STATEMENT.versions["printed"].checks


@pytest.mark.parametrize(
    ("version", "column", "variant"),
    [("printed", "alg2_4a", "4b"), ("printed/4b", "alg2_4b", "4a")],
)
def test_the_other_variant_is_not_algorithm_2(version, column, variant, monkeypatch):
    monkeypatch.setitem(sgp_recovers._VARIANT, column, variant)
    assert judge_check(STATEMENT, version, CHECKS[0], seed=KEY[variant]).verdict == "VIOLATED"


def no_own_message(P):
    return P * (1 - np.eye(P.shape[-1]))


def transposed(P):
    return np.swapaxes(P, 1, 2)


def never_sent(P):
    return np.broadcast_to(np.eye(P.shape[-1]), P.shape)


@pytest.mark.parametrize("fault", [no_own_message, transposed, never_sent])
@pytest.mark.parametrize("version", ["printed", "printed/4b"])
def test_messages_that_go_astray_are_seen(version, fault, monkeypatch):
    plain = sgp_recovers.SgpRecovers._messages
    monkeypatch.setattr(
        sgp_recovers.SgpRecovers,
        "_messages",
        lambda self, P, *rest: plain(self, np.ascontiguousarray(fault(P)), *rest),
    )
    assert (
        judge_check(STATEMENT, version, CHECKS[1], seed=KEY[fault.__name__]).verdict == "VIOLATED"
    )


def random_instance(rng):
    n = int(rng.integers(1, 6))
    return {
        "clients": n,
        "network": [
            {"name": "sto-d", "seed": int(rng.integers(100))},
            {"name": "sto-u"},
            {"name": "complete"},
            {"name": "star", "weights": "uniform"},
        ][int(rng.integers(4))],
        "rounds": int(rng.integers(1, 20)),
        "step": (10 ** rng.uniform(-3, 0, n)).tolist(),
        "omega0": (10 ** rng.uniform(-1, 1, n)).tolist(),
        "problem": {"noise": float(rng.uniform(0, 0.9)), "seed": int(rng.integers(1000))},
    }


@pytest.mark.parametrize("version", ["printed", "printed/4b"])
def test_random_networks_hold(never_violated, version):
    assert never_violated(STATEMENT, version, random_instance, range(20)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("version", ["printed", "printed/4b"])
def test_two_hundred_random_networks_hold(never_violated, version):
    assert never_violated(STATEMENT, version, random_instance, range(20, 220)) == 1
