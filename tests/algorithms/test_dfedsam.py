"""DFedSAM against plain loops, with one and with several gossip steps."""

import numpy as np
import pytest

from theorylab.algorithms import Context, DFedAvg, DFedSAM, algorithm
from theorylab.scripts.stub import Net


@pytest.mark.parametrize("gossip_steps", [1, 3])
def test_it_follows_the_plain_loops(bench, graph, gossip_steps):
    x0, eta, rho, K = bench.models(2), 0.05, 0.3, 3
    method = DFedSAM(eta, rho=rho, local_steps=K, gossip_steps=gossip_steps)
    state = bench.follow(method, graph, x0, 3)
    for r in range(2):
        x = x0[r]
        for t in range(3):
            moved = [bench.steps(i, x[i], r, t, eta=eta, K=K, rho=rho) for i in range(5)]
            P = np.linalg.matrix_power(graph.matrix(t).toarray(), gossip_steps)
            x = P @ np.array(moved)
        # 3 rounds of about 60 operations on numbers of size <= 5
        assert np.allclose(state.x[r], x, rtol=0, atol=1e-12)


def test_with_radius_zero_it_is_dfedavg(bench, graph):
    x0 = bench.models()
    assert np.array_equal(
        bench.follow(DFedSAM(0.05, rho=0.0, local_steps=3), graph, x0, 3).x,
        bench.follow(DFedAvg(0.05, local_steps=3), graph, x0, 3).x,
    )


def test_it_has_no_momentum():
    with pytest.raises(ValueError, match=r"dfedsam: alpha is 0\.5; need 0"):
        algorithm("dfedsam", eta=0.1, alpha=0.5)


def test_net_ascent_is_sams_point_in_a_step_and_in_its_script():
    z, g = np.ones((1, 2, 2)), np.array([[[3.0, 4.0], [0.0, 0.0]]])
    for net in (Context, Net):
        assert np.allclose(net.ascent(None, z, g, 0.5), [[[1.3, 1.4], [1, 1]]], rtol=1e-15)
