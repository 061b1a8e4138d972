"""The noise of a round split off, against every sign written out."""

import itertools

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.metrics import measured, metric
from theorylab.problems import problem
from theorylab.runs import Setting
from theorylab.topologies import topology


def setting():
    base = {"name": "log-cosh", "dim": 1, "center": 1.0}
    p = problem("noisy", 1, base=base, field="state", sigma=0.7)
    run = algorithm("dfedsgpsm", eta=0.1, alpha=0.5, rho=0.2, local_steps=2)
    return Setting(p, topology("complete", 1), run, {}, 1, np.full((1, 1), 0.3))


def by_hand():
    """E G^2, E A^2, E (G - N)^2 and E G - A, every sign in turn, b = (3/2, 1)."""
    found = []
    for signs in itertools.product((1, -1), repeat=2):
        x, v, G, A, N = 0.3, 0.0, 0.0, 0.0, 0.0
        for b, s in zip((1.5, 1.0), signs, strict=True):
            slope, noise = np.tanh(x - 1), 0.7 * s * np.cos(x)
            up = x + 0.2 * np.sign(slope + noise)
            used = np.tanh(up - 1) + 0.7 * s * np.cos(up)
            G, A, N = G + b * used, A + b * np.tanh(up - 1), N + b * noise
            v = 0.5 * v + used
            x -= 0.1 * v
        found.append((G * G, A * A, (G - N) ** 2, G - A))
    return np.mean(found, axis=0)


@pytest.mark.parametrize("column", ["square", "excess", "inner"])
def test_expectations_are_the_sums_over_all_signs(column):
    square, points, kept, gap = by_hand()
    slope = abs(np.tanh(0.3 - 1))
    told = {
        "square": square,
        "excess": square - points,
        "inner": abs(gap) * slope / 2.5,  # over a~ = 3/2 + 1
    }
    (row,) = measured(metric(f"dfedsgpsm.split_{column}"), setting(), {}, law="enumerated").rows
    assert row.values == pytest.approx([told[column]], rel=1e-12)
    if column == "square":
        assert row.at["kept_slopes"] == pytest.approx(np.sqrt(kept), rel=1e-12)
