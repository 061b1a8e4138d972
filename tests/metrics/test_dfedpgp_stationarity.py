"""Theorem 1's averages: exact moments and played rounds against a plain loop and many of them."""

import dataclasses
import functools
import math
from fractions import Fraction

import numpy as np
import pytest

from theorylab.constants import dfedpgp_losses
from theorylab.metrics import measured, metric
from theorylab.verdicts.instance import built, parsed

EDGES = [[0, 1], [1, 2], [2, 0], [0, 2], [0, 0], [1, 1], [2, 2]]
P = np.array([[1 / 3, 0, 1 / 2], [1 / 3, 1 / 2, 0], [1 / 3, 1 / 2, 1 / 2]])
A, B, C = (1.5, 0.5, 1.0), (1.0, 2.0, 0.5), (0.2, -0.1, 0.3)
a, b = (1.0, -1.0, 0.5), (0.0, 2.0, -1.0)
INSTANCE = {
    "problem": {
        "name": "coupled-quadratic", "A": [[[x]] for x in A], "B": [[[x]] for x in B],
        "C": [[[x]] for x in C], "a": [[x] for x in a], "b": [[x] for x in b],
    },
    "topology": {"name": "edge-list", "edges": EDGES, "weights": "uniform"},
    "clients": 3,
    "algorithm": {"eta_u": 0.05, "eta_v": 0.1, "steps_u": 3, "steps_v": 2},
    "rounds": 10,
    "x0": [1.0, -0.5],
}  # fmt: skip
COUNTS = [1, 4, 9]
FIRST = "dfedpgp_f_first"


def loop(rounds, noise=0.0, batch="per-round", rng=None, number=float):
    """Algorithm 1 in scalars; per round: Delta_u, heads at u, at z, at ubar, F."""
    tables = [np.array([number(x) for x in table]) for table in (A, B, C, a, b, [0.05, 0.1])]
    As, Bs, Cs, as_, bs, (eta_u, eta_v) = tables
    mix = np.array([[number(x) for x in row] for row in P])
    u, v, w = (np.array([number(x)] * 3) for x in (1.0, -0.5, 1.0))
    found = []

    def gu(x, y):
        return As * (x - as_) + Cs * (y - bs)

    def gv(x, y):
        return Bs * (y - bs) + Cs * (x - as_)

    def xi():
        return noise * rng.standard_normal(3) if noise else 0

    for _ in range(rounds):
        z, mean, new = u / w, u * 0 + u.mean(), v
        one = xi()
        for _ in range(2):
            new = new - eta_v * (gv(z, new) + (one if batch == "per-round" else xi()))
        half, one = u, xi()
        for _ in range(3):
            half = half - eta_u * (gu(half / w, new) + (one if batch == "per-round" else xi()))
        far, off = mean - as_, v - bs
        F = (As * far**2 / 2 + Bs * off**2 / 2 + Cs * far * off).mean()
        heads = [(gv(x, v) ** 2).mean() for x in (u, z, mean)]
        found.append([gu(mean, new).mean() ** 2, *heads, F])
        u, v, w = mix @ half, new, mix @ w
    return np.array(found)


@functools.cache
def exact():
    """The same without rounding, of the very numbers that the run is given."""
    return loop(10, number=Fraction)


L_u, L_v = max(A), max(B)
WANTED = {
    "stationarity": lambda f, T: (f[1 : T + 1, 0] / L_u + f[1 : T + 1, 1] / L_v).mean(),
    "stationarity_debiased": lambda f, T: (f[1 : T + 1, 0] / L_u + f[1 : T + 1, 2] / L_v).mean(),
    "weighted_stationarity": lambda f, T: (2 * 0.15 * f[:T, 0] + 0.2 * f[:T, 3]).mean(),
}


def rows(column, change=None, counts=COUNTS, **how):
    instance = {**INSTANCE, **(change or {})}
    setting = built("here", parsed("here", instance), "dfedpgp")
    known = dfedpgp_losses(setting.problem)
    return measured(metric(f"dfedpgp.{column}"), setting, known, rounds=counts, **how).rows


