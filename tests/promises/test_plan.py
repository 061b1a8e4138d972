"""What a bound promises, against closed forms; what a run needs, against recursions by hand."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from theorylab.promises import plan
from theorylab.promises.need import _first, _median
from theorylab.promises.plan import version_of
from theorylab.statements import (
    BUILT_IN,
    Assumption,
    Check,
    Order,
    Quantity,
    Source,
    Statement,
    Version,
)
from theorylab.symbols import C, K, L, T, eta, f0, f_star, n, sigma_l, symbol, t

# f(x) = x^2 from x = 1: L = 2, f0 - f* = 1, the squared gradient is 4 x^2
RUN = {
    "problem": {"name": "quadratic", "H": [[[2.0]]], "c": [[0.0]]},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 10,
    "algorithm": {"eta": 0.01},
    "x0": 1.0,
}
DESCENT = 2 * (f0 - f_star) / (T * eta)
CAP = Assumption("eta <= 1/L", rule=eta * L <= 1)


def planned(terms, target, *, assumes=(CAP,), algorithm="sgp", run=RUN, quantity=None, **options):
    version = Version(terms=terms, assumes=assumes, checks=(Check("one", run),))
    source = Source("test", "Theorem 1", "a bound")
    name = quantity or "mean_squared_gradient"
    statement = Statement("test.thm1", source, name, {"printed": version}, algorithm)
    return plan(statement, "printed", run, target, **options)


def test_descent_promises_what_its_formula_says_and_a_run_needs_as_much():
    """T >= 2/(eta target) with eta = 1/2; x^1 = 0, so that the mean is 4/T."""
    found = planned({"optimisation": DESCENT}, 0.01)
    best = found.fewest
    assert best.promise.options == {"eta": 0.5}
    assert (best.promise.at.rounds, best.promise.least) == (400, True)
    assert (best.need.rounds, best.need.runs) == (400, 1)
    assert best.cost == 400


def test_a_floor_that_falls_with_the_step_is_traded_for_rounds():
    """T = 2/(eta (eps - 2 eta)) is least at eta = eps/4, where it is 16/eps^2."""
    for eps in (0.1, 0.01):
        found = planned({"optimisation": DESCENT, "noise": eta * L}, eps, assumes=())
        best = found.fewest.promise
        assert 16 / eps**2 <= best.at.rounds <= 1.0001 * 16 / eps**2
        assert best.options["eta"] == pytest.approx(eps / 4, rel=0.01)
        needs = 2 / (best.options["eta"] * (eps - 2 * best.options["eta"]))
        assert best.at.rounds in (math.ceil(needs), math.ceil(needs) + 1)
        assert best.least
        assert sum(map(float, best.at.terms.values())) == pytest.approx(float(best.at.bound))


def test_a_bound_that_never_reaches_the_target_has_a_floor_and_its_term():
    found = planned({"optimisation": DESCENT, "bias": L / 20}, 0.05)
    assert not found.reached
    assert "the least that was found is 0.1, at T = 2^100; 100 % of it is the term 'bias'" in (
        found.floor
    )
    assert found.as_json()["rows"][0]["rounds"] is None


def test_options_that_no_assumption_allows_are_told():
    found = planned({"optimisation": DESCENT}, 0.05, assumes=(Assumption("two", rule=n >= 2),))
    assert not found.reached
    assert found.floor.startswith("no options meet its assumptions: two: ")


def test_a_bound_that_rises_again_is_no_least_number():
    """T/1000 + 1/T is above .1 at 11 and below at 12."""
    found = planned({"both": T / 1000 + 1 / T}, 0.1, assumes=())
    assert (found.fewest.promise.at.rounds, found.fewest.promise.least) == (12, False)


def test_the_valley_of_a_bound_that_rises_again_is_found():
    """1/(eta T) + eta T is 2 at T = 1/eta, and 2.001 near it alone: no power of 2 of eta = .01."""
    valley = {"both": (1 / (T * eta) + T * eta) * L / 2}
    found = planned(valley, 2.0001, assumes=()).fewest.promise
    assert found.reached
    assert abs(found.at.rounds * found.options["eta"] - 1) <= 0.01001
    never = planned(valley, 1.99, assumes=())
    assert "the least that was found is 2, at T = " in never.floor


def test_the_last_round_that_an_assumption_allows_is_looked_at():
    """2/(eta T) at eta = 1/2 and T = 50 is .08, and T = 64 is beyond."""
    rules = (CAP, Assumption("T <= 50", rule=T <= 50))
    found = planned({"optimisation": DESCENT}, 0.085, assumes=rules).fewest.promise
    assert (found.reached, found.at.rounds, found.options["eta"]) == (True, 48, 0.5)
    never = planned({"optimisation": DESCENT}, 0.07, assumes=rules)
    assert "the least that was found is 0.08, at T = 50;" in never.floor


def test_the_last_round_of_a_claim_on_all_rounds_moves_its_t_too():
    """(1/t + t/T^2)/2 is 1/T at t = T, and not 1/t + t/100 of the instance's T = 10."""
    every = Quantity("squared_gradient", "every")
    found = planned({"both": (1 / t + t / T**2) / 2}, 1 / 20, assumes=(), quantity=every)
    assert (found.fewest.promise.at.rounds, found.fewest.promise.least) == (20, False)


