"""DFedAvg against plain loops, and what it reduces to."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.algorithms import OSGP, Delayed, DFedAvg, algorithm
from theorylab.problems import problem
from theorylab.runs import simulate
from theorylab.topologies import Topology, topology


def reference(bench, graph, x0, rounds, K=3, eta=0.05, alpha=0.0, rho=0.0, Q=1):
    """Local steps, then x_i = sum_j P_ij x_j, Q times; one client of one run at a time."""
    out = np.empty_like(x0)
    for r in range(len(x0)):
        x = list(x0[r])
        for t in range(rounds):
            moved = [
                bench.steps(i, x[i], r, t, eta=eta, K=K, alpha=alpha, rho=rho)
                for i in range(bench.n)
            ]
            P = graph.matrix(t).toarray()
            for _ in range(Q):
                moved = [sum(P[i, j] * moved[j] for j in range(bench.n)) for i in range(bench.n)]
            x = moved
        out[r] = np.array(x)
    return out


def test_it_follows_the_plain_loops(bench, graph):
    x0 = bench.models()
    state = bench.follow(DFedAvg(0.05, local_steps=3), graph, x0, 4)
    # 4 rounds of about 40 operations on numbers of size <= 5
    assert np.allclose(state.x, reference(bench, graph, x0, 4), rtol=0, atol=1e-12)
    assert np.array_equal(state.z, state.x)
    assert (state.w == 1).all()


def test_on_a_doubly_stochastic_graph_it_is_osgp(bench, symmetric):
    x0 = bench.models()
    plain = bench.follow(DFedAvg(0.05, local_steps=3), symmetric, x0, 6)
    pushed = bench.follow(OSGP(0.05, local_steps=3), symmetric, x0, 6)
    # the push-sum weights are 1 up to the rounding of row sums, in each of 6 rounds
    assert np.allclose(plain.x, pushed.x, rtol=0, atol=1e-13)


def test_clients_may_do_different_numbers_of_steps(bench, graph):
    x0, each = bench.models(2), (1, 4, 2, 3, 1)
    state = bench.follow(DFedAvg(0.05, local_steps=each), graph, x0, 1)
    P = graph.matrix(0).toarray()
    for r in range(2):
        moved = [bench.steps(i, x0[r, i], r, 0, eta=0.05, K=each[i]) for i in range(5)]
        # one round: as above with fewer operations
        assert np.allclose(state.x[r], P @ np.array(moved), rtol=0, atol=1e-13)


def test_a_straggler_does_its_share_rounded_up_and_a_client_that_is_down_none(bench):
    graph, x0 = topology("ring", 5), bench.models(2)
    effort = np.array([[1, 0.5, 0, 0.2, 0.9], [0, 1, 1, 0.3, 0.6]])
    state = bench.follow(DFedAvg(0.05, local_steps=4), graph, x0, 1, effort=effort)
    P = graph.matrix(0).toarray()
    for r, counts in enumerate([(4, 2, 0, 1, 4), (0, 4, 4, 2, 3)]):
        moved = [bench.steps(i, x0[r, i], r, 0, eta=0.05, K=counts[i]) for i in range(5)]
        assert np.allclose(state.x[r], P @ np.array(moved), rtol=0, atol=1e-13)


class Pulled(Topology):
    """The same edges, but every client averages what it receives: rows sum to 1."""

    column_stochastic = False
    edges = topology("ring", 6)

    def _build(self, t, run):
        hears = (self.edges.matrix(t).toarray() > 0).astype(float)
        return csr_array(hears / hears.sum(axis=1, keepdims=True))


def test_push_sum_reaches_the_average_optimum_on_a_directed_graph_and_plain_gossip_does_not():
    # away from 0, where x_i = n pi_i xbar would hide that it is wrong
    centers = 4 + 3 * np.random.default_rng(4).normal(size=(6, 2))
    losses = problem("quadratic", 6, mu=0.5, L=1.0, c=centers, seed=4)
    edges = [[i, (i + 1) % 6] for i in range(6)] + [[0, 3], [0, 2], [1, 3]]
    directed = topology("edge-list", 6, edges=edges, weights="uniform")
    pulled = Pulled(6, period=None, options={})
    pulled.edges = directed

    def distances(method, graph):
        """Of every client's own model, and of the mean model."""
        trace = simulate(losses, graph, method, rounds=4000, every=1000)
        own = trace.final_x[0] / trace.final_w[0][:, None]
        return [np.linalg.norm(x - losses.optimum) for x in (*own, trace.final_x[0].mean(axis=0))]

    # A step size of .03 * .999^t ends at 5e-4: what the heterogeneity leaves is O(eta) = .01.
    push, plain = OSGP(0.03, local_steps=1, decay=0.999), DFedAvg(0.03, local_steps=1, decay=0.999)
    assert max(distances(push, directed)) < 0.01
    assert min(distances(plain, directed)) > 0.1, "column-stochastic, but without the weights"
    assert min(distances(push, pulled)) > 0.1, "row-stochastic: the weights stay 1"


def test_delayed_messages_are_refused(bench):
    ring = topology("ring", 5)

    class Late:
        column_stochastic = True

        def matrix(self, t):
            return Delayed(ring.matrix(t), (ring.matrix(t) * 0,))

    with pytest.raises(ValueError, match="this method has no push-sum weights"):
        bench.follow(DFedAvg(0.1), Late(), bench.models(1), 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.5}, "dfedavg: alpha is 0.5; need 0"),
        ({"rho": 0.5}, "dfedavg: rho is 0.5; need 0"),
        ({"gossip_steps": 2}, "dfedavg: gossip_steps is 2; need 1"),
        ({"eta": -1}, "dfedavg: eta is -1; need a step size > 0"),
        ({"local_steps": (1, 0)}, r"dfedavg: local_steps is \(1, 0\); need 1 <= K < 2\*\*32"),
        ({"local_steps": 0}, "dfedavg: local_steps is 0; need 1 <= K < 2\\*\\*32"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        algorithm("dfedavg", **{"eta": 0.1, **options})


def test_a_wrong_number_of_step_counts_is_named(bench):
    with pytest.raises(ValueError, match="2 numbers for 5 clients"):
        bench.follow(DFedAvg(0.1, local_steps=(1, 2)), topology("ring", 5), bench.models(1), 1)
