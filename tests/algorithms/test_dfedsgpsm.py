"""Algorithm 1 against plain loops written from the paper, and what must reduce to what."""

import numpy as np
import pytest

from theorylab.algorithms import OSGP, SGP, Context, DFedSGPSM, State, algorithm
from theorylab.problems import problem
from theorylab.topologies import topology

SEED = 5


# The last two are not doubly stochastic: there w differs from 1, and z from x.
GRAPHS = [
    topology("directed-ring", 5),
    topology("one-peer-exponential", 5),
    topology("random-out", 5, degree=2, seed=8),
    topology(
        "edge-list",
        5,
        edges=[[i, j] for i in range(5) for j in {i, (i + 1) % 5, (2 * i) % 5}],
        weights="uniform",
    ),
]


def losses(clients=5, sigma=0.4, dim=3):
    return problem("log-cosh", clients, dim=dim, spread=1.5, sigma=sigma, seed=2)


def models(runs=3, clients=5, dim=3):
    return np.random.default_rng(11).normal(size=(runs, clients, dim))


def rounds_of(method, losses_, graph, x0, rounds=4, runs=None):
    ids = np.arange(len(x0)) if runs is None else np.asarray(runs)
    state = method.init(x0)
    for t in range(rounds):
        state = method.step(state, Context(losses_, graph.matrix(t), SEED, ids))
    return state


def reference(losses_, graph, x0, *, eta, alpha, rho, K, rounds):
    """Algorithm 1, one client and one coordinate vector at a time, by its line numbers."""
    R, n, _ = x0.shape
    out = np.empty_like(x0)
    weights = np.empty((R, n))
    for r in range(R):
        x, w = [x0[r, i].copy() for i in range(n)], [1.0] * n
        for t in range(rounds):
            half = []
            for i in range(n):
                local, v = x[i].copy(), np.zeros_like(x[i])  # line 3
                for k in range(K):
                    z = local / w[i]  # line 5
                    noise = losses_.sample(SEED, np.array([r]), t, k)  # line 6

                    def gradient(point, noise=noise, i=i):
                        everyone = np.zeros((1, n, len(point)))
                        everyone[0, i] = point
                        return losses_.stochastic_gradient(everyone, noise)[0, i]

                    g = gradient(z)  # line 7
                    z_up = z + rho * g / np.sqrt(sum(g * g)) if rho else z  # line 8
                    g_up = gradient(z_up)  # line 9
                    v = alpha * v + g_up  # line 10
                    local = local - eta * v  # line 11
                half.append(local)  # line 13
            P = graph.matrix(t).toarray()
            x = [sum(P[i, j] * half[j] for j in range(n)) for i in range(n)]  # line 15
            w = [sum(P[i, j] * w[j] for j in range(n)) for i in range(n)]  # line 16
        out[r], weights[r] = np.array(x), w
    return out, weights


@pytest.mark.parametrize(
    ("alpha", "rho", "K"), [(0, 0, 1), (0.7, 0, 3), (0, 0.2, 2), (0.9, 0.1, 4)]
)
@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
def test_the_batch_follows_the_paper_line_by_line(alpha, rho, K, graph):
    x0, eta = models(), 0.05
    state = rounds_of(DFedSGPSM(eta, alpha, rho, K), losses(), graph, x0)
    x, w = reference(losses(), graph, x0, eta=eta, alpha=alpha, rho=rho, K=K, rounds=4)
    # about 60 operations a coordinate and round on numbers of size <= 5, four rounds
    assert np.allclose(state.x, x, rtol=0, atol=1e-12)
    assert np.allclose(state.w, w, rtol=0, atol=1e-14)
    assert np.array_equal(state.z, state.x / state.w[:, :, None])


def test_a_batch_is_its_runs_bit_for_bit():
    method, graph, x0 = DFedSGPSM(0.1, 0.5, 0.1, 3), topology("directed-ring", 5), models()
    together = rounds_of(method, losses(), graph, x0)
    for r in range(len(x0)):
        alone = rounds_of(method, losses(), graph, x0[r : r + 1], runs=[r])
        assert np.array_equal(together.x[r], alone.x[0])


