"""Expectations over coins go from round to round: against sums of fractions written by hand."""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import Algorithm
from theorylab.problems import problem
from theorylab.runs import NotAffineError, expected_trace, tossed
from theorylab.topologies import topology

F = Fraction
H = [[[F(2), F(1, 2)], [F(1, 2), F(1)]], [[F(1), F(0)], [F(0), F(3, 2)]]]
C = [[F(1), F(-1)], [F(1, 2), F(2)]]
ETA, P = F(1, 4), F(1, 8)


def numbers(table):
    return np.array(table, dtype=float)


@dataclass(frozen=True)
class Step(Algorithm):
    """x becomes fold(x, net, t)."""

    fold: object
    name = "step"

    def step(self, state, net):
        return net.next(state, x=self.fold(state.x, net, state.t))


def coordinates(x, net, t):
    mask = net.coins(2, "subset", k=1)
    works = net.coins(1, "bernoulli", p=float(P), shared=True)
    return net.mix(x - float(ETA) * works * mask * net.gradient(x))


def expected(fold, rounds, x0=1.0, n=1, dim=1, losses=None):
    losses = losses or problem("quadratic", n, H=[np.eye(dim)] * n, c=np.zeros((n, dim)))
    return expected_trace(losses, topology("complete", n), Step(fold), rounds=rounds, x0=x0)


def by_hand(rounds, variance):
    """E x_a x_b of the four numbers of two clients in two coordinates, every round's coins in all
    eight outcomes; x of the start is 1."""
    mean = [F(1)] * 4
    second = [[F(1)] * 4 for _ in range(4)]
    for _ in range(rounds):
        moved, squares = [F(0)] * 4, [[F(0)] * 4 for _ in range(4)]
        for works, j0, j1 in itertools.product((0, 1), (0, 1), (0, 1)):
            chance = (P if works else 1 - P) / 4
            A, b, noise = [], [], []
            for i, j in itertools.product(range(2), range(2)):  # before mixing
                on = ETA * works * ((j0, j1)[i] == j)
                row = [F(0)] * 4
                row[2 * i + j] += 1
                for k in range(2):
                    row[2 * i + k] -= on * H[i][j][k]
                A.append(row)
                b.append(on * sum(H[i][j][k] * C[i][k] for k in range(2)))
                noise.append(on * on * variance)
            half = F(1, 2)  # the mean of the two clients, coordinate by coordinate
            A = [[half * (A[j][k] + A[2 + j][k]) for k in range(4)] for j in (0, 1, 0, 1)]
            b = [half * (b[j] + b[2 + j]) for j in (0, 1, 0, 1)]
            added = [half * half * (noise[j] + noise[2 + j]) for j in (0, 1)]
            ends = [sum(A[a][k] * mean[k] for k in range(4)) for a in range(4)]
            for a in range(4):
                moved[a] += chance * (ends[a] + b[a])
                for c in range(4):
                    value = sum(
                        A[a][k] * second[k][m] * A[c][m] for k in range(4) for m in range(4)
                    )
                    value += ends[a] * b[c] + b[a] * ends[c] + b[a] * b[c]
                    value += added[a % 2] if a % 2 == c % 2 else 0
                    squares[a][c] += chance * value
        mean, second = moved, squares
    return mean, second


@pytest.mark.parametrize("sigma", [0.0, 0.5])
def test_a_random_coordinate_and_a_skipped_round_have_exact_moments(sigma):
    losses = problem("quadratic", 2, H=numbers(H), c=numbers(C), sigma=sigma)
    found = expected(coordinates, 3, losses=losses, n=2)
    mean, second = by_hand(3, F(sigma) ** 2 / 2)
    # after mixing both clients are at the mean: E |x - x*|^2 of client 0
    total = [[H[0][a][b] + H[1][a][b] for b in range(2)] for a in range(2)]
    right = [sum(H[i][a][k] * C[i][k] for i in range(2) for k in range(2)) for a in range(2)]
    det = total[0][0] * total[1][1] - total[0][1] * total[1][0]
    best = [
        (right[0] * total[1][1] - right[1] * total[0][1]) / det,
        (right[1] * total[0][0] - right[0] * total[1][0]) / det,
    ]
    gap = sum(second[a][a] - 2 * best[a] * mean[a] + best[a] ** 2 for a in range(2))
    assert found.last["squared_distance"][0] == pytest.approx(float(gap), rel=1e-12)
    assert found.exact


def halves(x, net, t):
    """x_i,j stays with chance 3/4, else it is halved, independent over the clients i."""
    return x * (1 - net.coins(4, "subset", k=1) / 2)


def test_clients_toss_for_themselves():
    found = expected(halves, 5, n=3, dim=4)  # 4^3 outcomes a round
    first, square = F(7, 8) ** 5, (F(3, 4) + F(1, 16)) ** 5
    mean = 4 * (3 * square + 6 * first**2) / 9
    assert found.last["squared_distance"][0] == pytest.approx(float(mean), rel=1e-13)
    assert found.last["consensus"][0] == pytest.approx(float(4 * square - mean), rel=1e-12)


def together(x, net, t):  # what one client's coin does depends on the others'
    return x * (1 + net.coins(1, "sign").prod(axis=1, keepdims=True)) / 2


def test_what_coins_do_together_need_not_add_up():
    found = expected(together, 4, n=2)
    assert found.last["squared_distance"][0] == pytest.approx(float(F(1, 2) ** 4), rel=1e-13)


