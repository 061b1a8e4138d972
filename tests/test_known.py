"""A constant never loses its side, and never becomes an infinity in JSON."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorylab.known import How, Known


@given(st.floats(allow_nan=False), st.sampled_from(How))
def test_json_has_no_infinity_and_no_nan(value, how):
    text = json.dumps(Known(value, how, "a test").as_json(), allow_nan=False)
    assert json.loads(text)["how"] == how.value


def test_sides():
    exact, upper, lower, guess = (
        Known(1.0, how, "a test") for how in (How.EXACT, How.UPPER, How.LOWER, How.ESTIMATE)
    )
    assert exact.at_least
    assert exact.at_most
    assert (upper.at_least, upper.at_most) == (True, False)
    assert (lower.at_least, lower.at_most) == (False, True)
    assert (guess.at_least, guess.at_most) == (False, False)


def test_a_number_too_large_for_float64_keeps_its_logarithm():
    huge = Known(math.inf, How.UPPER, "a test", log10_value=5000.0)
    assert huge.finite
    assert huge.log10 == 5000.0
    assert huge.as_json()["value"] is None
    assert not Known(math.inf, How.EXACT, "no finite number").finite


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"value": math.nan}, "value is nan"),
        ({"value": 2.0, "upper": 1.0}, "lies outside"),
        ({"value": 2.0, "lower": 3.0}, "lies outside"),
        ({"value": 2.0, "log10_value": 1.0}, "need log10 of the same number"),
        ({"value": -2.0, "log10_value": 0.3}, "need log10 of the same number"),
        ({"value": math.inf, "log10_value": math.inf}, "need log10 of the same number"),
    ],
)
def test_contradictions_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Known(how=How.EXACT, source="a test", **arguments)
