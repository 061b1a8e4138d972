"""One round of a linear method as rows, and the recursion that it is over a network."""

import importlib.util
import pathlib
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import Algorithm, algorithm
from theorylab.topologies import topology
from theorylab.worst import NotCertifiedError, NotLinearError, forever
from theorylab.worst.check_certificate import Rounds
from theorylab.worst.recursion import echelon, exact, mean_model, reduced
from theorylab.worst.recursion import recursion as over_network
from theorylab.worst.round_map import round_map

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("linear_methods", HERE / "linear_methods.py")
methods = importlib.util.module_from_spec(spec)
spec.loader.exec_module(methods)


def rows(*texts):
    return tuple(tuple(Fraction(entry) for entry in text.split()) for text in texts)


def recursion(told, P):
    """The round over a network of fractions."""
    whole = Rounds(told.as_json([[[str(v) for v in row] for row in P]]), len(P))
    return over_network(whole, whole.phases[0][0])


def test_push_sum_tells_its_rows():
    told = round_map(algorithm("sgp", eta=0.1), 2)
    assert told.queries == rows("1 0 0 0 0 0", "0 1 0 0 0 0")  # w_i times the point
    assert told.sends == rows("1 0 -1/10 0 0 0", "0 1 0 -1/10 0 0")
    assert told.after == rows("0 0 0 0 1 0", "0 0 0 0 0 1")
    assert (told.starts, told.weighted, told.fresh) == (rows("1 1"), True, True)


def test_local_steps_with_momentum_tell_their_rows():
    told = round_map(algorithm("dfedsgpsm", eta=0.1, alpha=0.9, local_steps=2), 1)
    assert told.owners == (0, 0)
    assert told.queries == rows("1 0 0 0", "1 -1/10 0 0")
    assert told.sends == rows("1 -19/100 -1/10 0")


def test_a_method_that_carries_more_tells_all_of_it():
    told = round_map(methods.Tracking(0.25), 1)  # x, g and y, in the order of their names
    assert told.sends == rows("0 0 1 0 0 0", "1 0 0 0 0 0")
    assert told.after == rows("0 1/4 0 -1/4 -1/4 1", "0 0 0 1 0 0", "0 -1 0 1 1 0")


def test_a_gossip_of_two_exchanges_sends_what_it_received():
    told = round_map(algorithm("dfedsam", eta=0.5, rho=0.0, local_steps=1, gossip_steps=2), 2)
    assert len(told.sends) == 4
    P = exact(methods.ring(2))
    assert (recursion(told, P).A == P @ P).all()


class Asking(Algorithm):
    """x - g/8, g the sum of gradients at x - reach g with these samples; None: with no sample."""

    def __init__(self, *queries):
        self.queries = queries

    def step(self, state, net):
        total = 0
        for reach, k in self.queries:
            x = state.x - reach * total
            total = total + (net.problem.gradient(x) if k is None else net.gradient(x, k))
        return net.next(state, x=state.x - total / 8)


@pytest.mark.parametrize(
    ("queries", "fresh"),
    [
        ([(0, 0), (0.5, 1)], True),
        ([(0, 0), (0, 0)], True),  # the same noisy gradient, twice
        ([(0, 0), (0, 1)], False),  # one gradient, two noises
        ([(0, 0), (0.5, 0)], False),  # two gradients of one minibatch
        ([(0, 0), (0.5, 0), (0, 1)], False),
        ([(0, 0), (0.5, None)], False),  # a gradient without noise
    ],
)
def test_noises_are_independent_where_each_point_has_its_own_sample(queries, fresh):
    method = Asking(*queries)
    assert round_map(method, 2).fresh is fresh
    words = {"mu": Fraction(1, 10), "L": Fraction(1)}
    assert forever(method, topology("complete", 1), **words).rate < 1
    if fresh:
        assert forever(method, topology("complete", 1), **words, noise=True).floor > 0
    else:
        with pytest.raises(NotCertifiedError, match="their noises are not independent"):
            forever(method, topology("complete", 1), **words, noise=True)


