import numpy as np
import pytest

from theorylab.hypergradients import (
    SGP,
    EdgeLaw,
    Linear,
    QuadraticBilevel,
    Reading,
    algorithm1,
    edge_law,
    exact,
    hgp,
)
from theorylab.topologies import topology

EPS = np.finfo(float).eps


def place(problem, built, variant, step=0.3, seed=0):
    """The problem at its stationary point, and that point's parts."""
    lam = np.random.default_rng(seed).normal(size=(problem.clients, problem.hyper))
    law, sgp = edge_law(built), SGP(step, variant)
    truth = exact(problem, law, sgp, lam)
    at = Linear(problem, sgp, truth.point.x[None], truth.point.omega[None], lam[None])
    return at, law, truth


def messages(problem, built, at, law, M, how, run, alpha, beta):
    """Algorithms 4 and 5 and their equations, client by client, message by message, on z."""
    n, step = problem.clients, at.sgp.steps(problem.clients)
    omega, first = at.omega[0], at.sgp.variant == "4a"

    def sign(t):
        drawn = problem.sample(3, np.array([run]), t)
        return np.ones(n) if drawn is None else 1 + problem.noise * drawn[0]

    def received(t, i):
        P = built.matrix(t, run).toarray()
        return [j for j in range(n) if P[i, j] > 0 or i == j]

    def a_phi(i, s, u):
        return u - step[i] / omega[i] * s[i] * (problem.H[i] @ u) if first else u

    def a_psi(i, s, u):
        return 0 * u if first else -step[i] / omega[i] * s[i] * (problem.H[i] @ u)

    def b_phi(i, s, u):
        return step[i] * s[i] * (problem.G[i].T @ u) if first else np.zeros(problem.hyper)

    def b_psi(i, s, u):
        return np.zeros(problem.hyper) if first else step[i] * s[i] * (problem.G[i].T @ u)

    c_y, c_lam = (part[0] for part in at.seeds())
    u, w = list(c_y), list(c_y)
    v = [part if how in ("eq12", "alg4", "alg5") else 0 * part for part in c_lam]
    before = v
    for m in range(M):
        s, before, v_next = sign(2 * m), v, []
        for i in range(n):
            total = alpha * (b_psi(i, s, u[i]) + v[i]) + (1 - alpha) * b_psi(i, s, w[i])
            for j in received(2 * m, i):
                share = law.mean[j, i] / law.frequency[i, j]
                total = total + share * (
                    alpha * b_phi(i, s, u[j]) + (1 - alpha) * b_phi(i, s, w[j])
                )
            v_next.append(total)
        v, s, u_next, w_next = v_next, sign(2 * m + 1), [], []
        for i in range(n):
            new, mixed = a_psi(i, s, u[i]), a_psi(i, s, w[i])
            for j in received(2 * m + 1, i):
                share = law.mean[j, i] / law.frequency[i, j]
                new = new + share * a_phi(i, s, u[j])
                mixed = mixed + share * a_phi(i, s, u[j] if how == "alg5" else w[j])
            u_next.append(new)
            w_next.append(beta * (mixed + c_y[i]) + (1 - beta) * (w[i] + new))
        u, w = u_next, w_next
    out = before if how in ("alg4", "alg5") else v
    return np.array(out) + (c_lam if how in ("alg5", "appendix-b") else 0)


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("how", ["eq12", "alg4", "alg5", "appendix-b"])
@pytest.mark.parametrize("name", ["sto-d", "sto-u"])
def test_every_estimate_is_that_of_the_printed_loop(name, how, variant):
    problem = QuadraticBilevel.random(3, 2, 2, noise=0.3, seed=2)
    built = topology(name, 3, seed=6)
    at, law, _ = place(problem, built, variant)
    weights = (1.0, 0.0) if how in ("eq12", "alg4") else (0.8, 0.3)
    runs = np.array([5, 0])
    made = hgp(at, built, law, 6, reading=how, alpha=weights[0], beta=weights[1], seed=3, runs=runs)
    for r, run in enumerate(runs):
        plain = messages(problem, built, at, law, 6, how, int(run), *weights)
        # 12 rounds of sums of 3 terms of size < 10
        assert np.abs(made.gradient[r] - plain).max() <= 1e3 * EPS


@pytest.mark.parametrize("how", ["eq12", "appendix-b"])
def test_a_batch_is_its_runs_bit_for_bit(how):
    problem = QuadraticBilevel.random(4, 3, 2, noise=0.2, seed=2)
    built = topology("sto-d", 4, seed=6)
    at, law, _ = place(problem, built, "4a", step=0.1)
    runs = np.array([7, 1, 30])
    both = hgp(at, built, law, 10, reading=how, seed=1, runs=runs, history=True)
    for r in range(3):
        alone = hgp(at, built, law, 10, reading=how, seed=1, runs=runs[r : r + 1])
        assert np.array_equal(both.gradient[r], alone.gradient[0])
    assert np.array_equal(both.history[-1], both.gradient)
    assert both.rounds == 20


