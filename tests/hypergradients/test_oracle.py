import sys

import numpy as np
import pytest

from theorylab.hypergradients import (
    SGP,
    QuadraticBilevel,
    SoftmaxWeights,
    edge_law,
    exact,
    stationary,
)
from theorylab.topologies import topology

EPS = np.finfo(float).eps
N = 3
DRAW = np.random.default_rng(5)
QUADRATIC = QuadraticBilevel.random(N, 2, 2, seed=1)
SOFTMAX = SoftmaxWeights(
    N,
    reg=0.1,
    hyper_reg=0.05,
    features=DRAW.normal(size=(12, 2)),
    labels=np.arange(12) % 3,
    owners=np.arange(12) // 4,
)
LAM = {2: DRAW.normal(size=(N, 2)), 3: DRAW.normal(size=(N, 3))}


def differences(problem, law, sgp, lam, h=1e-4):
    """Fourth-order central differences of Fbar at the re-solved stationary point."""

    def value(at):
        return problem.outer(stationary(problem, law, sgp, at).x[None], at[None])[0].mean()

    found = np.zeros(lam.shape)
    for index in np.ndindex(lam.shape):
        e = np.zeros(lam.shape)
        e[index] = h
        near = value(lam + e) - value(lam - e)
        far = value(lam + 2 * e) - value(lam - 2 * e)
        found[index] = (8 * near - far) / (12 * h)
    return found


@pytest.mark.parametrize("variant", ["4a", "4b"])
@pytest.mark.parametrize("name", ["complete", "fix-u", "sto-u", "sto-d"])
@pytest.mark.parametrize("problem", [QUADRATIC, SOFTMAX], ids=["quadratic", "softmax"])
def test_it_is_the_derivative_of_the_stationary_point(problem, name, variant):
    built = topology(name, N) if name == "complete" else topology(name, N, seed=4)
    law, sgp, lam = edge_law(built), SGP((0.2, 0.3, 0.25), variant), LAM[problem.hyper]
    found = exact(problem, law, sgp, lam)
    plain = differences(problem, law, sgp, lam)
    # residuals of 1e-12 divided by h: 1e-8; truncation h^4: nothing
    assert np.abs(plain - found.gradient).max() <= 1e-6 * np.abs(plain).max()
    assert found.radius < 1
    assert found.radius <= found.norm * (1 + 8 * EPS)
    assert found.residual <= 100 * EPS


def test_one_client_has_the_textbook_hypergradient():
    H, G, t = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[1.0], [3.0]]), np.array([1.0, -1.0])
    b, lam = np.array([0.3, 0.7]), np.array([[0.4]])
    problem = QuadraticBilevel(H[None], b[None], G[None], t[None], reg=0.5)
    found = exact(problem, edge_law(topology("complete", 1)), SGP(0.1), lam)
    x = np.linalg.solve(H, b + G[:, 0] * lam[0, 0])
    wanted = G.T @ np.linalg.solve(H, x - t) + 0.5 * lam[0]
    # condition number 3.2 of H, solved twice
    assert np.abs(found.gradient[0] - wanted).max() <= 200 * EPS * np.abs(wanted).max()


def test_without_matrices_it_is_the_same(monkeypatch):
    law, sgp = edge_law(topology("sto-d", N, seed=4)), SGP(0.2, "4a")
    dense = exact(SOFTMAX, law, sgp, LAM[3])
    for name in ("linear", "stationary"):
        monkeypatch.setattr(sys.modules[f"theorylab.hypergradients.{name}"], "DENSE", 0)
    other = exact(SOFTMAX, law, sgp, LAM[3], point=dense.point)
    assert other.norm is None
    # GMRES to 1e-12 |c|, magnified by 1 / (1 - rho) < 100
    assert np.abs(other.gradient - dense.gradient).max() <= 1e-9
    assert abs(other.radius - dense.radius) <= 1e-9  # ARPACK's own tolerance is a few eps


def test_a_step_too_large_is_refused_with_rho():
    law = edge_law(topology("complete", N))
    with pytest.raises(ValueError, match=r"rho\(A_zz\) is \d\.\d+; need < 1: .* \(4b\) does not"):
        exact(QUADRATIC, law, SGP(1.5), LAM[2])


def test_rho_just_above_and_below_one_are_told_apart():
    # one client, H = 1: A_zz = 1 - step, so rho = 1 at step 2
    problem = QuadraticBilevel([[[1.0]]], [[0.0]], [[[1.0]]], [[0.0]])
    law, lam = edge_law(topology("complete", 1)), np.ones((1, 1))
    assert exact(problem, law, SGP(2 - 1e-9), lam).radius < 1
    with pytest.raises(ValueError, match="need < 1"):
        exact(problem, law, SGP(2.0), lam)


def test_the_norm_of_assumption_4_can_pass_one_where_rho_does_not():
    # unequal weights of the clients: the sum converges, Assumption 4 (largest singular value) fails
    built = topology("sto-d", 2, probabilities=[[1, 0.9], [0.1, 1]])
    problem = QuadraticBilevel.random(2, 2, 2, seed=1)
    found = exact(problem, edge_law(built), SGP(0.02), np.zeros((2, 2)))
    assert found.radius < 1 < found.norm


def test_a_system_that_gmres_leaves_unsolved_is_refused_and_no_gradient(monkeypatch):
    module = sys.modules["theorylab.hypergradients.stationary"]
    problem = QuadraticBilevel.random(3, 2, 2, seed=1)
    law, sgp = edge_law(topology("ring", 3)), SGP(0.3)
    point = stationary(problem, law, sgp, np.zeros((3, 2)))
    monkeypatch.setattr(module, "DENSE", 0)
    exact(problem, law, sgp, np.zeros((3, 2)), point=point)
    monkeypatch.setattr(module, "gmres", lambda system, c, **options: (0 * c, 1))
    with pytest.raises(ValueError, match=r"\(I - A\) q = c was not solved: residual ") as caught:
        exact(problem, law, sgp, np.zeros((3, 2)), point=point)
    assert "\n" not in str(caught.value)
