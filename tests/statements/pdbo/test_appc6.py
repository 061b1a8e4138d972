"""500 iterations: the mean has converged, the iterate has not."""

import pytest

from theorylab.statements.pdbo._symbols import norm_A, z_start
from theorylab.statements.pdbo.appc6 import SMALL_STEP, STATEMENT
from theorylab.symbols import T

PLANTED = {
    "two rounds more": ({"x": norm_A ** (T + 2) * z_start}, SMALL_STEP),
    "the rate squared": ({"x": norm_A ** (2 * T) * z_start}, SMALL_STEP),
}


def test_planted_faults_are_refuted(missed):
    assert missed(STATEMENT, "corrected", PLANTED) == set()


def random_instance(rng):
    networks = [
        {"name": "sto-u", "weights": "constant", "seed": int(rng.integers(99))},
        {"name": "ring", "weights": "metropolis"},
        {"name": "directed-ring"},
    ]
    return {
        "problem": {"clients": 3, "dim": 2, "hyper": 1, "seed": int(rng.integers(99))},
        "network": networks[int(rng.integers(3))],
        "step": float(10 ** rng.uniform(-3, -0.5)),
        "variant": ["4a", "4b"][int(rng.integers(2))],
        "start": float(rng.normal()),
        "rounds": [1, 7, 50, 300],
    }


def test_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", random_instance, range(30)) >= 0.9


@pytest.mark.slow
def test_two_hundred_random_instances_hold(never_violated):
    assert never_violated(STATEMENT, "corrected", random_instance, range(30, 230)) >= 0.9
