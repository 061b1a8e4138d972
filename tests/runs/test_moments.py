"""Exact expectations against every noise path of a two-point noise, added up one by one."""

import dataclasses
import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.algorithms import SGP, DFedSGPSM
from theorylab.metrics import Squares
from theorylab.problems import Quadratic, problem
from theorylab.runs import NotAffineError, Setting, affine, expected_trace, simulate
from theorylab.topologies import Topology, topology


def test_moments_equal_the_average_over_all_noise_paths():
    n, K, rounds, eta, alpha, s = 2, 2, 3, 0.2, 0.5, 0.7
    h, c = np.array([1.0, 3.0]), np.array([-1.0, 2.0])
    losses = problem("quadratic", n, H=h[:, None, None].tolist(), c=c[:, None].tolist(), sigma=s)
    edges = [[0, 0, 0.7], [0, 1, 0.3], [1, 1, 0.4], [1, 0, 0.6]]
    graph = topology("edge-list", n, edges=edges)
    trace = expected_trace(
        losses, graph, DFedSGPSM(eta, alpha, 0.0, K), rounds=rounds, x0=[[0.5], [1.5]]
    )
    draws = n * K * (rounds - 1)
    total = np.zeros((4, rounds))
    for signs in itertools.product((-s, s), repeat=draws):  # a variance of s^2, like the noise
        noise = iter(signs)
        x, w = np.array([0.5, 1.5]), np.ones(n)
        for t in range(rounds):
            mean = x.mean()
            total[0, t] += (h * (mean - c)).mean() ** 2
            total[1, t] += ((x / w - mean) ** 2).mean()
            total[2, t] += (0.5 * h * (mean - c) ** 2).mean()
            total[3, t] += (mean - (h @ c) / h.sum()) ** 2
            if t == rounds - 1:
                break
            v = np.zeros(n)
            for _ in range(K):
                g = h * (x / w - c) + np.array([next(noise) for _ in range(n)])
                v = alpha * v + g
                x = x - eta * v
            P = graph.matrix(t).toarray()
            x, w = P @ x, P @ w
    total /= 2**draws
    names = ("squared_gradient", "consensus", "loss", "squared_distance")
    for row, name in zip(total, names, strict=True):
        # 256 paths of a few hundred operations each on numbers of size <= 20
        assert np.allclose(trace.columns[name][0], row, rtol=1e-12, atol=1e-13), name


def test_without_noise_moments_are_the_run_itself():
    losses = problem("quadratic", 4, dim=3, mu=0.5, L=2.0, heterogeneity=1.0, seed=3)
    graph, method = topology("directed-ring", 4), DFedSGPSM(0.1, 0.6, 0.0, 3)
    exact = expected_trace(losses, graph, method, rounds=20, x0=1.0)
    names = ("squared_gradient", "consensus", "loss", "squared_distance")
    run = simulate(losses, graph, method, rounds=20, x0=1.0, columns=names)
    for name in names:
        assert np.allclose(exact.columns[name], run.columns[name], rtol=1e-10, atol=1e-14), name


def test_runs_average_to_the_moments():
    losses = problem("quadratic", 3, dim=2, mu=0.5, L=2.0, heterogeneity=1.0, sigma=1.0, seed=3)
    graph, method = topology("random-out", 3, degree=1, seed=2), SGP(0.2)
    exact = expected_trace(losses, graph, method, rounds=12, x0=1.0)
    runs = simulate(losses, graph, method, rounds=12, runs=4000, x0=1.0)
    for name in ("squared_gradient", "consensus", "loss"):
        values = runs.columns[name][:, -1]
        error = values.std() / np.sqrt(len(values))
        assert abs(values.mean() - exact.columns[name][0, -1]) < 5 * error, name  # 5 sigma: 6e-7


class Mine(SGP):
    """A stranger's step: half the gradient, and a pull to the mean of all models."""

    name = "test-mine"

    def step(self, state, context):
        grad = context.problem.stochastic_gradient(state.x, context.sample(state.t, 0, "x"))
        x = state.x - 0.05 * grad
        x = 0.5 * x + 0.5 * x.mean(axis=1, keepdims=True)
        return dataclasses.replace(state, t=state.t + 1, x=x, z=x)


def test_a_stranger_s_step_has_moments_too():
    losses = problem("quadratic", 3, dim=2, mu=0.5, L=2.0, heterogeneity=1.0, sigma=1.0, seed=3)
    graph = topology("complete", 3)
    exact = expected_trace(losses, graph, Mine(0.05), rounds=12, x0=1.0)
    runs = simulate(losses, graph, Mine(0.05), rounds=12, runs=4000, x0=1.0)
    for name in ("squared_gradient", "consensus", "loss"):
        values = runs.columns[name][:, -1]
        error = values.std() / np.sqrt(len(values))
        assert abs(values.mean() - exact.columns[name][0, -1]) < 5 * error, name  # 5 sigma: 6e-7


class Twice(SGP):
    """A minibatch stands for two rounds."""

    def step(self, state, context):
        grad = context.problem.stochastic_gradient(state.x, context.sample(state.t // 2, 0))
        x = state.x - self.eta * grad
        return dataclasses.replace(state, t=state.t + 1, x=x, z=x)


class Whole(SGP):
    """It asks for u's minibatch, and reads v's, too."""

    def step(self, state, context):
        grad = context.problem.stochastic_gradient(state.x, context.sample(state.t, 0, "u"))
        x = state.x - self.eta * grad
        return dataclasses.replace(state, t=state.t + 1, x=x, z=x)


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        (Twice(0.2), "round 1 of Twice reads a minibatch of round 0"),
        (Whole(0.2), "a round of Whole is not affine"),
    ],
)
def test_noise_that_a_round_does_not_draw_for_itself_has_no_moments(method, reason):
    losses = problem("coupled-quadratic", 2, dim_u=1, dim_v=1, sigma_u=1.0, sigma_v=1.0)
    with pytest.raises(NotAffineError, match=reason):
        expected_trace(losses, topology("complete", 2), method, rounds=4)


