import subprocess
import sys

import numpy as np
import pytest

import theorylab
from theorylab.hypergradients import (
    SGP,
    Linear,
    QuadraticBilevel,
    algorithm2,
    edge_law,
    estimated_law,
    exact,
    hgp,
    hypergradient,
)
from theorylab.topologies import topology

EPS = np.finfo(float).eps
N = 3
PROBLEM = QuadraticBilevel.random(N, 2, 2, seed=1)
BUILT = topology("sto-d", N, seed=2)
LAM = np.random.default_rng(0).normal(size=(N, 2))
R = 800


def test_it_is_the_top_level_name_and_importing_it_costs_no_torch():
    assert theorylab.hypergradient is hypergradient
    code = (
        "import sys, theorylab; assert 'theorylab.hypergradients' not in sys.modules; "
        "theorylab.hypergradient; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="has no attribute 'hypergradiant'"):
        _ = theorylab.hypergradiant


def test_exact_is_the_oracle():
    made = hypergradient(PROBLEM, BUILT, lam=LAM, step=0.2, variant="4a")
    truth = exact(PROBLEM, edge_law(BUILT), SGP(0.2, "4a"), LAM)
    assert np.array_equal(made.gradient, truth.gradient)
    assert made.radius == truth.radius
    assert made.point.residual == truth.point.residual


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("method", ["hgp", "vr-hgp"])
def test_estimates_scatter_around_the_truth(method, together):
    truth = hypergradient(PROBLEM, BUILT, lam=LAM, step=0.3)
    made = hypergradient(
        PROBLEM, BUILT, method, lam=LAM, step=0.3, terms=60, runs=R, together=together
    )
    assert truth.radius < 0.8  # .8^60 < 2e-6 is left of the series
    error = made.gradient.std(axis=0) / np.sqrt(R)
    assert np.all(np.abs(made.gradient.mean(axis=0) - truth.gradient) <= 6 * error + 1e-5)
    assert made.rounds == (60 if together else 120)


def test_training_counts_its_own_law_and_leaves_the_first_rounds_to_itself():
    made = hypergradient(PROBLEM, BUILT, "vr-hgp", lam=LAM, step=0.2, terms=5, train=50, runs=2,
                         assess=False)  # fmt: skip
    assert made.law.source == "estimated from 50 rounds"
    assert np.array_equal(made.law.mean, estimated_law(BUILT, 50, np.arange(2)).mean)
    assert made.rounds == 50 + 10
    assert made.point is None
    exactly = hypergradient(
        PROBLEM,
        BUILT,
        "hgp",
        lam=LAM,
        step=0.2,
        terms=5,
        train=50,
        law=edge_law(BUILT),
        assess=False,
    )
    assert exactly.law.source == "closed form"


def test_where_a_run_ends_with_a_small_weight_its_series_diverges_and_is_refused():
    # 64 runs at y^(T) of T = 300 rounds: some omega is below step L / 2, though rho at y* is .9
    assert hypergradient(PROBLEM, BUILT, lam=LAM, step=0.1).radius < 0.92
    asked = {
        "lam": LAM,
        "step": 0.1,
        "terms": 150,
        "train": 300,
        "runs": 64,
        "law": edge_law(BUILT),
    }
    with pytest.raises(
        ValueError, match=r"at y\^\(T\) of run \d+, where the smallest omega is 0\.0"
    ):
        hypergradient(PROBLEM, BUILT, "hgp", **asked)
    made = hypergradient(PROBLEM, BUILT, "hgp", omega="mean", assess=False, **asked)
    truth = hypergradient(PROBLEM, BUILT, lam=LAM, step=0.1).gradient
    assert np.abs(made.gradient - truth).max() < 100 * np.abs(truth).max()


def test_the_mean_weights_are_those_of_the_stationary_point():
    trained = hypergradient(
        PROBLEM, BUILT, "hgp", lam=LAM, step=0.1, terms=1, train=30, law=edge_law(BUILT),
        omega="mean", assess=False,
    )  # fmt: skip
    point = hypergradient(PROBLEM, BUILT, lam=LAM, step=0.1).point
    x = algorithm2(PROBLEM, BUILT, SGP(0.1), LAM[None], 30).x
    at = Linear(PROBLEM, SGP(0.1), x, point.omega[None], LAM[None])
    wanted = hgp(at, BUILT, edge_law(BUILT), 1, first=30).gradient
    assert np.abs(trained.gradient - wanted).max() <= 100 * EPS


def test_on_full_communication_training_and_hgp_end_at_the_truth():
    built = topology("complete", N)
    truth = hypergradient(PROBLEM, built, lam=LAM, step=0.3)
    for method in ("hgp", "vr-hgp"):
        made = hypergradient(PROBLEM, built, method, lam=LAM, step=0.3, terms=2000, train=300)
        assert np.abs(made.gradient[0] - truth.gradient).max() <= 1e-12


def test_the_history_ends_in_the_estimate():
    made = hypergradient(PROBLEM, BUILT, "hgp", lam=LAM, terms=7, runs=2, history=True,
                         assess=False)  # fmt: skip
    assert made.history.shape == (8, 2, N, 2)
    assert np.array_equal(made.history[-1], made.gradient)


CASES = [
    ({"method": "adjoint"}, r"method is 'adjoint'; need one of exact, hgp, vr-hgp"),
    ({"lam": np.zeros((2, 2))}, r"lam has shape \(2, 2\); need \(3,2\)"),
    ({"lam": np.full((N, 2), np.nan)}, "lam holds nan or inf"),
    ({"omega": "x"}, "omega is 'x'; need one of realised, mean"),
    ({"step": 1.5}, r"rho\(A_zz\) is 2\.\d+; need < 1.*; with step 0\.375 it is 0\.68"),
    (
        {"topology": topology("directed-ring", 3, self_loops=False), "step": 0.01},
        r"network is periodic .* no step helps Eq\. \(4b\): need variant 4a, self-loops",
    ),
    ({"step": 1.5, "method": "hgp"}, r"rho\(A_zz\) is 2\.\d+; need < 1"),
    ({"topology": topology("complete", 4)}, "topology has 4 clients, problem 3"),
    ({"topology": topology("random-in", 3)}, r"random-in has no column-stochastic P; Eq. \(3\)"),
    ({"topology": topology("directed-ring", 3), "method": "hgp"}, "Assumption 6 fails"),
    (
        {"topology": topology("sto-u", 3, low=0.0, high=0.0)},
        "Assumption 2 fails: client 1 cannot be reached",
    ),
    (
        {"topology": topology("sto-u", 3, low=0.0, high=0.0), "method": "hgp", "train": 5},
        r"hypergradient: Assumption 2 fails: client 1 cannot be reached",
    ),
    (
        {"step": 3.0, "method": "hgp", "train": 400},
        "the inner problem diverges: z is not finite",
    ),
]


@pytest.mark.parametrize("name", ["terms", "runs", "train"])
def test_counts_are_integers_of_at_least_one(name):
    for value, kind, words in (
        (0, ValueError, "is 0; need an integer >= 1"),
        (-3, ValueError, "is -3; need an integer >= 1"),
        (2.5, TypeError, "is float; need an integer"),
        (True, TypeError, "is bool; need an integer"),
    ):
        with pytest.raises(kind, match=f"^hypergradient: {name} {words}$"):
            hypergradient(PROBLEM, BUILT, "hgp", lam=LAM, step=0.2, **{name: value})


def test_one_client_has_the_hypergradient_of_its_own_minimum():
    problem = QuadraticBilevel([[[2.0]]], [[1.0]], [[[3.0]]], [[0.25]])
    alone, lam = topology("complete", 1), np.array([[0.5]])
    # x = (b + G l) / H = 1.25, dx/dl = G / H, and F = (x - t)^2 / 2
    wanted = (1.25 - 0.25) * 3 / 2
    found = hypergradient(problem, alone, lam=lam, step=0.3)
    assert found.gradient.item() == pytest.approx(wanted, rel=8 * EPS)
    for method in ("hgp", "vr-hgp"):  # 1 - .3 * 2 is .4, and .4^60 is below roundoff
        made = hypergradient(problem, alone, method, lam=lam, step=0.3, terms=400)
        assert made.gradient.item() == pytest.approx(wanted, rel=1e-12)
        assert made.reliability.doubt() is None


@pytest.mark.parametrize(("change", "words"), CASES)
def test_what_cannot_work_is_named_in_one_line(change, words):
    asked = {"topology": BUILT, "method": "exact", "lam": LAM, "step": 0.2, **change}
    with pytest.raises(ValueError, match=words) as caught:
        hypergradient(PROBLEM, **asked)
    assert "\n" not in str(caught.value)


def test_the_advice_is_what_helps():
    ring = topology("directed-ring", 3, self_loops=False)
    assert hypergradient(PROBLEM, ring, step=0.01, variant="4a").radius < 1
    assert hypergradient(PROBLEM, BUILT, lam=LAM, step=0.375).radius < 1


def test_an_estimate_that_overflows_is_named_and_never_nan():
    parts = PROBLEM.describe()
    parts.pop("name")
    huge = {"t": 1e307 * np.array(parts["t"]), "G": 1e3 * np.array(parts["G"])}
    big = QuadraticBilevel(**(parts | huge))
    with pytest.raises(ValueError, match="the estimate is not finite after M = 3;"):
        hypergradient(big, BUILT, "vr-hgp", step=0.2, terms=3)
