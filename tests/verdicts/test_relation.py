"""An assumption is decided of the numbers that were written, and carries a violation only firmly.

Oracles: fractions, and square roots that are integers.
"""

from fractions import Fraction

import mpmath
import pytest
import sympy

from theorylab.exact import span
from theorylab.known import How, Known
from theorylab.statements import Assumption, enclosed
from theorylab.symbols import L, T, delta, eta, mu
from theorylab.verdicts.evidence import settled
from theorylab.verdicts.relation import compared, numbers_of

STEPS = [(0.1, 10), (1 / 0.3, 0.3), (1 / 1.1, 1.1), (1000.0, 0.001), (1 / 49, 49), (1 / 3, 3)]


def typed(value):
    return Known(value, How.EXACT, "typed", asked=span(value))


def rational(number):
    return Known(float(number), How.EXACT, "typed", asked=(number, number))


def decided(rule, **constants):
    symbols = {symbol.name: symbol for symbol in (L, T, delta, eta, mu)}
    symbols |= {"L": L, "T": T, "delta": delta, "eta": eta, "mu": mu}
    return settled(Assumption("rule", rule=rule), {symbols[k]: v for k, v in constants.items()})


@pytest.mark.parametrize(("step", "top"), STEPS)
@pytest.mark.parametrize("rule", [eta * L <= 1, eta <= 1 / L])
def test_one_over_L_is_met_however_it_is_written(step, top, rule):
    found = decided(rule, eta=typed(step), L=typed(float(top)))
    assert found.holds is True
    assert "1 = 1" not in found.reason
    # the numbers of the run are float64: exact fractions say on which side they are
    assert found.firm == (Fraction(step) * Fraction(float(top)) <= 1)


@pytest.mark.parametrize("top", [10, 0.3, 1.1, 0.001, 49, 3])
def test_a_fraction_of_one_over_L_is_exactly_its_edge(top):
    step = 1 / Fraction(repr(top))
    found = decided(eta * L <= 1, eta=rational(step), L=typed(float(top)))
    assert (found.holds, found.margin) == (True, 0)
    assert found.reason.endswith("are equal: it is met at its edge")
    assert decided(eta * L < 1, eta=rational(step), L=typed(float(top))).holds is False


def test_a_failure_tells_the_difference_however_small():
    step = Fraction(1, 10) + Fraction(31, 10**19)
    found = decided(eta * L <= 1, eta=rational(step), L=typed(10.0))
    assert found.holds is False
    assert found.reason == "L*eta = 1 exceeds 1 by 3.1e-17"
    found = decided(eta >= delta, eta=typed(0.25), delta=typed(0.5))
    assert found.reason == "eta = 0.25 is below delta = 0.5 by 0.25"


def test_a_strict_rule_fails_at_its_edge_and_holds_next_to_it():
    at, below = typed(1.0), typed(1 - 1e-12)
    assert decided(eta * L < 2, eta=at, L=typed(2.0)).holds is False
    assert decided(eta * L < 2, eta=at, L=typed(2.0)).reason.endswith("the rule is strict")
    near = decided(eta * L < 2, eta=below, L=typed(2.0))
    assert (near.holds, near.firm) == (True, True)


def test_a_float_that_may_be_the_edge_leaves_a_strict_rule_open():
    found = decided(eta * L < 2, eta=typed(2 / 3), L=typed(3.0))
    assert found.holds is None
    assert "rounding hides" in found.reason


def test_a_fraction_that_float64_cannot_hold_near_enough_is_refused():
    step = 1 + Fraction(1, 10**30)
    with pytest.raises(ValueError, match=r"eta is so near to the edge of eta > 1 .*run, 1\.0"):
        decided(eta > 1, eta=rational(step))
    assert decided(eta <= 1, eta=rational(step)).holds is False


def test_a_spectrum_that_was_asked_for_decides_by_what_was_asked():
    def drawn(low, high):
        return Known(2.0, How.EXACT, "as asked", low, high, asked=span(2.0))

    ulp = 2.0**-51
    above, below = drawn(2.0 - ulp, 2.0 + ulp), drawn(2.0 - 2 * ulp, 2.0)
    assert decided(eta * L <= 1, eta=typed(0.5), L=above).holds is True
    assert decided(eta * L <= 1, eta=typed(0.5), L=above).firm is False
    assert decided(eta * L <= 1, eta=typed(0.499), L=above).firm is True
    assert decided(eta * L < 2, eta=typed(1.0), L=below).holds is False  # the L drawn is below 2


