"""The betting limits against an implementation of their own, and how often they are ever wrong.

Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting" (2024): capital
prod_i (1 + lambda_i (x_i - m)), lambda_i = sqrt(2 log(1/error) / (variance_{i-1} i log(i + 1))) or
.9 / m where that is smaller; variance_{i-1} is that of the runs before i. The limit is the largest
m against which the capital has ever reached 1/error.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from theorylab.runs import confidence, mean_interval

BELOW, ABOVE, CAP = 1e-3, 1e-2, 0.9  # docs/verdicts.md's chances of error; not read from the code


def bets_of(row, error):
    """lambda_1 .. lambda_R, each from the runs before it, as the formula reads."""
    found = [mpmath.mpf(0)]  # nothing is known before the first run, so nothing is staked
    for i in range(2, len(row) + 1):
        before = [mpmath.mpf(float(x)) for x in row[: i - 1]]
        means = [sum(before[:k]) / k for k in range(1, i)]
        squares = sum((x - mean) ** 2 for x, mean in zip(before, means, strict=True))
        variance = (squares + (before[0] / 2) ** 2) / (i - 1)
        top = 2 * mpmath.log(1 / mpmath.mpf(error))
        found.append(
            mpmath.sqrt(top / (variance * i * mpmath.log(i + 1))) if variance else mpmath.inf
        )
    return found


def limit_of(row, error):
    """The largest m against which the capital has ever reached 1/error, by bisection."""
    with mpmath.workdps(30):
        bets = bets_of(row, error)

        def reached(m):
            capital = mpmath.mpf(1)
            for x, bet in zip(row, bets, strict=True):
                capital *= 1 + min(bet, mpmath.mpf(CAP) / m) * (mpmath.mpf(float(x)) - m)
                if capital >= 1 / mpmath.mpf(error):
                    return True
            return False

        top = mpmath.mpf(float(max(row)))
        low, high = top * mpmath.mpf(10) ** -12, top
        if not top or not reached(low):
            return 0.0
        while high - low > low * mpmath.mpf(10) ** -16:
            middle = mpmath.sqrt(low * high)
            low, high = (middle, high) if reached(middle) else (low, middle)
        return float(low)


def wide(size, seed):
    return 10.0 ** np.random.default_rng(seed).uniform(-8, 0, size)


ROWS = {
    "uniform": np.random.default_rng(1).random(40),
    "coins": (np.random.default_rng(2).random(60) < 0.3).astype(float),
    "seldom": (np.random.default_rng(3).random(80) < 0.05).astype(float),
    "all the same": np.full(30, 0.2),
    "the same, then another": np.r_[np.full(20, 0.2), 0.7],
    "near 1": 1 - np.random.default_rng(4).random(30) * 1e-3,
    "eight decades": wide(50, 5),
    "large first": np.r_[1.0, np.random.default_rng(6).random(40) * 1e-3],
    "zeros first": np.r_[np.zeros(12), np.ones(12)],
    "two": np.array([0.4, 0.5]),
    "tiny, then 1": np.r_[np.full(200, 3e-12), 1.0],
    "tinier, then 1": np.r_[np.full(200, 5e-13), 1.0],  # below 1e-12 of the largest: 0
    "big numbers": np.random.default_rng(7).random(30) * 1e9,
}


@pytest.mark.parametrize("name", ROWS)
def test_the_lower_limit_is_that_of_the_paper(name):
    row = ROWS[name]
    # The root is found to a relative 1e-12 and moved by 1e-9 outward; that is the whole difference.
    low, expected = mean_interval(row).low, limit_of(row, BELOW)
    assert expected * (1 - 1e-9 - 1e-11) <= low <= expected * (1 - 1e-9 + 1e-11)


@pytest.mark.parametrize("name", ROWS)
def test_the_upper_limit_below_a_ceiling_is_the_lower_limit_of_what_is_left(name):
    row = ROWS[name]
    ceiling = 1.25 * float(row.max())
    left = limit_of(ceiling - row, ABOVE)
    found = mean_interval(row, ceiling)
    # as above, with the rounding of the two differences from the ceiling
    room = 1e-11 * left + 4 * 2.0**-53 * ceiling
    assert found.high == pytest.approx(ceiling - left * (1 - 1e-9), abs=room, rel=0)
    assert found.rigorous
    assert found.low == mean_interval(row).low


def test_limits_that_share_the_chance_of_error_use_their_share_of_it():
    row = ROWS["uniform"]
    found = mean_interval(row, 1.0, share=0.25)
    assert found.low == pytest.approx(limit_of(row, BELOW / 4), rel=2e-9)
    assert found.high == pytest.approx(1 - limit_of(1 - row, ABOVE / 4), rel=2e-9)


def test_a_limit_that_was_reached_is_never_taken_back():
    # an adversary who stops when it pleases gains nothing: looks at fewer runs gave no more
    for row in (ROWS["coins"], ROWS["uniform"], ROWS["eight decades"]):
        lows = [mean_interval(row[:k]).low for k in range(1, len(row) + 1)]
        assert lows[-1] > 0
        for early, late in itertools.pairwise(lows):
            assert late >= early * (1 - 1e-11)


def most_capital(rows, mean, error):
    """The logarithm of the largest capital against the true mean, at any time, of each row."""
    size = rows.shape[1]
    count = np.arange(1, size + 1)
    means = np.cumsum(rows, axis=1) / count
    squares = np.cumsum((rows - means) ** 2, axis=1) + (rows[:, :1] / 2) ** 2
    variance = (squares / count)[:, :-1]  # a bet knows the runs before its own
    i = count[1:]
    with np.errstate(divide="ignore"):
        bets = np.sqrt(2 * math.log(1 / error) / (variance * i * np.log(i + 1)))
    bets = np.minimum(bets, CAP / mean)
    return np.log1p(bets * (rows[:, 1:] - mean)).cumsum(axis=1).max(axis=1, initial=-np.inf)


def coins(p):
    return lambda rng, shape: (rng.random(shape) < p).astype(float), p


def between(low, high, p):
    """``high`` with chance p, else ``low``: both far from 0 and 1."""
    return lambda rng, shape: np.where(rng.random(shape) < p, high, low), low + p * (high - low)


def beta(a, b):
    return lambda rng, shape: rng.beta(a, b, shape), a / (a + b)


LAWS = {
    **{f"coin {p:g}": coins(p) for p in (1e-4, 0.01, 0.1, 0.5, 0.9, 0.999)},
    **{f"beta {a} {b}": beta(a, b) for a, b in ((0.5, 0.5), (0.05, 1), (1, 30), (5, 1), (2, 2))},
    "two points in the middle": between(0.4, 0.6, 0.5),
    "two points, seldom the high one": between(0.45, 0.55, 0.02),
    "two points, seldom the low one": between(0.2, 0.5, 0.97),
}
FAST = ("coin 0.01", "coin 0.9", "beta 0.5 0.5", "beta 1 30", "two points, seldom the low one")


def wrong(name, sequences, size, error, above, seed):
    """Rows whose limit is ever on the wrong side of the mean; and the rows nearest to that."""
    draw, mean = LAWS[name]
    rng, count, near = np.random.default_rng(seed), 0, []
    for _ in range(0, sequences, 2000):
        rows = draw(rng, (2000, size))
        rows, here = (1 - rows, 1 - mean) if above else (rows, mean)
        capital = most_capital(rows, here, error)
        count += int(np.sum(capital >= math.log(1 / error)))
        near += [(capital[k], rows[k]) for k in np.argsort(capital)[-6:]]
    return count, near


def never_too_often(name, sequences, size, seed):
    for error, above in ((BELOW, False), (ABOVE, True)):
        count, near = wrong(name, sequences, size, error, above, seed)
        # P(so many or more | exactly the stated chance): exact binomial, one in a million
        assert binom.sf(count - 1, sequences, error) > 1e-6, (count, error)
        mean = 1 - LAWS[name][1] if above else LAWS[name][1]
        for capital, row in near:  # the code's own limits, where it matters
            interval = mean_interval(1 - row, 1.0) if above else mean_interval(row)
            low = 1 - interval.high if above else interval.low
            if abs(capital - math.log(1 / error)) > 1e-6:
                assert (low > mean) == (capital > math.log(1 / error))


@pytest.mark.parametrize("name", FAST)
def test_whenever_one_stops_a_limit_is_wrong_no_more_often_than_it_says(name):
    never_too_often(name, 8000, 128, seed=11)


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_of_many_long_sequences_no_more_are_ever_wrong_than_it_says(name):
    never_too_often(name, 200_000, 1024, seed=12)


def test_limits_with_ten_times_the_chance_of_error_would_fail_that_test():
    # the check has power: coins use nearly all of the chance that a limit has
    count, _ = wrong("coin 0.9", 8000, 128, 10 * BELOW, False, seed=11)
    assert binom.sf(count - 1, 8000, BELOW) < 1e-6
    fair, _ = wrong("coin 0.9", 8000, 128, BELOW, False, seed=11)
    assert fair > 0


LOW, HIGH, CHANCE = 0.1, 0.9, 0.6  # of the high one


def outcomes(size):
    """Every row of ``size`` draws from two numbers, with its exact chance; and the mean."""
    rows = np.array(list(itertools.product((LOW, HIGH), repeat=size)))
    chances = np.where(rows == HIGH, CHANCE, 1 - CHANCE).prod(axis=1)
    return rows, chances, CHANCE * HIGH + (1 - CHANCE) * LOW


def test_betting_on_the_true_mean_is_a_fair_game():
    # over all 1024 rows: a bet that sees its own run makes or loses money on average
    rows, chances, mean = outcomes(10)
    bets = np.array([confidence._bets(row, 0.3) for row in rows])
    capital = np.prod(1 + np.minimum(bets, CAP / mean) * (rows - mean), axis=1)
    assert capital.std() > 0.5
    # a thousand sums of products of ten factors, each rounded by 2^-53 or so
    assert chances @ capital == pytest.approx(1.0, abs=1e-13, rel=0)


def test_the_exact_chance_that_a_limit_is_ever_wrong_is_below_the_stated_one():
    rows, chances, mean = outcomes(12)
    low = np.array([mean_interval(row, share=300.0).low for row in rows])  # chance .3
    assert 0.05 < chances[low > mean].sum() <= 300 * BELOW
