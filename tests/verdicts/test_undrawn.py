"""A step that draws, and does not say so, is never judged by one run or by listed outcomes."""

import os
import random
import secrets
from dataclasses import dataclass

import numpy as np
import pytest

from theorylab.algorithms import Algorithm
from theorylab.metrics import Metric, measured
from theorylab.problems import problem
from theorylab.runs import Row, Setting
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import f0
from theorylab.topologies import topology
from theorylab.verdicts import judge_check

BENT = {"name": "log-cosh", "dim": 1}
BOWL = {"name": "quadratic", "H": [[[1.0]]], "c": [[0.0]]}
RARE = 3e-4
REACHED = np.random.default_rng(1)
HELD = {"one": [random.Random(2)]}

pytestmark = pytest.mark.usefixtures("registries")


def method(uniform, coin=False, **declared):
    """x becomes x/2, and 100 more where ``uniform`` is rare: E x^2 of six rounds is about 4."""

    @dataclass(frozen=True)
    class Method(Algorithm, name="test-rare"):
        def step(self, state, net):
            tossed = net.coins(1, "bernoulli", p=0.5) if coin else 0.0
            rare = uniform(state.x, net, state.t) < RARE
            return net.next(state, x=0.5 * state.x + 0.0 * tossed + 100.0 * rare)

    for name, value in declared.items():
        setattr(Method, name, value)
    return Method


def judged(losses, column="squared_distance"):
    claim = Statement(
        id="own.rare",
        source=Source("own", "1", "the mean is small"),
        algorithm="test-rare",
        quantity=Quantity(column, "last"),
        versions={"claim": Version(terms={"start": 0.05 + 0 * f0})},
    )
    instance = {
        **{"problem": losses, "topology": {"name": "complete"}, "clients": 1, "rounds": 6},
        **{"algorithm": {}, "x0": 0.0},
    }
    return judge_check(claim, "claim", Check("own", instance))


def helper():
    return REACHED.random()


class Holds:
    rng = np.random.RandomState(3)


def enclosed():
    rng = np.random.default_rng(4)
    return lambda x, net, t: rng.random(x.shape)


def late(x, net, t):  # in the last round alone, where no look at the first few sees it
    return REACHED.random(x.shape) if t == 5 else x + 1


UNREACHED = {
    "global NumPy": lambda x, net, t: np.random.random(x.shape),  # noqa: NPY002
    "global Python": lambda x, net, t: random.random(),
    "module": lambda x, net, t: REACHED.random(x.shape),
    "function of the module": lambda x, net, t: helper(),
    "container": lambda x, net, t: HELD["one"][0].random(),
    "class": lambda x, net, t: Holds.rng.random_sample(x.shape),
    "closure": enclosed(),
    "late": late,
    "no seed": lambda x, net, t: np.random.default_rng().random(x.shape),
    "no seed, Python": lambda x, net, t: random.Random().random(),
    "system": lambda x, net, t: random.SystemRandom().random(),
    "secrets": lambda x, net, t: secrets.randbelow(1 << 32) / 2**32,
    "urandom": lambda x, net, t: int.from_bytes(os.urandom(4), "big") / 2**32,
}


@pytest.mark.parametrize("coin", [False, True])
@pytest.mark.parametrize("uniform", UNREACHED.values(), ids=UNREACHED.keys())
def test_what_no_seed_reaches_is_refused(uniform, coin):
    method(uniform, coin)
    with pytest.raises(ValueError, match=r"test-rare: a round draws from .* need net.coins"):
        judged(BOWL)


def test_so_is_it_where_a_metric_is_measured():
    class Own(Metric):
        def rows(self, before, after):
            yield Row((before.x**2).sum(axis=(1, 2)), {"t": before.t}, f"t={before.t}")

    losses = problem("quadratic", 1, H=[[[1.0]]], c=[[0.0]])
    parts = losses, topology("complete", 1), method(UNREACHED["module"], True)()
    with pytest.raises(ValueError, match="a round draws from a generator of its own"):
        measured(Own, Setting(*parts, {}, 3, np.zeros((1, 1))), {})


def by_counter(x, net, t):
    each = [np.random.default_rng([net.seed, int(r), t]).random(x.shape[1:]) for r in net.runs]
    return np.stack(each)


def by_run(x, net, t):
    each = [np.random.default_rng([int(r), t]).random(x.shape[1:]) for r in np.asarray(net.runs)]
    return np.stack(each)


def by_seed(x, net, t):
    return np.random.default_rng([net.seed, t, *net.runs]).random(x.shape)


@pytest.mark.parametrize("losses", [BOWL, BENT, {**BOWL, "sigma": 0.01}])
@pytest.mark.parametrize("coin", [False, True])
@pytest.mark.parametrize("uniform", [by_counter, by_run, by_seed])
def test_who_reads_the_seed_or_the_runs_numbers_is_sampled(uniform, coin, losses):
    # 0 in 16 runs says nothing of a mean of 4
    method(uniform, coin)
    found = judged(losses, "squared_distance" if losses is not BENT else "suboptimality")
    assert found.verdict == "INCONCLUSIVE"
    assert "no ceiling of a run is known" in found.reason


@pytest.mark.parametrize("coin", [False, True])
def test_draws_that_differ_by_the_place_in_a_batch_are_refused(coin):
    # every listed outcome would have its own, and be called the expectation
    method(lambda x, net, t: np.random.default_rng(t).random(x.shape) * 1e-3, coin)
    with pytest.raises(ValueError, match=r"test-rare: two runs differ.* need draws = True"):
        judged(BOWL)


def sized(x, net, t):  # how many runs there are is no secret
    return np.ones((len(net.runs), net.runs.size // net.runs.shape[0], 1))


@pytest.mark.parametrize("coin", [False, True])
def test_who_asks_how_many_runs_there_are_draws_nothing(coin):
    method(sized, coin)
    found = judged(BOWL)
    assert (found.verdict, found.runs) == ("HOLDS", 1)
    assert found.interval.startswith("exact expectation")


def test_a_generator_that_rests_is_no_draw():
    method(lambda x, net, t: x + 1 + 0 * (REACHED is None))
    assert judged(BOWL).verdict == "HOLDS"
