"""Claims along a sweep that no proof is asked for, and sweeps that speak for no order."""

import pathlib
from dataclasses import replace

import pytest
import sympy as sp

from theorylab.statements import Check, Order
from theorylab.symbols import Side, T, mu, symbol
from theorylab.verdicts import judge_check, selected

FILE = pathlib.Path(__file__).parent / "user_order.py"
STATEMENT, _ = selected([str(FILE)])["textbook.rate"]
CONTENT = STATEMENT.versions["printed"]
PLAIN = {  # mu = L = 1
    **CONTENT.checks[0].instance,
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "algorithm": {"eta": 0.5},
    "sweep": {"parameter": "rounds", "values": [100, 316, 1000, 3162]},
}
LOOSE = symbol("mu_loose", r"\mu_?", "a constant from above", side=Side.UPPER, positive=True)
ENDLESS = symbol("mu_endless", r"\mu_\infty", "a constant that an instance gives", positive=True)


def found(order, instance=PLAIN, control=False):
    statement = replace(STATEMENT, versions={"printed": replace(CONTENT, order=order)})
    return judge_check(statement, "printed", Check("c", instance, control=control))


def test_a_control_is_judged_by_its_window():
    for control, verdict in ((True, "VIOLATED"), (False, "INCONCLUSIVE")):
        assert found(Order(T**-2), control=control).verdict == verdict


def test_a_claim_about_two_brackets_takes_only_constants_from_the_run():
    share = found(Order(T**-1, left=mu * T**-3, window=True))
    assert share.measured == pytest.approx(1e-2, rel=1e-12)
    assert share.verdict == "HOLDS"
    assert r"\frac{\mu}{T^{3}}" in share.quantity
    assert found(Order(T**-3, left=T**-1, window=True)).verdict == "VIOLATED"
    # of an infinite constant nothing is known
    endless = {"constants": {"mu_endless": {"value": "inf"}}}
    assert found(Order(T**-3, left=ENDLESS / T, window=True), PLAIN | endless).verdict == (
        "INCONCLUSIVE"
    )


def test_values_that_round_to_one_instance_are_no_sweep():
    sweep = {"parameter": "N", "values": [10.1, 10.2, 10.3], "set": {"rounds": "N"}}
    with pytest.raises(ValueError, match=r"N 10.1 .. 10.3 is one and the same instance; need"):
        found(Order(1 / T), {**PLAIN, "sweep": sweep})


@pytest.mark.parametrize("sweep", [{"parameter": "0"}, {"parameter": "N", "set": {"0": "N"}}])
def test_a_path_without_a_word_is_one_line(sweep):
    with pytest.raises(ValueError, match=r"the same instance|extra inputs"):
        found(Order(1 / T), {**PLAIN, "sweep": {"values": [1, 10, 100], **sweep}})


@pytest.mark.parametrize(("how", "verdict"), [("exact", "VIOLATED"), ("upper", "INCONCLUSIVE")])
def test_a_loose_constant_on_both_sides_refutes_nothing(how, verdict):
    # with LOOSE = 2 the share grows by 10 a decade; were it 0, as it may be, by nothing
    given = {"constants": {"mu_loose": {"value": 2.0, "how": how}}}
    claim = Order(T**-3 + T**-1 * 1e-9, left=LOOSE / T + T**-3, window=True)
    result = found(claim, PLAIN | given)
    assert result.verdict == verdict, result.reason
    if how == "upper":
        assert "mu_loose is only a bound, and stands on both sides" in result.reason


@pytest.mark.parametrize(("bracket", "least"), [(T - 100, "0"), (T - 200, "-100")])
def test_a_bracket_that_is_not_above_0_is_refused(bracket, least):
    with pytest.raises(ValueError, match=rf"the bracket is {least} at a value; need > 0"):
        found(Order(bracket, window=True))


def test_an_order_without_a_bracket_shows_none():
    plain, over = (found(Order(bracket, window=True)).quantity for bracket in (sp.Integer(1), T))
    assert over == plain + r" \Big/ \left(T\right)"
