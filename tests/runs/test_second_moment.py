"""The limit under a bounded second moment, by exact chances: no sample has a part in them."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from theorylab.runs import mean_interval
from theorylab.runs.second_moment import moment_limit

ERROR = 0.3


def two_points(kurtosis, low=0):
    """(low, high, chance of high) of mean 1 and E X^2 = kurtosis, in fractions where they are."""
    spread = Fraction(kurtosis) - 1  # (1 - low)(high - 1)
    high = 1 + spread / (1 - Fraction(low))
    return Fraction(low), high, (1 - Fraction(low)) / (high - Fraction(low))


@pytest.mark.parametrize(("kurtosis", "low"), [(2, 0), (3, 0), (Fraction(5, 4), 0), (3, "1/2")])
def test_the_two_point_laws_have_the_moments_that_they_are_said_to_have(kurtosis, low):
    zero, high, chance = two_points(kurtosis, low)
    assert (1 - chance) * zero + chance * high == 1
    assert (1 - chance) * zero**2 + chance * high**2 == kurtosis


@pytest.mark.parametrize(
    ("kurtosis", "a"),  # (1 + a)^2 - k a^2 is a square of a fraction
    [(5, Fraction(1, 2)), (Fraction(11, 4), Fraction(1, 2)), (9, Fraction(1, 4)), (1, Fraction(4))],
)
@pytest.mark.parametrize("low", ["0", "1/3", "9/10"])
def test_a_bet_is_fair_or_worse_under_every_law_that_the_bound_allows(kurtosis, a, low):
    inside = (1 + a) ** 2 - kurtosis * a * a
    root = Fraction(math.isqrt(inside.numerator), math.isqrt(inside.denominator))
    assert root * root == inside
    b = (1 + a - root) / (2 * Fraction(kurtosis))
    far = a / (2 * b)

    def bet(u):
        u = min(u, far)
        return 1 + a * (1 - u) - b * (kurtosis - u * u)

    assert bet(far) == 0  # b is the least that keeps a bet from costing more than there is
    for size in (Fraction(kurtosis), (1 + Fraction(kurtosis)) / 2):  # second moments up to it
        zero, high, chance = two_points(size, low)
        mean = (1 - chance) * bet(zero) + chance * bet(high)
        assert 0 < mean <= 1
        if size == kurtosis and high <= far:
            assert mean == 1


def rows_of(law, size):
    zero, high, chance = (float(part) for part in law)
    rows = np.array(list(itertools.product((zero, high), repeat=size)))
    chances = np.where(rows == high, chance, 1 - chance).prod(axis=1)
    return rows, chances


def ever_wrong(rows, kurtosis):
    """(R,) whether a limit from the first runs of a row, however many, is below the mean, 1."""
    wrong = np.zeros(len(rows), bool)
    for k in range(1, rows.shape[1] + 1):
        heads, back = np.unique(rows[:, :k], axis=0, return_inverse=True)
        wrong |= np.array([moment_limit(row, kurtosis, ERROR) < 1 for row in heads])[back]
    return wrong


@pytest.mark.parametrize(("kurtosis", "low", "size"), [(2, 0, 7), (4, 0, 8), ("5/4", 0, 6)])
def test_over_all_rows_the_limit_is_ever_below_the_mean_no_more_often_than_it_says(
    kurtosis, low, size
):
    rows, chances = rows_of(two_points(Fraction(kurtosis), low), size)
    # of 2^size chances the sum is exact to 1e-12 or so
    assert 0.01 < chances[ever_wrong(rows, float(Fraction(kurtosis)))].sum() <= ERROR


def test_a_limit_for_another_second_moment_would_fail_that_test():
    # the check has power: the same runs, judged as if their second moment were the least
    rows, chances = rows_of(two_points(4), 4)
    assert chances[ever_wrong(rows, 1.05)].sum() > 2 * ERROR


@pytest.mark.parametrize("kurtosis", [1.0, 1.5, 3.0])
def test_the_limit_is_the_mean_against_which_the_capital_reaches_what_it_has_to(kurtosis):
    # written out once more with 30 digits, run by run; the bets are from the runs before
    row = np.random.default_rng(7).random(40)
    limit, k, error = moment_limit(row, kurtosis, 0.01), mpmath.mpf(kurtosis), mpmath.mpf("0.01")

    def capital(mean):
        money, most = mpmath.mpf(1), mpmath.mpf(0)
        for i, x in enumerate(row.tolist()):
            before = [mpmath.mpf(v) for v in row[:i].tolist()]
            seen = k - 1
            if before:
                middle = mpmath.fsum(before) / i
                away = mpmath.fsum(v * v for v in before) / i - middle**2
                seen = (k - 1 + i * min(max(away / middle**2, 0), k - 1)) / (i + 1)
            w = max((k - 1 + seen) / 2, mpmath.mpf("1e-9"))
            cap = 50 if k == 1 else min(50, mpmath.mpf("0.9") / (mpmath.sqrt(k) - 1))
            a = min(mpmath.sqrt(2 * mpmath.log(1 / error) / (w * (i + 1) * mpmath.log(i + 2))), cap)
            b = (1 + a - mpmath.sqrt((1 + a) ** 2 - k * a * a)) / (2 * k)
            u = min(x / mean, a / (2 * b))
            bet = 1 + a * (1 - u) - b * (k - u * u)
            money *= 1 + mpmath.mpf("0.9") * (bet - 1)
            most = max(most, money)
        return most

    with mpmath.workdps(30):
        # moved up by a share of 1e-9 of the root, which is found to 1e-12
        assert capital(limit * (1 - mpmath.mpf("2e-9"))) < 1 / error < capital(limit)


def test_few_runs_have_no_limit_and_zeros_alone_have_the_limit_0_once_they_are_many():
    # P(X > 0) >= 1/k: so many zeros have a chance below .01 from log(.01)/log(1 - 1/k) on
    for kurtosis in (2.0, 3.0, 10.0):
        least = math.log(0.01) / math.log(1 - 1 / kurtosis)
        assert moment_limit(np.zeros(int(least)), kurtosis, 0.01) == math.inf
        assert moment_limit(np.zeros(int(12 * least)), kurtosis, 0.01) == 0.0
    assert moment_limit(np.array([1.0]), 3.0, 0.01) == math.inf
    # after so many zeros a run that is none: the mean is not below what was seen
    assert moment_limit(np.r_[np.zeros(200), 1.0], 2.0, 0.01) == 1.0


def test_the_limit_comes_down_to_the_mean_and_moves_with_the_unit():
    row = np.random.default_rng(3).exponential(size=4096)
    limits = [moment_limit(row[:k], 2.0, 0.01) for k in (64, 512, 4096)]
    assert limits[0] > limits[1] > limits[2] > 0.97
    assert limits[2] < 1.1
    for unit in (1e-200, 1e200):
        assert moment_limit(row[:64] * unit, 2.0, 0.01) == pytest.approx(limits[0] * unit, rel=1e-8)


def test_a_kurtosis_is_of_the_number_less_its_floor_and_shares_the_chance_with_a_ceiling():
    row = np.random.default_rng(5).random(64)
    plain = mean_interval(row, kurtosis=1.5)
    assert plain.high == moment_limit(row, 1.5, 0.01)
    assert plain.method.endswith("floor 0, kurtosis 1.5")
    moved = mean_interval(row - 2, kurtosis=1.5, floor=-2.0)
    assert moved.high == pytest.approx(plain.high - 2, abs=1e-9)
    both = mean_interval(row, 1.0, kurtosis=1.5)
    halves = mean_interval(row, 1.0, 0.5).high, moment_limit(row, 1.5, 0.005)
    assert both.high == min(halves)
    assert mean_interval(row, 50.0, kurtosis=1.5).high == moment_limit(row, 1.5, 0.005)
    assert mean_interval(row, kurtosis=1.5, floor=None).high == math.inf  # of which number?
    for bad in (0.99, -1.0, math.nan):
        with pytest.raises(ValueError, match="need E X"):
            mean_interval(row, kurtosis=bad)
