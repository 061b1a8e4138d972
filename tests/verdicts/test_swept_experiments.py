"""A sweep of an experiment's options, and the curve that any sweep leaves."""

from dataclasses import replace

import pytest

from theorylab.experiments import Experiment, Observation
from theorylab.statements import BUILT_IN, Check
from theorylab.verdicts import judge_check
from theorylab.verdicts.sweep import is_swept

STATEMENT = BUILT_IN["pdbo.thm8_series"]
CHECK = STATEMENT.versions["printed/hgp"].checks[0]
SWEEP = {"parameter": "last", "values": [2, 8, 32]}
INSTANCE = {**CHECK.instance, "last": 2, "sweep": SWEEP}


def judged(statement=STATEMENT, version="printed/hgp", instance=None):
    instance = INSTANCE if instance is None else instance
    return judge_check(statement, version, Check("c", instance), rows=True)


def test_every_value_is_judged_and_the_curve_runs_along_them():
    result = judged()
    etas = len(CHECK.instance["eta"])
    assert result.places == 3 * etas
    assert {row.place.partition(",")[0] for row in result.rows} == {"last=2", "last=8", "last=32"}
    assert (result.curve.axis, result.curve.rounds) == ("last", [2, 8, 32])


def test_the_point_of_the_curve_is_the_place_nearest_to_breaking_the_claim():
    """Of a claim with >= that is where measured over bound is the least."""
    one = judged(instance={**INSTANCE, "sweep": {**SWEEP, "values": [8]}})
    ratios = {row.measured / row.bound: row.measured for row in one.rows}
    assert len(ratios) > 1
    version = STATEMENT.versions["printed/hgp"]
    for relation, chosen in (("<=", max(ratios)), (">=", min(ratios))):
        versions = {"printed/hgp": replace(version, relation=relation)}
        curve = judged(replace(STATEMENT, versions=versions)).curve
        assert curve.measured[1] == ratios[chosen]


def test_a_value_that_breaks_the_claim_is_found_and_named():
    version = STATEMENT.versions["printed/hgp"]
    falls = replace(version, terms={k: t / 2 for k, t in version.terms.items()})
    result = judged(replace(STATEMENT, versions={"printed/hgp": falls}))
    assert result.verdict == "VIOLATED"
    assert result.place.startswith("last=")


def test_an_experiment_with_a_sweep_of_its_own_keeps_it(registries):
    class Own(Experiment, name="own-sweep"):
        columns = ("x",)

        def __init__(self, *, sweep=()):
            self.sweep = sweep

        def describe(self):
            return {"sweep": self.sweep}

        def constants(self):
            return {}

        def observe(self, column, runs, seed):
            return Observation((), True)

    own = replace(STATEMENT, experiment="own-sweep")
    assert not is_swept(own, "printed/hgp", {"sweep": SWEEP})
    assert is_swept(STATEMENT, "printed/hgp", {"sweep": SWEEP})
    assert not is_swept(STATEMENT, "printed/hgp", {})


def test_a_sweep_that_leads_nowhere_is_one_line():
    wrong = {**CHECK.instance, "sweep": {"parameter": "network.edge", "values": [1, 2]}}
    with pytest.raises(ValueError, match=r"has no 'network\.edge'") as told:
        judged(instance=wrong)
    assert "\n" not in str(told.value)


def test_what_grows_with_the_parameter_comes_value_by_value():
    each = [{"last": 2, "eta": [0.1]}, {"last": 8, "eta": [0.1, 0.2]}]
    sweep = {"parameter": "size", "values": [1, 2], "each": each}
    result = judged(instance={**INSTANCE, "sweep": sweep})
    assert [row.place.partition(",")[0] for row in result.rows] == ["size=1", "size=2", "size=2"]
    alone = judged(instance={**CHECK.instance, **each[1]})
    assert [row.measured for row in alone.rows] == [row.measured for row in result.rows[1:]]


def test_a_part_too_few_is_one_line():
    sweep = {"parameter": "size", "values": [1, 2], "each": [{"last": 2}]}
    with pytest.raises(ValueError, match=r"each has 1 parts; need one a value, 2$") as told:
        judged(instance={**INSTANCE, "sweep": sweep})
    assert "\n" not in str(told.value)
