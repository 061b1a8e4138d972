import numpy as np
import pytest

from theorylab.hypergradients import (
    SGP,
    Linear,
    QuadraticBilevel,
    Reading,
    coefficient_law,
    edge_law,
    exact,
    hgp,
    moments,
    patterns,
    second_moment_radius,
)
from theorylab.topologies import topology

EPS = np.finfo(float).eps
N = 3


def place(name, variant, step=0.3, noise=0.0):
    problem = QuadraticBilevel.random(N, 2, 1, noise=noise, seed=4)
    built = topology(name, N, seed=3)
    lam = np.random.default_rng(0).normal(size=(N, 1))
    law, sgp = edge_law(built), SGP(step, variant)
    truth = exact(problem, law, sgp, lam)
    return (
        Linear(problem, sgp, truth.point.x[None], truth.point.omega[None], lam[None]),
        built,
        truth,
    )


def matrices(at, c):
    """A and B of one coefficient matrix, column by column through the products."""
    n, d = at.problem.clients, at.problem.dim
    eye = np.eye(n * d).reshape(n * d, n, d).transpose(1, 0, 2)[None]
    return (
        part[0].transpose(1, 0, 2).reshape(n * d, -1).T
        for part in (at.A(c[None], eye), at.B(c[None], eye))
    )


def coefficients_of(built, edges, weights):
    law = edge_law(built)
    if weights == "realised":
        return np.swapaxes(built.weigh(edges), 1, 2)
    return edges * law.debiased


def lifted(at, built, alpha, beta, weights, u_for_w, together):
    """E[T] and E[T (x) T] of s = (v, u, w, 1), by adding up every edge pattern."""
    n, d, h = at.problem.clients, at.problem.dim, at.problem.hyper
    V, U = n * h, n * d
    c_y = at.seeds()[0][0].ravel()
    chance, edges = patterns(built)
    kinds = []
    for c in coefficients_of(built, edges, weights):
        A, B = matrices(at, c)
        first, second = np.eye(V + 2 * U + 1), np.eye(V + 2 * U + 1)
        v, u, w = slice(0, V), slice(V, V + U), slice(V + U, V + 2 * U)
        first[v, v], first[v, u], first[v, w] = alpha * np.eye(V), alpha * B, (1 - alpha) * B
        second[u, u] = A
        second[w, u] = (1 - beta) * A
        second[w, w] = (1 - beta) * np.eye(U) + beta * A
        if u_for_w:  # Algorithm 5, line 22; (4a), so that psi is 0
            second[w, u] += beta * A
            second[w, w] -= beta * A
        second[w, -1] = beta * c_y
        kinds.append((first, second))
    if together:  # both read the old state: v from the first matrix, u and w from the second
        both = []
        for first, second in kinds:
            T = second.copy()
            T[:V] = first[:V]
            both.append(T)
        groups = [both]
    else:
        groups = [[k[0] for k in kinds], [k[1] for k in kinds]]
    return [
        (
            sum(p * T for p, T in zip(chance, group, strict=True)),
            sum(p * np.kron(T, T) for p, T in zip(chance, group, strict=True)),
        )
        for group in groups
    ]


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize(
    ("name", "how", "alpha", "beta"),
    [
        ("sto-u", "eq12", 1.0, 0.0),
        ("sto-u", "appendix-b", 0.9, 0.1),
        ("sto-u", "eq13", 0.0, 1.0),
        ("sto-u", "eq11", 1.0, 0.0),
        ("sto-u", "alg5", 0.7, 0.4),
        ("sto-u", "together", 0.9, 0.1),
        ("sto-d", "together", 0.6, 0.5),
        ("sto-d", "appendix-b", 0.6, 0.5),
    ],
)
def test_they_are_the_kronecker_recursion_over_all_patterns(name, how, alpha, beta, variant):
    if how == "alg5" and variant == "4b":
        variant = "4a"
    at, built, _ = place(name, variant)
    weights = "realised" if how == "eq11" else "debiased"
    reading = Reading(rounds="together") if how == "together" else how
    free = how not in ("eq12", "eq13", "eq11")
    found = moments(
        at,
        coefficient_law(built, weights),
        6,
        reading=reading,
        alpha=alpha if free else None,
        beta=beta if free else None,
    )
    steps = lifted(at, built, alpha, beta, weights, how == "alg5", how == "together")
    c_y, c_lam = (part[0].ravel() for part in at.seeds())
    start = c_lam if how in ("eq12", "eq11", "alg5") else 0 * c_lam
    add = c_lam if how not in ("eq12", "eq11") else 0 * c_lam
    mean = np.concatenate([start, c_y, c_y, [1.0]])
    square = np.kron(mean, mean)
    for m in range(1, 7):
        for T, TT in steps:
            mean, square = T @ mean, TT @ square
        v = mean[:N]
        S = square.reshape(len(mean), -1)
        variance = np.trace(S[:N, :N]) - v @ v
        assert np.abs(found.mean[m].ravel() - (v + add)).max() <= 1e-13
        # a difference of two numbers of size |v|^2 < 10
        assert abs(found.variance[m] - variance) <= 1e-13


