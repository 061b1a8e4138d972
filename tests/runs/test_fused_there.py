"""Rounds on a GPU whose launches are put together once have the bits of ``step`` round by round."""

import sys

import numpy as np
import pytest
import torch

from theorylab.algorithms import DPSGD, OSGP, SGP, DFedAvgM, DFedSAM, DFedSGPSM
from theorylab.kernels._paths import AsLoops, Facts, emulated
from theorylab.kernels._tape import Moving
from theorylab.problems import problem
from theorylab.problems._placed import Placed
from theorylab.runs import Faults, _fused, simulate
from theorylab.runs._fused import FusedThere
from theorylab.topologies import Topology, topology

ENGINE = sys.modules["theorylab.runs.simulate"]  # the package has a function of that name
METHODS = (
    SGP(eta=0.05),
    DFedSGPSM(eta="1/(10 + t)", alpha=0.5, rho=0.1, local_steps=3, decay=0.9),
    OSGP(eta=0.05, local_steps=(1, 2, 3, 1, 2)),
    DFedAvgM(eta=0.05, alpha=0.3),
    DPSGD(eta=0.05),
)
NETWORKS = {
    "random-out": {"degree": 2, "seed": 3},
    "one-peer-exponential": {},
    "directed-ring": {},
}
LOSSES = {
    "log-cosh": {"dim": 3, "sigma": 0.5},
    "quadratic": {"dim": 4, "sigma": 0.2},
    "logistic": {"batch": 4},
}


@pytest.fixture
def played(monkeypatch):
    """(by the tape, how many of its calls were played, by ``step`` alone), emulated."""

    def run(base, *rest, facts=None, **options):
        calls, real = [], FusedThere.play
        with monkeypatch.context() as patch, emulated(facts=facts):
            patch.setattr(FusedThere, "play", lambda *a: calls.append(a[2]) or real(*a))
            trace = simulate(Placed(base, "cpu"), *rest, **options)
        with monkeypatch.context() as patch, emulated(facts=facts):
            patch.setattr(ENGINE, "fused", lambda *a, **k: None)
            return trace, calls, simulate(Placed(base, "cpu"), *rest, **options)

    return run


def agree(one, other):
    for name, column in one.columns.items():
        assert np.array_equal(column, other.columns[name]), name
    assert torch.equal(one.final_x, other.final_x)
    assert torch.equal(one.final_w, other.final_w)


PAIRS = [
    *(("log-cosh", method, network) for method in METHODS for network in NETWORKS),
    *((losses, METHODS[1], "random-out") for losses in LOSSES if losses != "log-cosh"),
]


@pytest.mark.parametrize(("losses", "method", "network"), PAIRS)
def test_rounds_of_a_tape_have_the_bits_of_step(losses, method, network, played):
    base, graph = problem(losses, 5, **LOSSES[losses]), topology(network, 5, **NETWORKS[network])
    trace, calls, right = played(base, graph, method, rounds=11, runs=[5], every=9, x0=0.4)
    agree(trace, right)
    assert calls == [9, 11]