@pytest.mark.parametrize("x0", [1.0, 1e4, 1e6])
def test_a_small_kick_where_two_clients_differ_is_seen_from_far(x0):
    def fold(x, net, t):
        coin = net.coins(1, "bernoulli", p=0.5)
        return x / 2 + 1e-3 * (coin - coin[:, ::-1]) ** 2

    mean, square, kick = F(x0), F(x0) ** 2, F(1e-3)
    for _ in range(60):
        mean, square = mean / 2 + kick / 2, square / 4 + mean * kick / 2 + kick**2 / 2
    found = expected(fold, 60, n=2, x0=x0)
    assert found.last["squared_distance"][0] == pytest.approx(float(square), rel=1e-9)


@pytest.mark.parametrize("rare", [1, 4])
@pytest.mark.parametrize(
    ("kick", "x0", "rounds"),
    [(lambda t: F(1, 1 + t), 1e4, 40), (lambda t: F(1e-4) * F(0.7) ** t, 1.0, 50)],
)
def test_what_falls_in_one_outcome_alone_is_no_round_that_repeats(kick, x0, rounds, rare):
    # below an ulp of large models, which alone would not show it
    def fold(x, net, t):
        return x / 2 + np.where(net.coins(1, "index", m=5) == rare, float(kick(t)), 0.0)

    mean, square = F(x0), F(x0) ** 2
    for t in range(rounds):
        k = F(float(kick(t)))
        mean, square = mean / 2 + k / 5, square / 4 + mean * k / 5 + k**2 / 5
    found = expected(fold, rounds, x0=x0)
    assert found.last["squared_distance"][0] == pytest.approx(float(square), rel=1e-9)


def test_a_mean_that_lies_in_one_of_a_million_runs_is_exact():
    found = expected(lambda x, net, t: 2 * x * net.coins(1, "bernoulli", p=0.5), 20)
    assert found.last["squared_distance"][0] == pytest.approx(2.0**20, rel=1e-13)
    assert found.columns["squared_distance"][0] == pytest.approx(2.0 ** np.arange(20), rel=1e-13)


def test_rounds_that_differ_are_looked_at_anew():
    def fold(x, net, t):  # the step falls, and in every third round nothing is tossed
        return x * (1 - net.coins(1, "bernoulli", p=0.25) / (t + 2)) if t % 3 else x / 2

    square = F(1)
    for t in range(7):
        kept = F(3, 4) + F(1, 4) * (1 - F(1, t + 2)) ** 2
        square *= kept if t % 3 else F(1, 4)
    found = expected(fold, 7)
    assert found.last["squared_distance"][0] == pytest.approx(float(square), rel=1e-13)


def all_agree(x, net, t):  # eight clients' coins of four outcomes: 4^8, and one of them matters
    return x / 2 + np.where(net.mix(0 * x + net.coins(1, "index", m=4)) > 2.99, 1e3, 0.0)


def capped(side, coin=True):  # projected on one side of 2
    def fold(x, net, t):
        toss = net.coins(1, "bernoulli", p=0.5) if coin else 0.5
        return side * np.minimum(2 * side * toss * x, 2.0)

    return fold


def narrow(x, net, t):  # another map in a window of models alone
    toss = net.coins(1, "bernoulli", p=0.5)
    return np.where(np.abs(np.abs(x) - 0.5) < 1e-3, 0.0, x * toss)


def looks(x, net, t):
    coin = net.coins(1, "sign")
    return x + (coin + net.coins(1, "sign") if (coin > 0).all() else coin)


def bends(x, net, t):
    return x - net.coins(1, "bernoulli", p=0.5) * x**3


@pytest.mark.parametrize(
    ("fold", "n", "why"),
    [
        (all_agree, 8, "more than 2048 outcomes"),
        (halves, 8, "more than 2048 outcomes"),
        (capped(1), 1, "is not affine"),
        (capped(-1), 1, "is not affine"),
        (narrow, 1, "is not affine"),
        (looks, 1, "tosses or reads by what it sees"),
        (bends, 1, "is not affine"),
        (lambda x, net, t: x * net.coins(20, "subset", k=10)[..., :1], 1, "need at most 256"),
        (lambda x, net, t: x * net.coins(12, "sign")[..., :1], 1, "more than 2048 outcomes"),
        (lambda x, net, t: x * net.coins(1, "index", m=200), 2, "more than 2048 outcomes"),
    ],
)
def test_what_has_no_such_moments_is_told(fold, n, why):
    with pytest.raises(NotAffineError, match=why):
        expected(fold, 2, n=n, dim=4 if fold is halves else 1)


def test_rounds_that_differ_are_not_probed_without_end(monkeypatch):
    monkeypatch.setattr(tossed, "_PROBES", 8)

    def fold(x, net, t):
        return x * net.coins(1, "sign") / (1 + t // 3)

    assert expected(fold, 9).exact  # three rounds of two outcomes, and one more is asked for
    with pytest.raises(NotAffineError, match="need more than 8 probes"):
        expected(fold, 12)


def test_weights_that_depend_on_a_coin_have_none():
    class Weighs(Step):
        def step(self, state, net):
            w = state.w * (1 + net.coins((), "bernoulli", p=0.5))
            return net.next(state, w=w)

    losses = problem("quadratic", 1, H=[[[1.0]]], c=[[0.0]])
    with pytest.raises(NotAffineError, match="depend"):
        expected_trace(losses, topology("complete", 1), Weighs(None), rounds=2, x0=1.0)
