"""Coins are listed: expectations over what a step tosses, against sums written by hand."""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import Algorithm
from theorylab.metrics import Metric, measured
from theorylab.problems import problem
from theorylab.runs import Row, Setting
from theorylab.topologies import topology


class Square(Metric):
    """(1/n) sum_i |x_i^T|^2."""

    def rows(self, before, after):
        return ()

    def last(self, state):
        yield Row((state.x**2).sum(axis=2).mean(axis=1), {}, "end")


@dataclass(frozen=True)
class Tosses(Algorithm):
    """x = fold(x, coin) for one coin a round."""

    coin: tuple
    fold: object
    more: tuple = ()
    name = "tosses"

    def step(self, state, net):
        return net.next(state, x=self.fold(state.x, net.coins(*self.coin, **dict(self.more))))


def mean(method, rounds, n=1, dim=1, law="auto", losses=None, **options):
    losses = losses or problem("quadratic", n, dim=dim, mu=1.0, L=1.0)
    start = np.ones((n, losses.dim))
    given = Setting(losses, topology("complete", n), method, {}, rounds, start)
    found = measured(Square, given, {}, law=law, **options)
    return found, found.rows[0].values


def test_a_step_that_skips_by_a_coin_is_listed():
    # x halves with chance 1/4 in every round: E x^2 = (3/4 + 1/16)^T
    method = Tosses((1, "bernoulli"), lambda x, c: x * (1 - c / 2), (("p", 0.25),))
    found, values = mean(method, 6)
    assert found.exact
    assert values[0] == pytest.approx(float((Fraction(3, 4) + Fraction(1, 16)) ** 6), rel=1e-14)


def test_clients_toss_for_themselves_unless_a_coin_is_shared():
    fold = lambda x, c: x * 0 + (c * np.ones_like(x)).sum(axis=1, keepdims=True)  # noqa: E731
    for shared, square in ((False, Fraction(2)), (True, Fraction(4))):  # E (s_1 + s_2)^2
        method = Tosses((1, "sign"), fold, (("shared", shared),))
        assert mean(method, 1, n=2)[1][0] == pytest.approx(float(square), rel=1e-15)


def test_a_random_coordinate_has_its_exact_expectation():
    # x_j halves where it is chosen: by hand over all 3^4 ways
    method = Tosses((3, "subset"), lambda x, c: x * (1 - c / 2), (("k", 1),))
    total = Fraction(0)
    for way in itertools.product(range(3), repeat=4):
        x = [Fraction(1)] * 3
        for j in way:
            x[j] /= 2
        total += sum(v * v for v in x) / Fraction(3**4)
    assert mean(method, 4, dim=3)[1][0] == pytest.approx(float(total), rel=1e-14)


def test_an_index_and_a_finite_law_are_listed():
    method = Tosses((1, "index"), lambda x, c: x + c, (("m", 4),))
    outcomes = [Fraction(1 + i + j) ** 2 / 16 for i in range(4) for j in range(4)]
    assert mean(method, 2)[1][0] == pytest.approx(float(sum(outcomes)), rel=1e-15)
    law = (("values", (0.0, 3.0)), ("chances", (0.875, 0.125)))
    method = Tosses((1, "finite"), lambda x, c: x + c, law)
    by_hand = Fraction(7, 8) + Fraction(16, 8)
    assert mean(method, 1)[1][0] == pytest.approx(float(by_hand), rel=1e-15)


def test_coins_and_noise_are_listed_together():
    losses = problem("noisy", 1, base={"name": "log-cosh", "dim": 1, "center": 0.0},
                     field="rademacher", sigma=1.0)  # fmt: skip

    class Both(Tosses):
        def step(self, state, net):
            c = net.coins(1, "bernoulli", p=0.25)
            return net.next(state, x=state.x - c * net.gradient(state.x))

    total = 0.0
    for (c, e), (d, f) in itertools.product(itertools.product((0, 1), (-1, 1)), repeat=2):
        x = 1.0
        for coin, noise in ((c, e), (d, f)):
            x -= coin * (np.tanh(x) + noise)
        total += x * x * (0.25 if c else 0.75) * (0.25 if d else 0.75) / 4
    found, values = mean(Both((), None), 2, losses=losses)
    assert found.exact
    assert values[0] == pytest.approx(total, rel=1e-14)


def test_too_many_coins_are_sampled_and_the_law_says_so():
    method = Tosses((1, "bernoulli"), lambda x, c: x * (1 - c / 2), (("p", 0.5),))
    found, _ = mean(method, 40, runs=range(4))
    assert not found.exact
    with pytest.raises(ValueError, match="more than 65536 outcomes by round 16; need fewer"):
        mean(method, 40, law="enumerated")
    vast = Tosses((60, "subset"), lambda x, c: x * 1, (("k", 30),))
    with pytest.raises(ValueError, match="more than 65536 outcomes by round 0"):
        mean(vast, 1, dim=1, law="enumerated")


def test_a_step_that_tosses_by_what_it_sees_has_no_law():
    class Looks(Tosses):
        def step(self, state, net):
            c = net.coins(1, "sign")
            if (c > 0).any():
                c = c + net.coins(1, "sign")
            return net.next(state, x=state.x + c)

    with pytest.raises(ValueError, match="tosses coin 1 in one outcome, and another or none"):
        mean(Looks((), None), 1, law="enumerated")
