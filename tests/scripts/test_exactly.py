"""What float64 leaves open is decided by the script: in fractions, and in ever narrower balls."""

import math
import pathlib
import re
from fractions import Fraction
from types import SimpleNamespace

import pytest
import sympy as sp

from theorylab import registry
from theorylab.falsify.recheck import recheck
from theorylab.scripts.arrays_of_balls import ball
from theorylab.scripts.exactly import _PRIMES, Written, _nearly_stochastic
from theorylab.symbols import T, eta
from theorylab.user_file import load
from theorylab.verdicts import judge_check

R = sp.Rational
TINY = R(1, 10**20)
DRAWN = {"name": "quadratic", "dim": 2, "mu": 0.1, "L": 2.0, "seed": 3}


@pytest.fixture(scope="module")
def own():
    with registry.restored():
        yield load(pathlib.Path(__file__).with_name("exact_claims.py"))


def judged(claim, **options):
    (check,) = claim.versions["claim"].checks
    return judge_check(claim, "claim", check, **options)


def kinds(own):
    """The same number twice: of an own problem, of a built-in one, of a metric, of an experiment,
    and in the mean of coins."""
    mean = (R(3, 10) * R(8, 10) ** 2 + R(7, 10)) ** T * R(121, 100)
    return {
        "own problem": (own.TENTH, own.DISTANCE, {}),
        "built-in problem": (own.TENTH, own.DISTANCE, {"problem": own.BUILT_IN}),
        "metric": (own.AT_T, own.SIZES, {}),
        "experiment": (2 * own.h, own.MOVED, {"exact_h": 0.1}),
        "coins": (mean, own.DISTANCE, {"method": "exact.lazy"}),
    }


