"""Orders: what a window shows, what only a proof shows, and what a sweep has to keep still."""

import pathlib
from dataclasses import replace

import pytest
import sympy as sp

from theorylab.runs import mean_interval
from theorylab.statements import Check, Floor, Order, Quantity
from theorylab.symbols import B, L, T, eta, f0, f_star, mu
from theorylab.verdicts import jobs, judge, judge_check, selected
from theorylab.verdicts.case import Case
from theorylab.verdicts.decide import known_number
from theorylab.verdicts.measure import Running
from theorylab.verdicts.swept import Swept

FILE = pathlib.Path(__file__).parent / "user_order.py"
STATEMENT, _ = selected([str(FILE)])["textbook.rate"]
CONTENT = STATEMENT.versions["printed"]
RUN = CONTENT.checks[0].instance
# mu = L = 1: the first summand alone is ||grad f(x^0)||^2/T = 2 mu (f0 - f*)/T
PLAIN = {
    **RUN,
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "algorithm": {"eta": 0.5},
    "sweep": {"parameter": "rounds", "values": [100, 316, 1000, 3162]},
}
FIRST = Floor(2 * mu * (f0 - f_star) / T, T)


def found(order, instance=PLAIN, seeds=16, **changes):
    content = replace(CONTENT, order=order, **changes)
    statement = replace(STATEMENT, versions={"printed": content})
    return judge_check(statement, "printed", Check("c", instance), seeds=seeds)


def test_a_strangers_file_claims_an_order_of_runs():
    (job,) = jobs([str(FILE)])
    result = judge(job)
    assert result.verdict == "HOLDS", result.reason
    assert result.instance["sweep"] == RUN["sweep"]
    assert result.quantity.startswith(r"\text{growth per decade of }")
    assert r"\frac{1}{\sqrt{T}}" in result.quantity
    told = {a.name: a.holds for a in result.assumptions}
    assert told["eta <= 1/L"] is True
    assert told["O(.): L is the same at all values of the sweep"] is True


def test_the_growth_is_the_power_that_the_bracket_is_off_by():
    # eta fixed: the sum over t converges to ||x^0||^2/(1 - 1/4), so the left side is c/T
    for power in (1.0, 1.25, 2.0):
        result = found(Order(T**-power))
        assert result.measured == pytest.approx(10 ** (power - 1), rel=1e-12)


def test_a_growth_along_a_window_is_no_evidence_against_a_limit():
    result = found(Order(T**-2))
    assert result.verdict == "INCONCLUSIVE"
    assert result.ci[0] == 0.0
    assert "a window proves nothing" in result.reason


def test_a_claim_about_the_window_is_refuted_by_it():
    result = found(Order(T**-2, window=True))
    assert result.verdict == "VIOLATED"
    assert "rounds 100 .. 3162" in result.reason


def test_what_the_order_may_hide_is_no_growth():
    # the ratio is 4/3 T at most, so 4216 at last
    assert found(Order(T**-2, window=True, hides=sp.Integer(4217))).verdict == "INCONCLUSIVE"
    assert found(Order(T**-2, window=True, hides=sp.Integer(4215))).verdict == "VIOLATED"


def test_a_proved_lower_bound_refutes_a_limit():
    result = found(Order(T**-2, floors=(FIRST,)))
    assert result.verdict == "VIOLATED"
    assert "proved: at least 2*mu*(f0 - f_star)/T" in result.reason
    # and proves nothing against an order that it does not outgrow
    assert found(Order(1 / T, floors=(FIRST,))).verdict == "HOLDS"


def test_a_window_that_does_not_show_a_proved_growth_holds_nothing():
    # up to some 1e6 rounds it looks like 1/T
    result = found(Order(sp.exp(-T / 10**6) / T, floors=(FIRST,)))
    assert result.verdict == "INCONCLUSIVE"
    assert result.measured < 1.01
    assert "which outgrows the bracket" in result.reason


