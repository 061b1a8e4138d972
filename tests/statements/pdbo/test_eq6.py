"""Eq. (6): no optimum of Eq. (1), not unique, not always there; O(step) from it for (4b)."""

from fractions import Fraction

import pytest

from theorylab.experiments import experiment
from theorylab.statements import Check
from theorylab.statements.pdbo._instances import place
from theorylab.statements.pdbo._symbols import balance_gap
from theorylab.statements.pdbo.eq6 import APART, LARGE, ONE_WAY, OPPOSED_0, STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


def test_the_smallest_counterexample_in_exact_numbers():
    a, P = Fraction(1, 2), [[Fraction(1, 2)] * 2] * 2
    z, b = [-a / (1 + a), a / (1 + a)], [-1, 1]
    after = [sum(P[i][j] * z[j] for j in range(2)) - a * (z[i] - b[i]) for i in range(2)]
    assert after == z  # stationary, omega = (1, 1)
    assert z[0] != 0 == sum(b)  # but the optimum of (x+1)^2 + (x-1)^2 is 0
    one = experiment("pdbo-stationary", **OPPOSED_0)
    found = one.observe("distance", range(1), 0).rows[0].values[0]
    assert found == pytest.approx(float(z[1]), rel=1e-14)
    # with omega = (2, 2): z = 2 x, x = -+ (a/2) / (1 + a/2)
    x = [Fraction(-1, 5), Fraction(1, 5)]
    z = [2 * part for part in x]
    after = [sum(P[i][j] * z[j] for j in range(2)) - a * (x[i] - b[i]) for i in range(2)]
    assert after == z
    found = one.observe("second_point", range(1), 0).rows[0].values[0]
    assert found == pytest.approx(float(Fraction(1, 3) - Fraction(1, 5)), rel=1e-14)


def test_equation_4a_with_a_large_step_has_no_solution_in_exact_numbers():
    # T on (1,-1): -((1 - a) t + a b) / 2, and t = that has no t
    a, lag = Fraction(3), Fraction(-1, 2)
    assert lag * (1 - a) == 1
    assert lag * a != 0  # b = (-1, 1) is along (1,-1)
    one = experiment("pdbo-stationary", **LARGE)
    # the constant term is -a/2 (-1, 1), out of the range: its norm remains
    found = one.observe("existence", range(1), 0).rows[0].values[0]
    assert found == pytest.approx(float(abs(lag) * a) * 2**0.5, rel=1e-12)


@pytest.mark.parametrize(("weight", "step"), [(0.1, 2.25), (0.25, 3 * (1 + 2**-50))])
def test_a_system_that_is_singular_up_to_rounding_alone_decides_nothing(weight, step):
    # -.8 (1 - 2.25) is 1, but .9 - .1 is not .8 in float64: there may be a solution, far away
    edges = [[0, 0, weight], [1, 1, weight], [0, 1, 1 - weight], [1, 0, 1 - weight]]
    instance = {**LARGE, "network": {"name": "edge-list", "edges": edges}, "step": step}
    result = judge_check(STATEMENT, "printed/exists", Check("near", instance))
    assert result.verdict == "INCONCLUSIVE"


def test_scaling_omega_gives_another_y_even_where_x_is_one():
    averaging = next(c for c in CASES if c[1].name == "averaging-4a")[1]
    one = experiment("pdbo-stationary", **averaging.instance)
    columns = ("second_point", "second_y")
    x, y = (one.observe(name, range(1), 0).rows[0].values[0] for name in columns)
    assert x <= 1e-14  # both are the optimum, 0
    assert y == pytest.approx(1.0, rel=1e-14)  # omega = (1, 1) and (2, 2)
    assert judge_check(STATEMENT, "printed/unique", averaging).verdict == "VIOLATED"
    assert judge_check(STATEMENT, "printed/unique-x", averaging).verdict == "HOLDS"


def test_a_singular_system_is_counted_and_refutes_nothing():
    one = experiment("pdbo-stationary", **LARGE)  # Eq. (4a): the multiplier of (1,-1) is 1
    row = one.observe("freedom", range(1), 0).rows[0]
    assert row.values[0] == row.rounding == 1.0
    for step in (1e-6, 0.3, 50.0):
        one = experiment("pdbo-stationary", **{**OPPOSED_0, "step": step})
        row = one.observe("freedom", range(1), 0).rows[0]
        assert row.values[0] == row.rounding == 0.0


@pytest.mark.parametrize("version", STATEMENT.versions)
@pytest.mark.parametrize("network", [APART, ONE_WAY], ids=["apart", "one way"])
def test_a_network_without_paths_fails_assumption_2(version, network):
    check = Check("no path", place(OPPOSED_0["problem"], network))
    found = judge_check(STATEMENT, version, check)
    assert found.verdict == "ASSUMPTION_FAILS"
    assert "Assumption 2" in found.reason


TIGHT = {**OPPOSED_0, "step": 0.001}
FAULTS = {
    "a third": lambda t: t / 3,
    "a thousandth": lambda t: t / 1000,
    "gap to the power 0, slow network": lambda t: t * balance_gap,
    "gap squared above": lambda t: t * balance_gap**2,
    "no bound at all": lambda t: 0 * t,
}
# gamma = 2 (1 - .99) / 2 = .01: what is lost without it shows
SLOW = {"name": "edge-list", "edges": [[0, 0, 0.99], [1, 1, 0.99], [0, 1, 0.01], [1, 0, 0.01]]}
SLOWLY = {**place(OPPOSED_0["problem"], SLOW, "4b", 0.001), "lam": 0.0}


def test_smaller_bounds_are_refuted(missed):
    faults = {name: (change, SLOWLY if "gap" in name else TIGHT) for name, change in FAULTS.items()}
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_hold(count):
    for k in range(count):
        problem = {"clients": 2 + k % 4, "dim": 1 + k % 3, "hyper": 1, "noise": 0.2, "seed": k}
        network = {"name": ("sto-d", "sto-u", "complete", "directed-ring")[k % 4]}
        if k % 4 < 2:
            network |= {"seed": k}
        step = (1e-3, 0.1, 1.0, 10.0)[k // 4 % 4]
        if k % 4 == 3:
            network = {"name": "sto-d", "low": 0.02, "high": 0.98, "seed": k}
        check = Check(str(k), place(problem, network, "4b", step))
        assert judge_check(STATEMENT, "corrected", check).verdict == "HOLDS", check.instance