def test_estimates_of_each_run_use_that_runs_law():
    problem = QuadraticBilevel.random(3, seed=2)
    built = topology("sto-u", 3, seed=6)
    at, law, _ = place(problem, built, "4a")
    other = EdgeLaw(np.array([law.mean, law.mean.T]), np.array([law.frequency] * 2), "two")
    made = hgp(at, built, other, 4, runs=np.array([3, 3])).gradient
    assert np.array_equal(made[0], hgp(at, built, law, 4, runs=np.array([3])).gradient[0])
    assert not np.array_equal(made[0], made[1])


def test_what_does_not_fit_is_refused():
    problem = QuadraticBilevel.random(2, seed=2)
    built = topology("sto-u", 2, seed=6)
    at, law, _ = place(problem, built, "4b")
    for options, words in (
        ({"reading": "eq99"}, "reading is 'eq99'; need one of eq9, "),
        ({"terms": 0}, "terms is 0; need an integer >= 1"),
        ({"alpha": 0.5}, "alpha is 0.5, but eq12 has 1.0"),
        ({"reading": Reading(power=True)}, "power came with alpha 0.9 and rounds 'alternate'"),
        ({"reading": "appendix-b", "beta": 1.5}, "beta is 1.5; need 0..1"),
    ):
        with pytest.raises(ValueError, match=words):
            hgp(at, built, law, **({"terms": 3} | options))
    with pytest.raises(ValueError, match="topology has 3 clients, problem 2"):
        hgp(at, topology("complete", 3), law, 2)


def test_a_series_that_cannot_converge_is_named_with_its_radius():
    problem = QuadraticBilevel.random(3, 2, 1, L=2.0, seed=2)
    built = topology("sto-d", 3, seed=6)
    x, omega, lam = np.zeros((2, 3, 2)), np.ones((2, 3)), np.zeros((1, 3, 1))
    omega[1] = [0.05, 1.45, 1.5]  # run 1 alone: step / omega times the curvature passes 2
    at, law = Linear(problem, SGP(0.3), x, omega, lam), edge_law(built)
    with pytest.raises(
        ValueError, match=r"hgp: rho\(A_zz\) is \d+\.\d+ at the point of run 1"
    ) as one:
        hgp(at, built, law, 3, runs=np.arange(2))
    assert "smallest omega is 0.05" in str(one.value)
    assert "\n" not in str(one.value)
    assert np.isfinite(hgp(at, built, law, 3, runs=np.arange(2), check=False).gradient).all()
    large = EdgeLaw(np.array([law.mean] * 2), np.array([law.frequency] * 2), "two")
    with pytest.raises(ValueError, match="of run 1"):
        hgp(at, built, large, 3, runs=np.arange(2), check=True)


def test_algorithm_1_passes_the_condition_on():
    problem = QuadraticBilevel.random(3, 2, 1, seed=2)
    with pytest.raises(ValueError, match=r"rho\(A_zz\) is 3\.1\d+ at "):
        algorithm1(
            problem, topology("complete", 3), SGP(1.7), np.zeros((1, 3, 1)), steps=2, rounds=5,
            terms=5, rate=0.1,
        )  # fmt: skip


@pytest.mark.parametrize("reading", ["eq12", "appendix-b", "alg3-received", "alg4", "alg5"])
def test_a_message_that_cannot_come_back_breaks_assumption_6(reading):
    problem = QuadraticBilevel.random(3, 2, 1, seed=2)
    point = (np.zeros((1, 3, 2)), np.ones((1, 3)), np.zeros((1, 3, 1)))
    at = Linear(problem, SGP(0.1), *point)
    never = topology("sto-d", 3, probabilities=[[1, 0.5, 0.5], [0, 1, 0.5], [0.5, 0.5, 1]])
    for built in (topology("directed-ring", 3), never):
        with pytest.raises(ValueError, match=r"Assumption 6 fails: client \d sends to \d with"):
            hgp(at, built, edge_law(built), 3, reading=reading)


def test_a_point_that_is_none_is_refused():
    problem = QuadraticBilevel.random(3, 2, 1, seed=2)
    built = topology("sto-u", 3, seed=6)
    x, omega, lam = np.zeros((1, 3, 2)), np.ones((1, 3)), np.zeros((1, 3, 1))
    for parts, words in (
        ((x + np.nan, omega, lam), "x of run 0 is not finite"),
        ((x, omega, lam + np.inf), "lam of run 0 is not finite"),
        ((x, 0 * omega, lam), "the smallest omega is 0; need > 0"),
    ):
        with np.errstate(all="ignore"):
            at = Linear(problem, SGP(0.1), *parts)
        with pytest.raises(ValueError, match=words):
            hgp(at, built, edge_law(built), 2)
