"""Eq. (2) of dfedsgpsm by plain loops, at drawn losses."""

import math

import pytest

from theorylab.metrics import measured, metric
from theorylab.verdicts.instance import built, parsed

CENTERS = [[0.3], [-1.2], [2.0], [0.9]]
INSTANCE = {
    "problem": {"name": "log-cosh", "centers": CENTERS},
    "topology": {"name": "complete"},
    "clients": 4,
    "rounds": 1,
    "algorithm": {"eta": 1e-3, "alpha": 0.5, "rho": 0.0, "local_steps": 1, "neighbours": 1},
    "x0": [[0.1], [0.4], [-0.2], [0.0]],
}


def row(name):
    setting = built("here", parsed("here", INSTANCE), "dfedsgpsm-s")
    (found,) = measured(metric(name), setting, {}, law="sampled", runs=range(2)).rows
    return found


def test_gaps_and_waits_are_those_of_the_formula():
    f = [math.log(math.cosh(x - c)) for (x,), (c,) in zip(INSTANCE["x0"], CENTERS, strict=True)]
    gaps = [[abs(a - b) for b in f] for a in f]
    found = row("dfedsgpsm.loss_gap")
    assert found.values == pytest.approx([max(map(max, gaps))] * 2, rel=1e-12)
    chances = [
        sum(
            math.exp(gaps[i][j]) / sum(math.exp(gaps[i][k]) for k in range(4) if k != i)
            for i in range(4)
            if i != j
        )
        for j in range(4)
    ]
    found = row("dfedsgpsm.wait")
    assert found.values == pytest.approx([-math.log(min(chances))] * 2, rel=1e-12)
    assert 0 < found.rounding < 1e-10