def test_a_number_that_was_computed_is_known_up_to_its_rounding():
    spread = Known(1 / 3, How.EXACT, "computed")
    found = decided(3 * delta <= 1, delta=spread)
    assert (found.holds, found.firm) == (True, False)
    assert decided(3 * delta < 1, delta=spread).holds is None


def test_a_step_tied_by_square_roots_is_met_within_float64():
    rule = sympy.Eq(eta, 4 / (sympy.sqrt(L) + sympy.sqrt(mu)) ** 2)
    for top, low in ((7.3, 0.2), (10, 0.1), (3, 0.03), (1e6, 1e-3)):
        root = top**0.5 + low**0.5
        for step in (4 / root**2, (2 / root) ** 2, 4 / (root * root)):  # some ulps apart
            found = decided(rule, eta=typed(step), L=typed(float(top)), mu=typed(low))
            assert found.holds is True, (top, low, step)
            assert found.firm
        far = decided(rule, eta=typed(step * (1 + 1e-13)), L=typed(float(top)), mu=typed(low))
        assert far.holds is False
        assert "differs from" in far.reason


def test_a_root_that_happens_to_print_few_digits_is_met_within_float64():
    step = (2 / 22028) ** 0.5
    assert repr(step) == "0.00952856418881"
    for rule in (sympy.Eq(eta, sympy.sqrt(2 / T)), eta >= sympy.sqrt(2 / T)):
        assert decided(rule, eta=typed(step), T=typed(22028)).holds is True
        assert decided(rule, eta=typed(step - 1e-14), T=typed(22028)).holds is False


def test_a_logarithm_that_happens_to_print_few_digits_is_met_within_float64():
    step = 8.53954159508  # as float64 has log(5113)
    assert decided(sympy.Eq(eta, sympy.log(T)), eta=typed(step), T=typed(5113)).holds is True


def test_an_equality_of_rationals_is_decided_exactly():
    rule = sympy.Eq(eta * L, 1)
    assert decided(rule, eta=typed(0.1), L=typed(10.0)).holds is True
    assert decided(rule, eta=rational(Fraction(1, 3)), L=typed(3.0)).holds is True
    off = decided(rule, eta=rational(Fraction(1, 3) + Fraction(1, 10**20)), L=typed(3.0))
    assert off.holds is False
    assert off.reason == "L*eta = 1 differs from 1 by 3e-20"
    # the root of 9 is rational, and .1 + .2 is .3
    assert decided(sympy.Eq(sympy.sqrt(L), 3), L=typed(9.0)).holds is True
    assert decided(sympy.Eq(eta + delta, 0.3), eta=typed(0.1), delta=typed(0.2)).holds is True


def test_decimals_of_a_rule_are_what_they_print():
    found = decided(eta * L <= 1.1, eta=typed(0.11), L=typed(10.0))
    assert (found.holds, found.margin) == (True, 0)


def test_cancelling_sides_are_no_room():
    found = decided(L * eta - 1 <= 0, eta=rational(Fraction(1, 10)), L=typed(10.0))
    assert (found.holds, found.margin, found.firm) == (True, 0, Fraction(0.1) * 10 <= 1)


def test_a_ball_holds_every_value_and_branches_have_none():
    spans = {eta: (Fraction(1), Fraction(2)), L: (Fraction(3), Fraction(3))}
    ball = enclosed(L / eta - eta**2, spans, 192)
    assert all(ball.contains(3 / x - x**2) for x in (1.0, 1.25, 2.0))
    assert enclosed(sympy.Piecewise((eta, eta < L), (L, True)), spans, 192) is None
    assert enclosed(1 / (eta - 1), spans, 192) is None


def test_without_a_ball_digits_decide_and_are_firm_only_far_away():
    numbers = {eta: numbers_of(typed(2.5), 2.5), mu: numbers_of(typed(2.5), 2.5)}
    sides = [sympy.meijerg([1], [], [1], [], each) for each in (eta, mu)]  # arb has none
    near = compared(sides[0] <= sides[1], numbers)
    assert (near.holds, near.firm) == (True, False)
    assert compared(sides[0] < sides[1], numbers).holds is None
    assert compared(sympy.Eq(*sides), numbers).holds is True
    far = compared(sides[0] <= 1 + sides[1], numbers)
    assert (far.holds, far.firm) == (True, True)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_beyond_float64_keeps_its_sign(sign):
    value = sign * mpmath.mpf(10) ** 400
    numbers = numbers_of(Known(float(sign), How.EXACT, "given"), value)
    assert sign * numbers.asked[0] == sign * numbers.run[1] > 10**399
