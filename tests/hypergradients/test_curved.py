"""Hessians as the kernels take them: products and steps as in the formulas, whatever is shared."""

from itertools import product

import numpy as np
import pytest

from theorylab.hypergradients import SGP, Linear, SoftmaxWeights
from theorylab.hypergradients.softmax_weights import Curved

EPS = np.finfo(float).eps
R, N, M, P, C, K = 3, 4, 6, 5, 3, 2
D, REG = P * C, 0.3
# below 100 roundings, of sums of terms whose sizes sum to below 1000
NEAR = 1e5 * EPS


def made(data, at, vectors):
    """A Hessian and vectors with one run, or R of them, of each part; data 0: no such axis."""
    rng = np.random.default_rng(5)
    prob = rng.random((at, N, M, C)) + 0.1
    prob /= prob.sum(axis=-1, keepdims=True)
    X = rng.normal(size=(data, N, M, P)[not data :])
    weight = rng.random((at, N, M)) / M
    return Curved(X, prob, weight, REG), rng.normal(size=(vectors, N, K, D)), rng


def hessian(curved, r, i):
    """Of client i in run r, sample by sample: W flattened row by row."""
    X = curved.data if curved.data.ndim == 4 else curved.data[None]
    a, p, w = (part[min(r, len(part) - 1), i] for part in (X, curved.prob, curved.weight))
    H = REG * np.eye(D)
    for j in range(M):
        H += w[j] * np.kron(np.outer(a[j], a[j]), np.diag(p[j]) - np.outer(p[j], p[j]))
    return H


@pytest.mark.parametrize(("data", "at", "vectors"), [*product((0, 1, R), (1, R), (1, R))])
def test_a_product_is_that_of_the_dense_hessian_whatever_runs_share(data, at, vectors):
    curved, u, _ = made(data, at, vectors)
    out = curved.product(u)
    assert out.shape == (max(data, at, vectors), N, K, D)
    for r, i, b in np.ndindex(out.shape[:3]):
        want = hessian(curved, r, i) @ u[min(r, vectors - 1), i, b]
        assert np.abs(out[r, i, b] - want).max() <= NEAR


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize(("edges", "at", "vectors"), [*product((1, R), (1, R), (1, R))])
def test_a_step_mixes_first_and_takes_one_product(edges, at, vectors, variant):
    curved, u, rng = made(0, at, vectors)
    c, share = rng.random((edges, N, N)), rng.random((at, N))
    out = curved.step(c, u, share, variant)
    assert out.shape == (max(edges, at, vectors), N, K, D)
    for r, i, b in np.ndindex(out.shape[:3]):
        own = u[min(r, vectors - 1), :, b]
        mixed = c[min(r, edges - 1), i] @ own
        v = mixed if variant == "4a" else own[i]
        want = mixed - share[min(r, at - 1), i] * (hessian(curved, r, i) @ v)
        assert np.abs(out[r, i, b] - want).max() <= NEAR


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("batch", [None, 2])
def test_one_call_for_a_step_is_its_two_parts(variant, batch):
    rng = np.random.default_rng(2)
    data = {"features": rng.normal(size=(9, 2)), "labels": np.arange(9) % 2}
    problem = SoftmaxWeights(3, reg=0.1, batch=batch, owners=np.arange(9) // 3, **data)
    x, lam = rng.normal(size=(2, 3, problem.dim)), rng.normal(size=(2, 3, problem.hyper))
    at = Linear(problem, SGP((0.1, 0.2, 0.3), variant), x, rng.random((2, 3)) + 0.5, lam)
    c, u = rng.random((2, 3, 3)), rng.normal(size=(2, 3, 2, problem.dim))
    sample = problem.sample(1, np.arange(2), 0)
    parts = at.phi(c, u, sample) + at.psi(u, sample)
    assert np.abs(at.A(c, u, sample) - parts).max() <= NEAR
    pulled = at.A(np.zeros((2, 3, 3)), u, sample)
    want = problem.inner_hvp(x, lam, u, sample) if variant == "4b" else 0 * u
    assert np.abs(pulled + at._at["share"] * want).max() <= NEAR
