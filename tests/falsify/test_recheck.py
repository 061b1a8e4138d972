"""The script in interval arithmetic against the simulation, and against numbers that are wrong."""

import importlib
import math
import pathlib
import types
from fractions import Fraction

import numpy as np
import pytest

from theorylab.falsify.recheck import recheck
from theorylab.runs import simulate
from theorylab.scripts import LONGEST, UnscriptedError, script
from theorylab.scripts.arrays_of_balls import ball
from theorylab.scripts.balls import UndecidedError
from theorylab.statements import BUILT_IN, Check
from theorylab.statements.deprl._instances import COROLLARY_RING
from theorylab.statements.dfedsgpsm._instances import WORKED_EXAMPLE
from theorylab.verdicts import judge_check, selected
from theorylab.verdicts.instance import built, parsed

module = importlib.import_module("theorylab.falsify.recheck")
THM1 = BUILT_IN["dfedsgpsm.thm1"]
SMALL = {
    **WORKED_EXAMPLE,
    "rounds": 12,
    "algorithm": {"eta": 0.01, "alpha": 0.9, "rho": 0.0, "local_steps": 3},
}
SAM = {**SMALL, "algorithm": {**SMALL["algorithm"], "rho": 0.2}}


@pytest.mark.parametrize("instance", [SMALL, SAM], ids=["momentum", "sam"])
def test_the_enclosure_is_the_simulations_number(instance):
    result = judge_check(THM1, "printed", Check("c", instance))
    found = recheck(THM1, "printed", result)
    assert found.high - found.low <= 1e-30 * found.high + 2 * math.ulp(found.high)
    setting = built("c", parsed("c", instance), "dfedsgpsm")
    trace = simulate(
        setting.problem,
        setting.topology,
        setting.algorithm,
        rounds=12,
        columns=["squared_gradient"],
    )
    # A dozen rounds of well-conditioned steps: 1e3 roundings at most.
    measured = trace.reduced("squared_gradient", "average")[0]
    assert found.low == pytest.approx(measured, rel=1e3 * 2.0**-52)


@pytest.fixture
def small():
    """A result whose bound may be replaced by ``of(bound)``, in the script, too."""
    result = judge_check(THM1, "printed", Check("c", SMALL))

    def of(bound):
        with pytest.MonkeyPatch.context() as patch:

            def planted(*given, **keep):
                *lines, last = script(*given, **keep).splitlines()
                return "\n".join([*lines, f"bound = {bound!r}", last]) + "\n"

            patch.setattr(module, "script", planted)
            return recheck(THM1, "printed", result.model_copy(update={"bound": bound}))

    return of


def test_a_violation_stands_only_beyond_the_bound(small):
    low = small(1e-3).low
    assert small(1e-3).holds is True
    assert small(low * (1 - 1e-6)).holds is True
    assert small(low * (1 + 1e-6)).holds is False
    edge = small(low)
    assert edge.holds is None
    assert edge.how.startswith("the side of the bound is open")