KINDS = ["own problem", "built-in problem", "metric", "experiment", "coins"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_equality_holds_in_fractions(own, kind):
    bound, quantity, instance = kinds(own)[kind]
    claim = own.claim(bound, quantity, **instance)
    assert judged(claim, exactly=False).verdict == "INCONCLUSIVE"
    found = judged(claim)
    assert found.verdict == "HOLDS"
    assert found.reason.startswith("in fractions the left side equals the bound")
    assert found.interval == "the script in fractions"


@pytest.mark.parametrize("kind", KINDS)
def test_an_equality_that_is_off_in_the_twentieth_digit_is_false_on_that_side(own, kind):
    bound, quantity, instance = kinds(own)[kind]
    for off, relation, verdict in (
        (-TINY, "<=", "VIOLATED"),
        (TINY, ">=", "VIOLATED"),
        (-TINY, ">=", "HOLDS"),
    ):
        found = judged(own.claim(bound + off, quantity, relation=relation, **instance))
        assert found.verdict == verdict, (off, relation, found.reason)
        assert re.search(r"by 1e-20(| at t=[14]), which rounding hides in float64", found.reason)


@pytest.mark.parametrize(("factor", "verdict"), [(1, "HOLDS"), (-1, "VIOLATED")])
@pytest.mark.parametrize("kind", ["own problem", "built-in problem"])
def test_a_ratio_of_one_and_1e_17_is_on_its_side(own, factor, verdict, kind):
    bound, quantity, instance = kinds(own)[kind]
    found = judged(own.claim(bound * (1 + R(factor, 10**17)), quantity, **instance))
    assert found.verdict == verdict
    assert found.ratio == 1.0  # in float64


@pytest.mark.parametrize(("digits", "bits"), [(14, 53), (30, 113), (70, 256), (250, 1024)])
def test_an_irrational_side_is_decided_in_balls_that_are_narrow_enough(own, digits, bits):
    # sqrt(2) (2 h) at h = .1
    for off, verdict in ((1, "HOLDS"), (-1, "VIOLATED")):
        bound = 2 * sp.sqrt(2) * own.h * (1 + R(off, 10**digits))
        found = judged(own.claim(bound, own.ROOT, exact_h=0.1, rounding=0.0))
        assert found.verdict == verdict
        if digits > 16 or off < 0:  # a row without rounding is below a bound that is as far above
            assert found.reason.startswith(f"in balls of {bits} bits the left side ")


def test_an_irrational_equality_stays_open_and_says_so(own):
    found = judged(own.claim(2 * sp.sqrt(2) * own.h, own.ROOT, exact_h=0.1, rounding=0.0))
    assert found.verdict == "INCONCLUSIVE"
    assert "both sides agree to 1024 bits, and not all of it is rational" in found.reason


def test_a_row_that_may_be_a_series_that_was_cut_refutes_nothing_by_less_than_its_allowance(own):
    bound = 2 * sp.sqrt(2) * own.h * (1 - R(1, 10**12))
    found = judged(own.claim(bound, own.ROOT, exact_h=0.1))
    assert found.verdict == "INCONCLUSIVE"
    assert "unless it says rounding=0.0" in found.reason
    blurred = judged(own.claim(2 * own.h - TINY, own.MOVED, exact_h=0.1, rounding=1e-3))
    assert blurred.verdict == "INCONCLUSIVE"


def test_the_numbers_are_those_that_were_written(own):
    assert Fraction(0.1) != Fraction(1, 10)
    third = own.claim(own.TENTH, own.DISTANCE, algorithm={"eta": "1/3"})
    assert judged(third).verdict == "HOLDS"
    float_of_it = own.claim(own.TENTH, own.DISTANCE, algorithm={"eta": 1 / 3})
    found = judged(float_of_it)
    assert found.verdict == "INCONCLUSIVE"
    assert "0.3333333333333333 is known up to its rounding alone" in found.reason


def test_a_constant_that_was_computed_proves_no_violation_by_its_last_digit(own):
    assert judged(own.claim(own.STEEP, own.DISTANCE)).verdict == "HOLDS"  # L = 2, eta = .2/L
    found = judged(own.claim(own.STEEP - TINY, own.DISTANCE))
    assert found.verdict == "INCONCLUSIVE"
    assert "the computed L = 2.0 is known up to its rounding alone" in found.reason


def test_numbers_that_were_drawn_are_moved_before_either_side_is_the_larger_one(own):
    quantity = own.Quantity("squared_gradient", "last")
    measured = judged(own.claim(1000, quantity, problem=DRAWN, x0=1.0)).measured
    for off, verdict in ((-1e-10, "VIOLATED"), (-1e-14, "INCONCLUSIVE"), (1e-14, "INCONCLUSIVE")):
        bound = R(measured) * (1 + R(off))
        found = judged(own.claim(bound, quantity, problem=DRAWN, x0=1.0))
        assert found.verdict == verdict, found.reason
    assert re.search(r"0\.\d+ is known up to its rounding alone, which moves", found.reason)


@pytest.mark.parametrize("root", [1099, 5, 33])
def test_no_number_that_was_drawn_stays_where_it_is(root):
    value = math.sqrt(root)  # the remainder of the first one by 97 is in the middle of all
    numbers = Written(SimpleNamespace(instance={}), {}, set())
    assert numbers.ends(value, False) == (Fraction(value), Fraction(value))
    for numbers.shift in _PRIMES:
        (moved, same), exact = numbers.ends(value, False), Fraction(value)
        assert 2**-53 / 97 < abs(moved - exact) / exact <= 2**-40
        assert moved == same


def test_what_is_left_of_numbers_that_cancel_moves_by_more_than_itself():
    left = 0.1 + 0.2 - 0.3  # 0 of the decimals, and 2^-54 of the floats
    numbers = Written(SimpleNamespace(instance={}), {}, set())
    numbers.shift = _PRIMES[0]
    (moved, _), exact = numbers.ends(left, False), Fraction(left)
    assert exact == Fraction(1, 2**54)
    assert abs(moved - exact) > 2 * exact


def test_rows_that_share_a_label_are_told_and_not_taken_for_each_other(own):
    quantity = own.Quantity("exact.twins", "rows", (0, 0), "two")
    found = judged(own.claim(1 + R(5, 10**12), quantity))  # false by the first row alone
    assert found.verdict == "INCONCLUSIVE"
    assert "several rows are called 'one'; need a label of its own for each" in found.reason


def test_an_assumption_at_its_edge_carries_a_violation_where_the_numbers_meet_it_exactly(own):
    too_small = own.TENTH * (1 - R(1, 10**6))
    meets = 10 * eta <= 1
    built_in = {"problem": own.BUILT_IN}
    assert Fraction(0.1) > Fraction(1, 10)  # so a run in float64 does not meet it
    claim = own.claim(too_small, own.DISTANCE, rule=meets, **built_in)
    assert judged(claim, exactly=False).verdict == "INCONCLUSIVE"
    assert judged(claim).verdict == "VIOLATED"
    long = Fraction("0.123456789012345")  # whose last digit a product in float64 may lose
    rule = eta <= R(long.numerator, long.denominator) - TINY
    found = judged(
        own.claim(too_small, own.DISTANCE, rule=rule, algorithm={"eta": float(long)}, **built_in)
    )
    assert found.verdict == "INCONCLUSIVE"
    assert "but rule is met by less than rounding" in found.reason


def test_weights_that_nearly_sum_to_one_prove_no_violation_by_a_last_digit():
    assert _nearly_stochastic({"P": [ball([[0.5, 0.5], [0.5, 0.5]])]}) == ""
    told = _nearly_stochastic({"P": {"first": ball([[0.1, 0.9], [0.9, 0.1]])}})  # of the floats
    assert told == "weights of the network sum to 1 up to rounding alone"
    assert _nearly_stochastic({"A": ball([[2.0, 1.0], [1.0, 3.0]])}) == ""


def test_what_takes_too_long_stays_open_and_says_so(own, monkeypatch):
    monkeypatch.setattr("theorylab.scripts.exactly.WORK", 20)
    found = judged(own.claim(own.TENTH, own.DISTANCE))
    assert found.verdict == "INCONCLUSIVE"
    assert "it takes too many operations for balls" in found.reason


def test_every_place_has_to_hold(own):
    every = own.Quantity("squared_distance", "every")
    held = judged(own.claim(own.AT_T, every))
    assert (held.verdict, held.places) == ("HOLDS", 4)
    found = judged(own.claim(own.AT_T - TINY * sp.Max(0, own.t - 3), every))
    assert (found.verdict, found.place) == ("VIOLATED", "t=4")


def test_a_violation_in_fractions_is_re_checked_in_fractions(own):
    claim = own.claim(own.TENTH - TINY, own.DISTANCE)
    again = recheck(claim, "claim", judged(claim))
    assert (again.holds, again.how) == (True, "the script in fractions")
    exact = Fraction(8, 10) ** 8 * Fraction(121, 100)
    assert Fraction(again.low) <= exact <= Fraction(again.high)
