"""The subject of a metric: what it keeps, and which rounds it looks at."""

import pytest

from theorylab.runs import mean_interval
from theorylab.statements import BUILT_IN, Check
from theorylab.statements.deprl._instances import NONLINEAR
from theorylab.verdicts import judge_check
from theorylab.verdicts import measured as measured_module
from theorylab.verdicts.case import Case
from theorylab.verdicts.swept import Swept


def drift(at=(), **changes):
    statement = BUILT_IN["dfedsgpsm.lem3"]
    instance = {**statement.versions["corrected"].checks[0].instance, **changes}
    check = Check("own", {**instance, "at": list(at)} if at else instance)
    return judge_check(statement, "corrected", check)


def test_what_is_kept_is_of_its_own_instance():
    first = drift()
    assert drift(x0=3.0).measured != first.measured
    assert drift(at=[0]).places < first.places
    assert drift().measured == first.measured


def test_few_observations_are_kept(monkeypatch):
    monkeypatch.setattr(measured_module, "_KEPT", {})
    monkeypatch.setattr(measured_module, "_MOST_KEPT", 5)
    for k in range(7):
        drift(x0=1.0 + k)
    assert len(measured_module._KEPT) == 5


def test_more_rounds_than_a_run_has_are_one_line_and_moments_take_them():
    statement = BUILT_IN["deprl.thm1"]
    version = "printed/no-self-loops"
    ring = statement.versions[version].checks[0].instance
    long = {key: value for key, value in ring.items() if key != "at"} | {"rounds": 2**32 + 1}
    with pytest.raises(ValueError, match=r"rounds is 4294967297; need at most 4294967296, or law"):
        judge_check(statement, version, Check("long", long))
    found = judge_check(statement, version, Check("long", {**long, "law": "moments"}))
    assert (found.verdict, found.place) == ("VIOLATED", "T=4294967297")


def test_a_round_that_is_not_played_is_one_line():
    rounds = BUILT_IN["dfedsgpsm.lem3"].versions["corrected"].checks[0].instance["rounds"]
    with pytest.raises(ValueError, match=rf"at is \[0, {rounds + 1}\]; need rounds 0..{rounds}"):
        drift(at=[0, rounds + 1])
    with pytest.raises(ValueError, match=r"at is \[-1\]; need rounds"):
        drift(at=[-1])
    assert drift(at=[0, rounds]).places == drift(at=[0]).places  # x^T has no rows of its own


def test_limits_of_all_rows_along_a_sweep_hold_together():
    statement = BUILT_IN["deprl.thm1"]
    content = statement.versions["corrected"]
    along = {"parameter": "algorithm.alpha", "values": [0.05, 0.1]}
    check = Check("own", {**NONLINEAR, "rounds": 5, "at": [4, 5], "sweep": along})
    case = Case(statement, "corrected", content, check, statement.quantity_of(content))
    swept = Swept(case, measured_module.Measured)
    places = swept.seen(case, swept.constants(case), 16, 16, 0).places
    assert len(places) == 4
    for place in places:
        wide = mean_interval(place.values, None, 1 / 4)
        assert place.interval.low == wide.low - place.room
        assert place.interval.high == wide.high + place.room
