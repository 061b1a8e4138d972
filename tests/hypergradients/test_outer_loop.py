"""A run of PDBO against plain loops and closed forms; batches, resuming, and the selected step."""

import types
from dataclasses import replace

import numpy as np
import pytest

from theorylab.hypergradients import (
    PDBO,
    QuadraticBilevel,
    StoppedError,
    at_selected,
    pdbo,
    selected,
)
from theorylab.topologies import topology

# few terms, on purpose
pytestmark = pytest.mark.filterwarnings("ignore:pdbo.* the estimate is biased")
EPS = np.finfo(float).eps
N, D, K = 3, 2, 2
NOISY = QuadraticBilevel.random(N, D, K, noise=0.2, seed=8)
STO_D = topology("sto-d", N, seed=5)


class Labelled(QuadraticBilevel):
    """Client i is right on a share of samples that depends on lambda alone."""

    part_sizes = types.MappingProxyType(
        {"validation": np.array([1, 3, 0]), "test": np.array([2, 0, 6])}
    )

    def _right(self, x, lam, part):
        base = {"validation": [0.5, 0.25, np.nan], "test": [1.0, np.nan, 0.5]}[part]
        return np.array(base) / (1 + np.abs(lam).sum(axis=2))


def labelled():
    made = Labelled.random(N, D, K, noise=0.2, seed=8)
    assert isinstance(made, Labelled)
    return made


def test_two_outer_steps_are_those_of_plain_loops():
    """Algorithm 2, Eq. (12) and Adam, client by client, from the paper."""
    problem, eta, rate = QuadraticBilevel.random(N, D, K, seed=8), 0.2, 0.3
    T, M, S, run = 12, 6, 2, 4
    made = pdbo(problem, STO_D, PDBO(eta, S, M, alpha=1.0, rate=rate), rounds=T, runs=[run], seed=3)
    lam = np.zeros((N, K))
    m, v = np.zeros((N, K)), np.zeros((N, K))
    t = 0
    for s in range(S):
        z, omega = np.zeros((N, D)), np.ones(N)
        pbar, dbar = np.zeros((N, N)), np.zeros((N, N))  # pbar[i, j]: from i to j; dbar[j, i]
        for _ in range(T):
            P = STO_D.matrix(t, run).toarray()
            after, weight = np.zeros((N, D)), np.zeros(N)
            for i in range(N):
                x = z[i] / omega[i]
                pull = problem.H[i] @ x - problem.b[i] - problem.G[i] @ lam[i]
                after[i] -= eta * pull
                for j in range(N):
                    after[i] += P[i, j] * z[j]
                    weight[i] += P[i, j] * omega[j]
                    pbar[j, i] += P[i, j] / T
                    dbar[j, i] += (P[i, j] > 0) / T
            z, omega, t = after, weight, t + 1
        x = z / omega[:, None]
        u = np.array([(x[i] - problem.t[i] + problem.S[i] @ lam[i]) / omega[i] for i in range(N)])
        u /= N
        found = np.array([problem.S[i].T @ x[i] + problem.reg * lam[i] for i in range(N)]) / N
        for k in range(M):
            for i in range(N):  # (4b): lambda enters through psi alone
                found[i] += eta * problem.G[i].T @ u[i]
            t += 1
            if k + 1 == M:
                break
            P = STO_D.matrix(t, run).toarray()
            after = np.zeros((N, D))
            for i in range(N):
                after[i] -= eta / omega[i] * problem.H[i] @ u[i]
                for j in range(N):
                    if P[i, j] > 0 or i == j:
                        after[i] += pbar[i, j] / dbar[j, i] * u[j]
            u, t = after, t + 1
        t = (s + 1) * (T + 2 * M)
        assert made.table["hypergradient"][0, s] == pytest.approx((found**2).sum(), rel=1e-12)
        m, v = 0.9 * m + 0.1 * found, 0.999 * v + 0.001 * found**2
        mhat, vhat = m / (1 - 0.9 ** (s + 1)), v / (1 - 0.999 ** (s + 1))
        lam = lam - rate * mhat / (np.sqrt(vhat) + 1e-8)
    # T + M products of numbers below 1 in norm: rounding stays below 1e4 EPS of the gradient, and
    # Adam divides it by its own size: three digits of 1 - beta2^t on top
    assert np.abs(made.state.lam[0] - lam).max() <= 1e7 * EPS


def test_on_full_communication_the_path_is_descent_on_the_exact_hypergradient():
    problem, eta, rate, S, T = QuadraticBilevel.random(N, D, K, seed=8), 0.3, 0.2, 15, 200
    G = topology("complete", N)
    method = PDBO(eta, S, T, optimizer="sgd", rate=rate)
    made = pdbo(problem, G, method, rounds=T)
    J = np.kron(G.matrix(0).toarray(), np.eye(D))
    for i in range(N):
        J[i * D : (i + 1) * D, i * D : (i + 1) * D] -= eta * problem.H[i]
    rho = np.linalg.norm(J, 2)  # symmetric
    assert rho < 0.95
    solve = eta * np.linalg.inv(np.eye(N * D) - J)  # x* = solve (b + G lam): omega = 1 on FC
    cross = np.zeros((N * D, N * K))
    for i in range(N):
        cross[i * D : (i + 1) * D, i * K : (i + 1) * K] = problem.G[i]
    lam, costs, sizes = np.zeros((N, K)), [], []
    for _ in range(S + 1):
        x = (solve @ (problem.b.ravel() + cross @ lam.ravel())).reshape(N, D)
        far = x - problem.t + np.einsum("iab,ib->ia", problem.S, lam)
        own = np.einsum("iab,ia->ib", problem.S, x) + problem.reg * lam
        costs.append(float(problem.outer(x[None], lam[None]).mean()))
        sizes.append(np.linalg.norm(far) + np.linalg.norm(x) * (1 + np.linalg.norm(problem.S)))
        last = lam
        lam = lam - rate / N * ((cross.T @ solve.T @ far.ravel()).reshape(N, K) + own)
    # Training leaves rho^T of |x*|, the series rho^T / (1 - rho) of its first term; both pass
    # through eta G / (1 - rho), S times, and descent with this rate does not expand.
    left = rho**T * max(sizes) * eta * np.linalg.norm(cross, 2) / (1 - rho) ** 2
    allowed = S * rate * left + 1e4 * EPS
    assert allowed < 1e-4
    assert np.abs(made.state.lam[0] - last).max() <= allowed
    assert made.table["outer_loss"][0] == pytest.approx(costs, abs=max(sizes) * allowed)
    assert np.all(np.diff(made.table["outer_loss"][0]) < 0)