def test_sampling_agrees():
    at, built, truth = place("sto-d", "4a")
    R = 1500
    found = moments(at, coefficient_law(built), 12, reading="appendix-b")
    made = hgp(
        at, built, edge_law(built), 12, reading="appendix-b", runs=np.arange(R), history=True
    )
    error = ((made.history - truth.gradient) ** 2).sum(axis=(2, 3))
    spread = error.std(axis=1) / np.sqrt(R)
    gap = np.abs(error.mean(axis=1) - found.rmse(truth.gradient) ** 2)
    assert np.all(gap <= 6 * spread + 100 * EPS)  # six standard errors, fixed seeds


def test_the_mean_goes_to_the_truth_and_the_variance_does_not_go_to_zero():
    at, built, truth = place("sto-u", "4b")
    found = moments(at, coefficient_law(built), 150)
    assert np.abs(found.mean[-1] - truth.gradient).max() <= 1e-12
    assert found.rmse(truth.gradient)[-1] > 0.01


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("beta", [1.0, 0.2])
def test_the_radius_is_that_of_the_kronecker_mean(variant, beta):
    at, built, _ = place("sto-u", variant)
    chance, edges = patterns(built)
    total = 0
    for p, c in zip(chance, coefficients_of(built, edges, "debiased"), strict=True):
        A, _ = matrices(at, c)
        T = (1 - beta) * np.eye(len(A)) + beta * A
        total = total + p * np.kron(T, T)
    wanted = np.abs(np.linalg.eigvals(total)).max()
    # the radius of a positive map is a simple eigenvalue here: a few hundred eps
    assert abs(second_moment_radius(at, coefficient_law(built), beta) - wanted) <= 1e3 * EPS


def test_without_the_matrix_the_radius_is_the_same(monkeypatch):
    import sys

    at, built, _ = place("sto-d", "4a")
    law = coefficient_law(built)
    dense = second_moment_radius(at, law)
    monkeypatch.setattr(sys.modules["theorylab.hypergradients.moments"], "DENSE", 0)
    assert abs(second_moment_radius(at, law) - dense) <= 1e-10  # ARPACK's default tolerance is eps


def test_the_mean_can_converge_while_the_second_moment_grows_without_limit():
    at, built, truth = place("sto-u", "4a", step=0.01)
    law = coefficient_law(built)
    radius = second_moment_radius(at, law)
    assert truth.radius < 1 < radius
    found = moments(at, law, 3000)
    growth = (found.variance[3000] / found.variance[2500]) ** (1 / 500)
    assert abs(growth - radius) < 1e-4  # the other modes are gone after 2500 rounds
    assert np.abs(found.mean[-1] - truth.gradient).max() < 1e-9
    # what pdbo calls impossible on directed edges, the realised weights, stays bounded
    assert second_moment_radius(at, coefficient_law(built, "realised")) < 1


def test_numbers_out_of_range_and_unknown_minibatches_are_refused():
    at, built, _ = place("sto-u", "4a", step=0.01)
    law = coefficient_law(built)
    parts = at.problem.describe()
    parts.pop("name")
    huge = QuadraticBilevel(**(parts | {"t": 1e150 * np.array(parts["t"])}))
    far = Linear(huge, at.sgp, at.x, at.omega, at.lam)  # squares of 1e150 leave room for 1e8
    with pytest.raises(ValueError, match=r"left float64 at m = \d+; rho\(E\[A .x. A\]\) is 1\.0"):
        moments(far, law, 3000)
    noisy, _, _ = place("sto-u", "4a", noise=0.1)
    noisy.problem.outcomes = tuple
    with pytest.raises(ValueError, match=r"quadratic draws minibatches without outcomes\(\)"):
        moments(noisy, law, 2)
    with pytest.raises(ValueError, match="not covered"):
        moments(at, law, 2, reading="eq9")


def test_a_mean_that_leaves_float64_is_named_though_nothing_is_random():
    problem = QuadraticBilevel([[[1.0]]], [[0.3]], [[[2.0]]], [[3.0]])
    one = np.ones((1, 1))
    at = Linear(problem, SGP(1e60), one[None], one, one[None])
    with pytest.raises(ValueError, match=r"left float64 at m = [456]; rho"):  # 1e360
        moments(at, coefficient_law(topology("complete", 1)), 9)
