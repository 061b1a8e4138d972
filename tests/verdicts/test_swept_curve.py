"""The curve of an order: the ratio at every value of a sweep, and the growth that is claimed."""

import math
import pathlib
from dataclasses import replace

import pytest

from theorylab.statements import Check, Order
from theorylab.symbols import T, eta
from theorylab.verdicts import judge_check, selected

STATEMENT, _ = selected([str(pathlib.Path(__file__).parent / "user_order.py")])["textbook.rate"]
CONTENT = STATEMENT.versions["printed"]
VALUES = [100, 316, 1000, 3162, 10000]
PLAIN = {
    **CONTENT.checks[0].instance,
    "problem": {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]},
    "algorithm": {"eta": 0.5},
    "sweep": {"parameter": "rounds", "values": VALUES},
}


def judged(order, **sweep):
    statement = replace(STATEMENT, versions={"printed": replace(CONTENT, order=order)})
    instance = {**PLAIN, "sweep": {**PLAIN["sweep"], **sweep}}
    return judge_check(statement, "printed", Check("c", instance), rows=True)


def test_it_shows_the_ratio_at_every_value():
    result = judged(Order(T**-2))
    curve = result.curve
    assert (curve.axis, curve.rounds, curve.text) == ("rounds", VALUES, "left side over bracket")
    assert curve.measured == pytest.approx([row.ratio for row in result.rows], rel=1e-12)
    ends = [row.ci[k] / row.bound for row in result.rows for k in (0, 1)]
    assert curve.lower + curve.upper == pytest.approx(ends[::2] + ends[1::2], rel=1e-12)


@pytest.mark.parametrize("window", [0, 3])
def test_the_claimed_growth_starts_where_the_window_does(window):
    result = judged(Order(T**-2), window=window)
    first = len(VALUES) - (window or len(VALUES))
    curve = result.curve
    assert curve.bound[:first] == [None] * first
    for value, top in zip(VALUES[first:], curve.bound[first:], strict=True):
        decades = math.log10(value / VALUES[first])
        assert top == pytest.approx(curve.measured[first] * result.bound**decades, rel=1e-12)


def test_a_sweep_that_falls_is_drawn_from_left_to_right():
    # towards small steps, where the claimed growth leads from the right end to the left
    steps = {"parameter": "algorithm.eta", "values": [0.5, 0.05, 0.005]}
    curve = judged(Order(1 / (T * eta)), **steps).curve
    assert curve.rounds == [0.005, 0.05, 0.5]
    assert curve.bound[2] == curve.measured[2]
    assert curve.bound[0] > curve.bound[1] > curve.bound[2]


def test_of_a_claim_about_two_bounds_the_ratio_is_theirs():
    curve = judged(Order(1 / T, left=1 / (T * eta))).curve
    assert curve.measured == pytest.approx([2.0] * len(VALUES), rel=1e-12)
    assert curve.lower == curve.measured
