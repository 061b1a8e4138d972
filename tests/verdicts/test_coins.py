"""Verdicts on steps that toss coins are exact where these can be listed or averaged over."""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import Algorithm
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T, f0, f_star
from theorylab.verdicts import judge_check

BENT = {"name": "log-cosh", "dim": 1}
BOWL = {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}


def survives():
    @dataclass(frozen=True)
    class Survives(Algorithm, name="test-survives"):
        """A run survives a round with chance 1/2 and doubles, else it is 0: E x^2 doubles."""

        def step(self, state, net):
            return net.next(state, x=2 * state.x * net.coins(1, "bernoulli", p=0.5))


pytestmark = pytest.mark.usefixtures("registries")


def judged(rounds, losses, quantity=None, bound=f0 - f_star):
    survives()
    version = Version(terms={"start": bound})
    claim = Statement(
        id="own.survives",
        source=Source("own", "1", "the mean does not grow"),
        algorithm="test-survives",
        quantity=quantity or Quantity("suboptimality", "last"),
        versions={"claim": version},
    )
    instance = {
        **{"problem": losses, "topology": {"name": "complete"}, "clients": 1, "rounds": rounds},
        **{"algorithm": {}, "x0": 1.0},
    }
    return judge_check(claim, "claim", Check("own", instance))


@pytest.mark.parametrize("rounds", [8, 12])
def test_a_mean_that_rare_runs_make_is_listed(rounds):
    found = judged(rounds, BENT)
    exact = np.log(np.cosh(2.0**rounds)) / 2.0**rounds if rounds < 9 else None
    assert found.verdict == "VIOLATED"
    assert found.runs == 1
    assert found.interval.startswith("exact expectation")
    if exact is not None:
        assert found.measured == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("rounds", [8, 12, 20])
def test_where_rounds_are_affine_there_is_no_longest(rounds):
    found = judged(rounds, BOWL)
    assert found.verdict == "VIOLATED"
    assert found.measured == pytest.approx(2.0**rounds / 2, rel=1e-13)


def test_the_largest_of_a_run_is_listed_whole():
    # the largest f of rounds 0..5 is 4^k/2 with chance 2^-k 1/2, and 4^5/2 with chance 2^-5
    exact = sum(
        Fraction(4 ** min(lives, 5), 2) / 2**6
        for way in itertools.product((0, 1), repeat=6)
        for lives in [next((k for k, one in enumerate(way) if not one), 6)]
    )
    found = judged(6, BOWL, Quantity("suboptimality", "max"))
    assert found.measured == pytest.approx(float(exact), rel=1e-12)
    assert found.verdict == "VIOLATED"


def test_a_chance_is_of_all_outcomes():
    # f(x_4) > 0 with chance 1/16
    for eps, verdict in ((0.1, "HOLDS"), (0.05, "VIOLATED")):
        quantity = Quantity("suboptimality", "last", chance=eps)
        assert judged(4, BOWL, quantity, bound=1 / (2 * T)).verdict == verdict