def test_without_momentum_and_sam_it_is_osgp_and_with_one_step_sgp():
    graph, x0 = topology("random-out", 5, degree=2, seed=1), models()
    plain = rounds_of(DFedSGPSM(0.1, 0.0, 0.0, 4), losses(), graph, x0)
    assert np.array_equal(plain.x, rounds_of(OSGP(0.1, local_steps=4), losses(), graph, x0).x)
    single = rounds_of(DFedSGPSM(0.1), losses(), graph, x0)
    assert np.array_equal(single.x, rounds_of(SGP(0.1), losses(), graph, x0).x)


def test_mixing_conserves_mass_when_there_is_no_gradient():
    flat = problem("log-cosh", 5, dim=3, center=0.0, scale=1e-300)
    state = rounds_of(DFedSGPSM(0.1), flat, topology("directed-ring", 5), models(), rounds=9)
    # nine rounds of two-term sums of numbers of size <= 3
    assert np.allclose(state.x.sum(axis=1), models().sum(axis=1), rtol=0, atol=1e-13)
    assert np.allclose(state.w.sum(axis=1), 5, rtol=0, atol=1e-13)


def test_sam_takes_no_step_where_the_gradient_is_zero():
    here = problem("log-cosh", 5, dim=3, center=2.0)
    state = rounds_of(
        DFedSGPSM(0.1, rho=0.5), here, topology("complete", 5), np.full((1, 5, 3), 2.0)
    )
    # the point stays put up to the rounding of five-term means of 2
    assert np.allclose(state.x, 2.0, rtol=0, atol=1e-14)


def test_the_step_size_decays_from_round_to_round():
    graph, x0 = topology("directed-ring", 5), models(1)
    state = DFedSGPSM(0.1, decay=0.5).init(x0)
    context = Context(losses(sigma=0.0), graph.matrix(0), SEED, np.arange(1))
    later = State(3, state.x, state.w, state.z)
    slow = DFedSGPSM(0.1, decay=0.5).step(later, context)
    assert np.array_equal(slow.x, DFedSGPSM(0.1 * 0.5**3).step(state, context).x)


def test_inputs_are_not_modified():
    x0 = models()
    kept = x0.copy()
    method = DFedSGPSM(0.1, 0.5, 0.1, 2)
    state = method.init(x0)
    before = state.x.copy()
    method.step(state, Context(losses(), topology("complete", 5).matrix(0), 0, np.arange(3)))
    assert np.array_equal(x0, kept)
    assert np.array_equal(state.x, before)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("dfedsgpsm", {"eta": 0.0}, "eta is 0.0; need a step size > 0"),
        ("dfedsgpsm", {"eta": float("nan")}, "eta is nan; need a step size > 0"),
        ("dfedsgpsm", {"eta": 0.1, "alpha": 1.0}, "alpha is 1.0; need 0 <= alpha < 1"),
        ("dfedsgpsm", {"eta": 0.1, "rho": -1.0}, "rho is -1.0; need rho >= 0"),
        (
            "dfedsgpsm",
            {"eta": 0.1, "local_steps": 1.5},
            "local_steps is 1.5; need 1 <= K < 2\\*\\*32",
        ),
        ("dfedsgpsm", {"eta": 0.1, "decay": 0.0}, "decay is 0.0; need 0 < decay <= 1"),
        ("dfedsgpsm", {"eta": 0.1, "beta": 1}, "unknown option 'beta'; need one of eta"),
        ("dfedsgpsm", {}, "no step size eta is given; need eta > 0"),
        ("dfedsgpsmm", {"eta": 1}, "algorithm: no 'dfedsgpsmm'; did you mean dfedsgpsm"),
    ],
)
def test_bad_options_are_named(name, options, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        algorithm(name, **options)


def test_a_start_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="x0 holds a NaN or an infinity; need finite numbers"):
        DFedSGPSM(0.1).init(np.full((1, 5, 3), np.nan))
    with pytest.raises(ValueError, match=r"x0 has shape \(5, 3\); need \(R, n, d\)"):
        DFedSGPSM(0.1).init(np.zeros((5, 3)))
