"""Printed: false where only another client moves. Corrected: true, and tight."""

import math

import pytest

from theorylab.statements.dfedsgpsm._symbols import (
    largest_gap,
    largest_sum,
    own_start,
    own_sum,
    t,
)
from theorylab.statements.dfedsgpsm.eq6 import STATEMENT
from theorylab.symbols import C, q

TERMS = STATEMENT.versions["corrected"].terms
START = {
    "problem": {"name": "log-cosh", "dim": 1},
    "topology": {"name": "directed-ring"},
    "clients": 3,
    "rounds": 8,
    "algorithm": {"eta": 1e-9, "alpha": 0.0, "rho": 0.0, "local_steps": 1},
    "x0": [[1.0], [-1.0], [-1.0]],
}


def test_the_verdicts(judged):
    results = judged(STATEMENT)
    for version in ("printed", "printed/sgp", "printed/least-pair"):
        found = results[version, "one-moves"]
        assert found.bound == 0.0  # nobody told client 2 yet, and xbar has moved
        # a third of client 0's update: K = 2 steps of slope tanh(5), alpha = 1/2
        assert found.measured == pytest.approx(1e-6 * 2.5 * math.tanh(5) / 3, rel=1e-5)
        assert "client i alone" in found.rests_on


def test_planted_errors_are_refuted(missed):
    first, updates = TERMS["first models"], TERMS["updates"]
    variants = {
        "half": {name: term / 2 for name, term in TERMS.items()},
        "own updates": TERMS | {"updates": updates.subs(largest_sum, own_sum)},
        "own start": TERMS | {"first models": first.subs(largest_gap, own_start)},
        "no updates": {"first models": first},
        "no start": {"updates": updates},
        "q^2t": TERMS | {"first models": first * q**t},
        "no C": {name: term / C for name, term in TERMS.items()},
    }
    one_away = {**START, "x0": [[1.0], [0.0], [0.0]]}
    assert missed(STATEMENT, "corrected", variants, [START, one_away]) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=False) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=False) >= 15 * 9
