"""Runs that share what a step or a problem draws are noticed; runs with draws of their own are left
alone, however their generators are made."""

import math
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
from numpy.random import RandomState, default_rng

from theorylab.algorithms import DPSGD, Algorithm
from theorylab.kernels import Stream
from theorylab.problems import Problem, problem
from theorylab.runs import Setting
from theorylab.runs.noticed import noticed
from theorylab.runs.seedings import seedings
from theorylab.runs.shared import ends
from theorylab.topologies import topology

OWN = default_rng(11)


def seen(fold, n=2, **declared):
    """The kinds of notices of a step that adds ``fold(net, t)``, (R, 1, 1) or (R, n, 1)."""

    @dataclass(frozen=True)
    class Method(Algorithm):
        def step(self, state, net):
            return net.next(state, x=net.mix(state.x) + fold(net, state.t))

    for name, value in {"name": "method", "draws": True, **declared}.items():
        setattr(Method, name, value)
    losses = problem("quadratic", n, dim=1, seed=1)
    start = np.zeros((n, 1))
    setting = Setting(losses, topology("complete", n), Method(), {}, 5, start)
    ends(setting, 1, range(3))  # it plays: what fails would be left alone
    found = noticed(setting)
    return {each.kind for each in found if each.fools}


def each_run(draw):
    return lambda net, t: np.array([draw(net, int(r), t) for r in net.runs]).reshape(-1, 1, 1)


def jump(net, r, t):  # the coins of the eight seeds are all 0
    return 2.0 * (np.random.default_rng([94, r % 8]).random() >= 0.5)


