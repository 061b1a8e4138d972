"""The smallest bound over a curve of pairs lies between the rates that are tried first."""

import math
from dataclasses import replace

import pytest
import sympy as sp

from theorylab.known import How, Known
from theorylab.runs.confidence import point
from theorylab.statements import Assumption, TooLongError, Version, within
from theorylab.symbols import C, L, eta, q
from theorylab.verdicts.case import Place
from theorylab.verdicts.pairs import Tightest

FIVE = [0.5, 0.6, 0.7, 0.8, 0.9]


class Flat:
    """C = 2 with every q from ``least`` on, and none below; it remembers what it was asked for."""

    def __init__(self, rates, least=0.0):
        self.tried, self.least, self.asked = rates, least, set()

    def C(self, q):
        self.asked.add(q)
        return 2.0 if q >= self.least else math.inf

    def rates(self):
        return self.tried


def place(rates=FIVE, given=0.9, curve=None, other=None, more=()):
    curve = Flat(rates) if curve is None else curve
    pair = {
        C: Known(2.0, How.UPPER, "given", pairs=curve),
        q: Known(given, How.UPPER, "given", pairs=other or curve),
    }
    return Place([1.0], 1.0, point(1.0, 0.0), True, pair | dict(more))


def lowest_at(best, floor=1.0, assumes=()):
    """A bound that is ``floor`` at q = best, and a parabola about it."""
    return Version({"bound": C / 2 * (floor + 1000 * (q - sp.Float(best)) ** 2)}, assumes)


def tightened(version, places):
    return Tightest(version)(places)


def rate_of(version, *places):
    found = [each.constants[q].value for each in tightened(version, places)]
    assert len(set(found)) == 1
    return found[0]


@pytest.mark.parametrize("best", [0.53, 0.57, 0.63, 0.67, 0.73, 0.77, 0.83, 0.87])
@pytest.mark.parametrize("given", FIVE)
def test_the_smallest_bound_is_found_on_either_side_of_the_best_rate(best, given):
    # Brent's search ends within three times its 1e-4 in log(1 - q)
    found = rate_of(lowest_at(best), place(given=given))
    assert abs(math.log1p(-found) - math.log1p(-best)) <= 3e-4


def test_beyond_the_first_and_the_last_rate_nothing_is_tried():
    assert rate_of(lowest_at(0.45), place()) == 0.5
    assert rate_of(lowest_at(0.95), place(given=0.5)) == 0.9
    assert rate_of(lowest_at(0.65), place([0.7], 0.7)) == 0.7


def test_a_rate_of_0_is_one_like_the_others():
    for best in (0.2, 0.3):
        found = rate_of(lowest_at(best), place([0.0, 0.5, 0.6], 0.6))
        assert abs(math.log1p(-found) - math.log1p(-best)) <= 3e-4
    assert rate_of(lowest_at(0.0), place([0.0, 0.5, 0.6], 0.6)) == 0.0


def test_a_pair_that_is_the_best_already_stays_as_it_is():
    own = place(given=0.6)
    assert tightened(lowest_at(0.6), (own,)) == (own,)
    assert tightened(lowest_at(0.6), (own,))[0] is own


def test_between_the_neighbours_of_the_best_rate_alone_others_are_tried():
    curve = Flat(FIVE)
    rate_of(lowest_at(0.73), place(curve=curve))
    between = curve.asked - set(FIVE)
    assert between
    assert all(0.6 < rate < 0.8 for rate in between)


def test_a_rate_without_a_finite_C_is_no_pair():
    falling = Version({"bound": q + 1 / C}, ())  # smallest where C is infinite
    assert rate_of(falling, place(curve=Flat(FIVE, least=0.65))) == pytest.approx(0.7, rel=1e-12)


def test_a_place_whose_C_and_q_are_of_no_one_curve_stays_as_it_is():
    own, apart = place(), place(other=Flat(FIVE))
    for odd in (
        apart,
        replace(own, constants={C: own.constants[C]}),
        replace(own, constants={q: own.constants[q]}),
        replace(own, constants={C: Known(2.0, How.UPPER, "x"), q: Known(0.9, How.UPPER, "x")}),
    ):
        assert tightened(lowest_at(0.6), (odd,)) == (odd,)
        first, second = tightened(lowest_at(0.6), (own, odd))
        assert (first.constants[q].value, second) == (0.6, odd)