@pytest.mark.parametrize("graph_run", [None, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_runs_of_any_ids_and_dtype(graph_run, dtype, played):
    base, graph = problem("log-cosh", 6, dim=5, sigma=0.3), topology("random-out", 6, degree=2)
    asked = {"rounds": 12, "runs": [4, 1, 7], "every": 12, "graph_run": graph_run, "dtype": dtype}
    trace, calls, right = played(base, graph, METHODS[1], **asked)
    agree(trace, right)
    assert calls == [12]
    assert trace.final_x.numpy().dtype == dtype


@pytest.mark.parametrize("column", Moving)
def test_a_word_that_stays_as_in_the_first_round_shows(column, played, monkeypatch):
    real = AsLoops.player

    def baked(*arguments):
        play, first = real(*arguments), []

        def stuck(phase, moments, columns, stream):
            rows = np.frombuffer(moments, np.uint64).reshape(-1, columns).copy()
            first[:] = first or [rows[0, column.value]]
            rows[:, column.value] = first[0]
            play(phase, rows.tobytes(), columns, stream)

        return stuck

    monkeypatch.setattr(AsLoops, "player", baked)
    base, graph = problem("log-cosh", 5, dim=3, sigma=0.5), topology("random-out", 5, degree=2)
    method = DFedSGPSM(eta="1/(10 + t)", alpha=0.5)
    try:
        trace, _, right = played(base, graph, method, rounds=5, every=5)
    except ValueError:  # the audit was faster
        assert column in (Moving.W, Moving.NEXT_W)
        return
    assert not torch.equal(trace.final_x, right.final_x)


def test_a_word_that_moves_is_no_number():
    for compute in (int, float, lambda word: word + 1, lambda word: word % 2, np.int64):
        with pytest.raises(TypeError):
            compute(Moving.ROUND)


class Halved(SGP):
    def half(self, state, context):
        return super().half(state, context) / 2


class Tilted(type(topology("random-out", 5))):
    def matrix(self, t, run=0):  # what is drawn is no longer its matrix
        return super().matrix(t // 2, run)


class Turning(type(topology("directed-ring", 5))):
    def matrix(self, t, run=0):  # no promise of a period is kept here
        return super().matrix(t, run).T.tocsr() if t % 2 else super().matrix(t, run)


class Loud(type(problem("log-cosh", 5, dim=2))):
    def local_steps(self, x, *rest, **options):
        return super().local_steps(2 * x, *rest, **options)


@pytest.mark.parametrize(
    ("place", "other", "options"),
    [
        (2, Halved(eta=0.05), {}),
        (1, Tilted(5, degree=2), {}),
        (1, Turning(5), {}),
        (0, Loud(5, dim=2), {}),
        (0, problem("noisy", 5, base={"name": "log-cosh", "dim": 2}), {}),
        (2, DPSGD(eta=0.05, order="mix-then-step"), {}),
        (2, DFedSAM(eta=0.05, rho=0.1, gossip_steps=2), {}),
        (None, None, {"every": 1}),
        (None, None, {"faults": Faults(loss=0.2)}),
        (None, None, {"columns": ("loss", "update_size")}),
    ],
)
def test_whoever_differs_is_played_by_step(place, other, options, played):
    parts = [problem("log-cosh", 5, dim=2), topology("random-out", 5, degree=2), SGP(eta=0.1)]
    if place is not None:
        parts[place] = other
    trace, calls, right = played(*parts, **{"rounds": 5, "every": 5, **options})
    agree(trace, right)
    assert calls == []


def test_a_network_that_does_not_fit_is_played_by_step(played):
    base, graph = problem("log-cosh", 40, dim=2), topology("random-out", 40, degree=30)
    small = Facts("small", 90, 2, 1 << 20, 8 << 10, 16 << 10, 1 << 40, 1 << 40)
    trace, calls, right = played(base, graph, SGP(eta=0.1), rounds=4, every=4, facts=small)
    agree(trace, right)
    assert calls == []


def test_large_models_are_played_by_step(played, monkeypatch):
    parts = problem("log-cosh", 5, dim=2), topology("random-out", 5), SGP(eta=0.1)
    size = 8 * (5 * 2 + 5 * (1 + 4))  # models, and weights before and after each of 4 rounds
    for most, calls in ((size, [4]), (size - 1, [])):
        monkeypatch.setattr(_fused, "_SMALL", most)
        assert played(*parts, rounds=4, every=4)[1] == calls


def test_a_run_that_stops_goes_on_to_the_same_bits():
    parts = topology("random-out", 5, degree=2), METHODS[1]
    kept, asked = [], {"rounds": 15, "every": 5}
    with emulated():
        there = Placed(problem("log-cosh", 5, dim=2, sigma=1.0), "cpu")
        whole = simulate(there, *parts, **asked, checkpoint=kept.append)
        assert [snapshot.state.t for snapshot in kept] == [5, 10, 15]
        for snapshot in kept[:-1]:  # later rounds have not written into it
            agree(simulate(there, *parts, **asked, resume=snapshot), whole)


class Leaky(Topology):
    """Its period's last matrix loses mass, and at the last but one a client gets none."""

    def __init__(self, lost):
        self.lost = lost
        super().__init__(5, period=4, options={})

    def _build(self, t, run):
        P = topology("directed-ring", 5).matrix(0) * (0.99 if t == 3 and self.lost else 1.0)
        return P.multiply(np.arange(5)[:, None] > 0).tocsr() if t == 2 and not self.lost else P


@pytest.mark.parametrize(
    ("lost", "line"), [(True, "round 3: the sum of weight"), (False, "weight after round 2")]
)
def test_what_an_audit_finds_is_told_as_by_step(lost, line, monkeypatch):
    lines, base = [], problem("quadratic", 5, dim=2)
    for fuses in (True, False):
        if not fuses:
            monkeypatch.setattr(ENGINE, "fused", lambda *a, **k: None)
        with emulated(), pytest.raises(ValueError, match=line) as caught:
            simulate(Placed(base, "cpu"), Leaky(lost), SGP(eta=0.1), rounds=9, every=9)
        lines.append(str(caught.value))
    assert lines[0] == lines[1]
