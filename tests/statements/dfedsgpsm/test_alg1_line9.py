"""Line 9 on line 7's minibatch: the bias by hand, and where there is none."""

import math

import pytest

from theorylab.experiments import experiment
from theorylab.statements.dfedsgpsm.alg1_line9 import STATEMENT


def test_the_bias_of_one_client_is_that_of_two_samples():
    # f' = tanh(x), samples f' +- sigma cos(x / length); SAM goes rho along each sample's sign
    sigma, length, rho = 0.5, 0.5, 0.2
    options = {
        "problem": {
            **{"name": "noisy", "base": {"name": "log-cosh", "dim": 1}, "field": "state"},
            **{"sigma": sigma, "length": length},
        },
        **{"clients": 1, "probes": 5, "reach": 0.5, "rho": rho},
    }
    made = experiment("drawn-points", **options)
    seen = [float(row.values[0]) for row in made.observe("bias", range(1), 0).rows]

    def bias(x):
        noise = [sign * sigma * math.cos(x / length) for sign in (1, -1)]
        points = [x + rho * math.copysign(1, math.tanh(x) + e) for e in noise]
        later = [s * sigma * math.cos(p / length) for s, p in zip((1, -1), points, strict=True)]
        return abs(sum(later) / 2)

    grid = [bias(k / 1000) for k in range(-3000, 3001)]
    assert max(seen) <= max(grid) * (1 + 1e-3)
    assert max(seen) > 0.01


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed", "three-clients"].measured > 1e-2
    assert found["printed", "additive-noise"].measured == pytest.approx(0.0, abs=1e-15)
