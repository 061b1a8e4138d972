"""The probe: which variants are known to be false, and that nothing is called so without proof."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from quality_probe import Probe, measured, refuted_at
from quality_variants import Variant, variants

from theorylab.statements import BUILT_IN
from theorylab.symbols import symbol

planted_step = symbol("planted_step", "s_1", "the same option, as a step size")

LEM6 = BUILT_IN["pdbo.lem6"]
THM1 = BUILT_IN["dfedsgpsm.thm1"]
SMALL = {
    "problem": {"name": "log-cosh", "dim": 1, "center": 0.0, "sigma": 2.0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 8,
    "algorithm": {"eta": 0.1, "alpha": 0.5, "rho": 0.0, "local_steps": 2},
}


def named(statement, version, places):
    return {v.change: v for v in variants(statement, version, places)}


def bounded(told, level, **changes):
    """The planted statement with another bound."""
    version = replace(told.versions["printed"], terms={"bound": sp.Float(level)}, **changes)
    return Variant(f"bound {level}", replace(told, versions={"printed": version}))


def test_a_variant_below_what_was_measured_is_known_to_be_false():
    instance = LEM6.versions["printed/r3"].checks[0].instance  # attained: an equality
    case, places = measured(LEM6, "printed/r3", instance)
    found = named(LEM6, "printed/r3", places)
    assert refuted_at(found["all x 9/10"], "printed/r3", case, places)
    case, places = measured(THM1, "corrected", SMALL)
    found = named(THM1, "corrected", places)
    assert not refuted_at(found["all x 9/10"], "corrected", case, places)  # slack hides it


def test_outside_the_assumptions_nothing_is_measured():
    fast = {**SMALL, "algorithm": {**SMALL["algorithm"], "eta": 50.0}}
    assert measured(THM1, "corrected", fast) is None


def test_the_walk_finds_what_is_far_from_every_check(planted):
    told = planted(1e300)  # the check measures 2/3; a count of 2048 at a share of .999 gives 2e6
    probe = Probe(told, "printed", clock=itertools.count().__next__)  # seconds of no machine
    probe.leap(100)
    assert len({repr(case.check.instance) for case, _ in probe.seen}) > 5
    found = [bounded(told, 1e4), bounded(told, 1e250)]
    shown = probe.known(found, 100)
    assert set(shown) == {"bound 10000.0"}
    value = shown["bound 10000.0"]
    assert value["share"] / (1 - value["share"]) * value["count"] > 1e4


def test_what_only_a_wider_cap_lets_in_shows_the_cap_alone_to_be_false(planted):
    # Below the cap .05 the measured side is at most .05/.95; below ten times it, at most 1.
    step = planted_step
    told = planted(0.5, rule=step < 0.05, instance={"share": 0.04, "count": 1})
    probe = Probe(told, "printed")
    probe.look({"share": 0.45, "count": 1})
    wide = named(told, "printed", ())["cap x 10: cap"]
    shown = probe.known([wide, bounded(told, 0.4)], 0.0)
    assert set(shown) == {"cap x 10: cap"}
    assert probe.inside() == []
    probe.look({"share": 0.04, "count": 1})
    assert len(probe.inside()) == 1


def test_runs_that_happen_to_lie_high_are_measured_again(planted):
    # One run in ten is 5: the mean is .5. The first 16 runs are made to look like 5 each.
    told = planted(1.0, column="noisy", instance={"share": 0.5, "count": 1})
    probe = Probe(told, "printed")
    probe.look({"share": 0.5, "count": 1})
    case, (place,) = probe.seen[0]
    high = replace(place.interval, low=4.0, high=6.0)
    probe.seen[0] = (case, (replace(place, interval=high, values=np.full(16, 5.0)),))
    assert refuted_at(bounded(told, 1.0), "printed", *probe.seen[0])
    assert probe.known([bounded(told, 1.0)], 0.0) == {}


def test_two_probes_with_one_seed_see_the_same(planted):
    told = planted(10.0)
    seen = []
    for _ in range(2):
        probe = Probe(told, "printed")
        for instance in probe.first:
            probe.look(instance)
        draws = [probe.draw.random() for _ in range(3)]
        seen.append((probe.tried, [case.check.instance for case, _ in probe.seen], draws))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("instance", [{"share": 2.0, "count": 1}, {"share": "x"}])
def test_what_is_no_instance_is_passed_over(planted, instance):
    probe = Probe(planted(10.0), "printed")
    assert probe.look(instance) is None
    assert probe.seen == []
