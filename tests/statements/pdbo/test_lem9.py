"""Lemma 9's four parts hold, with room."""

import numpy as np
import pytest

from theorylab.statements import Check
from theorylab.statements.pdbo._symbols import edge_chance, edge_weight, eta_A, kappa
from theorylab.statements.pdbo.lem9 import STATEMENT
from theorylab.verdicts import judge_check

PLANTED = {  # (35) has a factor 4 and max(1, 1/dbar - 1) dbar to spare, (37) one of 2.3
    "an eighth": lambda t: t / 8,
    "1/kappa^4": lambda t: t / kappa**2,
    "no 1/dbar": lambda t: t * edge_chance**4,
    "eta_A^{2i+3}": lambda t: t * eta_A**30,
    "pbar^6": lambda t: t * edge_weight**4,
}


def test_planted_losses_are_refuted(missed):
    told = STATEMENT.versions["printed/eq35"]
    faults = {name: {"(35)": change(told.terms["(35)"])} for name, change in PLANTED.items()}
    assert missed(STATEMENT, "printed/eq35", faults, at=told.checks[0].instance) == set()


def no_violation(number):
    rng = np.random.default_rng(number)
    options = {
        "network": {"name": ["sto-d", "complete"][int(rng.integers(2))]},
        "clients": int(rng.integers(2, 4)),
        "family": ["random", "aligned"][int(rng.integers(2))],
        "population": int(rng.integers(1, 5)),
        "batch": int(rng.integers(1, 3)),
        "eta_A": float(rng.uniform(0.05, 0.99)),
        "eta_B": float(10 ** rng.uniform(-2, 2)),
        **{"alpha": 1.0, "beta": 0.0, "terms": [2], "seed": number},
    }
    for version in STATEMENT.versions:
        found = judge_check(STATEMENT, version, Check("random", options), seeds=16)
        assert found.verdict == "HOLDS", (version, found.reason)


@pytest.mark.parametrize("number", range(20))
def test_random_true_instances_are_never_violated(number):
    no_violation(number)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20, 220))
def test_two_hundred_true_instances_are_never_violated(number):
    no_violation(number)
