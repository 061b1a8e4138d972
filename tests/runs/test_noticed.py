"""What a step does and its class does not say is noticed, and an honest one is left alone."""

import random
import re
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
from numpy.random import default_rng

from theorylab.algorithms import DPSGD, SGP, Algorithm, FedAvg
from theorylab.kernels import Stream
from theorylab.problems import problem
from theorylab.runs import Setting
from theorylab.runs.noticed import noticed
from theorylab.topologies import topology


def step_of(fold, **declared):
    """A stranger's method whose step is ``fold``."""

    @dataclass(frozen=True)
    class Method(Algorithm):
        eta: float = 0.1

        def step(self, state, net):
            return fold(self, state, net)

    for name, value in {"name": "method", **declared}.items():
        setattr(Method, name, value)
    return Method()


def kinds(method, network="ring", n=8, losses=None, **options):
    losses = losses or problem("quadratic", n, dim=3, sigma=0.1, seed=1)
    start = np.zeros((n, losses.dim))
    found = noticed(Setting(losses, topology(network, n, **options), method, {}, 5, start))
    assert all("\n" not in each.text for each in found)
    return {each.kind for each in found}


def gossip(x, self, state, net):
    return net.next(state, x=net.mix(x - self.eta * net.gradient(state.x)))


def one_coin(self, state, net):
    coin = np.random.default_rng([net.seed, state.t]).integers(2)
    return gossip(state.x * coin, self, state, net)


def one_coin_of_the_round(self, state, net):
    return gossip(state.x * default_rng(state.t).integers(2), self, state, net)


def one_coin_of_python(self, state, net):
    return gossip(state.x * Random(state.t).random(), self, state, net)


def a_coin_a_run(self, state, net):
    coin = Stream(net.seed, "selection").uniform(net.runs, 1, state.t) < 0.5
    return gossip(state.x * coin, self, state, net)


def rare_coin(self, state, net):
    coin = Stream(net.seed, "selection").uniform(net.runs, 1, state.t) < 1e-3
    return gossip(state.x + coin, self, state, net)


def counted(self, state, net):
    works = net.coins(1, "bernoulli", p=0.5, shared=True)
    return net.next(state, x=net.mix(state.x - self.eta * works * net.gradient(state.x)))


def python_draws(self, state, net):
    return gossip(state.x * random.random(), self, state, net)


def numpy_draws(self, state, net):
    return gossip(state.x * np.random.standard_normal(), self, state, net)  # noqa: NPY002


def plain(self, state, net):
    return gossip(state.x, self, state, net)


def lossy(self, state, net):
    x = net.mix(state.x - self.eta * net.gradient(state.x))
    return net.next(state, x=0.9 * x)


def leaks_after(self, state, net):
    keep = np.array([0.9] + [1.0] * (state.x.shape[1] - 1))[:, None]
    return net.next(state, x=net.mix(state.x - self.eta * net.gradient(state.x)) * keep)


def grows(self, state, net):
    return net.next(state, x=1.1 * net.mix(state.x))


def projected(self, state, net):
    x = net.mix(state.x - self.eta * net.gradient(state.x))
    return net.next(state, x=np.clip(x, -1, 1))


def averaged_over_all(self, state, net):
    x = state.x - self.eta * net.gradient(state.x)
    return net.next(state, x=np.repeat(x.mean(axis=1, keepdims=True), x.shape[1], axis=1))


def hidden_in_memory(self, state, net):
    x = net.mix(state.x - self.eta * net.gradient(state.x))
    return net.next(state, x=x, memory={"all": x + state.x.sum(axis=1, keepdims=True)})


def twice(self, state, net):
    return net.next(state, x=net.mix(net.mix(state.x - self.eta * net.gradient(state.x))))


def push_sum(self, state, net):
    x, w = net.mix(state.x - self.eta * net.gradient(state.z), state.w)
    return net.next(state, x=x, w=w)


def longer(self, state, net):
    return net.next(state, x=net.mix(state.x - 2 * self.eta * net.gradient(state.x)))


