"""Rounds on a GPU, without one: torch's device "meta" plays it, whose tensors hold no numbers.

An operation that mixes it with the host fails as it would on a GPU; so does one that looks at a
number, which there would wait for all that was queued.
"""

from dataclasses import fields, replace

import numpy as np
import pytest
import torch

import theorylab.problems._device as problems_device
from theorylab.algorithms import ALGORITHMS, Audits, Context, State
from theorylab.algorithms import _audit as audit
from theorylab.algorithms import _travel as exchange
from theorylab.problems import problem
from theorylab.problems._placed import Placed
from theorylab.topologies import topology

GPU = torch.device("meta")
# Their rounds rest on decisions that the host takes from what it reads: losses decide whom to
# send to, similarities which cluster splits.
DECIDE = {"clustered-fl", "dfedsgpsm-s"}
HOST = {"dfedem", "fedem"}  # the mixture, which they need, runs on the host only
GRAPH = topology("random-symmetric", 5, degree=1, seed=3)


class Unread(Audits):
    """What is left on the device is not looked at."""

    def settle(self):
        raise AssertionError("read within a round")


@pytest.fixture
def gpu(monkeypatch):
    """push_mix's own kernel takes addresses, which these tensors have not."""

    def push_mix(P, x, w):
        assert x.device == w.device == GPU
        return torch.empty_like(x), torch.empty_like(w), torch.empty_like(x)

    monkeypatch.setattr(exchange, "push_mix", push_mix)
    for module in (exchange, audit):
        monkeypatch.setattr(module, "on_device", lambda array: array.device == GPU)
    monkeypatch.setattr(problems_device, "device_named", lambda where, name: torch.device(name))


def moved(state):
    """A state with every tensor on the GPU."""

    def move(part):
        if isinstance(part, torch.Tensor):
            return part.to(GPU)
        if isinstance(part, tuple):
            return tuple(map(move, part))
        return {key: move(value) for key, value in part.items()} if isinstance(part, dict) else part

    return replace(state, **{f.name: move(getattr(state, f.name)) for f in fields(State)})


def parts(state):
    named = {"x": state.x, "w": state.w, "z": state.z, "v": state.v, **state.memory}
    return {key: part for key, part in named.items() if isinstance(part, torch.Tensor)}


def placed(kind, device):
    options = {"logistic": {"batch": 4}, "quadratic": {"dim": 5, "sigma": 0.3}}[kind]
    made = Placed(problem(kind, 5, **options), device)
    made.shared, made.blocks = made.dim - 2, (2, made.dim - 2, made.dim)
    return made


@pytest.mark.parametrize("kind", ["logistic", "quadratic"])
@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in HOST])
def test_a_round_stays_on_the_gpu_and_reads_nothing(gpu, made, name, kind):
    method, here = made(name), placed(kind, "cpu")
    there = placed(kind, "meta")
    state = moved(method.init(here.points(np.ones((2, 5, here.dim))), here))
    audits = Unread()
    if name in DECIDE:
        with pytest.raises((RuntimeError, NotImplementedError), match="meta"):
            two_rounds(method, state, there, audits)
        return
    for key, part in parts(two_rounds(method, state, there, audits)).items():
        assert part.device == GPU, key


def two_rounds(method, state, there, audits):
    for t in range(2):
        surroundings = Context(there, GRAPH.matrix(t), 4, np.arange(2), audits=audits)
        state = method.step(state, surroundings)
    return state


@pytest.mark.parametrize("kind", ["logistic", "quadratic"])
def test_what_is_recorded_is_computed_on_the_gpu(gpu, kind):
    here = placed(kind, "meta")
    x = torch.ones((2, 5, here.dim), dtype=torch.float64, device=GPU)
    mean = x[:, 0]
    for made in (
        here.loss(x), here.gradient(x), here.mean_loss(mean), here.mean_gradient(mean),
        here.measured_heterogeneity(mean),
    ):  # fmt: skip
        assert made.device == GPU
