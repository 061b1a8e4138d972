"""A mean that lies in rare outcomes is found: limits by the likeliest outcomes of what is drawn."""

import itertools
import math

import numpy as np
import pytest
import sympy as sp

from theorylab.metrics import Metric
from theorylab.runs import Interval, Row, Support
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.verdicts import judge_check
from theorylab.verdicts.likely import narrowed

ROUNDS, CHANCE, ETA = 30, 1e-4, 0.1
pytestmark = pytest.mark.usefixtures("registries")


def judged(quantity, bound, rounds=ROUNDS, chance=CHANCE, **more):
    version = Version(terms={"bound": sp.sympify(bound)})
    claim = Statement(
        id="own.rare",
        source=Source("own", "1", "rare noise"),
        algorithm="sgp",
        quantity=quantity,
        versions={"v": version},
    )
    noisy = {"name": "noisy", "base": {"name": "log-cosh", "dim": 1, "center": 0.0},
             "field": "two-point", "sigma": 1.0, "chance": chance}  # fmt: skip
    instance = {
        **{"problem": noisy, "topology": {"name": "complete"}, "clients": 1, "rounds": rounds},
        **{"algorithm": {"eta": ETA}, "x0": 0.0, **more},
    }
    return judge_check(claim, "v", Check("own", instance))


def outcomes(rounds, chance, events):
    """(chance, x^0 .. x^T) of all ways with at most so many rare draws, by plain loops."""
    found = []
    for many in range(events + 1):
        for places in itertools.combinations(range(rounds), many):
            for signs in itertools.product((-1, 1), repeat=many):
                x, path = 0.0, [0.0]
                for t in range(rounds):
                    kick = 0.0
                    if t in places:
                        kick = signs[places.index(t)] / math.sqrt(chance)
                    x -= ETA * (math.tanh(x) + kick)
                    path.append(x)
                weight = (1 - chance) ** (rounds - many) * (chance / 2) ** many
                found.append((weight, np.array(path)))
    return found


def value(x):
    return np.abs(x) + np.log1p(np.exp(-2 * np.abs(x))) - math.log(2)


def test_a_mean_that_no_run_shows_is_beyond_its_bound():
    found = judged(Quantity("suboptimality", "last"), 0.0025)
    one, two = (
        sum(w * value(path[-1]) for w, path in outcomes(ROUNDS, CHANCE, events))
        for events in (1, 2)
    )
    assert found.verdict == "VIOLATED"
    assert one < found.measured <= two * (1 + 1e-12)
    assert found.ci[0] <= found.measured
    assert "from below by the 512 likeliest outcomes, of chance 0.999997 together" in found.interval


PLACES = {
    "average": lambda path: value(path[:-1]).mean(),
    "max": lambda path: value(path[:-1]).max(),
    "last": lambda path: value(path[-1]),
    "average iterate": lambda path: value(path[:-1].mean()),
}


@pytest.mark.parametrize("over", PLACES)
def test_every_place_of_a_run_is_weighed_by_the_chance_of_its_outcome(over):
    # 9 rounds of three outcomes are more than are listed: 512 of them tell nearly all
    found = judged(Quantity("suboptimality", over), 0.0, rounds=9, chance=0.01)
    two, three = (
        sum(w * PLACES[over](path) for w, path in outcomes(9, 0.01, events)) for events in (2, 3)
    )
    assert found.verdict == "VIOLATED"
    assert two < found.measured < three
    assert found.ci[0] == pytest.approx(found.measured, rel=1e-8)


def test_every_round_has_its_own_limit_and_the_least_of_them_is_that_of_the_best():
    ways = outcomes(12, 0.01, 3)
    each = [sum(w * value(path[t]) for w, path in ways) for t in range(13)]
    every = judged(Quantity("suboptimality", "every"), each[12] * 0.9, rounds=12, chance=0.01)
    assert every.verdict == "VIOLATED"
    assert judged(Quantity("suboptimality", "best"), 0.0, rounds=12, chance=0.01).measured == 0


def test_a_ceiling_of_what_is_left_over_decides_from_above():
    # |f'| <= 1: outside of the outcomes that were looked at the square is at most 1
    found = judged(Quantity("squared_gradient", "last"), 0.01)
    assert found.verdict == "HOLDS"
    assert found.runs == 16
    exact = sum(w * math.tanh(path[-1]) ** 2 for w, path in outcomes(ROUNDS, CHANCE, 2))
    assert found.ci[0] <= exact <= found.ci[1] < exact * 1.01 + 1e-5


class Large(Metric, name="test-large"):
    """|x^{t+1}| after every round."""

    def rows(self, before, after):
        yield Row(np.abs(after.x[:, 0, 0]), {"t": before.t}, f"t={before.t}")


def test_a_metric_is_looked_at_in_the_same_outcomes():
    found = judged(Quantity("test-large", "rows", units=(0, 1), text="x"), 0.001)
    at = int(found.place.removeprefix("t=")) + 1
    exact = sum(w * abs(path[at]) for w, path in outcomes(ROUNDS, CHANCE, 2))
    assert found.verdict == "VIOLATED"
    assert found.measured == pytest.approx(exact, rel=1e-2)


SAMPLE = Interval(-math.inf, math.inf, True, "runs")


def test_limits_are_those_of_the_chances():
    values, weights = np.array([0.0, 4.0]), np.array([0.75, 0.125])
    middle, found = narrowed(0.0, SAMPLE, Support(), values, weights)
    assert (found.low, found.high) == (pytest.approx(0.5), math.inf)
    assert middle == pytest.approx(0.5)
    # what is left over, 1/8, may be at the floor or at the ceiling
    _, found = narrowed(0.0, SAMPLE, Support(-8.0, 16.0), values, weights)
    assert (found.low, found.high) == (pytest.approx(-0.5), pytest.approx(2.5))


def test_without_a_floor_or_a_ceiling_nothing_is_known():
    values, weights = np.array([0.0, 4.0]), np.array([0.75, 0.125])
    assert narrowed(0.0, SAMPLE, Support(-math.inf), values, weights) == (0.0, SAMPLE)


@pytest.mark.parametrize(("support", "line"), [
    (Support(1.0), "a run may be 0, below the floor 1; need a floor="),
    (Support(0.0, 3.0), "a run may be 4, above the ceiling 3; need a ceiling="),
])  # fmt: skip
def test_an_outcome_beyond_its_bounds_is_one_line(support, line):
    with pytest.raises(ValueError, match=line):
        narrowed(0.0, SAMPLE, support, np.array([0.0, 4.0]), np.array([0.75, 0.125]))
