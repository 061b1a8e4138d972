"""Exact means of HGP's estimators against plain loops over every joint outcome."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.experiments.pdbo import unbiased as hgp_unbiased

PLACE = {
    "problem": {"clients": 2, "dim": 1, "hyper": 1, "noise": 0.4, "seed": 1},
    "network": {"name": "sto-d", "seed": 2},
}


def by_loops(one, alpha, beta, together):
    """E v^(2) and the trace of its covariance, outcome by outcome, Eq. (4b), scalars."""
    p = one.at
    often, mean = p.law.frequency, p.law.mean
    H, G = p.problem.H[:, 0, 0], p.problem.G[:, 0, 0]
    a, omega = p.sgp.steps(2), p.point.omega
    edges = list(itertools.product((0, 1), repeat=2))  # 1 -> 0, 0 -> 1
    rounds = 2 if together else 3
    outcomes = list(itertools.product(edges, itertools.product((-1, 1), repeat=2)))
    total, square = np.zeros(2), 0.0
    for way in itertools.product(outcomes, repeat=rounds):
        chance, A, B = 1.0, [], []
        for (to0, to1), z in way:
            chance *= (often[0, 1] if to0 else 1 - often[0, 1]) / 2
            chance *= (often[1, 0] if to1 else 1 - often[1, 0]) / 2
            there = np.array([[1, to0], [to1, 1]])
            c = there * mean.T / often
            noise = 1 + 0.4 * np.array(z)
            A.append(c - np.diag(a / omega * noise * H))
            B.append(np.diag(a * noise * G))
        draws = (B[0], A[0], B[1]) if together else (B[0], A[1], B[2])
        u = w = p.c_y
        v = alpha * draws[0] @ u + (1 - alpha) * draws[0] @ w
        u = draws[1] @ u
        w = beta * (draws[1] @ w + p.c_y) + (1 - beta) * (w + u)
        v = alpha * (v + draws[2] @ u) + (1 - alpha) * draws[2] @ w
        total += chance * (v + p.c_lam)
        square += chance * (v**2).sum()
    return total, square - ((total - p.c_lam) ** 2).sum()


@pytest.mark.parametrize("together", [False, True])
def test_mean_and_variance_are_those_of_plain_loops(together):
    options = {"reading": "appendix-b", "alpha": 0.7, "beta": 0.4, "together": together}
    one = experiment("hgp-unbiased", place=PLACE, terms=2, **options)
    mean, variance = by_loops(one, 0.7, 0.4, together)
    p = one.at
    target = p.B_bar @ (np.eye(2) + p.A_bar) @ p.c_y + p.c_lam
    # sums of at most 4096 numbers of order 1 whose weights sum to 1
    assert np.abs(mean - target).max() < 1e-12
    assert one.observe("bias", range(1), 0).rows[0].values[0] < 1e-12
    found = one.observe("variance", range(1), 0).rows[0].values[0]
    assert found == pytest.approx(variance, rel=1e-10)


def test_w_has_a_life_of_its_own_from_the_third_term_on():
    # u and w both start at c: before, one could be put for the other
    place = {**PLACE, "network": {"name": "sto-u", "seed": 2}}
    options = {"reading": "appendix-b", "alpha": 0.7, "beta": 0.4, "terms": 3}
    one = experiment("hgp-unbiased", place=place, **options)
    for column in ("bias", "bias_w"):
        # a sum of 2^15 numbers of order 1 whose weights sum to 1
        assert one.observe(column, range(1), 0).rows[0].values[0] < 1e-11
    assert one.observe("bias_w_line157", range(1), 0).rows[0].values[0] > 0.1


def test_hgp_and_eq13_are_the_ends_of_the_general_recursion():
    ends = experiment("hgp-unbiased", place=PLACE, reading="appendix-b").constants()
    for reading, name in (("eq12", "variance_u"), ("eq13", "variance_w")):
        one = experiment("hgp-unbiased", place=PLACE, reading=reading)
        alone = one.observe("variance", range(1), 0).rows[0].values[0]
        assert alone == pytest.approx(ends[name].value, rel=1e-12)


def test_the_bias_s_share_is_of_the_larger_side_and_its_sign_can_be_turned():
    options = {"place": PLACE, "reading": "alg5", "terms": 3, "alpha": 0.6, "beta": 0.3}
    one = experiment("hgp-unbiased", **options)
    row = one.observe("bias", range(1), 0).rows[0]
    # Algorithm 5's messages hold u: in the mean w moves by psi alone, and u by its messages
    p, own = one.at, np.diag(one.at.sgp.steps(2) / -one.at.point.omega * one.at.problem.H[:, 0, 0])
    v, u, w = p.c_lam, p.c_y, p.c_y
    for _ in range(3):
        v = 0.6 * (v + p.B_bar @ u) + 0.4 * p.B_bar @ w
        moved = (p.A_bar - own) @ u + own @ w
        u = p.A_bar @ u
        w = 0.3 * (moved + p.c_y) + 0.7 * (w + u)
    mean = v + p.c_lam
    told = p.B_bar @ (np.eye(2) + p.A_bar + p.A_bar @ p.A_bar) @ p.c_y + p.c_lam
    size = max(np.abs(mean).max(), np.abs(told).max())
    assert row.relative_error == pytest.approx(np.abs(mean - told).max() / size, rel=1e-12)


def test_undirected_means_both_ways_in_every_round():
    for name, told in (("sto-u", 1.0), ("sto-d", 0.0), ("complete", 1.0)):
        network = {"name": name} if name == "complete" else {"name": name, "seed": 2}
        one = experiment("hgp-unbiased", place={**PLACE, "network": network})
        assert one.constants()["undirected"].value == told


@pytest.mark.parametrize("reading", ["eq10", "eq12", "appendix-b"])
@pytest.mark.parametrize("name", ["random-out", "random-in", "random-symmetric", "erdos-renyi"])
def test_clients_that_draw_their_edges_are_listed_too(name, reading):
    network = {"name": name, "degree": 1}
    if name == "erdos-renyi":
        network = {"name": name, "p": 0.5, "time_varying": True}
    problem = {"clients": 3, "dim": 1, "hyper": 1, "seed": 1}
    place = {"problem": problem, "network": network, "variant": "4a"}
    one = experiment("hgp-unbiased", place=place, reading=reading)
    # a sum of at most 512 numbers of order 1 whose weights sum to 1
    assert one.observe("bias", range(1), 0).rows[0].values[0] < 1e-13
    assert one.observe("variance", range(1), 0).rows[0].values[0] > 1e-6


def test_the_least_variance_is_below_every_one_of_its_weights():
    one = experiment("hgp-unbiased", place=PLACE, reading="appendix-b")
    row = one.observe("least_variance", range(1), 0).rows[0]
    for alpha, beta in ((0.3, 0.01), (0.7, 0.3), (0.99, 0.6)):
        other = experiment(
            "hgp-unbiased", place=PLACE, reading="appendix-b", alpha=alpha, beta=beta
        )
        assert row.values[0] <= other.observe("variance", range(1), 0).rows[0].values[0]


def test_a_grid_that_finds_nothing_smaller_refutes_nothing(monkeypatch):
    monkeypatch.setattr(hgp_unbiased, "_ALPHAS", (0.01,))  # nearly Eq. (13), the worse one
    one = experiment("hgp-unbiased", place=PLACE, reading="appendix-b")
    row = one.observe("least_variance", range(1), 0).rows[0]
    known = one.constants()
    assert row.values[0] > min(known["variance_u"].value, known["variance_w"].value)
    assert row.values[0] - row.rounding <= 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"reading": "eq99"}, "need one of eq9"),
        ({"terms": 0}, "need M >= 1"),
        ({"alpha": -1}, "weights in 0..1"),
        ({"terms": 5}, "need at most 2097152"),
        ({"reading": "eq9", "together": True}, "need a reading with rounds to draw together"),
    ],
)
def test_bad_input_is_one_line(options, says):
    with pytest.raises(ValueError, match=says) as caught:
        experiment("hgp-unbiased", place=PLACE, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("reading", ["alg3-received", "alg4", "appendix-b"])
@pytest.mark.parametrize("terms", [1, 2, 3])
def test_the_letter_of_return_lacks_the_last_term(reading, terms):
    undirected = {**PLACE, "network": {"name": "sto-u", "seed": 2}}
    options = {"reading": reading, "terms": terms, "letter": True}
    made = experiment("hgp-unbiased", place=undirected, **options)
    p = made.at
    missing = p.B_bar @ np.linalg.matrix_power(p.A_bar, terms - 1) @ p.c_y
    found = made.observe("bias", range(1), 0).rows[0].values[0]
    assert np.abs(missing).max() > 1e-3
    assert found == pytest.approx(np.abs(missing).max(), rel=1e-9)
