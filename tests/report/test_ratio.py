import math

import pytest

from theorylab.report.number import typeset
from theorylab.report.shown import Shown, nearest
from theorylab.report.slack import slack_rows

PLAIN = {"measured": 0.5, "bound": 2.0, "log10_bound": math.log10(2.0), "ratio": 0.25}
HUGE = {"measured": 0.5, "bound": None, "log10_bound": 312.4, "ratio": 0.0}
TINY = {"measured": 2e-200, "bound": 0.0, "log10_bound": -500.0, "ratio": None}
ZERO = {"measured": 0.5, "bound": 0.0, "log10_bound": None, "ratio": None}
BELOW = {"measured": -0.4729, "bound": -0.4717, "log10_bound": None, "ratio": 1.0025}
ABOVE = {"measured": 0.9, "bound": -0.5, "log10_bound": None, "ratio": -1.8}
NONE = {"measured": None, "bound": 2.0, "log10_bound": 0.3, "ratio": None}
NOTHING = {"measured": 0.0, "bound": 2.0, "log10_bound": 0.3, "ratio": 0.0}


@pytest.mark.parametrize(
    ("fields", "text", "plain"),
    [
        (PLAIN, "0.25", "0.25"),
        (HUGE, "10^−312.7", "10^-312.7"),
        (TINY, "10^300.3", "10^300.3"),
        (ZERO, "bound is 0", "bound is 0"),
        (BELOW, "bound < 0", "bound < 0"),
        (ABOVE, "bound < 0", "bound < 0"),
        (NONE, "–", "-"),
        (NOTHING, "0", "0"),
        ({**PLAIN, "ratio": 1.5e-7}, "1.5 × 10⁻⁷", "1.5e-07"),
    ],
)
def test_a_ratio_is_a_number_a_power_of_ten_or_says_why_there_is_none(make, fields, text, plain):
    result = make(**fields)
    assert Shown(result, typeset).ratio == text
    assert Shown(result).ratio == plain


def test_results_are_ordered_by_their_ratio_also_beyond_float64(make):
    rising = [NOTHING, HUGE, PLAIN, TINY, ZERO]
    logs = [make(**fields).log10_ratio for fields in rising]
    assert logs == sorted(logs)
    assert logs[2] == pytest.approx(math.log10(0.25))  # one logarithm minus another
    assert logs[-1] == math.inf
    assert make(**ABOVE).log10_ratio == math.inf


@pytest.mark.parametrize("fields", [BELOW, NONE, {**PLAIN, "verdict": "ASSUMPTION_FAILS"}])
def test_without_a_claim_or_a_positive_bound_there_is_no_ratio_to_order_by(make, fields):
    assert make(**fields).log10_ratio is None
    assert Shown(make(**fields), typeset).slack == ""


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (PLAIN, "25 % of the bound is used, 75 % is slack"),
        ({**PLAIN, "measured": 1.9999, "ratio": 0.99995},
         "100 % of the bound is used, < 0.1 % is slack"),
        ({**PLAIN, "measured": 3.0, "ratio": 1.5}, "the measured side is 1.5 × the bound"),
        ({**PLAIN, "measured": 2e-3, "ratio": 1e-3}, "the bound is 1000 × the measured side"),
        (HUGE, "the bound is 10^312.7 × the measured side"),
        (NOTHING, "the measured side is 0: nothing of the bound is used"),
        ({**PLAIN, "measured": -0.25, "ratio": -0.125},
         "the measured side is −0.25: nothing of the bound is used"),
        (ZERO, "the measured side is 0.5, the bound 0"),
    ],
)  # fmt: skip
def test_the_slack_is_said_in_one_clause(make, fields, text):
    assert Shown(make(**fields), typeset).slack == text


LOWER = {"relation": ">=", "bound": 2.0, "log10_bound": math.log10(2.0)}


def test_of_a_lower_bound_the_ratio_is_bound_over_measured_and_the_slack_says_so(make):
    held = make(**LOWER, measured=8.0, ratio=0.25)
    broken = make(**LOWER, measured=0.5, ratio=4.0)
    empty = make(**LOWER, measured=0.0, ratio=None)
    logs = [each.log10_ratio for each in (held, broken, empty)]
    assert logs == [pytest.approx(math.log10(0.25)), pytest.approx(math.log10(4.0)), math.inf]
    assert nearest([held, empty, broken]) is empty
    assert Shown(held).slack == "the measured side is 4 × the lower bound"
    assert Shown(broken).slack == "the measured side is 0.25 × the lower bound"
    assert Shown(empty).slack == "the measured side is 0, the bound 2"
    assert Shown(held).compared == "the left side is 8 and the lower bound 2, 4 times"


@pytest.mark.parametrize(
    ("measured", "share", "beside", "widths"),
    [(8.0, "400 %", "4", (25.0, 100.0)), (0.5, "25 %", "0.25", (100.0, 25.0))],
)
def test_the_bar_of_the_measured_side_is_measured_over_a_lower_bound(
    make, measured, share, beside, widths
):
    result = make(**LOWER, measured=measured, ratio=2 / measured, terms={"a": 1.5, "b": 0.5})
    bound, side = slack_rows(result)[-2:]
    assert (bound.width, side.width) == widths
    assert (bound.beside, side.share) == (beside, share)
    far = result.model_copy(update={"bound": None, "log10_bound": 400.0, "measured": 1.0})
    assert slack_rows(far)[-2].beside == "10^−400.0"