def told(self, t):
    return self.eta


def told_to_fall(self, t):
    return self.eta / (t + 1)


def falling(self, state, net):
    step = self.eta / (state.t + 1)
    return net.next(state, x=net.mix(state.x - step * net.gradient(state.x)))


LIES = {
    "shared draws": [
        (one_coin, {"draws": True}),
        (one_coin_of_the_round, {"draws": True}),
        (one_coin_of_python, {"draws": True}),
    ],
    "global draws": [
        (python_draws, {"draws": True}),
        (python_draws, {}),
        (numpy_draws, {"draws": True}),
    ],
    "mass": [(lossy, {}), (leaks_after, {}), (grows, {})],
    "server": [(averaged_over_all, {}), (hidden_in_memory, {})],
    "step size": [(longer, {"step_size": told}), (plain, {"step_size": told_to_fall})],
}
HONEST = [
    (a_coin_a_run, {"draws": True}),
    (rare_coin, {"draws": True}),
    (counted, {}),
    (plain, {}),
    (plain, {"step_size": told}),
    (falling, {"step_size": told_to_fall}),
    (projected, {}),
    (twice, {}),
    (push_sum, {}),
    (one_coin, {"draws": True, "shared_draws": True}),
    (lossy, {"keeps_mass": False}),
    (averaged_over_all, {"server": True}),
    (longer, {}),
]


@pytest.mark.parametrize(
    ("kind", "fold", "declared"),
    [(kind, *lie) for kind, lies in LIES.items() for lie in lies],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_lie_is_noticed_by_its_kind(kind, fold, declared):
    assert kinds(step_of(fold, **declared)) == {kind}


@pytest.mark.parametrize(("fold", "declared"), HONEST, ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_honest_or_declared_is_left_alone(fold, declared):
    assert kinds(step_of(fold, **declared)) == set()
    assert kinds(step_of(fold, **declared), "random-out", degree=2, seed=3) == set()


@pytest.mark.parametrize(("fold", "less"), [(lossy, True), (leaks_after, True), (grows, False)])
def test_a_loss_of_mass_is_told_as_one(fold, less):
    losses, start = problem("quadratic", 4, dim=1, seed=1), np.zeros((4, 1))
    (found,) = noticed(Setting(losses, topology("ring", 4), step_of(fold), {}, 5, start))
    before, after = re.search("models, (.*) becomes (.*) in a round", found.text).groups()
    assert (float(after) < float(before)) == less


def test_where_every_client_hears_all_there_is_no_server():
    assert kinds(step_of(averaged_over_all), "complete") == set()


def test_tracking_and_momentum_keep_their_mass():
    def tracking(self, state, net):
        memory = state.memory or {"y": 0 * state.x, "g": 0 * state.x}
        g = net.gradient(state.x)
        y = net.mix(memory["y"]) + g - memory["g"]
        x = net.mix(state.x) - self.eta * y
        return net.next(state, x=x, memory={"y": y, "g": g})

    def heavy(self, state, net):
        old = state.memory.get("old", state.x)
        x = net.mix(state.x - self.eta * net.gradient(state.x)) + 0.5 * (state.x - old)
        return net.next(state, x=x, memory={"old": state.x})

    assert kinds(step_of(tracking)) == kinds(step_of(heavy)) == set()


@pytest.mark.parametrize("method", [SGP(0.1), DPSGD(0.1), FedAvg(0.1)])
def test_nothing_is_looked_at_of_our_own(method):
    assert kinds(method) == set()
    theirs = type("Theirs", (type(method),), {"__module__": "theirs"})(0.1)
    assert kinds(theirs) == set()


def test_a_step_that_cannot_be_probed_is_left_alone():
    def fails(self, state, net):
        raise RuntimeError("no")

    assert kinds(step_of(fails)) == set()
    assert kinds(step_of(averaged_over_all), losses=problem("log-cosh", 8, dim=600)) == set()
