"""Squares of rounds that wait for each other are those of every round by itself."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from theorylab.algorithms import ALGORITHMS, algorithm
from theorylab.known import How, Known
from theorylab.metrics import METRICS, measured
from theorylab.metrics._squares import Squares
from theorylab.problems import problem
from theorylab.runs import Setting
from theorylab.topologies import topology

METHODS = {
    "dfedpgp": {"eta_u": 0.1, "eta_v": 0.2, "steps_u": 2, "steps_v": 1},
    "dfedalt": {"eta_u": 0.1, "eta_v": 0.2, "steps_u": 2, "steps_v": 1},
    "deprl": {"alpha": 0.2, "beta": 0.1, "tau": 2},
}
KINDS = [
    name
    for name, kind in METRICS.items()
    if issubclass(kind, Squares) and kind.__module__.startswith("theorylab.")
]


@pytest.mark.parametrize("name", KINDS)
def test_a_mean_over_rounds_is_that_of_each_round(name, monkeypatch):
    method = name.split(".")[0]
    losses = problem("sin-sin", 3, dim_u=1, dim_v=1, seed=2)
    run = algorithm(method, **METHODS[method])
    start = np.random.default_rng(3).normal(size=(3, 2))
    setting = Setting(losses, topology("directed-ring", 3), run, {}, 9, start)
    known = {each: Known(2.0, How.EXACT, "test") for each in METRICS[name].numbers}
    (last,) = measured(METRICS[name], setting, known).rows
    every = measured(METRICS[name], setting, known, rounds=[*range(1, int(last.at["T"]) + 1)]).rows
    assert last.values == every[-1].values
    assert last.rounding == every[-1].rounding
    assert last.at == every[-1].at
    # the last row is not the first
    assert every[0].values != last.values
    monkeypatch.setattr(sys.modules[Squares.__module__], "_WAITING", 12)  # two rounds
    assert measured(METRICS[name], setting, known).rows == (last,)


class Buffered(ALGORITHMS["dfedalt"], name="test-squares-buffered"):
    """Its models lie in two arrays that take turns."""

    def step(self, state, net):
        after = super().step(state, net)
        arrays = self.__dict__.setdefault("arrays", {})
        x = arrays.setdefault((state.t % 2, after.x.shape), np.empty_like(after.x))
        x[...] = after.x
        return replace(after, x=x)


@pytest.mark.parametrize("name", ["dfedalt.measure", "dfedalt.weighted"])
def test_a_step_that_uses_its_arrays_again_has_the_same_mean(name):
    losses = problem("sin-sin", 3, dim_u=1, dim_v=1, seed=2)
    start = np.random.default_rng(3).normal(size=(3, 2))
    known = {each: Known(2.0, How.EXACT, "test") for each in METRICS[name].numbers}
    whole, buffered = (
        measured(METRICS[name], Setting(losses, topology("ring", 3), run, {}, 9, start), known).rows
        for run in (kind(**METHODS["dfedalt"]) for kind in (ALGORITHMS["dfedalt"], Buffered))
    )
    assert [row.values.tolist() for row in buffered] == [row.values.tolist() for row in whole]
