"""Algorithm 1 as printed, and what its options do to one training and one outer step."""

from dataclasses import replace

import numpy as np
import pytest

from theorylab.hypergradients import (
    PDBO,
    READINGS,
    SGP,
    Linear,
    QuadraticBilevel,
    algorithm1,
    algorithm2,
    bilevel,
    edge_law,
    exact,
    hgp,
)
from theorylab.topologies import topology

EPS = np.finfo(float).eps
N = 3
PROBLEM = QuadraticBilevel.random(N, 2, 2, noise=0.2, seed=8)
BUILT = topology("sto-d", N, seed=5)
LAM = np.zeros((1, N, 2))


@pytest.mark.parametrize(
    ("alpha", "printed", "reading"),
    [
        (1.0, False, "eq12"),
        (1.0, True, "alg4"),
        (0.9, False, "appendix-b"),
        (0.9, True, "alg5"),
    ],
)
def test_an_outer_step_is_sgp_then_an_estimate_then_sgd(alpha, printed, reading):
    T, M, rate = 40, 8, 0.3
    run = np.array([2])
    made = algorithm1(
        PROBLEM, BUILT, SGP(0.2), LAM, steps=2, rounds=T, terms=M, rate=rate, alpha=alpha,
        beta=0.1, printed=printed, seed=3, runs=run,
    )  # fmt: skip
    lam, first = LAM, 0
    for s in range(2):
        trained = algorithm2(PROBLEM, BUILT, SGP(0.2), lam, T, seed=3, runs=run, first=first)
        at = Linear(PROBLEM, SGP(0.2), trained.x, trained.omega, lam)
        weights = {} if alpha == 1 else {"alpha": alpha, "beta": 0.1}
        estimate = hgp(
            at, BUILT, trained.law, M, reading=reading, seed=3, runs=run, first=first + T, **weights
        )
        assert np.array_equal(made.outer[s], PROBLEM.outer(trained.x, lam))
        lam = lam - rate * estimate.gradient
        assert np.array_equal(made.lam[s + 1], lam)
        first += T + 2 * M


def test_it_descends_on_full_communication_as_the_true_gradient_does():
    problem = QuadraticBilevel.random(N, 2, 2, seed=8)
    built = topology("complete", N)
    made = algorithm1(problem, built, SGP(0.3), LAM, steps=20, rounds=120, terms=120, rate=0.2)
    law, lam = edge_law(built), LAM[0]
    for s in range(20):
        truth = exact(problem, law, SGP(0.3), lam)
        # rho = .85: .85^120 < 1e-8 is what 120 rounds and 120 terms leave, twenty times over
        assert np.abs(made.lam[s, 0] - lam).max() <= 1e-5
        lam = lam - 0.2 * truth.gradient
    mean = made.outer.mean(axis=2)[:, 0]
    assert np.all(np.diff(mean) < 0)
    assert mean[-1] < mean[0] - 0.1


def test_a_batch_is_its_runs_one_by_one():
    ask = {"steps": 2, "rounds": 30, "terms": 5, "rate": 0.1, "alpha": 0.9, "beta": 0.1}
    both = algorithm1(PROBLEM, BUILT, SGP(0.2), LAM, runs=np.array([1, 6]), **ask)
    alone = algorithm1(PROBLEM, BUILT, SGP(0.2), LAM, runs=np.array([6]), **ask)
    assert np.array_equal(both.lam[:, 1], alone.lam[:, 0])


def test_too_few_steps_are_refused():
    with pytest.raises(ValueError, match="steps is 0; need at least 1"):
        algorithm1(PROBLEM, BUILT, SGP(0.2), LAM, steps=0, rounds=2, terms=2, rate=0.1)


RUNS = np.array([1, 4])


def trained(method, s=0, **change):
    state = replace(method.init(PROBLEM, 3, RUNS), s=s, **change)
    return state, method.train(PROBLEM, BUILT, state, 12, 3, RUNS)


def test_drops_are_the_same_rounds_with_smaller_steps():
    made = trained(PDBO(0.2, drops=[5, 8, 40], drop=0.5))[1]
    plain = trained(PDBO(0.2))[1]
    assert made.omega.tobytes() == plain.omega.tobytes()  # the same edges
    # each entry is a sum of 12 shares, weighted once more: a few roundings
    assert np.abs(made.law.mean - plain.law.mean).max() <= 20 * EPS
    assert np.array_equal(made.law.frequency > 0, plain.law.frequency > 0)
    z, omega, lam = np.zeros((2, N, 2)), np.ones((2, N)), np.zeros((2, N, 2))
    for t in range(12):
        P = np.array([BUILT.matrix(t, run).toarray() for run in RUNS])
        step = 0.2 * 0.5 ** ((t >= 5) + (t >= 8))
        sample = PROBLEM.sample(3, RUNS, t)
        z = P @ z - step * PROBLEM.inner_gradient(z / omega[..., None], lam, sample)
        omega = (P @ omega[..., None])[..., 0]
    assert np.array_equal(made.z, z)