ASK = {"rounds": 20, "seed": 3}
METHOD = PDBO(0.02, 4, 5, warm=True)  # a small step, for on three clients some omega is small


def same(a, b):
    assert a.keys() == b.keys()
    for name, values in a.items():
        assert np.array_equal(values, b[name], equal_nan=True), name


@pytest.mark.parametrize("warm", [False, True])
def test_a_batch_is_its_runs_bit_for_bit(warm):
    method = PDBO(0.02, 4, 5, warm=warm)
    both = pdbo(NOISY, STO_D, method, runs=[2, 7], **ASK)
    alone = pdbo(NOISY, STO_D, method, runs=[7], **ASK)
    same({name: values[1:] for name, values in both.table.items()}, alone.table)
    assert np.array_equal(both.state.lam[1:], alone.state.lam)


def test_resuming_after_any_step_ends_with_the_same_bits():
    kept = []
    whole = pdbo(NOISY, STO_D, METHOD, runs=2, checkpoint=kept.append, **ASK)
    assert [each.state.s for each in kept] == [1, 2, 3, 4, 5]
    for each in kept:
        again = pdbo(NOISY, STO_D, METHOD, runs=2, resume=each, **ASK)
        same(again.table, whole.table)
        assert np.array_equal(again.state.lam, whole.state.lam)


def test_the_selected_step_is_the_first_best_on_validation_and_not_on_test():
    table = {
        "validation_accuracy": np.array([[0.1, 0.8, 0.8, 0.3], [0.2, 0.1, 0.1, 0.9]]),
        "test_accuracy": np.array([[0.9, 0.4, 0.5, 0.6], [0.9, 0.8, 0.7, 0.1]]),
    }
    assert selected(table).tolist() == [1, 3]
    assert at_selected(table)["test_accuracy"].tolist() == [0.4, 0.1]


def test_accuracy_is_weighted_by_local_sizes_and_clients_without_samples_do_not_count():
    table = pdbo(labelled(), STO_D, PDBO(0.2, 0), rounds=5, runs=2).table
    assert table["validation_accuracy"].tolist() == [[(0.5 + 3 * 0.25) / 4]] * 2
    assert table["test_accuracy"].tolist() == [[(2 * 1.0 + 6 * 0.5) / 8]] * 2
    assert table["test_accuracy_low"] == pytest.approx(0.55)  # a tenth of the way from .5 to 1
    assert np.isnan(table["hypergradient"]).all()  # no outer step


def test_no_outer_step_sees_rounds_of_another(monkeypatch):
    seen = []
    drawn = type(STO_D).matrices
    monkeypatch.setattr(
        type(STO_D), "matrices", lambda self, t, runs: seen.append(t) or drawn(self, t, runs)
    )
    pdbo(NOISY, STO_D, replace(METHOD, descent="off"), **ASK)
    assert len(seen) == len(set(seen)) == 5 * 20 + 4 * 9  # 2 M - 1 rounds: the last A is not used


def test_what_stops_it_later_is_told_apart_from_bad_input(monkeypatch):
    def fails(at):
        def hypergradient(self, problem, graph, state, *others):
            if state.s == at:
                raise ValueError("rho(A_zz) is 2")
            return np.zeros_like(state.lam)

        kept = []
        monkeypatch.setattr(PDBO, "hypergradient", hypergradient)
        with pytest.raises(ValueError, match=r"rho\(A_zz\) is 2") as error:
            pdbo(NOISY, STO_D, METHOD, checkpoint=kept.append, **ASK)
        return type(error.value), str(error.value), len(kept)

    assert fails(0) == (ValueError, "rho(A_zz) is 2", 0)
    assert fails(2) == (StoppedError, "outer step 2: rho(A_zz) is 2", 2)


def test_bad_input_is_one_line():
    def refused(message, **change):
        ask = {"problem": NOISY, "topology": STO_D, "method": METHOD, **ASK, **change}
        with pytest.raises(ValueError, match=message):
            pdbo(**ask)

    refused("run ids repeat", runs=[1, 1])
    refused("no column 'nope'; need some of outer_loss", columns=["nope"])
    refused("column test_accuracy needs test samples", columns=["test_accuracy"])
    refused("topology has 4 clients, problem 3", topology=topology("sto-d", 4))
    off = replace(METHOD, descent="off")
    refused("column outer_change came with descent=off", method=off, columns=["outer_change"])
    refused("rounds is 0; need at least 1", rounds=0)
