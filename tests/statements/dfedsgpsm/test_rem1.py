"""The printed q bounds the true rate of every network looked at."""

import math

import numpy as np
import pytest

from theorylab.statements import Check
from theorylab.statements.dfedsgpsm._symbols import q_remark
from theorylab.statements.dfedsgpsm.rem1 import STATEMENT
from theorylab.verdicts import judge_check


def test_the_verdicts(judged):
    # rings: |lambda_2| = cos(pi/n), and a = 1/2 at Delta = 15
    found = judged(STATEMENT)["printed/degree", "many-networks"]
    assert found.measured == pytest.approx(math.cos(math.pi / 16), rel=1e-9)


def test_planted_errors_are_refuted(missed):
    variants = {
        "half": {"q": q_remark / 2},
        "2 % less": {"q": 0.98 * q_remark},
        "square": {"q": q_remark**1500},
        "1 - gap times 1000": {"q": 1 - 10000 * (1 - q_remark)},
        "nothing": {"q": 0 * q_remark},
    }
    assert missed(STATEMENT, "printed/degree", variants) == set()


def drawn_networks(count):
    """A ring on 3 to 8 clients in drawn order, with drawn chords: strongly connected."""
    rng, made = np.random.default_rng(9), []
    for _ in range(count):
        n = int(rng.integers(3, 9))
        order = [int(i) for i in rng.permutation(n)]
        edges = {(order[k], order[(k + 1) % n]) for k in range(n)}
        chance = rng.uniform(0, 0.6)
        edges |= {(i, j) for i in range(n) for j in range(n) if i != j and rng.random() < chance}
        made.append({"name": "edge-list", "clients": n, "edges": [[*e] for e in sorted(edges)]})
    return {"networks": made}


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_the_q_of_drawn_networks_bounds_their_rate(count):
    for version in ("printed", "printed/degree"):
        found = judge_check(STATEMENT, version, Check("drawn", drawn_networks(count)))
        assert (found.verdict, found.places) == ("HOLDS", count), found.reason
