"""A coin is counted and of a named law: what it shows, what it does not see, what is refused."""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import torch

from theorylab.algorithms import Algorithm, Coin, Context, algorithm, play
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import topology

CALLS = {
    "bernoulli": ((2,), {"p": 0.3}),
    "sign": ((), {}),
    "index": ((2,), {"m": 5}),
    "subset": ((4,), {"k": 2}),
    "finite": ((), {"values": [-1.0, 0.0, 4.0], "chances": [0.25, 0.5, 0.25]}),
}
LOSSES, RING = problem("quadratic", 3, dim=4), topology("ring", 3)


@dataclass(frozen=True)
class Shows(Algorithm):
    """Tosses what it is told to, and keeps what it sees."""

    calls: tuple
    name = "shows"

    def step(self, state, net):
        seen = {str(k): net.coins(*given, **more) for k, (given, more) in enumerate(self.calls)}
        return net.next(state, memory=seen)


def shown(*calls, runs=(0, 1), t=0, seed=0, x=None):
    """What the calls give in round t, one array each."""
    method = Shows(calls)
    x = np.zeros((len(runs), 3, 4)) if x is None else x
    state = algorithm("sgp", eta=1.0).init(x)
    context = Context(LOSSES, RING.matrix(t), seed, np.asarray(runs, np.int64))
    state = context.next(state)
    state = play(method, type(state)(t, state.x, state.w, state.z), context)
    return [state.memory[str(k)] for k in range(len(calls))]


def call(law, **more):
    shape, given = CALLS[law]
    return (shape, law), {**given, **more}


@pytest.mark.parametrize("law", CALLS)
def test_a_batch_has_the_draws_of_its_runs(law):
    whole, alone = shown(call(law), runs=[4, 0, 7])[0], shown(call(law), runs=[0])[0]
    assert whole.shape == (3, 3, *CALLS[law][0])
    assert np.array_equal(whole[1:2], alone)


def test_runs_clients_rounds_calls_and_seeds_share_no_draw():
    coin = (16, "bernoulli"), {"p": 0.5}
    seen = {}
    for t, seed in itertools.product(range(3), range(3)):
        for number, draws in enumerate(shown(coin, coin, runs=[0, 1, 2], t=t, seed=seed)):
            for run, client in itertools.product(range(3), range(3)):
                seen[t, seed, number, run, client] = tuple(draws[run, client])
    # 162 rows of 16 fair coins: by chance some two agree with probability 162^2/2^17
    assert len(set(seen.values())) >= len(seen) - 3


def test_a_shared_coin_is_the_same_for_all_clients_and_another_in_every_run():
    (drawn,) = shown((((), "bernoulli"), {"p": 0.5, "shared": True}), runs=list(range(64)))
    assert drawn.shape == (64, 1)
    assert 0 < drawn.sum() < 64


@pytest.mark.parametrize("law", CALLS)
def test_the_draws_have_the_law_that_is_listed(law):
    coin = Coin.of(*CALLS[law][:1], law, False, {**dict.fromkeys(
        ("p", "m", "k", "values", "chances")), **CALLS[law][1]})  # fmt: skip
    values, chances = coin.listed()
    assert len(values) == coin.outcomes
    assert sum(map(Fraction, chances)) == pytest.approx(1, abs=1e-15)
    runs = 4000
    drawn = shown(call(law), runs=list(range(runs)))[0].reshape(-1, *values.shape[1:])
    for value, chance in zip(values, chances, strict=True):
        count = (drawn == value).all(axis=-1).sum() if value.ndim else (drawn == value).sum()
        room = 6 * np.sqrt(len(drawn) * chance * (1 - chance))
        assert abs(count - len(drawn) * chance) <= room


def test_a_subset_lists_every_set_once():
    coin = Coin("subset", (2, 4), False, (2,))
    values, _ = coin.listed()
    sets = {tuple(np.flatnonzero(row)) for row in values}
    assert coin.entries == 2
    assert sets == set(itertools.combinations(range(4), 2))


def test_a_chance_of_0_or_1_is_no_draw():
    for p in (0, 1):
        coin = Coin("bernoulli", (3,), False, (float(p),))
        values, chances = coin.listed()
        assert (values.tolist(), chances.tolist(), coin.outcomes) == ([p], [1], 1)


@pytest.mark.parametrize("law", CALLS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_coins_are_of_the_models_kind(law, dtype):
    ours = shown(call(law), x=np.zeros((2, 3, 4), dtype))[0]
    theirs = shown(call(law), x=torch.zeros((2, 3, 4), dtype=getattr(torch, dtype)))[0]
    assert isinstance(theirs, torch.Tensor)
    kind = "int64" if law == "index" else dtype
    assert (str(ours.dtype), str(theirs.dtype)) == (kind, f"torch.{kind}")
    assert np.array_equal(ours, theirs.numpy())


def test_a_run_that_tosses_is_not_called_exact():
    method = Shows(((((), "sign"), {}),))
    assert not simulate(LOSSES, RING, method, rounds=2, runs=1, x0=0.0).exact
    assert simulate(LOSSES, RING, Shows(()), rounds=2, runs=1, x0=0.0).exact


@pytest.mark.parametrize(
    ("given", "more", "line"),
    [
        (((), "poisson"), {}, "no law 'poisson'; need one of bernoulli, sign"),
        (((), 3), {}, "no law 3; need one of"),
        (((), "bernoulli"), {}, "no p came with the law 'bernoulli'; need p="),
        (((), "bernoulli"), {"p": 1.5}, "p is 1.5; need a probability, 0 to 1"),
        (((), "bernoulli"), {"p": float("nan")}, "p is nan; need a probability"),
        (((), "bernoulli"), {"p": "half"}, "p is 'half'; need a number"),
        (((), "sign"), {"p": 0.5}, "p came with the law 'sign'; need nothing else"),
        (((), "index"), {"m": 0}, "m is 0; need 1 to"),
        (((), "index"), {"m": 2.5}, "m is 2.5; need an integer"),
        (((), "subset"), {"k": 1}, "shape is () for a subset"),
        (((3,), "subset"), {"k": 4}, "k is 4; need 0 to 3"),
        ((-1, "sign"), {}, "shape is -1; need 1 to"),
        (((2, "a"), "sign"), {}, "shape is 'a'; need an integer"),
        (((), "sign"), {"shared": "yes"}, "shared is 'yes'; need True or False"),
        (((), "finite"), {"values": [1.0], "chances": [0.5, 0.5]}, "1 values came with 2 chances"),
        (((), "finite"), {"values": [1.0], "chances": [0.5]}, "the chances sum to 0.5; need 1"),
        (((), "finite"), {"values": [np.inf], "chances": [1]}, "a value is inf; need a finite"),
        (((), "finite"), {"values": "ab", "chances": [1, 0]}, "values are 'ab'; need a row"),
    ],
)  # fmt: skip
def test_what_is_no_coin_is_one_line(given, more, line):
    with pytest.raises((ValueError, TypeError)) as told:
        shown((given, more))
    assert str(told.value).startswith("net.coins: ")
    assert line in str(told.value)
    assert "\n" not in str(told.value)


def test_a_coin_of_no_round_is_one_line():
    context = Context(LOSSES, RING.matrix(0), 0, np.arange(2))
    with pytest.raises(ValueError, match=r"net\.coins: this context is of no round"):
        context.coins((), "sign")
