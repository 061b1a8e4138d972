"""Interval arithmetic against the simulation, and against a number that is wrong."""

import math
from fractions import Fraction

import pytest

from theorylab.falsify._dfedsgpsm_balls import SIDES
from theorylab.falsify._ways import WAYS
from theorylab.falsify.recheck import recheck
from theorylab.runs import simulate
from theorylab.statements import BUILT_IN, Check
from theorylab.statements.dfedsgpsm._algorithm1 import WORKED_EXAMPLE
from theorylab.verdicts import judge_check
from theorylab.verdicts.instance import built, parsed

THM1 = BUILT_IN["dfedsgpsm.thm1"]
SMALL = {
    **WORKED_EXAMPLE,
    "rounds": 12,
    "algorithm": {"eta": 0.01, "alpha": 0.9, "rho": 0.0, "local_steps": 3},
}
SAM = {**SMALL, "algorithm": {**SMALL["algorithm"], "rho": 0.2}}
QUADRATIC = {**SMALL, "problem": {"name": "quadratic", "dim": 2, "mu": 0.5, "L": 2.0, "seed": 1}}


@pytest.mark.parametrize("instance", [SMALL, SAM, QUADRATIC], ids=["momentum", "sam", "quadratic"])
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


def test_one_client_by_hand_in_exact_fractions():
    # f = x^2/2 from x = 1, eta = 1/4, K = 1: x_t = (3/4)^t, mean of x_t^2 over t < 3.
    instance = {
        "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 3,
        "algorithm": {"eta": 0.25, "alpha": 0.0, "rho": 0.0, "local_steps": 1},
        "x0": 1.0,
    }
    result = judge_check(THM1, "printed", Check("c", instance))
    found = recheck(THM1, "printed", result)
    exact = sum(Fraction(9, 16) ** t for t in range(3)) / 3
    assert found.low == float(exact)


def test_a_violation_stands_only_above_the_bound():
    result = judge_check(THM1, "printed", Check("c", SMALL))
    assert recheck(THM1, "printed", result).holds is False
    planted = result.model_copy(update={"bound": 1e-3})
    assert recheck(THM1, "printed", planted).holds is True


ROUNDS = [
    pytest.param(statement, version, check, id=f"{statement.id}-{version}-{check.name}")
    for statement in BUILT_IN.values()
    if statement.algorithm == "dfedsgpsm"
    for version, judged in statement.versions.items()
    if statement.quantity_of(judged).column.partition(".")[2] in SIDES
    for check in judged.checks
]


def test_some_statements_about_rounds_are_rechecked():
    assert len(ROUNDS) > 20


@pytest.mark.parametrize(("statement", "version", "check"), ROUNDS)
def test_the_enclosure_of_a_round_is_what_the_metric_measured(statement, version, check):
    result = judge_check(statement, version, check, seeds=2)
    found = recheck(statement, version, result)
    if found.holds is None:
        assert "noise" in found.how or not result.place
        return
    # some hundred roundings of numbers of the models' size, whose differences are squared
    assert found.low == pytest.approx(result.measured, rel=1e-8)
    assert found.holds == (result.verdict == "VIOLATED")


def test_a_gradient_of_zero_under_sam_proves_nothing():
    statement = BUILT_IN["dfedsgpsm.lem3"]
    instance = dict(statement.versions["printed"].checks[0].instance)
    instance |= {"problem": {"name": "log-cosh", "dim": 1}, "x0": 0.0, "rounds": 1, "clients": 2}
    instance["topology"] = {"name": "complete"}
    instance["algorithm"] = {**instance["algorithm"], "rho": 0.1}
    check = Check("c", instance)
    result = judge_check(statement, "printed", check).model_copy(update={"place": "t=0, k=1"})
    found = recheck(statement, "printed", result)
    assert (found.holds, found.low) == (None, None)
    assert found.how.startswith(
        "the balls grew without limit (a gradient that may be 0); it stands"
    )


def test_what_cannot_be_rechecked_says_why_and_what_it_stands_on():
    noisy = {**SMALL, "problem": {**SMALL["problem"], "sigma": 0.1}}
    result = judge_check(THM1, "printed", Check("c", noisy), seeds=2)
    found = recheck(THM1, "printed", result)
    assert (found.holds, found.low) == (None, None)
    assert found.how == (
        "no interval arithmetic for this algorithm with noise; "
        "it stands on 2 runs drawn anew once it was found, and a lower limit that is too high with "
        f"a chance of at most 0.001 ({result.interval})"
    )
    assert "betting" in result.interval
    lem1 = BUILT_IN["dfedsgpsm.lem1"]
    check = lem1.versions["printed"].checks[0]
    found = recheck(lem1, "printed", judge_check(lem1, "printed", check, seeds=2))
    assert found.holds is None
    assert found.how == (
        "no interval arithmetic for this measured side; it stands on a realisation in float64 "
        "(largest of 2 realisations)"
    )


REST = [s for s in BUILT_IN.values() if s.experiment and s.experiment not in WAYS]


@pytest.mark.parametrize("statement", REST, ids=lambda s: s.id)
def test_what_is_not_written_out_is_never_passed_over_in_silence(statement):
    for version, judged in statement.versions.items():
        broken = [check for check in judged.checks if check.expect == "VIOLATED" and check.quick]
        if not broken:
            continue
        result = judge_check(statement, version, broken[0], seeds=16)
        found = recheck(statement, version, result)
        assert found.holds is None
        assert found.how.startswith(
            f"no interval arithmetic for the experiment {statement.experiment}; it"
        )
