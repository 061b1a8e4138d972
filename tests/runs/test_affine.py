"""A round that is probed as the round before it is probed to the same bits."""

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.problems import problem
from theorylab.runs import Setting
from theorylab.runs.affine import Probe
from theorylab.topologies import topology


def looked(before, after):
    return [before.z.reshape(len(before.z), -1), (after.x - before.x).mean(axis=1)]


@pytest.mark.parametrize("schedule", [0.1, "1e-3 * 10.0**t"])  # the second one's numbers grow
def test_what_is_foreseen_of_a_round_changes_no_bit(schedule, monkeypatch):
    losses = problem("quadratic", 4, dim=2, sigma=0.5, seed=2)
    method = algorithm("dfedsgpsm", eta=schedule, local_steps=2)
    network = topology("random-out", 4, degree=2, seed=1)  # weights that never settle
    setting = Setting(losses, network, method, {}, 8, np.ones((4, 2)))
    probe, other = Probe(setting, looked), Probe(setting, looked)
    monkeypatch.setattr(other, "_foresees", False)
    plays = {probe: 0, other: 0}
    for each in plays:

        def stepped(*given, each=each, play=each.stepped):
            plays[each] += 1
            return play(*given)

        monkeypatch.setattr(each, "stepped", stepped)
    w = np.ones(4)
    for t in range(8):
        one, plain = probe.round(t, w), other.round(t, w)
        for a, b in ((one.A, plain.A), (one.N, plain.N), (one.w_after, plain.w_after)):
            assert np.array_equal(a, b)
        for (G, c), (other_G, other_c) in zip(one.forms, plain.forms, strict=True):
            assert np.array_equal(G, other_G)
            assert c == other_c
        assert one.steps == plain.steps
        w = one.w_after
    assert plays[other] == 16
    # one play a round after the first, but where the numbers outgrow what was foreseen
    assert (plays[probe] == 9) == (schedule == 0.1)
