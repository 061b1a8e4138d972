"""Local against plain loops: nothing travels."""

import numpy as np
import pytest

from theorylab.algorithms import DFedAvgM, Local, algorithm
from theorylab.topologies import topology

ISLANDS = topology("random-in", 5, degree=0)  # P = I


def test_it_follows_the_plain_loops(bench, graph):
    x0 = bench.models(2)
    method = Local(0.05, alpha=0.7, local_steps=(1, 2, 3, 4, 5), decay=0.9)
    effort = np.array([[1.0, 1.0, 0.0, 0.5, 0.3]] * 2)
    state = bench.follow(method, graph, x0, 3, effort=effort)
    for r in range(2):
        for i, K in enumerate([1, 2, 0, 2, 2]):
            x = x0[r, i]
            for t in range(3):
                x = bench.steps(i, x, r, t, eta=0.05 * 0.9**t, K=K, alpha=0.7)
            # 3 rounds of at most 5 steps on numbers <= 5
            assert np.allclose(state.x[r, i], x, rtol=0, atol=1e-12)
    assert np.array_equal(state.z, state.x)
    assert (state.w == 1).all()


def test_it_is_the_gossip_method_on_islands_bit_for_bit(bench):
    x0 = bench.models()
    mine = bench.follow(Local(0.05, alpha=0.5, local_steps=3), ISLANDS, x0, 4)
    other = bench.follow(DFedAvgM(0.05, alpha=0.5, local_steps=3), ISLANDS, x0, 4)
    assert np.array_equal(mine.x, other.x)


def test_the_network_plays_no_part(bench, graph):
    x0 = bench.models()
    mine = bench.follow(Local(0.05), graph, x0, 3)
    other = bench.follow(Local(0.05), topology("complete", 5), x0, 3)
    assert np.array_equal(mine.x, other.x)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eta": 0}, "local: eta is 0; need a step size > 0"),
        ({"alpha": 1}, "local: alpha is 1; need 0 <= alpha < 1"),
        ({"local_steps": 0}, "local: local_steps is 0; need 1 <= K < 2\\*\\*32"),
        ({"decay": 2}, "local: decay is 2; need 0 < decay <= 1"),
        ({"rho": 1}, "local: unknown option 'rho'; need one of eta, alpha, local_steps, decay"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        algorithm("local", **{"eta": 0.1, **options})