@pytest.mark.parametrize(("network", "probed"), [("one-peer-exponential", 3), ("ring", 1)])
def test_rounds_that_come_again_are_probed_once(monkeypatch, network, probed):
    counted = []
    whole = affine.Probe.probed
    monkeypatch.setattr(
        affine.Probe, "probed", lambda self, t, w: counted.append(t) or whole(self, t, w)
    )
    losses = problem("quadratic", 8, dim=2, seed=1, sigma=1.0)
    graph = topology(network, 8)
    assert graph.period == probed
    trace = expected_trace(losses, graph, SGP(0.1), rounds=50)
    assert len(counted) == probed
    monkeypatch.setattr(affine, "period", lambda setting: 0)  # every round on its own
    again = expected_trace(losses, graph, SGP(0.1), rounds=50)
    assert len(counted) > 40
    for name, values in trace.columns.items():
        np.testing.assert_array_equal(values, again.columns[name])


@pytest.mark.usefixtures("registries")
def test_rounds_of_a_registered_stranger_do_not_repeat():
    class Cooling(SGP, name="test-cooling"):
        """Its steps fall with t, and no option tells."""

        def step(self, state, context):
            grad = context.problem.stochastic_gradient(state.x, context.sample(state.t, 0))
            x = state.x - self.eta / (1 + state.t) * grad
            return dataclasses.replace(state, t=state.t + 1, x=x, z=x)

    losses = problem("quadratic", 1, H=[[[1.0]]], c=[[0.0]], sigma=1.0)
    trace = expected_trace(losses, topology("complete", 1), Cooling(1.0), rounds=50)
    # x^T is the average of T noises
    assert trace.last["loss"][0] == pytest.approx(1 / (2 * 50), rel=1e-12)


class Bent(Quadratic):
    """Its gradient is a user's, of which nothing is known."""

    def gradient(self, x):
        return np.tanh(super().gradient(x))


NOISY = {"dim": 2, "mu": 0.5, "L": 2.0, "sigma": 1.0, "seed": 3}


@pytest.mark.parametrize(
    ("losses", "method", "reason"),
    [
        (problem("quadratic", 3, **NOISY), DFedSGPSM(0.1, rho=0.1), "is not affine"),
        (problem("log-cosh", 3, dim=2), SGP(0.1), "not affine"),
        (Bent(3, **NOISY), SGP(0.1), "not affine"),
        (problem("quadratic", 129, **NOISY), SGP(0.1), "258 coordinates; need at most 256"),
    ],
    ids=["sam", "log-cosh", "overridden", "large"],
)
def test_what_is_not_affine_is_refused(losses, method, reason):
    with pytest.raises(NotAffineError, match=reason):
        expected_trace(losses, topology("complete", losses.clients), method, rounds=2)


def test_far_centers_keep_the_digits_of_what_noise_adds():
    # clients alike, from the minimum on: all that is left is noise, wherever the minimum is
    def floor(far):
        losses = problem("quadratic", 2, H=[[[1.5]]] * 2, c=[[far]] * 2, sigma=0.5)
        trace = expected_trace(losses, topology("complete", 2), SGP(0.1), rounds=9, x0=far)
        return [float(trace.last[name][0]) for name in ("squared_gradient", "consensus", "loss")]

    ulp = 2.0 ** (40 - 52)  # of a model there: BLAS may round two clients' means apart by one
    assert floor(2.0**40) == pytest.approx(floor(0.0), rel=1e-3, abs=ulp**2)


@pytest.mark.parametrize("period", [1, 2])
@pytest.mark.usefixtures("registries")
def test_a_matrix_that_keeps_to_no_period_is_probed_every_round(period):
    class Switching(Topology, name="test-switching"):
        """Averages in the first rounds and then never again, whatever period it says."""

        def __init__(self, clients):
            super().__init__(clients, period=period, options={})

        def _build(self, t, run):
            return csr_array(np.full((self.clients, self.clients), 1 / self.clients))

        def matrix(self, t, run=0):
            return self._build(t, run) if t < 4 else csr_array(np.eye(self.clients))

    losses = problem("quadratic", 4, mu=1.0, L=1.0, dim=1, sigma=1.0, heterogeneity=0.0)
    trace = expected_trace(losses, Switching(4), SGP(0.1), rounds=10, x0=np.ones(1))
    # six rounds of noise on their own: .01 (1 + .81 + ... + .81^5), less the mean's quarter
    alone = 0.75 * 0.01 * sum(0.81**k for k in range(6))
    assert trace.last["consensus"][0] == pytest.approx(alone, rel=1e-10)


@pytest.mark.parametrize("network", ["ring", "one-peer-exponential"])
@pytest.mark.usefixtures("registries")
def test_vectors_of_a_user_may_count_rounds(network):
    class Growing(Squares, name="test-growing"):
        value = "v"
        average = False

        def vectors(self, before, after):
            return {"v": before.x.mean(axis=1) * (1 + before.t)}

    losses = problem("quadratic", 4, mu=1.0, L=1.0, dim=1, sigma=1.0, heterogeneity=0.0)
    here = Setting(losses, topology(network, 4), SGP(0.1), {}, 12, np.ones((4, 1)))
    (row,) = Growing(here, {}).exactly([11])
    mean = 0.9**22 + 0.01 / 4 * sum(0.81**k for k in range(11))
    assert row.values[0] == pytest.approx(144 * mean, rel=1e-10)