def test_a_lower_bound_that_the_measurement_is_below_is_no_proof():
    result = found(Order(T**-2, floors=(Floor(FIRST.lower * sp.Rational(3, 2), T),)))
    assert result.verdict == "INCONCLUSIVE"
    assert "the proof is refuted" in result.reason


def test_a_limit_that_stays_positive_refutes_what_should_vanish():
    half = {"half a decade": sp.sqrt(10) ** -1}
    gone = found(Order(1 / T, floors=(FIRST,)), terms=half)
    assert gone.verdict == "VIOLATED"
    assert "does not tend below 1" in gone.reason  # 2 mu (f0 - f*) = ||x^0||^2


@pytest.mark.parametrize(
    ("floor", "why"),
    [
        (replace(FIRST, assumes=(sp.Eq(eta, 1),)), "the lower bound needs"),
        (replace(FIRST, along=mu), "T moves along the sweep"),
        (replace(FIRST, follow={eta: 2 / T}), "eta is not 2/T"),
    ],
)
def test_a_proof_that_does_not_apply_says_why(floor, why):
    result = found(Order(T**-2, floors=(floor,)))
    assert result.verdict == "INCONCLUSIVE"
    assert why in result.reason


def test_what_moves_along_has_to_be_said():
    moving = {**PLAIN, "sweep": {**PLAIN["sweep"], "set": {"algorithm.eta": "1/sqrt(rounds)"}}}
    silent = found(Order(T**-2, floors=(FIRST,)), moving)
    assert "eta moves along the sweep" in silent.reason
    assert silent.verdict == "INCONCLUSIVE"
    told = replace(FIRST, follow={eta: 1 / sp.sqrt(T)})
    assert found(Order(T**-2, floors=(told,)), moving).verdict == "VIOLATED"


def test_an_assumption_that_ends_one_day_ends_the_proof():
    (smooth, step) = CONTENT.assumes
    early = replace(step, name="T is small", rule=T <= 10**6)
    result = found(Order(T**-2, floors=(FIRST,)), assumes=(smooth, early))
    assert "it is not clear whether T is small stays true" in result.reason
    late = replace(step, name="T is large", rule=T >= 10)
    assert found(Order(T**-2, floors=(FIRST,)), assumes=(smooth, late)).verdict == "VIOLATED"


def test_an_assumption_is_asked_for_at_every_value():
    along = {"parameter": "x", "values": [1, 2, 3, 4]}
    bump = "0.2 + 3*max(0, 1 - (x - 3)**2)"  # above 1/L in the middle alone
    result = found(Order(1 / T), {**PLAIN, "sweep": {**along, "set": {"algorithm.eta": bump}}})
    assert result.verdict == "ASSUMPTION_FAILS"
    assert "at x=3" in result.reason


def test_what_the_order_hides_must_not_move():
    along = {"parameter": "algorithm.eta", "values": [0.1, 0.2, 0.4]}
    result = found(Order(1 / T, fixed=(L, eta)), {**PLAIN, "sweep": along})
    assert result.verdict == "ASSUMPTION_FAILS"
    assert "eta = 0.1 at eta=0.1, 0.2 at 0.2" in result.reason


def test_samples_leave_a_growth_open_until_they_do_not():
    noisy = {
        **PLAIN,
        "problem": {"name": "log-cosh", "center": 2.0, "sigma": 0.5},
        "clients": 2,
        "sweep": {"parameter": "rounds", "values": [10, 30, 100]},
    }
    few, many = (found(Order(1 / T, window=True), noisy, seeds=s) for s in (16, 128))
    assert (few.verdict, few.runs) == ("INCONCLUSIVE", 16)
    assert many.verdict != "INCONCLUSIVE"
    assert 16 < many.runs <= 128
    assert few.ci[0] <= many.ci[0] <= many.measured <= many.ci[1] <= few.ci[1]