@pytest.mark.parametrize(
    ("rounds_of", "fresh"),
    [
        (lambda t: [t], True),
        (lambda t: [0], False),  # one minibatch for all rounds
        (lambda t: [t, t + 1], False),  # the second one comes again in the next round
    ],
)
def test_a_sample_that_comes_in_two_rounds_gives_no_independent_noises(rounds_of, fresh):
    class Dated(Algorithm):
        def step(self, state, net):
            total = 0
            for t in rounds_of(state.t):
                g = net.problem.stochastic_gradient(state.x - total / 2, net.sample(t, 0))
                total = total + g
            return net.next(state, x=state.x - total / 8)

    assert round_map(Dated(), 2).fresh is fresh


def test_a_point_that_comes_again_has_the_same_gradient():
    class Twice(Algorithm):
        def step(self, state, net):
            return net.next(state, x=state.x - net.gradient(state.x) + net.gradient(1 * state.x))

    told = round_map(Twice(), 1)
    assert (told.after, told.fresh) == (rows("1 0"), True)


class Odd(Algorithm):
    """A step that no row tells, of one kind or another."""

    def __init__(self, kind):
        self.kind = kind

    def step(self, state, net):
        x, g = state.x, net.gradient(state.x)
        if self.kind == "network":
            return net.next(state, x=net.mixing @ x)
        if self.kind == "coins":
            return net.next(state, x=x - net.coins(1, "sign") * g)
        if self.kind == "loss":
            return net.next(state, x=x - net.problem.loss(x)[:, :, None] * g)
        if self.kind == "schedule":
            return net.next(state, x=x - g / (1 + state.t))
        if self.kind == "clipped":
            return net.next(state, x=np.clip(x - g, -1, 1))
        if self.kind == "many":
            for k in range(300):
                x = x - net.gradient(x + k)
            return net.next(state, x=x)
        return net.next(state, x=x - g, w=2 * state.w)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("network", "reads the entries of the network"),
        ("coins", "draws by itself"),
        ("loss", "the value of a loss"),
        ("schedule", r"round 1: next state 0 \(client 0\) is not linear, or not that of round 0"),
        ("clipped", "next state 0"),
        ("many", "more than 256 gradients"),
        ("weights", "not those of push-sum"),
    ],
)
def test_a_step_that_no_row_tells_is_refused(kind, why):
    with pytest.raises(ValueError, match=why):
        round_map(Odd(kind), 2)


def test_sam_is_not_linear_and_the_query_is_named():
    with pytest.raises(NotLinearError, match=r"round 0: query 1 \(client 0\) is not linear"):
        round_map(algorithm("dfedsam", eta=0.1, rho=0.5, local_steps=1), 1)


def test_a_recursion_is_the_round_over_a_network():
    P, told = exact(methods.chord()), round_map(algorithm("sgp", eta=0.5), 3)
    found = recursion(told, P)
    assert (found.A == P).all()
    assert (found.B == -P / 2).all()
    assert (found.C - exact(np.eye(3, dtype=int)) == 0).all()
    assert not found.D.any()


def test_what_stays_and_what_nobody_sees_are_left_out():
    """Tracking has x, y and g of n clients; y enters through P y - g, whose sum is always 0."""
    told = round_map(methods.Tracking(0.25), 3)
    maps = [recursion(told, exact(methods.path(3)))]
    cut = reduced(maps, mean_model(told), told.starts)
    k, (A, C) = len(cut.metric), (maps[0].A, maps[0].C)
    assert (k, cut.span.shape) == (5, (9, 7))
    eta = exact([[1], [2], [-5], [3], [-1], [-2], [7]])
    before = cut.span @ eta
    assert before[3:6].sum() == before[6:].sum()
    assert (cut.coordinates @ before == eta).all()
    assert (cut.recursions[0].A @ eta[:k] == (cut.coordinates @ A @ before)[:k]).all()
    assert (cut.recursions[0].C @ eta[:k] == C @ before).all()


def test_the_echelon_form_is_that_of_rationals():
    form, pivots = echelon(exact([[0, 2, 4], [0, 1, 2], [3, 0, 6]]))
    assert (form.tolist(), pivots) == ([[1, 0, 2], [0, 1, 2]], [0, 1])
