"""The norm in which HGP's rounds contract, and the floor, against every edge pattern listed."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import eigh

from theorylab.commands.hypergradient.bound import CHEBYSHEV, bounds_at
from theorylab.hypergradients import (
    SGP,
    Linear,
    QuadraticBilevel,
    coefficient_law,
    edge_law,
    floor,
    mean_square,
    moments,
)
from theorylab.hypergradients.mean_square import kicked_back
from theorylab.hypergradients.moments import Round, kick
from theorylab.topologies import topology

N = 3
DRAW = np.random.default_rng(5)
H, G, T0 = DRAW.uniform(0.5, 1.5, N), DRAW.normal(size=N), DRAW.normal(size=N)
X0, OMEGA = DRAW.normal(size=N), np.array([0.8, 1.1, 1.1])
OFTEN = np.array([[1, 0.9, 0.7], [0.8, 1, 0.95], [0.6, 0.85, 1]])  # [i, j] of j -> i
PAIRS = [(1.0, 0.0), (0.9, 0.1), (0.5, 0.7), (0.0, 1.0)]


def setting(variant, step=0.4, noise=0.0):
    problem = QuadraticBilevel(
        H[:, None, None], np.zeros((N, 1)), G[:, None, None], T0[:, None], noise=noise
    )
    graph = topology("sto-d", N, probabilities=OFTEN.tolist())
    at = Linear(problem, SGP(step, variant), X0[None, :, None], OMEGA[None], np.zeros((1, N, 1)))
    return at, graph, coefficient_law(graph)


def listed(variant, step=0.4, noise=0.0):
    """(chance, A-hat, B-hat) of every outcome of one round, and c^y, without the library."""
    edges = [(i, j) for i in range(N) for j in range(N) if i != j]
    rounds, mean = [], np.zeros((N, N))
    for there in itertools.product((0, 1), repeat=len(edges)):
        D, p = np.eye(N), 1.0
        for (i, j), seen in zip(edges, there, strict=True):
            D[i, j], p = seen, p * (OFTEN[i, j] if seen else 1 - OFTEN[i, j])
        mean += p * D / D.sum(axis=0)
        rounds.append((p, D))
    made = []
    for (p, D), signs in itertools.product(
        rounds, itertools.product((-1, 1), repeat=N) if noise else [(0,) * N]
    ):
        scale = 1 + noise * np.array(signs)
        c = D * mean.T / OFTEN
        pulled, crossed = np.diag(step * scale * H / OMEGA), np.diag(step * scale * G)
        pair = ((np.eye(N) - pulled) @ c, crossed @ c) if variant == "4a" else (c - pulled, crossed)
        made.append((p / (2**N if noise else 1), *pair))
    chance, A, B = (np.array(part) for part in zip(*made, strict=True))
    return chance, A, B, (X0 - T0) / (N * OMEGA)


def largest(S, X):
    return np.sqrt(eigh(S, X, eigvals_only=True)[-1])


@pytest.mark.parametrize(("variant", "noise"), [("4a", 0.0), ("4b", 0.0), ("4b", 0.3)])
def test_its_constants_are_those_of_every_outcome_of_a_round(variant, noise):
    at, _, law = setting(variant, noise=noise)
    chance, A, B, c = listed(variant, noise=noise)
    found = mean_square(at, law)
    A_bar, B_bar = np.tensordot(chance, A, 1), np.tensordot(chance, B, 1)
    moved = np.einsum("k,kba,bc,kcd->ad", chance, A, found.X, A)
    kicks = moved - A_bar.T @ found.X @ A_bar
    outer = np.einsum("k,kba,kbd->ad", chance, B - B_bar, B - B_bar)
    # X = I + E[A^T X A] to the solver's 1e-12
    assert np.abs(found.X - np.eye(N) - moved).max() <= 1e-9 * np.abs(found.X).max()
    assert found.rate == pytest.approx(largest(moved, found.X), rel=1e-9)
    assert found.kick_inner == pytest.approx(largest(kicks, found.X), rel=1e-9)
    assert found.kick_outer == pytest.approx(
        np.sqrt(max(eigh(outer, found.X, eigvals_only=True)[-1], 0)), rel=1e-6, abs=1e-7
    )
    assert found.outer == pytest.approx(largest(B_bar.T @ B_bar, found.X), rel=1e-9)
    assert found.start == pytest.approx(np.sqrt(c @ found.X @ c), rel=1e-12)


def played(variant, alpha, beta, terms, noise=0.0):
    """The root of the variance of v after M terms, from E[s s^T] of s = (v, u, w, 1)."""
    chance, A, B, c = listed(variant, noise=noise)
    size, eye = 3 * N + 1, np.eye(N)
    v, u, w = slice(0, N), slice(N, 2 * N), slice(2 * N, 3 * N)

    def squared(maps):
        total = np.zeros((size**2, size**2))
        for p, (A_, B_) in zip(chance, maps, strict=True):
            step = np.eye(size)
            if B_ is not None:
                step[v, v], step[v, u], step[v, w] = alpha * eye, alpha * B_, (1 - alpha) * B_
            else:
                step[u, u], step[w, u] = A_, (1 - beta) * A_
                step[w, w], step[w, -1] = beta * A_ + (1 - beta) * eye, beta * c
            total += p * np.kron(step, step)
        return total

    both = squared([(a, None) for a in A]) @ squared([(None, b) for b in B])
    s = np.concatenate([0 * c, c, c, [1.0]])
    found = (np.linalg.matrix_power(both, terms) @ np.kron(s, s)).reshape(size, size)
    return np.sqrt(np.trace(found[v, v]) - (found[v, -1] ** 2).sum())


@pytest.mark.parametrize(("alpha", "beta"), PAIRS)
@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_the_floor_is_the_deviation_after_very_many_terms(variant, alpha, beta):
    at, _, law = setting(variant)
    found = floor(at, law, alpha, beta, mean_square(at, law))
    # the slowest of alpha, 1 - beta + beta q and q is .98: .98^4096 < 1e-35
    assert found == pytest.approx(played(variant, alpha, beta, 4096), rel=1e-7)


def test_minibatches_are_in_the_floor():
    at, _, law = setting("4b", noise=0.3)
    found = floor(at, law, 0.9, 0.1, mean_square(at, law))
    assert found == pytest.approx(played("4b", 0.9, 0.1, 4096, noise=0.3), rel=1e-7)


@pytest.mark.parametrize("variant", ["4a", "4b"])
def test_no_deviation_is_above_the_bound_of_the_norms(variant):
    at, graph, law = setting(variant)
    bounds = bounds_at(at, graph, edge_law(graph))
    bounds = replace(bounds, draws=tuple(way for way in bounds.draws if way[0] == CHEBYSHEV))
    rare, often = (bounds.of(9, 0.9, 0.1, eps) for eps in (0.01, 0.25))  # Chebyshev: eps^(-1/2)
    assert rare.value - rare.rest == pytest.approx(5 * (often.value - often.rest), rel=1e-9)
    for alpha, beta in [*PAIRS, (0.999, 0.001), (0.01, 0.99)]:
        made = moments(at, law, 60, reading="appendix-b", alpha=alpha, beta=beta)
        for m in (1, 2, 3, 5, 9, 20, 60):
            bound = bounds.of(m, alpha, beta, 0.25)
            away = np.linalg.norm(made.mean[m] - made.mean[60])
            noise, rest = bound.value - bound.rest, bound.rest
            assert np.sqrt(made.variance[m] / 0.25) <= noise <= 60 * np.sqrt(made.variance[60])
            assert away <= rest + 1e-12


def test_where_the_second_moment_grows_there_is_no_norm_and_the_number_is_told():
    at, graph, law = setting("4b", step=0.001)
    chance, A, _, _ = listed("4b", step=0.001)
    square = sum(p * np.kron(a, a) for p, a in zip(chance, A, strict=True))
    radius = np.abs(np.linalg.eigvals(square)).max()
    assert radius > 1
    words = f"rho(E[A (x) A]) is {radius:.6g}; need < 1: no bound by second moments exists"
    with pytest.raises(ValueError, match=r"no bound by second moments exists") as caught:
        mean_square(at, law)
    assert str(caught.value) == words
    bound = bounds_at(at, graph, edge_law(graph)).of(5, 1.0, 0.0, 0.1)
    assert bound.value is None
    assert words in bound.rule
    assert "max ||A||_2 is up to" in bound.rule


def test_w_that_never_forgets_has_no_floor():
    at, _, law = setting("4a")
    with pytest.raises(ValueError, match=r"beta is 0 with alpha 0\.9: w keeps its first draws"):
        floor(at, law, 0.9, 0.0, mean_square(at, law))


def test_kicked_back_is_the_adjoint_of_kick():
    rng, d, h = np.random.default_rng(2), 2, 3
    _, _, law = setting("4a")
    gamma, own, shake, jolt = rng.normal(size=(4, N, h, d))
    one = Round(gamma, own, ((rng.uniform(size=N), shake, jolt),))
    X, S = rng.normal(size=(N, h, N, h)), rng.normal(size=(N, d, N, d))
    ahead, back = (X * kick(law, one, S)).sum(), (kicked_back(law, one, X) * S).sum()
    assert ahead == pytest.approx(back, rel=1e-11)
