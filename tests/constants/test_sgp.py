import math
from fractions import Fraction

import mpmath
import pytest

from theorylab.constants import sgp_pair
from theorylab.known import How, Known

CASES = [
    {"clients": 3, "max_out_degree": 2, "diameter": 2, "window": 1},
    {"clients": 8, "max_out_degree": 4, "diameter": 5, "window": 1, "dim": 7},
    {"clients": 10, "max_out_degree": 3, "diameter": 3, "window": 4, "delay": 2, "dim": 100},
    {"clients": 100, "max_out_degree": 11, "diameter": 99, "window": 50},
]


def formula(clients, max_out_degree, diameter, window, delay=0, dim=1):
    """As printed, in so many digits that 1 - q survives."""
    hops = (delay + 1) * diameter * window
    with mpmath.workdps(12_000):
        lam = 1 - mpmath.mpf(clients) / max_out_degree**hops
        q = lam ** (mpmath.mpf(1) / (hops + 1))
        C = 2 * mpmath.sqrt(dim) * mpmath.mpf(max_out_degree) ** hops
        C /= lam ** (mpmath.mpf(hops + 2) / (hops + 1))
        return +C, +q, 1 - q


@pytest.mark.parametrize("case", CASES)
def test_the_printed_formula_is_evaluated_and_rounded_outwards(case):
    C, q, gap = formula(**case)
    found = sgp_pair(**case)
    assert found["C_sgp"].value >= C
    assert found["q_sgp"].value >= q or found["q_sgp"].value == 1.0
    assert found["gap_sgp"].value <= gap
    assert found["C_sgp"].log10 == pytest.approx(float(mpmath.log10(C)), rel=1e-15)
    assert found["gap_sgp"].log10 == pytest.approx(float(mpmath.log10(gap)), rel=1e-14)
    assert found["q_sgp"].how is found["C_sgp"].how is How.UPPER
    assert found["gap_sgp"].how is How.LOWER


def test_a_number_too_large_for_a_float_keeps_its_logarithm():
    found = sgp_pair(**CASES[-1])
    assert found["C_sgp"].value == math.inf
    # log10 of 2 * 11^4950, lambda being 1 to 5000 digits
    expected = math.log10(2) + 4950 * math.log10(11)
    assert found["C_sgp"].log10 == pytest.approx(expected, rel=1e-14)
    assert found["C_sgp"].as_json()["log10"] == found["C_sgp"].log10
    # 1 - q = n D^-hops / (hops + 1)
    expected = 2 - 4950 * math.log10(11) - math.log10(4951)
    assert found["gap_sgp"].log10 == pytest.approx(expected, rel=1e-14)


def test_a_case_worked_by_hand():
    found = sgp_pair(clients=3, max_out_degree=2, diameter=2, window=1)
    lam = float(1 - 3 * Fraction(1, 4))
    assert found["q_sgp"].value == pytest.approx(lam ** (1 / 3), rel=1e-15)
    assert found["C_sgp"].value == pytest.approx(2 * 4 / lam ** (4 / 3), rel=1e-15)


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ({"clients": 2, "max_out_degree": 2, "diameter": 1, "window": 1}, "= 0.0 <= 0"),
        ({"clients": 9, "max_out_degree": 2, "diameter": 2, "window": 1}, "= -1.25 <= 0"),
        ({"clients": 1, "max_out_degree": 1, "diameter": 0, "window": 1}, "= 0.0 <= 0"),
        ({"clients": 9, "max_out_degree": 2, "diameter": math.inf, "window": 1}, "not connected"),
    ],
)
def test_where_the_formula_defines_nothing_it_says_so(case, reason):
    found = sgp_pair(**case)
    assert found["C_sgp"].value == found["q_sgp"].value == math.inf
    assert found["C_sgp"].log10 is None
    assert found["gap_sgp"].value == 0
    assert all(reason in known.source for known in found.values())


def test_bad_numbers_are_named():
    with pytest.raises(ValueError, match="sgp_pair: window is 0; need at least 1"):
        sgp_pair(clients=3, max_out_degree=2, diameter=2, window=0)
    with pytest.raises(ValueError, match="sgp_pair: diameter is nan"):
        sgp_pair(clients=3, max_out_degree=2, diameter=math.nan, window=1)


@pytest.mark.parametrize(
    ("value", "log10"),
    [(math.inf, math.inf), (math.inf, 12.0), (0.0, -3.0), (100.0, 2.1), (-1.0, 0.0)],
)
def test_a_logarithm_that_contradicts_its_value_is_refused(value, log10):
    with pytest.raises(ValueError, match=r"log10_value .* does not belong to value"):
        Known(value, How.UPPER, "here", log10_value=log10)