def test_a_term_below_zero_may_make_a_bound_rise():
    """30/T^2 - 10/T + 1 is 1 at T = 3 and .375 at T = 4, and tends to 1."""
    found = planned({"both": 30 / T**2 - 10 / T + 1}, 0.9, assumes=())
    assert (found.fewest.promise.at.rounds, found.fewest.promise.least) == (4, False)


def test_a_network_that_is_drawn_in_a_run_promises_nothing_beyond_it():
    run = RUN | {
        "problem": {"name": "quadratic", "dim": 1},
        "topology": {"name": "random-out", "degree": 2},
        "clients": 4,
    }
    with pytest.raises(ValueError, match=r"holds in rounds 0\.\..* alone; need a network that rep"):
        planned({"optimisation": DESCENT * C}, 0.1, run=run)


def test_a_constant_that_moves_with_the_rounds_is_asked_at_each():
    """c = sqrt(T) is a function of the instance, so that the bound is 1/sqrt(T)."""
    c = symbol("plan_c", "c", "grows with the rounds", positive=True)
    grows = {c: lambda setting: math.sqrt(setting.rounds)}
    version = Version(terms={"a": c / T}, assumes=(), constants=grows, checks=(Check("one", RUN),))
    source = Source("test", "Theorem 1", "a bound")
    made = Statement("test.thm1", source, "mean_squared_gradient", {"printed": version}, "sgp")
    found = plan(made, "printed", RUN, 0.1)
    assert (found.fewest.promise.at.rounds, found.fewest.promise.least) == (100, False)


def test_an_assumption_on_the_rounds_counts():
    late = Assumption("late", rule=T >= 100)
    found = planned({"optimisation": DESCENT}, 1, assumes=(CAP, late))
    assert found.fewest.promise.at.rounds == 100


def test_local_steps_are_tried_and_cost_what_they_are():
    """2/(T eta K) with eta <= 1/(2 K^2): T = 4 K/eps, and K T = 4 K^2/eps."""
    cap = Assumption("eta <= 1/(L K^2)", rule=eta * L * K**2 <= 1)
    run = RUN | {"algorithm": {"eta": 0.01, "local_steps": 2}}
    terms = {"optimisation": DESCENT / K}
    found = planned(terms, 0.1, assumes=(cap,), algorithm="osgp", run=run, counts=(1, 4))
    table = {row.promise.options["local_steps"]: row for row in found.rows}
    assert {k: row.promise.at.rounds for k, row in table.items()} == {1: 40, 2: 80, 4: 160}
    assert [row.cost for row in table.values()] == [40, 160, 640]
    assert found.cheapest is found.fewest is table[1]