def noisy(noise="gaussian", **options):
    problem = {**INSTANCE["problem"], "sigma_u": 0.5, "sigma_v": 0.5, "noise": noise}
    return {"problem": problem, "algorithm": {**INSTANCE["algorithm"], **options}}


@pytest.mark.parametrize("law", ["moments", "exact"])
@pytest.mark.parametrize("column", list(WANTED))
def test_without_noise_every_average_is_the_exact_loop_s(column, law):
    found = rows(column, law=law)
    assert [row.at["T"] for row in found] == COUNTS
    for row, T in zip(found, COUNTS, strict=True):
        off = abs(Fraction(float(row.values[0])) - WANTED[column](exact(), T))
        assert off <= row.rounding < 1e-7
        assert off < 1e-13  # some 100 roundings of numbers of order 1
        assert (FIRST in row.at) is (column != "weighted_stationarity")
        if (known := row.at.get(FIRST)) is not None:  # never too small: rounding is in
            assert known.lower <= exact()[1, 4] <= known.upper == known.value
            assert known.upper - known.lower < 1e-10


def test_a_gradient_that_cancels_is_off_by_no_more_than_its_rounding():
    # u is the mean of the centers up to its last digit, and so is what the square is made of
    problem = {
        "name": "coupled-quadratic", "A": [[[1.0]]] * 2, "B": [[[1.0]]] * 2, "C": [[[0.0]]] * 2,
        "a": [[0.1], [0.7]], "b": [[0.0], [0.0]],
    }  # fmt: skip
    change = {"problem": problem, "topology": {"name": "complete"}, "clients": 2, "x0": [0.4, 0.0]}
    (row,) = rows("weighted_stationarity", change, [1], law="exact")
    gradient = Fraction(0.4) - (Fraction(0.1) + Fraction(0.7)) / 2
    value, want = Fraction(float(row.values[0])), 2 * 3 * Fraction(0.05) * gradient**2
    assert 0.01 * max(want, value) < abs(value - want) <= row.rounding < 1e-25


@pytest.mark.parametrize("batch", ["per-round", "per-step"])
def test_expectations_are_the_mean_of_many_plain_loops(batch):
    rng = np.random.default_rng(5)
    loops = [loop(10, 0.5, batch, rng) for _ in range(1200)]

    def agrees(value, samples):
        # five standard errors: one false alarm in 1.7 million
        error = 5 * np.std(samples) / math.sqrt(len(samples))
        assert value == pytest.approx(np.mean(samples), abs=error)

    for column, wanted in WANTED.items():
        (row,) = rows(column, noisy(batch=batch), [9])
        agrees(float(row.values[0]), [wanted(f, 9) for f in loops])
    (row,) = rows("stationarity", noisy(batch=batch), [9])
    agrees(row.at[FIRST].value, [f[1, 4] for f in loops])


@pytest.mark.parametrize("column", list(WANTED))
def test_moments_of_signs_are_the_mean_of_all_their_outcomes(column):
    # one client, a minibatch a round: two signs each
    problem = {key: value[:1] for key, value in INSTANCE["problem"].items() if key != "name"}
    signs = noisy("rademacher", batch="per-round") | {
        "problem": {"name": "coupled-quadratic", **problem, "sigma_u": 0.5, "sigma_v": 0.5,
                    "noise": "rademacher"},
        "topology": {"name": "complete"}, "clients": 1, "rounds": 3,
    }  # fmt: skip
    (one,), (all_,) = (rows(column, signs, [2], law=law) for law in ("moments", "enumerated"))
    # sums of at most 2^6 outcomes, each of some 100 roundings of numbers of order 1
    assert float(one.values[0]) == pytest.approx(float(all_.values[0]), rel=1e-12)
    if column != "weighted_stationarity":
        assert one.at[FIRST].value == pytest.approx(all_.at[FIRST].value, rel=1e-8)
        assert one.at[FIRST].lower <= all_.at[FIRST].value
        assert all_.at[FIRST].lower <= one.at[FIRST].value