def test_warm_goes_on_from_where_training_ended_and_cold_from_the_start():
    for warm in (False, True):
        method = PDBO(0.2, warm=warm)
        state, end = trained(method)
        after = method.step(state, end, np.ones_like(state.lam))
        assert after.s == 1
        assert np.array_equal(after.z, end.z if warm else state.z)
        assert np.array_equal(after.omega, end.omega if warm else np.ones((2, N)))
    again = algorithm2(
        PROBLEM, BUILT, SGP(0.2), after.lam, 12, z0=end.z, omega0=end.omega, seed=3, runs=RUNS,
        first=12 + 2 * method.terms,
    )  # fmt: skip
    made = method.train(PROBLEM, BUILT, after, 12, 3, RUNS)
    assert np.array_equal(made.z, again.z)
    assert np.array_equal(made.omega, again.omega)


def test_alpha_and_beta_follow_the_network_and_rates_the_parts_of_lambda():
    static = PDBO().settled(PROBLEM, topology("complete", N))
    drawn = PDBO().settled(PROBLEM, BUILT)
    assert (static.alpha, static.beta, drawn.alpha, drawn.beta) == (1, 0, 0.9, 0.1)
    both = bilevel("pdbo-mtl-da", N)
    rates = PDBO(rate={"components": 1.0, "labels": 0.1}).settled(both, BUILT).rate
    assert rates == [1.0] * 3 + [0.1] * 10  # "[lambda^K lambda^C]", Appendix D
    with pytest.raises(
        ValueError, match=r"rate names components; .* has the parts components, labels"
    ):
        PDBO(rate={"components": 1.0}).settled(both, BUILT)


def test_drawing_both_in_one_round_is_the_reading_of_section_6():
    made = {}
    for together in (False, True):
        method = PDBO(0.02, terms=8, together=together).settled(PROBLEM, BUILT)
        state, end = trained(method)
        made[together] = method.hypergradient(PROBLEM, BUILT, state, end, 12, 3, RUNS)
    at = Linear(PROBLEM, SGP(0.02), end.x, end.omega, state.lam)
    for together, rounds in ((False, "alternate"), (True, "together")):
        reading = replace(READINGS["appendix-b"], rounds=rounds)
        same = hgp(at, BUILT, end.law, 8, reading=reading, seed=3, runs=RUNS, first=12)
        assert np.array_equal(made[together], same.gradient)
    assert not np.array_equal(made[False], made[True])


def test_a_series_that_grows_is_refused_with_its_radius():
    problem = bilevel("pdbo-da", 4)
    method = PDBO(40.0, terms=3).settled(problem, topology("complete", 4))
    state = method.init(problem, 0, np.arange(1))
    end = method.train(problem, topology("complete", 4), state, 3, 0, np.arange(1))
    ask = (problem, topology("complete", 4), state, end, 3, 0, np.arange(1))
    with pytest.raises(ValueError, match=r"pdbo: rho\(A_zz\) is \d+\.\d+ at y\^\(T\) of run 0"):
        method.hypergradient(*ask)
    assert np.isfinite(replace(method, check=False).hypergradient(*ask)).all()


def test_a_network_that_falls_apart_is_refused():
    method = PDBO(0.02, terms=3).settled(PROBLEM, BUILT)
    alone = topology("edge-list", N, edges=[], weights="uniform", allow_disconnected=True)
    state = method.init(PROBLEM, 3, RUNS)
    end = method.train(PROBLEM, alone, state, 5, 3, RUNS)
    with pytest.raises(ValueError, match="pdbo: Assumption 2 fails"):
        method.hypergradient(PROBLEM, alone, state, end, 5, 3, RUNS)


def test_the_mean_weights_are_those_that_the_counted_mean_keeps():
    method = PDBO(0.02, terms=8, omega="mean").settled(PROBLEM, BUILT)
    state, end = trained(method)
    kept = []
    for mean in end.law.mean:
        values, vectors = np.linalg.eig(mean)
        column = np.real(vectors[:, np.argmax(values.real)])
        kept.append(N * column / column.sum())
    at = Linear(PROBLEM, SGP(0.02), end.x, np.array(kept), state.lam)
    same = hgp(at, BUILT, end.law, 8, reading="appendix-b", seed=3, runs=RUNS, first=12).gradient
    made = method.hypergradient(PROBLEM, BUILT, state, end, 12, 3, RUNS)
    # two ways to one eigenvector of a 3 x 3 matrix, whose error the 8 factors multiply
    assert np.abs(made - same).max() <= 1e4 * EPS * np.abs(same).max()
    assert np.abs(end.omega - kept).max() > 0.01  # the weights as they were are others
