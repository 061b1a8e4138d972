"""Eq. (2) of dfedsgpsm by plain loops, at drawn losses."""

import itertools
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


def row(**options):
    instance = {**INSTANCE, "algorithm": {**INSTANCE["algorithm"], **options}}
    setting = built("here", parsed("here", instance), "dfedsgpsm-s")
    (found,) = measured(metric("dfedsgpsm.wait"), setting, {}, law="sampled", runs=range(2)).rows
    return found


def gaps_by_hand():
    f = [math.log(math.cosh(x - c)) for (x,), (c,) in zip(INSTANCE["x0"], CENTERS, strict=True)]
    return [[abs(a - b) for b in f] for a in f]


def test_a_wait_is_that_of_the_formula():
    gaps = gaps_by_hand()
    chances = [
        sum(
            math.exp(gaps[i][j]) / sum(math.exp(gaps[i][k]) for k in range(4) if k != i)
            for i in range(4)
            if i != j
        )
        for j in range(4)
    ]
    found = row()
    assert found.values == pytest.approx([-math.log(min(chances))] * 2, rel=1e-12)
    assert 0 < found.rounding < 1e-10


@pytest.mark.parametrize("picks", [1, 2, 3])
def test_the_wait_for_one_of_several_picks_is_within_its_rounding(picks):
    gaps = gaps_by_hand()

    def chance(i, j):
        """That i picks j, over all orders in which it can pick."""
        total = 0.0
        others = [k for k in range(4) if k != i]
        for order in itertools.permutations(others, picks):
            left, p = list(others), 1.0
            for k in order:
                p *= math.exp(gaps[i][k]) / sum(math.exp(gaps[i][m]) for m in left)
                left.remove(k)
            total += p * (j in order)
        return total

    chances = [sum(chance(i, j) for i in range(4) if i != j) for j in range(4)]
    exact, found = -math.log(min(chances)), row(neighbours=picks)
    assert found.values == pytest.approx([exact] * 2, abs=found.rounding)
    assert found.rounding < (1e-10 if picks == 1 else 1.5)