def test_between_two_rates_a_bound_may_fall_to_nothing():
    found = rate_of(lowest_at(0.63, floor=-0.1), place())
    assert abs(found - 0.63) <= 0.01  # where it is not positive


def test_no_pair_is_taken_from_between_the_rates_that_breaks_an_assumption():
    cap = Assumption("q is small", rule=q < sp.Float(0.62))
    # smallest at 0.63: 0.6 is the best rate that is left, and the search ends where none may be
    assert rate_of(lowest_at(0.63, assumes=(cap,)), place()) == 0.6
    both = Assumption("C q is small", rule=C * q < sp.Float(1.24))
    assert rate_of(lowest_at(0.63, assumes=(both,)), place()) == 0.6
    # an assumption on something else is no matter of the pair, known or not
    known = {L: Known(1.0, How.ESTIMATE, "x")}
    other = (Assumption("L is small", rule=L < 2), Assumption("q under eta", rule=q < eta))
    assert rate_of(lowest_at(0.8, assumes=other), place(more=known)) == 0.8
    none = Assumption("q is tiny", rule=q < sp.Float(0.1))
    assert rate_of(lowest_at(0.63, assumes=(none,)), place()) == 0.9


def test_many_places_share_a_look_at_few_rates_and_few_places_do_not():
    rates = [k / 100 for k in range(80)]  # every tenth of them is looked at
    best = 0.333
    few = [place(rates, 0.79)] * 64
    assert abs(rate_of(lowest_at(best), *few) - best) <= 3e-4
    assert rate_of(lowest_at(best), *few, few[0]) == 0.3
    assert rate_of(lowest_at(0.78), *few, few[0]) == 0.79  # the given one is among them
    some = [place(FIVE, 0.9)] * 65  # of fewer than eight none is left out
    assert rate_of(lowest_at(0.63), *some) == 0.6


def test_places_of_the_same_numbers_share_one_look_and_others_have_their_own():
    moving = Version({"bound": C / 2 * (1 + 1000 * (q - L) ** 2)}, ())
    curve, tightest = Flat(FIVE), Tightest(moving)

    def rates(*bests, curve=curve):
        each = [{L: Known(best, How.EXACT, f"row {k}")} for k, best in enumerate(bests)]
        places = tuple(place(curve=curve, more=more) for more in each)
        return [one.constants[q].value for one in tightest(places)]

    first = rates(0.63, 0.73)
    assert first == pytest.approx([0.63, 0.73], abs=1e-3)
    curve.asked.clear()
    assert rates(0.73, 0.63) == first[::-1]
    assert curve.asked == set(first)  # what is shown of each, and nothing was tried
    assert rates(0.83) == pytest.approx([0.83], abs=1e-3)
    assert rates(0.63, curve=Flat(FIVE, least=0.7)) == [0.7]  # another curve


def test_a_pair_that_an_assumption_leaves_is_of_its_own_numbers():
    most = Assumption("q <= L", rule=q <= L)
    curve, tightest = Flat(FIVE), Tightest(lowest_at(0.83, assumes=(most,)))
    capped = [place(curve=curve, given=0.5, more={L: Known(c, How.EXACT, "")}) for c in (0.9, 0.6)]
    rates = [one.constants[q].value for one in tightest(tuple(capped))]
    assert rates[0] == pytest.approx(0.83, abs=1e-3)
    assert rates[1] <= 0.6


def test_the_terms_of_a_sum_count_whenever_they_are_added():
    k = sp.Symbol("k", integer=True)
    summed = Version({"bound": C / 2 * (1 + sp.Sum(q / k, (k, 1, 10)))}, ())
    tightest, one = Tightest(summed), place()
    with within(10_000):
        tightest((one,))
    with within(100), pytest.raises(TooLongError):  # though the pair is known
        tightest((one,))


def test_a_rate_without_a_bound_is_passed_over_where_an_assumption_leaves_it_out_alone():
    bound = {"bound": C / (q - sp.Float(0.5)) ** 2}
    beyond = Assumption("q > .5", q > 0.5)
    assert rate_of(Version(bound, [beyond]), place()) > 0.5
    with pytest.raises(ValueError, match="no finite real value"):
        tightened(Version(bound), [place()])