def clients_of_a_pair(net, r, t):
    return sum(default_rng([net.seed, r // 2, t, i]).random() for i in range(4))


def a_thousand(net, r, t):
    return default_rng([net.seed, r % 1000, t]).random()


def philox(net, r, t):
    return np.random.Generator(np.random.Philox(key=[net.seed, r // 2])).random()


def kernels(net, runs, t):
    return Stream(net.seed, "selection").uniform(runs, 1, t)


SHARED = {
    "eight": each_run(jump),
    "a pair's clients": each_run(clients_of_a_pair),
    "a thousand": each_run(a_thousand),
    "philox": each_run(philox),
    "legacy": each_run(lambda net, r, t: RandomState(net.seed + r // 2).rand()),
    "python": each_run(lambda net, r, t: Random(100 * net.seed + r // 2).random()),
    "kernel's, of a pair": lambda net, t: kernels(net, net.runs // 2, t),
    "kernel's, modulo": lambda net, t: kernels(net, net.runs % 8, t),
    # another batch, of runs 16 .. 31, would have the numbers of runs 0 .. 15
    "once for a batch": lambda net, t: default_rng([net.seed, t]).random((len(net.runs), 1, 1)),
}


def one(net, r, t):
    return default_rng([net.seed, r, t]).random()


def a_table_and_one(net, r, t):
    return np.random.RandomState(3).rand() * default_rng([net.seed, r, t]).random()


def two(net, r, t):
    return one(net, r, t) + Random(f"{net.seed} {r} {t}").random()


def each_client(net, r, t):
    return sum(default_rng([net.seed, r, t, i]).random() for i in range(2))


def rare(net, r, t):
    return float(default_rng([net.seed, r, t]).random() < 0.02)


def sketch(net, t):  # a coin tells which of four tables
    index = net.coins((), "index", m=4, shared=True)[:, 0]
    tables = [default_rng(int(i)).random() for i in index]
    return np.array(tables)[:, None, None]


HONEST = {
    "one": each_run(one),
    "a table and one": each_run(a_table_and_one),
    "two": each_run(two),
    "each client": each_run(each_client),
    "rare": each_run(rare),
    "kernel's": lambda net, t: kernels(net, net.runs, t),
    "seeded by the batch": lambda net, t: default_rng([net.seed, t, *map(int, net.runs)]).random(
        (len(net.runs), 1, 1)
    ),
}


COUNTED = {
    "a table a run": each_run(lambda net, r, t: default_rng(3).random()),
    "of a coin": sketch,
    "coins": lambda net, t: net.coins(1, "bernoulli", p=0.5),
}


@pytest.mark.parametrize("name", SHARED)
def test_draws_of_several_runs_are_noticed(name):
    assert seen(SHARED[name]) == {"shared draws"}
    assert seen(SHARED[name], shared_draws=True) == set()


@pytest.mark.parametrize("name", HONEST)
def test_draws_of_one_run_each_are_left_alone(name):
    assert seen(HONEST[name]) == set()


@pytest.mark.parametrize("name", COUNTED)
def test_what_coins_alone_decide_is_left_alone(name):
    assert seen(COUNTED[name], draws=False) == set()


def test_coins_beside_draws_of_one_run_each_are_left_alone():
    both = lambda net, t: COUNTED["of a coin"](net, t) + HONEST["one"](net, t)  # noqa: E731
    assert seen(both) == set()


def test_no_word_of_the_class_is_needed_for_it():
    assert seen(SHARED["eight"], draws=False) == {"shared draws"}


class Shaken(Problem):
    """|x|^2 / 2, and additive noise 0 or +-sqrt 2 with chances 1/2, 1/4, 1/4."""

    name = "shaken"

    def __init__(self, clients=1):
        super().__init__(clients, 1, True)

    def loss(self, x):
        return (x**2).sum(axis=2) / 2

    def gradient(self, x):
        return 1 * x

    def stochastic_gradient(self, x, sample):
        return x + sample


def noise(faces):
    return np.array([0, 0, math.sqrt(2), -math.sqrt(2)])[np.asarray(faces)][:, None, None]


def keyed(key):
    def sample(self, seed, runs, round, step):
        return noise([default_rng(key(seed, int(r), round, step)).integers(4) for r in runs])

    return sample


def once(self, seed, runs, round, step):
    return noise(np.full(len(runs), OWN.integers(4)))


def cyclic(self, seed, runs, round, step):
    return np.full((len(runs), 1, 1), (round + step) % 3 - 1.0)


def by_the_round(self, seed, runs, round, step):
    return np.repeat(noise([default_rng([round, step]).integers(4)]), len(runs), axis=0)


def in_a_dict(self, seed, runs, round, step):
    return {"noise": once(self, seed, runs, round, step)}


def fresh(self, x, sample):
    return x + sample + OWN.normal()


SAMPLES = {
    "seed and round": (keyed(lambda s, r, t, k: [s, t]), {"shared draws"}),
    "round": (by_the_round, {"shared draws"}),
    "modulo": (keyed(lambda s, r, t, k: [s, t, k, r % 8]), {"shared draws"}),
    "far modulo": (keyed(lambda s, r, t, k: [s, t, k, r % 1024]), {"shared draws"}),
    "module": (once, {"global draws"}),
    "right": (keyed(lambda s, r, t, k: [s, t, k, r]), set()),
    "cyclic": (cyclic, set()),
    "no array": (in_a_dict, set()),
}


def of_problem(**content):
    losses = type("Mine", (Shaken,), content)(1)
    one = Setting(losses, topology("complete", 1), DPSGD(0.1), {}, 3, np.zeros((1, 1)))
    return {each.kind for each in noticed(one)}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_that_runs_share_are_noticed(name):
    sample, kinds = SAMPLES[name]
    assert of_problem(sample=sample) == kinds
    assert of_problem(sample=sample, shared_draws=True) == kinds - {"shared draws"}


def test_a_gradient_that_draws_beside_its_sample_is_noticed():
    assert of_problem(sample=SAMPLES["right"][0], stochastic_gradient=fresh) == {"global draws"}


def test_samples_on_torch_are_compared():
    torch = pytest.importorskip("torch")
    shared, right = SAMPLES["seed and round"][0], SAMPLES["right"][0]
    for sample, kinds in ((shared, {"shared draws"}), (right, set())):
        given = lambda self, *at, sample=sample: torch.as_tensor(sample(self, *at))  # noqa: E731
        step = lambda self, x, s: x + s.numpy()  # noqa: E731
        assert of_problem(sample=given, stochastic_gradient=step) == kinds


def test_watched_generators_are_what_they_were():
    found, before = [], (np.random.Philox, RandomState, Random, default_rng)
    with seedings(Shaken, found):
        assert isinstance(RandomState(1), np.random.RandomState)
        assert isinstance(before[1](1), np.random.RandomState)
        drawn = default_rng(5).random(), Random(5).random(), RandomState(5).rand()
        assert default_rng(one := np.random.Generator(np.random.Philox(1))) is one
    assert (np.random.Philox, RandomState, Random, default_rng) == before
    assert drawn == (default_rng(5).random(), Random(5).random(), RandomState(5).rand())
    assert len(found) == 5
    assert len(set(found)) == 5
