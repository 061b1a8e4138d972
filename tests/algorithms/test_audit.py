"""The audits of a round, at once on the host and together on a device."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from theorylab.algorithms import Audits, Context, MassError, State
from theorylab.algorithms._exchange import mix
from theorylab.algorithms._travel import Exchange
from theorylab.kernels._paths import emulated
from theorylab.problems import problem
from theorylab.topologies import topology


def states(kind, lost=0.0):
    """Before and after a round that keeps mass, or loses a share of x and w."""
    x = np.arange(12.0).reshape(1, 4, 3) + 1
    w = np.ones((1, 4))
    mean = np.broadcast_to(x.mean(axis=1, keepdims=True), x.shape) * (1 - lost)
    made = [kind(np.ascontiguousarray(a)) for a in (x, w, mean, w * (1 - lost))]
    before = State(0, made[0], made[1], made[0])
    return before, State(1, made[2], made[3], made[2])


def test_on_the_host_an_audit_speaks_at_once():
    before, after = states(np.asarray, lost=1e-9)
    with pytest.raises(MassError, match=r"^mix: round 0: the sum of weight .* changed by 4e-09"):
        Audits().sums(0, "weight", before.w, after.w)
    with pytest.raises(ValueError, match="no weight after round 7"):
        Audits().weights(7, np.array([[1.0, 0.0]]))


def test_on_a_device_it_waits_until_the_run_settles():
    audits = Audits()
    with emulated():
        before, after = states(torch.from_numpy, lost=1e-9)
        audits.weights(3, torch.ones(1, 2))
        audits.sums(0, "weight", before.w, after.w)
        audits.weights(5, torch.zeros(1, 2))
        with pytest.raises(MassError, match=r"^mix: round 0: the sum of weight .* by 4e-09"):
            audits.settle()
        audits.settle()  # what was told is told


def test_a_lost_weight_is_named_with_its_round():
    audits = Audits()
    with emulated():
        audits.weights(5, torch.tensor([[1.0, float("nan")]]))
        with pytest.raises(ValueError, match="no weight after round 5"):
            audits.settle()


class Skewed(Exchange):
    """An exchange whose arithmetic on x is wrong, with the right weights."""

    def pair(self, mixing, x, w, uploaded):
        x, w, z = super().pair(mixing, x, w, uploaded)
        return x * (1 + 1e-9), w, z


def test_x_is_audited_every_eighth_round():
    before, _ = states(np.asarray)
    losses = problem("quadratic", 4, dim=3)
    P = topology("complete", 4).matrix(0)
    for t in range(9):
        state, context = replace(before, t=t), Context(losses, P, 0, np.arange(1))
        skewed = replace(context, exchange=Skewed(t, None))
        if t % 8:
            mix(state, state.x, skewed)
            continue
        with pytest.raises(MassError, match="the sum of x"):
            mix(state, state.x, skewed)


def test_what_leaves_the_range_of_what_was_sent_is_told_with_its_round():
    sent = np.arange(12.0).reshape(1, 4, 3)
    within = np.broadcast_to(sent.mean(axis=1, keepdims=True), sent.shape)
    Audits().ranges(0, "x", sent, within)
    for wrong in (within + 20, within - 20):
        with pytest.raises(MassError, match=r"^mix: round 3: x leaves the range .* rows that sum"):
            Audits().ranges(3, "x", sent, wrong)
    audits = Audits()
    with emulated():
        audits.ranges(3, "x", *(torch.from_numpy(a.copy()) for a in (sent, within + 20)))
        with pytest.raises(MassError, match="x leaves the range"):
            audits.settle()
