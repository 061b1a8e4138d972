"""Each client's u at all clients' losses: together, or client by client."""

import numpy as np
import pytest

from theorylab.metrics import _dfedalt_terms as terms
from theorylab.problems import problem

CASES = [
    {"name": "coupled-quadratic", "clients": 4, "dim_u": 3, "dim_v": 2, "heterogeneity": 1.0},
    {"name": "coupled-quadratic", "clients": 3, "dim_u": 1, "dim_v": 1, "heterogeneity": 1.0},
    {"name": "sin-sin", "clients": 5, "dim_u": 2, "dim_v": 2, "coupling": 0.5},
]


@pytest.mark.parametrize("options", CASES, ids=lambda o: f"{o['name']} {o['clients']}")
def test_shared_gradients_are_those_of_every_client_with_the_same_bits(options, monkeypatch):
    losses = problem(**options)
    draw = np.random.default_rng(3)
    u = draw.normal(size=(6, losses.clients, losses.shared))
    v = draw.normal(size=(6, losses.clients, losses.dim - losses.shared))
    together = terms.shared_gradients(losses, u, v)
    monkeypatch.setattr(terms, "_TOGETHER", 0)
    assert np.array_equal(together, terms.shared_gradients(losses, u, v))
    for run in range(6):
        squares = []
        for i in range(losses.clients):
            point = np.concatenate([np.tile(u[run, i], (losses.clients, 1)), v[run]], axis=1)
            slope = losses.gradient(point[None])[0, :, : losses.shared].mean(axis=0)
            squares.append(slope @ slope)
        assert together[run] == pytest.approx(np.mean(squares), rel=1e-12)
