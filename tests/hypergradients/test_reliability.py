"""What an estimate carries: exact numbers, checked by runs, and a word where it is bad."""

import itertools

import numpy as np
import pytest

from theorylab.hypergradients import (
    PDBO,
    QuadraticBilevel,
    UnreliableEstimateWarning,
    hypergradient,
    pdbo,
)
from theorylab.hypergradients.reliability import Reliability
from theorylab.topologies import topology

N = 3
PROBLEM = QuadraticBilevel.random(N, 2, 2, seed=1)
BUILT = topology("sto-d", N, seed=2)
R = 4000


def test_the_exact_rmse_is_that_of_many_runs():
    for method, together in itertools.product(("hgp", "vr-hgp"), (False, True)):
        made = hypergradient(PROBLEM, BUILT, method, step=0.3, terms=6, runs=R, together=together)
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
