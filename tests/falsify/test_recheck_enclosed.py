"""A re-check where f* or x* is known between two ends: what lies within these is not re-checked."""

import importlib
from dataclasses import replace

import mpmath
import pytest

from theorylab.falsify.recheck import recheck
from theorylab.known import How
from theorylab.problems import Huber, problem
from theorylab.scripts import _columns, exactly, script
from theorylab.scripts.exactly import ByScript
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import T
from theorylab.verdicts import judge_check

module = importlib.import_module("theorylab.falsify.recheck")
TWO = {"problem": {"name": "huber", "centers": [[0.0], [9.0]]}, "clients": 2}  # f* = 4 on [1, 8]
ONE = {"problem": {"name": "log-cosh", "center": -0.3}, "clients": 1}  # x* = -3/10


def found(column, bound, losses, x0, monkeypatch, **instance):
    """(statement, result, re-check) of one step of 1/2, where the bound is that number."""
    run = {**losses, "topology": {"name": "complete"}, "rounds": 1, "algorithm": {"eta": 0.5}}
    run |= {"x0": x0, **instance}
    version = Version({"bound": T}, (), (Check("c", run, "HOLDS"),))
    statement = Statement(
        id="test.enclosed", source=Source("test", "Theorem 1", "a distance"), algorithm="sgp",
        quantity=Quantity(column, "last"), versions={"printed": version},
    )  # fmt: skip
    result = judge_check(statement, "printed", version.checks[0])

    def planted(*given, **keep):
        *lines, last = script(*given, **keep).splitlines()
        return "\n".join([*lines, f"bound = {bound!r}", last]) + "\n"

    monkeypatch.setattr(module, "script", planted)
    result = result.model_copy(update={"bound": bound})
    return statement, result, recheck(statement, "printed", result)


@pytest.fixture
def wide(monkeypatch):
    """f* of ``TWO`` in [4 - 1e-7, 4], of which scripts write the lower end; x* off by 1e-8."""
    known, low = Huber.constants, 4 - 1e-7

    def constants(self):
        least = known(self)["f_star"]
        assert least.how is How.CERTIFIED
        return known(self) | {"f_star": replace(least, value=low, lower=low, upper=4.0)}

    monkeypatch.setattr(Huber, "constants", constants)
    for each in (_columns, exactly):
        monkeypatch.setattr(each, "minimiser_off", lambda problem: 1e-8)


def test_a_finding_within_the_width_of_f_star_is_not_rechecked(wide, monkeypatch):
    # one step of 1/2 against the slope -1 leads from -2 to -3/2, where f is (1 + 10) / 2
    *_, within = found("suboptimality", 1.5 + 5e-8, TWO, -2.0, monkeypatch)
    assert (within.holds, within.how.split(":")[0]) == (None, "the side of the bound is open")
    *_, beyond = found("suboptimality", 1.5 - 1e-7, TWO, -2.0, monkeypatch)
    assert beyond.holds is True
    assert beyond.low <= 1.5 < 1.5 + 0.99e-7 <= beyond.high


def test_a_gap_that_is_the_width_alone_is_not_rechecked(monkeypatch):
    least = problem(clients=2, **TWO["problem"]).constants()["f_star"]
    assert least.value < 4 == least.upper
    *_, rest = found("suboptimality", (4 - least.value) / 4, TWO, 5.0, monkeypatch)
    assert rest.holds is None


def test_a_finding_within_the_ball_of_x_star_is_not_rechecked(wide, monkeypatch):
    with mpmath.workdps(30):
        away = mpmath.mpf("0.7") - mpmath.tanh(1) / 2 + mpmath.mpf("0.3")
        least, most = ((away + side) ** 2 for side in (-1e-8, 1e-8))
        inside, below = float((least + away**2) / 2), float(least - 1e-8)
    *_, within = found("squared_distance", inside, ONE, 0.7, monkeypatch)
    assert (within.holds, within.how.split(":")[0]) == (None, "the side of the bound is open")
    # the loss has a 0.3, too, and what it may be is not told from what x* may be: a wider ball
    *_, beyond = found("squared_distance", below, ONE, 0.7, monkeypatch)
    assert beyond.holds is True
    assert beyond.low <= least < most <= beyond.high


def test_ends_around_a_zero_are_played_too(wide, monkeypatch):
    at_zero = {"problem": {"name": "log-cosh"}, "clients": 1}
    with mpmath.workdps(30):
        away = mpmath.mpf("0.7") - mpmath.tanh(mpmath.mpf("0.7")) / 2
        least, most = ((away + side) ** 2 for side in (-1e-8, 1e-8))
        inside, below = float((least + away**2) / 2), float(least - 1e-8)
    assert found("squared_distance", inside, at_zero, 0.7, monkeypatch)[2].holds is None
    *_, beyond = found("squared_distance", below, at_zero, 0.7, monkeypatch)
    assert (beyond.holds, beyond.low <= least < most <= beyond.high) == (True, True)
    known = Huber.constants

    def about_0(self):  # f is 13/2 where the step leads, whatever f* is
        least = known(self)["f_star"]
        return known(self) | {"f_star": replace(least, value=0.0, lower=0.0, upper=1e-7)}

    monkeypatch.setattr(Huber, "constants", about_0)
    assert found("suboptimality", 6.5 - 5e-8, TWO, -3.0, monkeypatch)[2].holds is None
    assert found("suboptimality", 6.5 - 2e-7, TWO, -3.0, monkeypatch)[2].holds is True


@pytest.mark.parametrize(
    ("column", "losses", "told"),
    [
        ("squared_distance", ONE, "x* is known as a ball"),
        ("suboptimality", TWO, "f* is known as an interval"),
    ],
)
def test_no_script_decides_an_edge_by_the_middle_of_a_ball(wide, monkeypatch, column, losses, told):
    statement, result, _ = found(column, 0.1, losses, 0.7, monkeypatch)
    exact = ByScript.decide(statement, result, {}, 0)
    assert (exact.holds, exact.text) == (None, f"not decided exactly: {told}")
