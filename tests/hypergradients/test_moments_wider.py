"""Moments with minibatches and on the full state, against every draw of both."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from theorylab.hypergradients import (
    SGP,
    Linear,
    QuadraticBilevel,
    Reading,
    SoftmaxWeights,
    coefficient_law,
    edge_law,
    moments,
    patterns,
    second_moment_radius,
)
from theorylab.topologies import topology

EPS = np.finfo(float).eps
N = 2
STEP = 0.25
PART = {
    "H": [[[1.5]], [[0.75]]],
    "b": [[0.5], [-1.0]],
    "G": [[[1.0]], [[-0.5]]],
    "t": [[2.0], [0.25]],
    "S": [[[0.5]], [[0.25]]],
    "reg": 0.5,
    "noise": 0.5,
}
Q = [[1, 0.5], [0.75, 1]]  # Q[i][j]: of j -> i
X, OMEGA, LAM = [[1.5], [-0.5]], [1.25, 0.75], [[0.5], [-1.0]]


def at_hand(variant, full=False):
    problem = QuadraticBilevel(**PART)
    built = topology("sto-d", N, probabilities=Q)
    point = (np.array([X]), np.array([OMEGA]), np.array([LAM]))
    return Linear(problem, SGP(STEP, variant), *point, full=full), built


def steps(variant, alpha, beta):
    """Every (chance, rounds of s = (v, u, w, 1) for B and for A), in rationals, from Eq. (8)."""
    f = Fraction
    p = {}  # p[i, j]: mean weight from i to j; one other client, so half if it is there
    for i in range(N):
        there = f(Q[1 - i][i])
        p[i, 1 - i], p[i, i] = there / 2, 1 - there / 2
    free = [(0, 1), (1, 0)]  # receiver, sender
    for on in itertools.product((0, 1), repeat=2):
        for sign in itertools.product((-1, 1), repeat=N):
            chance, c = f(1, 4), [[p[0, 0], f(0)], [f(0), p[1, 1]]]
            for (i, j), there in zip(free, on, strict=True):
                often = f(Q[i][j])
                chance *= often if there else 1 - often
                c[i][j] = there * p[i, j] / often
            A, B = ([[f(0)] * N for _ in range(N)] for _ in range(2))
            for i, j in itertools.product(range(N), repeat=2):
                scale = 1 + f(PART["noise"]) * sign[i]
                curve = f(STEP) / f(OMEGA[i]) * f(PART["H"][i][0][0]) * scale
                cross = f(STEP) * f(PART["G"][i][0][0]) * scale
                if variant == "4a":
                    A[i][j], B[i][j] = c[i][j] * (1 - curve), c[i][j] * cross
                else:
                    A[i][j], B[i][j] = c[i][j] - (i == j) * curve, (i == j) * cross
            yield chance, *matrices(A, B, alpha, beta)


def c_of(i):
    pull = Fraction(X[i][0]) - Fraction(PART["t"][i][0])
    pull += Fraction(PART["S"][i][0][0]) * Fraction(LAM[i][0])
    return pull / (N * Fraction(OMEGA[i]))


def matrices(A, B, alpha, beta):
    """The round of B and the round of A as 7 x 7 matrices on (v, u, w, 1)."""
    first, second = ([[Fraction(i == j) for j in range(7)] for i in range(7)] for _ in range(2))
    for i in range(N):
        first[i][i] = alpha
        for j in range(N):
            first[i][2 + j], first[i][4 + j] = alpha * B[i][j], (1 - alpha) * B[i][j]
            second[2 + i][2 + j] = A[i][j]
            second[4 + i][2 + j] = (1 - beta) * A[i][j]
            second[4 + i][4 + j] = (1 - beta) * (i == j) + beta * A[i][j]
        second[4 + i][6] = beta * c_of(i)
    return first, second


def product(T, S):
    inner = range(len(S))
    return [[sum(row[k] * S[k][j] for k in inner if row[k]) for j in range(len(S[0]))] for row in T]


def by_listing(variant, alpha, beta, terms, together):
    """E v and E|v - E v|^2 after each term, in rationals, over every draw of every round."""
    listed = list(steps(variant, alpha, beta))
    mean = [[Fraction(0)]] * N + [[c_of(i)] for i in range(N)] * 2 + [[Fraction(1)]]
    square = product(mean, [[m[0] for m in mean]])
    found = []
    for _ in range(terms):
        if together:
            groups = [[(p, [*F[:2], *S[2:]]) for p, F, S in listed]]
        else:
            groups = [[(p, F) for p, F, _ in listed], [(p, S) for p, _, S in listed]]
        for group in groups:
            new = [[Fraction(0)] * 7 for _ in range(7)]
            for chance, T in group:
                moved = product(product(T, square), [list(col) for col in zip(*T, strict=True)])
                for i, j in itertools.product(range(7), repeat=2):
                    new[i][j] += chance * moved[i][j]
            square = new
        v = [square[i][6] for i in range(N)]
        found.append((v, sum(square[i][i] - v[i] ** 2 for i in range(N))))
    return found


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(("alpha", "beta"), [("1", "0"), ("3/4", "1/4"), ("0", "1")])
def test_edges_and_minibatches_together_are_those_over_every_draw(alpha, beta, together, variant):
    at, built = at_hand(variant)
    alpha, beta = Fraction(alpha), Fraction(beta)
    reading = Reading(rounds="together") if together else Reading()
    found = moments(
        at, coefficient_law(built), 4, reading=reading, alpha=float(alpha), beta=float(beta)
    )
    shift = [PART["reg"] * LAM[i][0] + PART["S"][i][0][0] * X[i][0] for i in range(N)]
    for m, (v, variance) in enumerate(by_listing(variant, alpha, beta, 4, together), 1):
        wanted = np.array([float(v[i]) + shift[i] / N for i in range(N)])
        assert np.abs(found.mean[m, :, 0] - wanted).max() <= 1e-14  # numbers below 3, 8 rounds
        assert abs(found.variance[m] - float(variance)) <= 1e-14


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_the_radius_with_minibatches_is_that_of_the_kronecker_mean(variant):
    at, built = at_hand(variant)
    total = np.zeros((4, 4))
    for chance, _, second in steps(variant, Fraction(1), Fraction(0)):
        A = np.array([row[2:4] for row in second[2:4]], float)
        total += float(chance) * np.kron(A, A)
    wanted = np.abs(np.linalg.eigvals(total)).max()
    assert abs(second_moment_radius(at, coefficient_law(built)) - wanted) <= 200 * EPS
    silent = Linear(QuadraticBilevel(**(PART | {"noise": 0.0})), at.sgp, at.x, at.omega, at.lam)
    assert second_moment_radius(silent, coefficient_law(built)) < wanted - 0.01


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_the_full_state_has_the_same_estimate_and_a_larger_radius(variant):
    law = coefficient_law(at_hand(variant)[1])
    small, wide = (moments(at_hand(variant, full)[0], law, 8) for full in (False, True))
    assert np.abs(small.mean - wide.mean).max() <= 100 * EPS
    assert np.abs(small.variance - wide.variance).max() <= 100 * EPS
    at = at_hand(variant, True)[0]
    # block triangular: omega's part of A is c itself, and E[c (x) c]'s radius passes 1
    weights = second_moment_radius(at, law)
    c = sum(np.kron(e, e) * p for p, e in coefficients(law, at_hand(variant)[1]))
    assert abs(weights - np.abs(np.linalg.eigvals(c)).max()) <= 1e-12
    assert weights > 1


def coefficients(law, built):
    chance, edges = patterns(built)
    return zip(chance, edges * edge_law(built).debiased, strict=True)


def test_noise_in_what_is_sent_and_in_what_is_kept_is_counted_together():
    from theorylab.hypergradients.moments import Round, _carried, kick

    built, rng, D = at_hand("4a")[1], np.random.default_rng(0), 2
    gamma, own, shake, jolt = rng.normal(size=(4, N, D, D))  # F_i +- (shake_i, jolt_i), evenly
    law, half = coefficient_law(built), np.full(N, 0.5)
    one = Round(gamma, own, ((half, shake, jolt), (half, -shake, -jolt)))
    root = rng.normal(size=(N * D, N * D))
    second = (root @ root.T).reshape(N, D, N, D)
    found = _carried(law.mean, one, second) + kick(law, one, second)
    wanted = 0
    for p, c in coefficients(law, built):
        for sign in itertools.product((-1, 1), repeat=N):
            s = np.array(sign)[:, None, None]
            T = np.einsum("ij,iab->iajb", c, gamma + s * shake)
            for i in range(N):
                T[i, :, i] += (own + s * jolt)[i]
            T = T.reshape(N * D, N * D)
            wanted = wanted + p / 4 * T @ second.reshape(N * D, N * D) @ T.T
    assert np.abs(found.reshape(N * D, N * D) - wanted).max() <= 1e-12  # numbers below 1000


def test_the_full_blocks_are_the_full_products():
    from theorylab.hypergradients.moments import _blocks

    for variant in ("4a", "4b"):
        at, _ = at_hand(variant, full=True)
        sample = np.array([[1.0, -1.0]])
        J, K, psi, psi_lam = _blocks(at, sample)
        u = np.random.default_rng(0).normal(size=(1, N, 1, 2))
        c = np.random.default_rng(1).uniform(size=(1, N, N))
        mixed = np.einsum("ij,jb->ib", c[0], u[0, :, 0])
        A = np.einsum("iab,ib->ia", J, mixed) + np.einsum("iab,ib->ia", psi, u[0, :, 0])
        B = np.einsum("iab,ib->ia", K, mixed) + np.einsum("iab,ib->ia", psi_lam, u[0, :, 0])
        assert np.abs(A - at.A(c, u, sample)[0, :, 0]).max() <= 20 * EPS
        assert np.abs(B - at.B(c, u, sample)[0, :, 0]).max() <= 20 * EPS


def test_a_minibatch_of_rows_has_the_covariance_of_its_listed_outcomes():
    features = np.random.default_rng(3).normal(size=(5, 2))
    problem = SoftmaxWeights(
        2, batch=2, features=features, labels=np.array([0, 1, 1, 0, 1]),
        owners=np.array([0, 0, 0, 1, 1]),
    )  # fmt: skip
    rng = np.random.default_rng(0)
    x, lam, u = rng.normal(size=(1, 2, problem.dim)), rng.normal(size=(1, 2, 2)), None
    u = np.broadcast_to(np.eye(problem.dim), (1, 2, problem.dim, problem.dim))

    def value(sample):
        H, K = problem.inner_hvp(x, lam, u, sample)[0], problem.cross(x, lam, u, sample)[0]
        return np.concatenate([H.reshape(2, -1), K.reshape(2, -1)], axis=1)

    middle = value(None)
    found = np.zeros((2, middle.shape[1], middle.shape[1]))
    for weight, sample in problem.outcomes():
        gap = value(sample) - middle
        found += weight[:, None, None] * gap[:, :, None] * gap[:, None, :]
    for i, size in enumerate((3, 2)):
        wanted = 0
        for rows in itertools.product(range(size), repeat=2):
            sample = np.zeros((1, 2, 2), np.int64)
            sample[0, i] = rows
            gap = value(sample)[i] - middle[i]
            wanted = wanted + np.outer(gap, gap) / size**2
        assert np.abs(found[i] - wanted).max() <= 1e-14  # 9 products of numbers below 5
