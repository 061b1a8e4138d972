"""(C, q) is a curve: a bound takes its smallest pair, and a violation says how far it reaches."""

import functools

import numpy as np
import pytest

from theorylab.constants import consensus_pairs
from theorylab.statements import Assumption, Check, Source, Statement, Version
from theorylab.symbols import C, L, f0, f_star, q
from theorylab.topologies import topology
from theorylab.verdicts import judge_check

RUN = {
    "problem": {"name": "quadratic", "dim": 1, "mu": 1.0, "L": 2.0},
    "topology": {"name": "one-peer-exponential"},
    "clients": 6,
    "rounds": 6,
    "algorithm": {"eta": 0.1},
    "x0": 1.0,
}
BASE = L * (f0 - f_star)  # has the units of a squared gradient


def judged(term, run=RUN, fixed=False, **options):
    version = Version(
        terms={"all": term},
        assumes=(
            Assumption("q < 1, C finite", rule=q < 1, finite=(C,)),
            *options.pop("assumes", ()),
        ),
        constants={C: "C_row", q: "q_row"},
        fixed_pair=fixed,
        checks=(Check("one", run),),
    )
    own = Statement(
        id="own.claim",
        source=Source("own", "Claim", "for the tests"),
        algorithm="sgp",
        quantity="mean_squared_gradient",
        versions={"printed": version},
    )
    return judge_check(own, "printed", version.checks[0])


@functools.cache
def curve():
    built = topology("one-peer-exponential", RUN["clients"])
    return consensus_pairs(built, RUN["rounds"])["row"][0].pairs


@pytest.mark.parametrize("power", [1, 8, 60])
def test_a_bound_takes_the_valid_pair_that_makes_it_smallest(power):
    result = judged(1e3 * BASE * C * q**power / (1 - q))
    rates = np.linspace(curve().q_min, 1, 20_000, endpoint=False)
    best = min(curve().C(rate) * rate**power / (1 - rate) for rate in rates)
    scale = result.bound / (result.constants["C"]["value"] * result.constants["q"]["value"] ** power
                            / (1 - result.constants["q"]["value"]))  # fmt: skip
    # the grid's own step, and 1e-4 in the logarithm of 1 - q
    assert result.bound / scale == pytest.approx(best, rel=1e-3)
    assert "makes the bound smallest" in result.constants["q"]["source"] or power == 1


def test_a_pair_that_something_else_was_measured_with_stays():
    pair = curve().smallest
    fixed = judged(1e3 * BASE * C * q**60, fixed=True)
    assert (fixed.constants["C"]["value"], fixed.constants["q"]["value"]) == pair
    assert judged(1e3 * BASE * C * q**60).bound < fixed.bound


def test_no_pair_is_taken_that_breaks_an_assumption():
    cap = Assumption("C small", rule=1.05 * curve().smallest[0] > C)
    free, capped = (judged(1e3 * BASE * C * q**60, assumes=a) for a in ((), (cap,)))
    assert free.constants["C"]["value"] > 1.05 * curve().smallest[0]
    assert capped.constants["C"]["value"] < 1.05 * curve().smallest[0]
    assert capped.verdict != "ASSUMPTION_FAILS"


def test_a_violation_says_for_which_pairs_it_stands():
    # measured is about BASE / 4 on this run: far above the one, near the smallest of the other
    everywhere = judged(1e-9 * BASE * C**0 * (1 + q))
    assert everywhere.verdict == "VIOLATED"
    level = everywhere.measured
    near = judged(1e-9 * BASE * C / (1 - q))
    smallest = near.bound
    assert near.verdict == "VIOLATED"
    part = judged(1e-9 * BASE * C / (1 - q) * 0.5 * level / smallest)
    assert part.verdict == "VIOLATED"
    assert part.ratio == pytest.approx(2, rel=1e-3)


def test_a_pair_of_some_rounds_carries_no_violation_but_a_label():
    drawn = {**RUN, "topology": {"name": "random-out", "degree": 2, "seed": 1}}
    false = judged(1e-9 * BASE * C / (1 - q), drawn)
    assert false.verdict == "INCONCLUSIVE"
    assert "C, q (rounds 0..6, run 0) may be larger in other rounds" in false.reason
    true = judged(1e9 * BASE * C / (1 - q), drawn)
    assert true.verdict == "HOLDS"
    assert "C, q (rounds 0..6, run 0)" in true.reason
    assert [a.within for a in true.assumptions] == ["rounds 0..6, run 0"]


def test_a_network_that_never_mixes_has_no_pair():
    ring = {**RUN, "topology": {"name": "directed-ring", "self_loops": False}}
    result = judged(1e9 * BASE * C / (1 - q), ring)
    assert result.verdict == "ASSUMPTION_FAILS"
    assert "|lambda_2| = 1: the closed class has period 6" in result.reason
