"""A number is what was written: oracles are fractions, and digits on paper."""

import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

from theorylab.exact import (
    Written,
    as_written,
    behind,
    decimal_of,
    floated,
    fraction_in,
    nearest,
    plain,
    rational_text,
    span,
)


def test_a_decimal_is_the_rational_that_it_prints():
    for value in (0.1, 0.3, 2.5, 1e-300, 123456789012345.0, -0.7, 3.0, 2.0**53, 7, 10**30):
        text = repr(value)
        assert span(value) == (Fraction(text),) * 2
    low, high = span(1 / 3)
    ulp = Fraction(1, 2**54)  # of the numbers from a quarter to a half
    assert (low, high) == (Fraction(1 / 3) - ulp / 2, Fraction(1 / 3) + ulp / 2)


@pytest.mark.parametrize(
    ("text", "came"),
    [
        ("0.1", 0.1),
        ("1e-3", 0.001),
        ("0.3333333333333333", 1 / 3),  # as Python prints it: that float
        ("0.10000000000000001", "10000000000000001/100000000000000000"),
        ("1.000000000000000000000000000001", f"{10**30 + 1}/{10**30}"),
        ("-0.0", 0.0),
    ],
)
def test_a_decimal_of_a_file_is_a_float_or_the_fraction_that_no_float_prints(text, came):
    assert decimal_of(text) == came
    assert as_written(json.loads(f'{{"a": [{text}]}}', parse_float=Written)) == {"a": [came]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0." + "1" * 100_000, "more digits than a run can have"),
        ("1e400", "beyond float64"),
        ("1e999999999999999999999", "beyond float64"),
        ("1e-999999999999999999999", "too small for float64, which would run 0.0"),
        ("1e-320", "too small for float64, which would run 1e-320"),
    ],
)
def test_a_decimal_that_no_float64_is_near_is_refused_in_one_line(text, why):
    with pytest.raises(ValueError, match=why) as refused:
        decimal_of(text)
    assert "; need " in str(refused.value)
    assert len(str(refused.value)) < 200


def test_a_fraction_is_read_from_p_over_q_alone():
    assert fraction_in("1/3") == Fraction(1, 3)
    assert fraction_in("-10/4") == Fraction(-5, 2)
    for text in ("1/t", "1/(10 + t)", "ring", "1 / 3", "1/3/4", "", 0.5, None, "١/٣"):
        assert fraction_in(text) is None


@pytest.mark.parametrize("text", ["1/0", "1/" + "9" * 5000, "9" * 400 + "/1", "1/" + "9" * 400])
def test_a_fraction_that_is_no_number_is_refused_in_one_line(text):
    with pytest.raises(ValueError, match="need") as refused:
        fraction_in(text)
    assert len(str(refused.value)) < 200


def test_numbers_of_a_python_file_become_what_json_has():
    data = {"a": Fraction(1, 3), "b": [Decimal("0.1"), sympy.Rational(1, 4)], "c": Fraction(6, 3)}
    assert plain(data) == {"a": "1/3", "b": [0.1, 0.25], "c": 2}
    same = {"a": (1, 2.5, "x"), "b": {"c": [None, True]}}
    assert plain(same) is same  # nothing to change


def test_what_is_run_is_the_nearest_float_and_what_was_written_is_kept():
    made, behind = floated({"eta": "1/3", "name": "ring", "c": [["2/3", 1]]})
    assert made == {"eta": 1 / 3, "name": "ring", "c": [[2 / 3, 1]]}
    assert behind == {1 / 3: Fraction(1, 3), 2 / 3: Fraction(2, 3)}
    assert nearest(Fraction(2, 3)) == 2 / 3


def test_a_float_that_stands_for_two_numbers_is_between_them():
    above, below = Fraction(1, 2) + Fraction(1, 10**20), Fraction(1, 2) - Fraction(1, 10**20)
    texts = [rational_text(above), rational_text(below)]
    assert behind({"a": texts[0], "b": 0.25}) == {0.5: (above, above)}
    assert behind([{"a": texts[0]}, [0.5]]) == {0.5: (Fraction(1, 2), above)}
    assert behind([texts, "1/4", "no number"])[0.5] == (below, above)
    assert behind([0.5, 0.25]) == {}


def test_numbers_of_numpy_are_those_of_python():
    data = plain({"eta": np.float32(0.1), "rounds": np.int64(3), "both": [np.int8(1), 2]})
    assert data == {"eta": float(np.float32(0.1)), "rounds": 3, "both": [1, 2]}
    assert [type(each) for each in (data["eta"], data["rounds"], *data["both"])] == [
        float, int, int, int
    ]  # fmt: skip
