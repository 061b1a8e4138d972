"""D-FedEM: FedEM's round at every client, and the mixing matrix written out."""

import numpy as np
import pytest

from theorylab.algorithms import Context, DFedEM, FedEM, algorithm
from theorylab.problems import problem
from theorylab.topologies import topology

RNG = np.random.default_rng(9)
DATA = {
    "features": RNG.normal(size=(20, 3)),
    "labels": RNG.integers(0, 3, 20),
    "owners": [*range(5)] * 4,
}


@pytest.fixture
def losses():
    return problem("mixture", 5, components=2, batch=2, **DATA)


def test_a_round_is_fedems_round_of_each_client_and_the_mixing(bench, losses):
    here, graph = type(bench)(losses), topology("random-symmetric", 5, degree=1, seed=3)
    x0 = here.models(2)
    state = here.follow(DFedEM(0.3, 0.5, local_steps=3), graph, x0, 3)
    for r in range(2):
        x = x0[r].copy()
        for t in range(3):
            ends = np.empty_like(x)
            for i in range(5):
                # a server that hears client i alone ends where client i does
                method = FedEM(0.3, 0.5, 3)
                first = method.init(np.repeat(x[None, i : i + 1], 5, axis=1), losses)
                effort = np.eye(5)[None, i]
                after = method.step(
                    type(first)(t, first.x, first.w, first.z, first.v),
                    Context(losses, None, 5, np.array([r]), effort=effort),
                )
                ends[i] = np.concatenate([after.x[0, i], after.v[0, i]])
            P = graph.matrix(t).toarray()
            for i in range(5):
                x[i] = ends[i]
                x[i, : losses.shared] = sum(P[i, j] * ends[j, : losses.shared] for j in range(5))
        # 3 rounds of about 100 operations on numbers of size <= 10
        assert np.allclose(state.x[r], x[:, : losses.shared], rtol=0, atol=1e-12)
        assert np.allclose(state.v[r], x[:, losses.shared :], rtol=0, atol=1e-12)


def test_on_a_complete_graph_it_is_fedem_with_everybody(bench, losses):
    here, graph = type(bench)(losses), topology("complete", 5)
    x0 = np.repeat(here.models(2)[:, :1], 5, axis=1)
    mine = here.follow(DFedEM(0.3, local_steps=3), graph, x0, 4)
    server = here.follow(FedEM(0.3, local_steps=3), graph, x0, 4)
    # sums of five numbers in two orders, 4 rounds
    assert np.allclose(mine.x, server.x, rtol=0, atol=1e-13)
    assert np.allclose(mine.v, server.v, rtol=0, atol=1e-13)


def test_sam_is_no_part_of_it():
    with pytest.raises(ValueError, match=r"dfedem: rho is 0\.1; need 0"):
        algorithm("dfedem", eta=0.1, rho=0.1)