def test_a_curve_has_promise_and_need_at_every_target():
    found = planned({"optimisation": DESCENT}, 0.02, curve=True)
    table = found.table()
    for target, promised, needed in zip(
        table["target"], table["promised"], table["needed"], strict=True
    ):
        assert promised == math.ceil(Fraction(4) / Fraction(repr(target)))
        assert needed == promised


def test_the_last_model_is_looked_at_round_by_round():
    """x^t = (1 - 2 eta)^t; at eta = 1/4 the loss x^2 is 4^-t."""
    run = RUN | {"algorithm": {"eta": 0.25}}
    fixed = Assumption("eta = 1/4", rule=eta <= 0.25)
    above = Assumption("eta >= 1/4", rule=eta >= 0.25)
    terms = {"optimisation": (f0 - f_star) / T}
    options = {"assumes": (fixed, above), "run": run, "quantity": "last_suboptimality"}
    found = planned(terms, 0.01, **options)
    assert found.fewest.promise.at.rounds == 100
    assert found.fewest.need.rounds == 4  # 4^-3 = .0156, 4^-4 = .0039


def test_noisy_runs_have_a_mean_and_an_interval():
    noisy = RUN | {
        "problem": {"name": "log-cosh", "dim": 1, "center": 3.0, "sigma": 1.0},
        "algorithm": {"eta": 0.1},
    }
    terms = {"optimisation": DESCENT, "noise": eta * L * sigma_l**2}
    found = planned(terms, 0.5, run=noisy, seeds=16)
    need = found.fewest.need
    assert need.runs == 16
    assert 1 < need.low <= need.high <= found.fewest.promise.at.rounds
    assert need.rounds <= found.fewest.promise.at.rounds


def test_the_interval_for_the_median_misses_once_in_a_hundred_times():
    for count in (8, 9, 16):
        low, high = _median(np.arange(1.0, count + 1))
        # each run is above the median or below it: all patterns, each with chance 2^-count
        missed = sum(
            not low <= sum(pattern) + 0.5 <= high
            for pattern in itertools.product((0, 1), repeat=count)
        )
        assert missed / 2**count <= 0.01
    assert _median(np.arange(1.0, 5.0)) == (1.0, math.inf)
    assert _first(np.array([[3.0, 1.0, 2.0], [3.0, 3.0, 3.0]]), 1.5).tolist() == [2, math.inf]


def test_a_measurement_that_is_too_dear_says_its_price():
    found = planned({"optimisation": DESCENT}, 0.01, budget=1)
    assert found.fewest.need.rounds is None
    assert "16 runs of a round cost 16 gradients, of 1" in found.fewest.need.why


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"terms": {"a": eta * L}}, "its bound has no T; need a claim that moves with the rounds"),
        ({"target": 0.0}, "the target is 0; need a number above 0"),
        ({"target": math.nan}, "the target is nan; need a number above 0"),
    ],
)
def test_what_cannot_be_planned_is_one_line(change, line):
    with pytest.raises(ValueError, match=line):
        planned(**{"terms": {"a": DESCENT}, "target": 0.1} | change)


def test_orders_and_bounds_from_below_are_no_promises():
    source, check = Source("test", "Theorem 1", "a bound"), Check("one", RUN)
    order = Version(terms={"a": L / L}, order=Order(1 / T), checks=(check,))
    below = Version(terms={"a": 1 / T}, relation=">=", checks=(check,))
    name = Quantity("squared_gradient", "average")
    made = Statement("test.thm1", source, name, {"order": order, "below": below}, "sgp")
    for version, line in (("order", "names no constants"), ("below", "is a bound from below")):
        with pytest.raises(ValueError, match=line):
            plan(made, version, RUN, 0.1)
    with pytest.raises(ValueError, match="no version is a bound from above"):
        version_of(made, None)
    with pytest.raises(ValueError, match="has no version 'x'; need one of order, below"):
        version_of(made, "x")


def test_a_version_without_a_known_fault_is_taken_first():
    assert version_of(BUILT_IN["dfedsgpsm.thm1"], None) == "corrected"
