"""What an estimate carries: exact numbers, checked by runs, and a word where it is bad."""

import itertools
import sys

import numpy as np
import pytest

from theorylab.hypergradients import (
    PDBO,
    READINGS,
    SGP,
    Linear,
    QuadraticBilevel,
    Reading,
    UnreliableEstimateWarning,
    edge_law,
    exact,
    hypergradient,
    pdbo,
    reliability,
)
from theorylab.hypergradients.reliability import Reliability
from theorylab.topologies import topology

N = 3
PROBLEM = QuadraticBilevel.random(N, 2, 2, seed=1)
BUILT = topology("sto-d", N, seed=2)
R = 4000


def test_the_exact_rmse_is_that_of_many_runs():
    for method, together in itertools.product(("hgp", "vr-hgp"), (False, True)):
        made = hypergradient(PROBLEM, BUILT, method, step=0.3, terms=9, runs=R, together=together)
        truth = hypergradient(PROBLEM, BUILT, step=0.3)
        known = made.reliability
        away = ((made.gradient - truth.gradient) ** 2).sum(axis=(1, 2))
        # the mean of R squares, within 6 of its own standard errors
        assert abs(away.mean() - known.rmse**2) <= 6 * away.std() / np.sqrt(R)
        assert known.rmse**2 == pytest.approx(known.bias**2 + known.deviation**2)
        assert known.size == pytest.approx(np.linalg.norm(truth.gradient))
        assert (known.radius, known.missing) == (made.radius, {})
        assert known.relative == known.rmse / known.size
        assert known.doubt() is None
        assert known.why() is None


def test_an_estimate_that_is_noise_says_so():
    with pytest.warns(UnreliableEstimateWarning) as caught:
        made = hypergradient(PROBLEM, BUILT, "vr-hgp", step=0.01, terms=500)
    known, (line,) = made.reliability, [str(each.message) for each in caught]
    assert known.radius < 1 < known.second_radius
    assert known.rmse > 5 * known.size
    assert f"the exact RMSE of one run is {known.rmse:.3g}, {known.relative:.3g} times" in line
    assert f"rho(E[A (x) A]) is {known.second_radius:.6g}" in line
    assert caught[0].filename == __file__
    quiet = hypergradient(PROBLEM, BUILT, "vr-hgp", step=0.01, terms=500, assess=False)
    assert quiet.reliability is None
    assert np.array_equal(quiet.gradient, made.gradient)


@pytest.mark.filterwarnings("ignore:hgp.* the estimate is biased")
def test_training_is_judged_at_its_own_point_and_against_the_truth():
    full = topology("complete", N)
    truth = hypergradient(PROBLEM, full, step=0.3).gradient
    for rounds in (2, 10, 200):
        made = hypergradient(PROBLEM, full, "hgp", step=0.3, terms=400, train=rounds)
        # nothing is drawn: what one run is away from the truth is all there is
        away = np.linalg.norm(made.gradient[0] - truth)
        assert made.reliability.rmse == pytest.approx(away, rel=1e-6, abs=1e-12)
        assert made.reliability.deviation == 0
        assert 0 < made.radius < 1
    assert away < 1e-9


def cut(step, terms, method="hgp", network="ring", **options):
    """The one warning of an estimate and its reliability."""
    graph = topology(network, N, **options)
    with pytest.warns(UnreliableEstimateWarning) as caught:
        made = hypergradient(PROBLEM, graph, method, step=step, terms=terms)
    (line,) = [str(each.message) for each in caught]
    return line, made.reliability


@pytest.mark.parametrize("method", ["hgp", "vr-hgp"])
def test_a_series_that_is_cut_far_too_early_names_the_terms_that_it_asks_for(method):
    line, known = cut(1e-4, 200, method)
    A, B, c, c_lam = jacobians(1e-4)
    rest = np.linalg.solve(np.eye(len(A)) - A, c)
    truth = np.linalg.norm(B @ rest + c_lam)

    def missing(m):
        return np.linalg.norm(B @ np.linalg.matrix_power(A, m) @ rest) / truth

    # the RMSE alone is below the size and speaks for the estimate
    assert 0.97 < known.relative < 1
    assert known.short == pytest.approx(missing(200), rel=1e-9)
    assert missing(known.needed) <= 0.1 < missing(known.needed - 1)
    rho = np.abs(np.linalg.eigvals(A)).max()
    assert line == (
        f"{method}: the estimate is biased: M = 200 terms leave out {missing(200):.3g} of the "
        f"series in the mean, as rho(A_zz) is {rho:.8g} and its M-th power {rho**200:.3g}; "
        f"M = {known.needed} leaves out a tenth"
    )
    hypergradient(PROBLEM, topology("ring", N), method, step=0.3, terms=12)  # no warning


