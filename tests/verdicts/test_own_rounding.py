"""A user's experiment is allowed what rounding does to the numbers that it adds."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import Experiment, Observation, Row
from theorylab.falsify import falsify
from theorylab.known import How, Known
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol
from theorylab.verdicts import judge_check

shift = symbol("test_rounding_shift", "h", "how far the point moves")
TINY = 1.2e-16  # 1 + TINY is 1 + 2.2e-16 in float64


class Doubled(Experiment, name="test-doubled"):
    """|g(x + h) - g(x)| of g(x) = 2 x, which is 2 h for every x."""

    columns = ("moved",)

    def __init__(self, *, x=1.0, h=1e-3, size=None, rounding=None):
        if not h > 0:
            raise ValueError("doubled: need h > 0")
        self.x, self.h = x, h
        self.rest = {"size": size, "rounding": rounding}

    def describe(self):
        return {"x": self.x, "h": self.h, **self.rest}

    def constants(self):
        return {"test_rounding_shift": Known(self.h, How.EXACT, "option")}

    def observe(self, column, runs, seed):
        return Observation(
            (Row(np.array([2 * (self.x + self.h) - 2 * self.x]), **self.rest),), True
        )


def lemma(factor):
    """|g(x + h) - g(x)| <= factor h: true where factor is at least 2."""
    return Statement(
        id="test.doubled",
        source=Source("test", "Lemma 1", "doubled"),
        experiment="test-doubled",
        quantity=Quantity("moved", "rows", (0, 0), "m"),
        versions={"claim": Version({"all": factor * shift}, (), (Check("wide", {"h": 0.5}),))},
    )


def judged(factor, exactly=False, **options):
    return judge_check(lemma(factor), "claim", Check("one", options), exactly=exactly)


def test_a_true_lemma_is_not_refuted_where_a_number_is_rounded_away():
    measured = 2 * (1.0 + TINY) - 2.0
    assert measured > 3 * TINY  # float64 says that the lemma is false
    found = judged(3, h=TINY)
    assert found.verdict == "INCONCLUSIVE"
    assert "rounding" in found.reason
    assert found.measured == measured
    assert judged(3, h=TINY, exactly=True).verdict == "HOLDS"


def test_what_stands_out_of_rounding_is_decided():
    assert [judged(factor).verdict for factor in (3, 1)] == ["HOLDS", "VIOLATED"]


@pytest.mark.parametrize(("x", "h"), [(1e6, 1e-10), (-3e9, 2e-7), (1.0, 1e-15)])
def test_the_largest_number_of_the_instance_counts(x, h):
    assert judged(3, x=x, h=h).verdict == "INCONCLUSIVE"
    # 4096 roundings of that number, or of 1
    room = 4096 * 2.0**-53 * max(1.0, abs(x))
    assert judged(1, x=x, h=1.01 * room).verdict == "VIOLATED"
    assert judged(1, x=x, h=0.9 * room).verdict == "INCONCLUSIVE"


def test_a_size_that_is_declared_takes_its_place():
    small = {"x": 1e-20, "h": 1e-23}
    assert judged(3, **small).verdict == "INCONCLUSIVE"  # 1 may have been added, for all we know
    told = [judged(factor, **small, size=1e-20).verdict for factor in (3, 1)]
    assert told == ["HOLDS", "VIOLATED"]
    assert judged(1, size=1e11).verdict == "INCONCLUSIVE"


def test_a_rounding_that_is_declared_is_all_there_is():
    assert [judged(f, h=1e-15, rounding=0.0).verdict for f in (3, 1)] == ["HOLDS", "VIOLATED"]
    assert judged(1, rounding=0.5).verdict == "INCONCLUSIVE"


def test_a_search_refutes_no_true_lemma_by_rounding():
    found = falsify(lemma(3), "claim", budget=400, clock=itertools.count().__next__)
    assert not found.refuted
    assert found.tried > 30
    assert falsify(lemma(1), "claim", budget=400, clock=itertools.count().__next__).refuted


@pytest.mark.parametrize("size", [-1.0, float("nan"), float("inf")])
def test_a_size_that_is_none_is_one_line(size):
    with pytest.raises(ValueError, match=r"size is .*; need a number >= 0, and no rounding$"):
        Row(np.array([1.0]), size=size)


def test_of_size_and_rounding_one_is_enough():
    with pytest.raises(ValueError, match="and no rounding"):
        Row(np.array([1.0]), size=1.0, rounding=0.0)