def test_a_bracket_without_a_number_leaves_the_growth_open():
    # no gradient of a quadratic is bounded, so B is infinite
    result = found(Order(B**2 / T))
    assert (result.verdict, result.measured) == ("INCONCLUSIVE", None)
    assert "the bracket at rounds=100: B is infinite" in result.reason


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"sweep": {"parameter": "rounds", "values": [1, 2]}}, "at least 3 numbers"),
        ({"clients": 0}, "clients: input should be greater"),
        ({"x0": 0.0}, "a left side is 0 within rounding"),
    ],
)
def test_a_wrong_instance_is_one_line_that_names_the_check(change, line):
    with pytest.raises(ValueError, match=line) as caught:
        found(Order(1 / T), {**PLAIN, **change})
    assert str(caught.value).startswith("textbook.rate [printed] c: ")


GAP = {"gap": 2 * (f0 - f_star) / (T * eta) * (1 + 1 / sp.sqrt(T))}  # nearest at the last T


def test_a_claim_that_is_no_order_is_judged_at_every_value_of_a_sweep():
    run = {key: value for key, value in PLAIN.items() if key != "sweep"}
    together = found(None, PLAIN, terms=GAP)
    alone = [found(None, {**run, "rounds": K}, terms=GAP) for K in PLAIN["sweep"]["values"]]
    assert (together.verdict, together.places) == ("HOLDS", 4)
    worst = max(alone, key=lambda each: each.ratio)
    assert (together.measured, together.bound) == (worst.measured, worst.bound)
    assert together.place == f"rounds={worst.instance['rounds']}"
    # one value that breaks the claim is enough, wherever it stands
    bump = {
        "K": 2 * (f0 - f_star) / (T * eta) * (1 - sp.Heaviside(T - 200) * sp.Heaviside(400 - T))
    }
    assert found(None, PLAIN, terms=bump).verdict == "VIOLATED"


def test_assumptions_of_a_claim_that_is_no_order_are_asked_for_at_every_value():
    steps = {"parameter": "algorithm.eta", "values": [0.25, 0.5, 2.0]}
    result = found(None, {**PLAIN, "sweep": steps}, terms=GAP)
    assert result.verdict == "ASSUMPTION_FAILS"
    assert "at eta=2" in result.reason
    assert found(None, {**PLAIN, "sweep": {**steps, "values": [0.5]}}, terms=GAP).places == 1


def test_limits_at_the_values_of_a_sweep_hold_together():
    problem = {"name": "noisy", "base": {"name": "log-cosh"}, "field": "common", "sigma": 0.5}
    along = {"parameter": "rounds", "values": [10, 20, 30, 40]}
    check = Check("c", {**PLAIN, "problem": problem, "clients": 2, "sweep": along})
    content = replace(CONTENT, order=None, terms=GAP)
    case = Case(STATEMENT, "printed", content, check, STATEMENT.quantity_of(content))
    swept = Swept(case, Running)
    for place in swept.seen(case, swept.constants(case), 16, 16, 0).places:
        ceiling = known_number(case.quantity.ceiling, place.constants)
        one, wide = (mean_interval(place.values, ceiling, share) for share in (1, 1 / 4))
        ends = wide.low - place.room, wide.high + place.room  # of float64, some 1e-14
        assert (place.interval.low, place.interval.high) == ends
        assert wide.low < one.low


def test_a_window_is_of_an_order_alone():
    with pytest.raises(ValueError, match=r"sweep.window is 3; need 0$"):
        found(None, {**PLAIN, "sweep": {**PLAIN["sweep"], "window": 3}}, terms=GAP)


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Order(1 / T, hides=sp.Integer(2)), "need window=True"),
        (lambda: Order(1 / T, window=True, floors=(FIRST,)), "need one of them"),
        (lambda: Order(1 / T, left=T, floors=(FIRST,)), "left and floors came together"),
        (lambda: Order(sp.Symbol("z")), "never declared"),
        (lambda: Floor(sp.Symbol("z"), T), "never declared"),
        (lambda: replace(STATEMENT, trivial=f0), "an order came with a trivial bound"),
        (
            lambda: replace(STATEMENT, quantity=Quantity("a", "last", (0, 0), "a", chance=mu)),
            "an order came with a trivial bound",
        ),
    ],
)
def test_an_order_that_is_none_is_refused(make, line):
    with pytest.raises(ValueError, match=line):
        make()