def jacobians(step):
    """A, B, c^y and c^lambda of (4b) on the ring of three at lambda = 0, by plain NumPy."""
    H, G, b, t = (np.array(part) for part in (PROBLEM.H, PROBLEM.G, PROBLEM.b, PROBLEM.t))
    mixing, d = np.full((N, N), 1 / 3), H.shape[1]
    A, pull = np.kron(mixing, np.eye(d)), np.zeros((N * d, N * d))
    B = np.zeros((N * G.shape[2], N * d))
    for i in range(N):
        at = slice(i * d, (i + 1) * d)
        pull[at, at] = step * H[i]
        B[i * G.shape[2] : (i + 1) * G.shape[2], at] = step * G[i].T
    A = A - pull
    x = np.linalg.solve(np.eye(N * d) - A, step * b.ravel())
    outer = np.einsum("ijk,ij->ik", np.array(PROBLEM.S), x.reshape(N, d)).ravel()
    return A, B, (x - t.ravel()) / N, outer / N


def test_where_more_terms_would_let_the_variance_grow_the_line_says_that_too():
    line, known = cut(1e-4, 200, network="sto-d", low=0.9, high=0.99)
    assert "terms leave out 0.98" in line
    assert f"rho(E[A (x) A]) is {known.second_radius:.6g}, so the variance grows" in line
    assert line.startswith("hgp: the estimate cannot be relied on")


def test_a_bias_that_no_number_of_terms_removes_is_told_as_one():
    graph = topology("sto-d", N, seed=2)
    with pytest.warns(UnreliableEstimateWarning, match="no M removes it") as caught:
        made = hypergradient(PROBLEM, graph, "hgp", step=0.3, terms=60, reading=Reading(
            weights="undivided", v0="c", add=False), alpha=1.0, beta=0.0)  # fmt: skip
    (line,) = [str(each.message) for each in caught]
    known = made.reliability
    assert known.short < 1e-3
    assert known.bias > 0.1 * known.size
    assert f"its bias is {known.bias:.3g}, where" in line


def test_a_bias_is_known_where_exact_moments_are_too_dear():
    graph, lam, sgp = topology("ring", N), np.zeros((N, 2)), SGP(1e-7)
    truth = exact(PROBLEM, edge_law(graph), sgp, lam)
    at = Linear(PROBLEM, sgp, truth.point.x[None], truth.point.omega[None], lam[None])
    known = reliability(
        at, graph, edge_law(graph), 10**7, reading=READINGS["appendix-b"], alpha=0.9, beta=0.1,
        truth=lambda: truth.gradient,
    )  # fmt: skip
    assert known.rmse is None
    assert known.bias == pytest.approx(known.short * known.size, rel=1e-6)
    assert 0.1 < known.short < 0.5
    assert f"M = {known.needed} leaves out a tenth" in known.doubt()


@pytest.mark.parametrize("method", ["hgp", "vr-hgp"])
def test_where_matrices_are_too_large_the_bias_is_followed_by_products(method, monkeypatch):
    line, known = cut(1e-4, 200, method, "sto-d", low=0.9, high=0.99)
    monkeypatch.setattr(sys.modules["theorylab.hypergradients.reliability"], "LARGEST", 0)
    other_line, other = cut(1e-4, 200, method, "sto-d", low=0.9, high=0.99)
    assert other.by_rate
    assert other.bias == pytest.approx(known.bias, rel=1e-9)
    assert other.short == pytest.approx(known.short, rel=1e-9)
    # one mode is left long before that M, so that rho alone tells it
    assert other.needed == pytest.approx(known.needed, rel=0.05)
    assert other_line.split(";")[0] == line.split(";")[0]
    assert f"M = {other.needed} leaves out about a tenth" in other_line


def test_what_cannot_be_had_says_why():
    big = QuadraticBilevel.random(60, 4, 1, seed=1)
    known = hypergradient(big, topology("complete", 60), "hgp", step=0.3, terms=400).reliability
    assert known.second_radius is known.rmse is known.relative is None
    assert "no rho(E[A (x) A]): n dx is 240; it is worked out up to 200" in known.why()
    assert "no exact RMSE: exact moments of 400 terms take" in known.why()
    assert "nan" not in known.why()


def test_every_estimate_of_a_run_of_pdbo_carries_its_numbers():
    told = []
    made = pdbo(
        PROBLEM, BUILT, PDBO(0.3, 2, 20, omega="mean"), rounds=50, runs=2, tell=told.append
    ).table
    names = ("series_radius", "second_radius", "estimate_rmse")
    for name in names:
        assert np.isfinite(made[name][:, :2]).all()
        assert np.isnan(made[name][:, 2]).all()
    assert (made["series_radius"][:, :2] < 1).all()
    with pytest.warns(UnreliableEstimateWarning, match=r"pdbo: outer step 0, run 0: the estimate"):
        pdbo(PROBLEM, BUILT, PDBO(0.01, 1, 500, omega="mean"), rounds=50)
    wide = QuadraticBilevel.random(60, 4, 1, seed=1)
    graph = topology("complete", 60)
    with pytest.raises(ValueError, match=r"column estimate_rmse came; .* n dx is 240"):
        pdbo(wide, graph, PDBO(0.3, 1, 3), rounds=5, columns=["estimate_rmse"])


def test_an_estimate_without_error_of_nothing_is_no_doubt():
    assert Reliability(rmse=0.0, size=0.0).relative == 0
    assert Reliability(rmse=1.0, size=0.0).relative == float("inf")
