"""Planted false speed-ups, none of which may HOLD, and true ones, all of which do.

A seed plays no part: the expectations are exact.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from theorylab.algorithms import Algorithm
from theorylab.speedup import Pattern
from theorylab.speedup import speedup as whole_speedup
from theorylab.speedup.protocol import chosen_options
from theorylab.speedup.sizes import step_sizes
from theorylab.verdicts.arms import Side, each_gains, judged

SMALL = {"clients": [2, 4, 8], "rounds": 64, "options": {"eta": 0.2}, "transient": False}


def speedup(name, **given):
    return whole_speedup(name, **{**SMALL, **given})


def passed_on(x, net):
    """Every model at the next client, where there is a network at all."""
    return np.roll(x, 1, axis=1) if net.mixing.nnz > x.shape[1] else x


@pytest.fixture(autouse=True)
def planted(registries):
    """The methods are known in a test of this file alone."""

    @dataclass(frozen=True)
    class _Stepping(Algorithm):
        eta: float

    class HandedRound(_Stepping, name="planted-handed"):
        def step(self, state, net):
            moved = state.x - self.eta * net.gradient(state.x)
            return net.next(state, x=passed_on(moved, net))

    class SharedNoise(_Stepping, name="planted-shared"):
        def step(self, state, net):
            g, true = net.gradient(state.x), net.problem.gradient(state.x)
            return net.next(state, x=net.mix(state.x - self.eta * (true + (g - true)[:, :1])))

    class StepOverN(_Stepping, name="planted-step"):
        def step(self, state, net):
            moved = state.x - self.eta * 2 / state.x.shape[1] * net.gradient(state.x)
            return net.next(state, x=passed_on(moved, net))

    class LateStep(_Stepping, name="planted-late"):
        """After 16 rounds the step falls like 1/n, and the noise is one for all."""

        def step(self, state, net):
            n, over = state.x.shape[1], net.mixing.nnz > state.x.shape[1]
            size = self.eta * (2 / n if over and state.t >= 16 else 1)
            g, true = net.gradient(state.x), net.problem.gradient(state.x)
            return net.next(state, x=net.mix(state.x - size * (true + (g - true)[:, :1])))

    class Quieted(_Stepping, name="planted-quieted"):
        """One noise for all, whose variance the step makes less, like 1/n."""

        def step(self, state, net):
            n, over = state.x.shape[1], net.mixing.nnz > state.x.shape[1]
            g, true = net.gradient(state.x), net.problem.gradient(state.x)
            noise = (2 / n if over else 1) ** 0.5 * (g - true)[:, :1]
            return net.next(state, x=net.mix(state.x - self.eta * (true + noise)))

    class WarmStart(_Stepping, name="planted-start"):
        def init(self, x0, problem):
            return super().init(x0 + 100 / x0.shape[1] ** 0.5, problem)

        def step(self, state, net):
            return net.next(state, x=passed_on(state.x - self.eta * net.gradient(state.x), net))

    class BatchOfN(_Stepping, name="planted-batch"):
        def step(self, state, net):
            n = state.x.shape[1]
            mean = sum(net.gradient(state.x, k) for k in range(n)) / n
            return net.next(state, x=passed_on(state.x - self.eta * mean, net))

    class RoundsOfN(_Stepping, name="planted-rounds"):
        def step(self, state, net):
            x = state.x
            for k in range(x.shape[1]):
                x = x - self.eta / 64 * net.gradient(x, k)
            return net.next(state, x=passed_on(x, net))

    class OneClient(_Stepping, name="planted-one"):
        """Client 0 has the mean of all models, and nobody else hears of it."""

        def step(self, state, net):
            x = state.x - self.eta * net.gradient(state.x)
            if net.mixing.nnz > x.shape[1]:
                mean = x.mean(axis=1, keepdims=True)
                x = np.concatenate([mean, x[:, 1:]], axis=1)
            return net.next(state, x=x)

    class Named(_Stepping, name="planted-true"):
        """D-PSGD, whose step size has another name."""

        def __init__(self, lr: float) -> None:
            object.__setattr__(self, "lr", lr)
            object.__setattr__(self, "eta", lr)

        def step(self, state, net):
            return net.next(state, x=net.mix(state.x - self.lr * net.gradient(state.x)))

    class Weighted(Algorithm, name="planted-weighted"):
        """The first option makes the step larger, and is no step size."""

        def __init__(self, weight: float, lr: float) -> None:
            self.weight, self.lr = weight, lr

        def options(self):
            return {"weight": self.weight, "lr": self.lr}

        def step(self, state, net):
            size = self.lr * (1 + 20 * self.weight)
            return net.next(state, x=net.mix(state.x - size * net.gradient(state.x)))

    class Many(_Stepping, name="planted-many"):
        def step(self, state, net):
            if state.x.shape[1] < 3:
                raise ValueError("planted-many: need 3 clients")
            return net.next(state, x=net.mix(state.x - self.eta * net.gradient(state.x)))


ALONE = {"topology": "directed-ring", "topology_options": {"self_loops": False}}
LATE = {"topology": "complete", "rounds": 256}
PLANTED = {
    "no averaging": ("sgp", ALONE, "models meet"),
    "handed round": ("planted-handed", {}, "models meet"),
    "shared noise": ("planted-shared", {}, "excludes n^-1 and contains n^0"),
    "step over n": ("planted-step", {}, "a step of its own"),
    "step over n later": ("planted-late", LATE, "a step of its own"),
    "noise made less": ("planted-quieted", LATE, "noisy gradients alone"),
    "warm start": ("planted-start", {"rounds": 12}, "no noise"),
    "batch of n": ("planted-batch", {}, "work of a client"),
    "rounds of n": ("planted-rounds", {}, "work of a client"),
    "one client": ("planted-one", {}, "models meet"),
}


@pytest.mark.parametrize("what", PLANTED)
def test_no_planted_false_speedup_holds(what):
    name, given, told = PLANTED[what]
    found = speedup(name, **given)
    assert found.verdict.name != "HOLDS"
    assert told in found.reason or told in _failing(found)


@pytest.mark.slow
@pytest.mark.parametrize("what", PLANTED)
def test_no_planted_false_speedup_holds_of_the_clients_own_error(what):
    name, given, _ = PLANTED[what]
    assert speedup(name, measure="clients", **given).verdict.name != "HOLDS"


def test_an_error_that_falls_faster_than_averaging_makes_it_is_told():
    values = {n: np.array([n**-1.94]) for n in (4, 8, 16)}
    room = dict.fromkeys(values, 0.0)
    flat = Side({n: np.array([1.0]) for n in values}, room, True)
    found = judged(-1.0, Side(values, room, True), flat, None)
    assert found.verdict.name == "INCONCLUSIVE"
    assert "averaging n noises makes an error fall like 1/n and no faster" in found.reason


def test_a_slope_between_the_claim_and_one_over_n_holds():
    values = {n: np.array([n**-0.75]) for n in (4, 8, 16)}
    room = dict.fromkeys(values, 0.0)
    flat = Side({n: np.array([1.0]) for n in values}, room, True)
    assert judged(-0.5, Side(values, room, True), flat, None).verdict.name == "HOLDS"


@pytest.mark.parametrize(
    ("own", "handed", "nearer", "verdict", "told"),
    [
        (-1.0, 0.0, None, "HOLDS", "where models are handed round"),
        (-1.0, -1.0, None, "INCONCLUSIVE", "it is not shown that averaging makes it fall"),
        (0.0, 0.0, None, "INCONCLUSIVE", "no option scales the step"),
        (0.0, 0.0, {}, "HOLDS", "where models are handed round"),
        (0.0, 0.0, {4: (0.9, 0.9), 8: (0.0, 0.1)}, "INCONCLUSIVE", "step^0.00 at n = 8"),
        (0.0, 0.0, {4: (0.9, 0.9), 8: (0.8, 0.9)}, "HOLDS", "of order step^0.80"),
    ],
)
def test_a_holds_needs_models_that_meet(own, handed, nearer, verdict, told):
    def side(power):
        return Side({n: np.array([float(n) ** power]) for n in (4, 8, 16)}, room, True)

    room = dict.fromkeys((4, 8, 16), 0.0)
    found = judged(-1.0, side(-1.0), side(0.0), None)
    met = each_gains(-1.0, found, side(own), side(handed), nearer)
    assert met.verdict.name == verdict
    assert told in met.reason


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("sgp", ("eta", None)),
        ("dfedpgp", ("eta_u", "eta_v")),
        ("deprl", ("beta", "alpha")),
        ("dfedsgpsm", ("eta", None)),
        ("planted-true", ("lr", None)),
        ("planted-weighted", ("lr", None)),
    ],
)
def test_what_scales_the_step_is_found_whatever_its_name_is(name, sizes):
    options = chosen_options(name, "quadratic", {}, 8)
    pattern = Pattern("quadratic", {}, 2, personal=sizes[1] is not None)
    assert step_sizes(name, options, pattern.losses(2, noise=False)) == sizes


def test_of_a_method_that_does_not_run_with_two_clients_no_step_is_found():
    losses = Pattern("quadratic", {}, 2).losses(2, noise=False)
    assert step_sizes("planted-many", {"eta": 0.1}, losses) == (None, None)


def test_of_models_that_never_meet_the_clients_own_error_is_refuted_on_their_network():
    found = speedup("sgp", measure="clients", **{**ALONE, "rounds": 256, "options": {}})
    assert found.verdict.name == "VIOLATED"
    assert "the models never meet" in found.reason


LONG = {"clients": [4, 8, 16], "rounds": 512, "options": {}}
TRUE = {
    "sgp": ("sgp", LONG),
    "any name of the step": ("planted-true", {"topology": "complete", "options": {"lr": 0.2}}),
    "each client": ("dpsgd", {"topology": "complete", "measure": "clients"}),
    "personal parts": ("dfedpgp", LONG),
}


@pytest.mark.parametrize("what", TRUE)
def test_true_speedups_hold(what):
    name, given = TRUE[what]
    found = speedup(name, **given)
    assert found.verdict.name == "HOLDS", found.reason
    assert found.power == -1
    assert not _failing(found)


def _failing(found):
    return [each.name for each in found.controls if not each.passes]
