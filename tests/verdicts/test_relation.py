"""Claims from below: the measured side is at least the bound."""

import numpy as np
import pytest

from theorylab.experiments import Experiment, Observation, Row
from theorylab.falsify.score import scored
from theorylab.known import How, Known
from theorylab.statements import BUILT_IN, Check, Quantity, Source, Statement, Version
from theorylab.symbols import Side, symbol
from theorylab.verdicts import judge_check

floor = symbol("test_least", r"\ell_{\min}", "a bound to compare with", side=Side.UPPER)


class Level(Experiment, name="test-level"):
    """The number 1 give or take ``room``, against ``floors``."""

    columns = ("level",)

    def __init__(self, *, floors, room=0.0, how="exact"):
        self.options = {"floors": floors, "room": room, "how": how}

    def describe(self):
        return self.options

    def constants(self):
        return {}

    def observe(self, column, runs, seed):
        rows = [
            Row(
                np.ones(1),
                {"test_least": Known(at, How(self.options["how"]), "option")},
                f"k={k}",
                rounding=self.options["room"],
            )
            for k, at in enumerate(self.options["floors"])
        ]
        return Observation(tuple(rows), True)


def judged(relation=">=", **options):
    content = Statement(
        id="test.level",
        source=Source("test", "none", "the number 1"),
        experiment=Level.name,
        quantity=Quantity("level", "rows", (0, 0), "k"),
        versions={"printed": Version({"floor": floor}, (), relation=relation)},
    )
    return judge_check(content, "printed", Check("one", options))


@pytest.mark.parametrize(
    ("floors", "room", "verdict"),
    [
        ([0.5], 0.25, "HOLDS"),
        ([1.0], 0.0, "HOLDS"),
        ([0.9], 0.25, "INCONCLUSIVE"),
        ([1.1], 0.25, "INCONCLUSIVE"),
        ([1.5], 0.25, "VIOLATED"),
        ([0.5, 1.5, 0.9], 0.25, "VIOLATED"),
        ([0.5, 0.9], 0.25, "INCONCLUSIVE"),
    ],
)
def test_the_measured_side_has_to_reach_the_bound(floors, room, verdict):
    found = judged(floors=floors, room=room)
    assert found.verdict == verdict
    assert found.bound == (max(floors) if verdict != "INCONCLUSIVE" else floors[-1])
    assert found.ratio == found.bound  # over the measured 1: above 1 where it is broken
    assert found.relation == ">="
    assert (scored(found) > 0) == (verdict == "VIOLATED")


def test_the_same_numbers_tell_the_other_way_round_from_above():
    assert judged("<=", floors=[0.5], room=0.25).verdict == "VIOLATED"
    assert judged("<=", floors=[1.5], room=0.25).verdict == "HOLDS"


@pytest.mark.parametrize("how", ["upper", "lower", "estimate"])
def test_a_bound_that_is_known_from_one_side_decides_nothing(how):
    found = judged(floors=[0.5], how=how)
    assert found.verdict == "INCONCLUSIVE"
    assert "test_least" in found.reason
    assert "known" in found.reason


def test_another_relation_is_one_line():
    with pytest.raises(ValueError, match="relation is '<'; need '<=' or '>='"):
        Version({"floor": floor}, (), relation="<")


def test_the_claim_that_hgp_is_biased_stands_the_right_way_round():
    version = BUILT_IN["pdbo.sec61"].versions["printed"]
    result = judge_check(BUILT_IN["pdbo.sec61"], "printed", version.checks[0])
    assert result.relation == ">="
    assert result.verdict == "VIOLATED"
    assert 0 <= result.measured < result.bound
