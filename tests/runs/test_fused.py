"""Rounds that a kernel plays have the bits of ``step``; whoever differs is played by ``step``."""

import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

from theorylab.algorithms import DPSGD, OSGP, SGP, DFedAvgM, DFedSGPSM, declared_phases
from theorylab.problems import Quadratic, problem
from theorylab.runs import _fused, _looks, simulate
from theorylab.topologies import Topology, topology

ENGINE = sys.modules["theorylab.runs.simulate"]  # the package has a function of that name
METHODS = (
    SGP(eta=0.05),
    DFedSGPSM(eta=0.05, alpha=0.5, rho=0.1, local_steps=3, decay=0.9),
    OSGP(eta=0.05, local_steps=(1, 2, 3, 1, 2)),
    DFedAvgM(eta=0.05, alpha=0.3),
    DPSGD(eta=0.05),
    DPSGD(eta=0.05, order="mix-then-step"),
)
NETWORKS = (
    {"name": "random-out", "degree": 2, "seed": 3},
    {"name": "random-out", "degree": 2, "weights": "lazy"},
    {"name": "one-peer-exponential"},
    {"name": "random-in", "degree": 2},
)


def played(monkeypatch, *arguments, **options):
    """(the trace, how many calls of the kernel it took), and the trace by ``step`` alone."""
    calls, real = [], _fused.rounds
    with monkeypatch.context() as patch:
        patch.setattr(_fused, "rounds", lambda *a, **k: calls.append(1) or real(*a, **k))
        trace = simulate(*arguments, **options)
    with monkeypatch.context() as patch:
        patch.setattr(ENGINE, "fused", lambda *a, **k: None)
        patch.setattr(_looks, "NUMBERS", 0)  # every state is looked at by itself
        return trace, len(calls), simulate(*arguments, **options)


def agree(one, other):
    for name, column in one.columns.items():
        assert np.array_equal(column, other.columns[name]), name
    for name, values in one.last.items():
        assert np.array_equal(values, other.last[name]), name
    assert np.array_equal(one.final_x, other.final_x)
    assert np.array_equal(one.final_w, other.final_w)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@pytest.mark.parametrize("network", NETWORKS, ids=lambda g: g["name"])
@pytest.mark.parametrize("own_graphs", [False, True])
def test_fused_rounds_have_the_bits_of_step(method, network, own_graphs, monkeypatch):
    losses = problem("log-cosh", 5, dim=3, sigma=0.5)
    graph = topology(network["name"], 5, **{k: v for k, v in network.items() if k != "name"})
    options = {"rounds": 11, "runs": 2, "every": 4, "x0": 1.0}
    options["graph_run"] = None if own_graphs else 0
    trace, calls, right = played(monkeypatch, losses, graph, method, **options)
    agree(trace, right)
    drawn_else = graph.period is None and graph.drawn is None
    assert calls == (0 if declared_phases(method) is None or drawn_else else 1)


class Halved(SGP):
    def half(self, state, context):
        return super().half(state, context) / 2


@dataclass(frozen=True)
class Boxed(DFedAvgM):
    def step(self, state, context):
        after = super().step(state, context)
        return replace(after, x=np.clip(after.x, 0, 0.5), z=np.clip(after.z, 0, 0.5))


class Quartic(Quadratic):
    def gradient(self, x):
        return x**3

    def stochastic_gradient(self, x, sample):
        return self.gradient(x)


class Doubled(topology("random-out", 5).__class__):
    def _edges(self, t, run):
        return super()._edges(t // 2, run)


class Tilted(topology("random-out", 5).__class__):
    def matrix(self, t, run=0):  # what is drawn is not its matrix
        return super().matrix(t // 2, run)


class Turning(type(topology("directed-ring", 5))):
    def matrix(self, t, run=0):  # no promise of a period is kept here
        return super().matrix(t, run).T.tocsr() if t % 2 else super().matrix(t, run)


def test_a_subclass_is_played_by_its_own_step(monkeypatch):
    plain = problem("quadratic", 5, dim=2), topology("random-out", 5, degree=1), SGP(eta=0.05)
    for place, other in (
        (2, Halved(eta=0.05)),
        (2, Boxed(eta=0.05)),
        (0, Quartic(5, dim=2)),
        (1, Doubled(5, degree=1)),
        (1, Tilted(5, degree=1)),
        (1, Turning(5)),
    ):
        parts = [*plain[:place], other, *plain[place + 1 :]]
        trace, calls, right = played(monkeypatch, *parts, rounds=6, every=3, x0=0.7)
        agree(trace, right)
        assert calls == 0, type(other).__name__


def test_a_run_that_stops_goes_on_to_the_same_bits(monkeypatch):
    monkeypatch.setattr(_looks, "LONGEST", 7)
    parts = problem("quadratic", 5, dim=2, sigma=1.0), topology("random-out", 5), METHODS[1]
    kept = []
    whole = simulate(*parts, rounds=20, every=5, checkpoint=kept.append)
    assert [snapshot.state.t for snapshot in kept] == [5, 12, 19, 20]
    for snapshot in kept[:-1]:
        agree(simulate(*parts, rounds=20, every=5, resume=snapshot), whole)


class Leaky(Topology):
    def __init__(self, clients):
        super().__init__(clients, period=1, options={})

    def _build(self, t, run):
        return topology("directed-ring", self.clients).matrix(0) * 0.99


def test_a_leak_is_told_as_by_step(monkeypatch):
    parts = problem("quadratic", 5, dim=2), Leaky(5), SGP(eta=0.1)
    lines = []
    for fuses in (True, False):
        if not fuses:
            monkeypatch.setattr(ENGINE, "fused", lambda *a, **k: None)
        with pytest.raises(RuntimeError, match="round 0: the sum of weight") as caught:
            simulate(*parts, rounds=9, every=3)
        lines.append(str(caught.value))
    assert lines[0] == lines[1]