@pytest.mark.parametrize("column", list(WANTED))
def test_powers_of_a_round_are_its_rounds_one_by_one(column):
    ring = {"topology": {"name": "directed-ring"}, "rounds": 701}
    (power,), (played,) = (rows(column, ring, [700], law=law) for law in ("moments", "exact"))
    # 700 rounds of some 100 roundings of numbers of order 1, none of one sign alone
    assert float(power.values[0]) == pytest.approx(float(played.values[0]), rel=1e-11)


def test_noise_of_the_heads_reaches_the_gradient_of_u_in_the_same_round():
    quiet = {"algorithm": {**INSTANCE["algorithm"], "batch": "per-step"}}
    loud = {**quiet, "problem": {**INSTANCE["problem"], "sigma_v": 0.5}}
    one, two = (
        float(rows("weighted_stationarity", o, [1])[0].values[0]) for o in (quiet, loud)
    )  # fmt: skip
    variance = [0.1**2 * 0.25 * (1 + (1 - 0.1 * x) ** 2) for x in B]
    gain = 2 * 0.15 * sum((c / 3) ** 2 * x for c, x in zip(C, variance, strict=True))
    # a difference of two numbers of order 1
    assert two - one == pytest.approx(gain, rel=1e-9)


@pytest.mark.parametrize("law", ["moments", "exact"])
def test_a_start_at_the_optimum_leaves_no_negative_gap(law):
    # rounding alone could put F(ubar^1, V^1) below the infimum, and a bound below 0
    for seed in range(40):
        a, *b = np.random.default_rng(seed).normal(size=4) * 3
        problem = {
            "name": "coupled-quadratic", "A": [[[0.3]]] * 3, "B": [[[0.3]]] * 3,
            "C": [[[0.0]]] * 3, "a": [[a]] * 3, "b": [[x] for x in b],
        }  # fmt: skip
        change = {"problem": problem, "x0": [[a, x] for x in b]}
        first = rows("stationarity", change, [1], law=law)[0].at[FIRST].value
        setting = built("here", parsed("here", {**INSTANCE, **change}), "dfedpgp")
        assert first >= dfedpgp_losses(setting.problem)["dfedpgp_f_best"].value


def test_a_sample_has_no_expected_loss_for_the_right_side():
    sines = {"problem": {"name": "sin-sin", "sigma_u": 0.3}, "x0": 0.0}
    with pytest.raises(ValueError, match="every right side is random"):
        rows("stationarity", sines, runs=range(4))
    assert rows("weighted_stationarity", sines, runs=range(4))[0].values.shape == (4,)


BAD = {
    "too far": ({}, [10], "a row at T=10 came with 10 rounds; need T >= 1, and 11 rounds or more"),
    "no T": ({}, [0], "a row at T=0 came with 10 rounds; need T >= 1, and 2 rounds or more"),
    "one round": ({"rounds": 1}, [], "a row at T=0 came with 1 rounds; need T >= 1, and 2"),
    "momentum": (
        {"algorithm": {**INSTANCE["algorithm"], "momentum": 0.9}}, [1],
        "momentum is 0.9; need 0, for Algorithm 1 prints none",
    ),
    "flat": (
        {"problem": {**INSTANCE["problem"], "A": [[[0.0]]] * 3, "C": [[[0.0]]] * 3}}, [1],
        "dfedpgp_L_u is 0; need a number > 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("law", ["auto", "exact"])
@pytest.mark.parametrize("case", BAD)
def test_what_is_no_instance_is_one_line(case, law):
    change, counts, text = BAD[case]
    with pytest.raises(ValueError, match=text) as caught:
        rows("stationarity", change, counts, law=law)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("column", ["consensus", "mean_consensus", "weighted_stationarity"])
def test_other_local_steps_than_algorithm_1_s_are_no_instance(column):
    setting = built("here", parsed("here", INSTANCE), "dfedpgp")
    heavy = dataclasses.replace(setting.algorithm, momentum=0.9)
    with pytest.raises(ValueError, match=f"metric dfedpgp.{column}: momentum is 0.9; need 0"):
        measured(metric(f"dfedpgp.{column}"), dataclasses.replace(setting, algorithm=heavy), {})