FAULTS = {  # of one line of a script: (statement, what is written, what ought to be)
    "the step is up": ("dfedsgpsm.lem3", "X = X - eta", "X = X + eta"),
    "no exchange": ("dfedalt.lem5", "U = P @ U", "U = 1.0 * U"),
    "one step fewer": ("dfedalt.eq9", "in range(K_u)", "in range(K_u - 1)"),
    "the sum and not the mean": ("dfedalt.lem3", "measured = ", "measured = 2 * "),
    "the average of fewer rounds": ("deprl.thm1", "measured = total / T", "measured = total"),
    "the edges turned round": ("pdbo.eq6", "mean * ", "mean.T * "),
    "chances turned round": ("pdbo.eq9", "E P\n", "E P\nmean = mean.T\n"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_line_of_a_script_is_seen(fault, monkeypatch):
    name, right, wrong = FAULTS[fault]
    statement = BUILT_IN[name]
    pairs = [(v, c) for v, content in statement.versions.items() for c in content.checks]
    seen = 0
    for version, check in pairs:
        if check.expect != "VIOLATED" or not check.quick or seen:
            continue
        result = judge_check(statement, version, check)
        text = script(statement, result, long=True)
        if right not in text:
            continue
        seen += 1
        with monkeypatch.context() as patch:
            planted = text.replace(right, wrong)
            patch.setattr(module, "script", lambda *a, planted=planted, **k: planted)
            found = recheck(statement, version, result)
        assert found.holds is not True
        assert "its measured side is another one" in found.how
    assert seen


def test_another_bound_in_the_script_is_seen(monkeypatch):
    result = judge_check(THM1, "printed", Check("c", SMALL))
    text = script(THM1, result, long=True)
    lines = [*text.splitlines()[:-1], "bound = bound * (1 + 1e-6)"]
    monkeypatch.setattr(module, "script", lambda *a, **k: "\n".join(lines))
    found = recheck(THM1, "printed", result)
    assert found.holds is False
    assert "its bound is another one" in found.how


def test_a_gradient_of_zero_under_sam_proves_nothing():
    statement = BUILT_IN["dfedsgpsm.lem3"]
    instance = dict(statement.versions["printed"].checks[0].instance)
    problem = {"name": "log-cosh", "dim": 1, "center": 0.1}
    instance |= {"problem": problem, "x0": 0.1, "rounds": 1, "clients": 2}
    instance["topology"] = {"name": "complete"}
    instance["algorithm"] = {**instance["algorithm"], "rho": 0.1}
    result = judge_check(statement, "printed", Check("c", instance))
    assert recheck(statement, "printed", result).holds is not True


def test_what_was_sampled_says_why_and_what_it_stands_on():
    noisy = {**SMALL, "problem": {**SMALL["problem"], "sigma": 0.1}}
    result = judge_check(THM1, "printed", Check("c", noisy), seeds=2)
    found = recheck(THM1, "printed", result)
    assert (found.holds, found.low) == (None, None)
    assert found.how == (
        "2 runs were sampled, and their law is not listed; it stands on 2 runs drawn anew once it "
        "was found, and a lower limit that is too high with a chance of at most 0.001 "
        f"({result.interval})"
    )
    assert "betting" in result.interval


def test_a_growth_that_fades_is_that_of_the_last_step(monkeypatch):
    statement = BUILT_IN["deprl.cor1_consensus"]
    version = next(name for name, v in statement.versions.items() if v.order is not None)
    sweep = types.SimpleNamespace(values=[1.0, 10.0, 100.0])
    monkeypatch.setattr(module, "swept", lambda *_: (None, types.SimpleNamespace(sweep=sweep)))
    result = types.SimpleNamespace(version=version)
    for ratios, growth in (([1, 10, 100], 10), ([1, 100, 200], 2), ([1, 2, 200], 10)):
        low, high = module._slower(statement, result, {"ratios": ratios}, ball(10)).ends
        assert low <= growth <= high <= low * (1 + 1e-12)


def test_a_place_of_a_sweep_is_rechecked_with_its_own_steps():
    statement = BUILT_IN["deprl.cor1"]
    version = "printed/no-self-loops"
    result = judge_check(statement, version, Check("ring", COROLLARY_RING))
    place, _, _ = result.place.partition(", ")
    right = recheck(statement, version, result)
    assert result.ci[0] <= right.low <= right.high <= result.ci[1]
    other = result.model_copy(update={"place": f"rounds=2e+07, {result.place.partition(', ')[2]}"})
    assert place != "rounds=2e+07"
    assert recheck(statement, version, other).holds is not True
    nowhere = recheck(statement, version, result.model_copy(update={"place": "T=200000000"}))
    assert nowhere.holds is None
    assert "is no value of the sweep" in nowhere.how


def test_a_bias_that_is_claimed_and_is_none_is_nothing_beside_the_bound():
    statement = BUILT_IN["pdbo.sec61"]
    (check, *_) = statement.versions["printed"].checks
    result = judge_check(statement, "printed", check)
    found = recheck(statement, "printed", result)
    assert found.holds is True
    assert -1e-30 < found.low <= 0 <= found.high < 1e-30


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("name", ["pdbo.eq9", "pdbo.alg5", "pdbo.appb"])
def test_estimators_of_several_numbers_a_client_are_enclosed(name, variant):
    statement = BUILT_IN[name]
    given = statement.versions["printed"].checks[0].instance
    problem = {"clients": 2, "dim": 2, "hyper": 3, "noise": 0.0, "seed": 1}
    instance = {**given, "place": {**given["place"], "variant": variant, "problem": problem}}
    result = judge_check(statement, "printed", Check("c", instance))
    found = recheck(statement, "printed", result)
    assert found.holds is (result.verdict == "VIOLATED"), found.how
    assert found.low == pytest.approx(result.measured, rel=1e-9, abs=result.bound)


@pytest.mark.parametrize("name", ["pdbo.eq41", "pdbo.itd_backward"])
def test_a_path_that_no_page_has_room_for_is_enclosed_all_the_same(name):
    statement = BUILT_IN[name]
    (check,) = (c for c in statement.versions["printed"].checks if c.name == "random-edges")
    result = judge_check(statement, "printed", check)
    with pytest.raises(UnscriptedError, match=f"lines; need at most {LONGEST}"):
        script(statement, result)
    found = recheck(statement, "printed", result)
    assert found.holds is True
    assert found.low == pytest.approx(result.measured, rel=1e-12)


@pytest.mark.parametrize("name", ["pdbo.alg5", "pdbo.eq9", "pdbo.eq6"])
def test_what_falsify_finds_is_confirmed_and_replayed(name, stands_and_replays):
    stands_and_replays(name)


def test_what_stays_open_at_every_precision_is_said(monkeypatch):
    def open_(*given, **keep):
        raise UndecidedError("a comparison that the balls leave undecided")

    monkeypatch.setattr(module, "played", open_)
    result = judge_check(THM1, "printed", Check("c", SMALL))
    found = recheck(THM1, "printed", result)
    assert found.holds is None
    assert found.how.startswith("a comparison that the balls leave undecided; it stands on float64")


def test_engines_number_has_to_be_met():
    result = judge_check(THM1, "printed", Check("c", SMALL))
    off = float(np.float64(result.measured) * (1 + 1e-7))
    update = {"measured": off, "ci": (off, off)}
    found = recheck(THM1, "printed", result.model_copy(update=update))
    assert found.holds is False
    assert "its measured side is another one" in found.how


CLAIMS = pathlib.Path(__file__).resolve().parents[1] / "quality" / "claims"


def test_the_likeliest_outcomes_alone_are_enclosed_where_no_run_is_below_0():
    (statement,) = (
        s for s, _ in selected([str(CLAIMS / "h07_two_point.py")]).values() if s.id == "hostile.h07"
    )
    (check,) = (c for c in statement.versions["a"].checks if c.name == "quad-false")
    result = judge_check(statement, "a", check)
    assert result.runs > 1
    eta = Fraction(str(check.instance["algorithm"]["eta"]))
    mean = sum(eta**2 * (1 - eta) ** (2 * k) for k in range(check.instance["rounds"]))
    found = recheck(statement, "a", result)
    assert found.holds is True
    assert result.bound < found.low <= found.high <= float(mean)
    for words in ("floor 0, ceiling 1", "floor -1, no ceiling; from below by the 512 likeliest"):
        other = result.model_copy(update={"interval": f"betting confidence sequence, {words}"})
        assert "were sampled" in recheck(statement, "a", other).how
    assert "sampled" in recheck(statement, "a", result.model_copy(update={"relation": ">="})).how
