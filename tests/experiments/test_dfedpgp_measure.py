"""Averages of a run of DFedPGP: exact moments against a plain loop and many runs."""

import math

import numpy as np
import pytest

from theorylab.experiments import experiment

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
    "rounds": [1, 4, 9],
    "x0": [1.0, -0.5],
}  # fmt: skip


def loop(rounds, noise=0.0, batch="per-step", rng=None):
    """Algorithm 1 in scalars; per round: Delta_u, heads at u, at z, at ubar, spread of z, F."""
    u, v, w, found = np.ones(3), np.full(3, -0.5), np.ones(3), []

    def gu(x, y):
        return np.array([A[i] * (x[i] - a[i]) + C[i] * (y[i] - b[i]) for i in range(3)])

    def gv(x, y):
        return np.array([B[i] * (y[i] - b[i]) + C[i] * (x[i] - a[i]) for i in range(3)])

    def xi():
        return noise * rng.standard_normal(3) if noise else 0.0

    for _ in range(rounds):
        z, mean, new = u / w, np.full(3, u.mean()), v.copy()
        one = xi()
        for _ in range(2):
            new = new - 0.1 * (gv(z, new) + (one if batch == "per-round" else xi()))
        half, one = u.copy(), xi()
        for _ in range(3):
            half = half - 0.05 * (gu(half / w, new) + (one if batch == "per-round" else xi()))
        F = sum(
            A[i] * (mean[i] - a[i]) ** 2 / 2 + B[i] * (v[i] - b[i]) ** 2 / 2
            + C[i] * (mean[i] - a[i]) * (v[i] - b[i]) for i in range(3)
        ) / 3  # fmt: skip
        heads = [(gv(x, v) ** 2).mean() for x in (u, z, mean)]
        found.append([gu(mean, new).mean() ** 2, *heads, ((z - mean) ** 2).mean(), F])
        u, v, w = P @ half, new, P @ w
    return np.array(found)


L_u, L_v = max(A), max(B)
WANTED = {
    "stationarity": lambda f, T: (f[1 : T + 1, 0] / L_u + f[1 : T + 1, 1] / L_v).mean(),
    "stationarity_debiased": lambda f, T: (f[1 : T + 1, 0] / L_u + f[1 : T + 1, 2] / L_v).mean(),
    "descent": lambda f, T: (2 * 0.15 * f[:T, 0] + 0.2 * f[:T, 3]).mean(),
}


@pytest.mark.parametrize("column", list(WANTED))
def test_without_noise_every_column_is_the_plain_loop_s(column):
    made, found = experiment("dfedpgp-measure", **INSTANCE), loop(11)
    for row in made.observe(column, range(1), 0).rows:
        T = int(row.at["T"])
        # some 100 roundings of numbers of order 1
        assert float(row.values[0]) == pytest.approx(WANTED[column](found, T), rel=1e-12, abs=1e-15)
        if (known := row.at.get("dfedpgp_f_first")) is not None:  # never too small: rounding is in
            assert known.value == pytest.approx(found[1, 5], rel=1e-11)
            assert known.lower <= found[1, 5] <= known.upper == known.value


@pytest.mark.parametrize("batch", ["per-round", "per-step"])
def test_expectations_are_the_mean_of_many_plain_loops(batch):
    options = {
        **INSTANCE, "problem": {**INSTANCE["problem"], "sigma_u": 0.5, "sigma_v": 0.5},
        "algorithm": {**INSTANCE["algorithm"], "batch": batch}, "rounds": [9],
    }  # fmt: skip
    (row,) = experiment("dfedpgp-measure", **options).observe("descent", range(1), 0).rows
    rng = np.random.default_rng(5)
    values = [WANTED["descent"](loop(9, 0.5, batch, rng), 9) for _ in range(1200)]
    # five standard errors: one false alarm in 1.7 million
    error = 5 * np.std(values) / math.sqrt(len(values))
    assert float(row.values[0]) == pytest.approx(np.mean(values), abs=error)


def test_powers_of_a_round_are_its_rounds_one_by_one():
    ring = {**INSTANCE, "topology": {"name": "directed-ring"}, "rounds": [700]}
    exact = experiment("dfedpgp-measure", **ring).observe("descent", range(1), 0).rows[0]
    made = experiment("dfedpgp-measure", **ring)
    played = made._played(made.at, "descent", [700], range(1), 0)[0]
    assert float(exact.values[0]) == pytest.approx(float(played.values[0]), rel=1e-11)


def test_the_corollary_chooses_its_step_sizes_at_every_row():
    steps = {k: v for k, v in INSTANCE["algorithm"].items() if "eta" not in k}
    made = experiment(
        "dfedpgp-measure", **{**INSTANCE, "algorithm": steps}, corollary=[0.5, 0.25]
    )  # fmt: skip
    for row in made.observe("descent", range(1), 0).rows:
        root = math.sqrt(row.at["T"])
        assert row.at["dfedpgp_eta_u"] == pytest.approx(0.5 / (1.5 * 3 * root), rel=1e-15)
        assert row.at["dfedpgp_eta_v"] == pytest.approx(0.25 / (2 * 2 * root), rel=1e-15)
    assert "dfedpgp_eta_u" not in made.constants()


BAD = {
    "rounds": ({"rounds": [3, 2]}, "increasing"),
    "zero": ({"rounds": [0]}, "integers >= 1"),
    "corollary": ({"corollary": [1.0]}, "two numbers"),
    "both": ({"corollary": [1.0, 1.0]}, "step size came with corollary"),
    "name": ({"topology": {}}, "no name"),
    "no v": ({"problem": {"name": "log-cosh"}}, "no personal part"),
    "momentum": ({"algorithm": {**INSTANCE["algorithm"], "momentum": 0.9}}, "option 'momentum'"),
    "far": ({"rounds": [10**6], "topology": {"name": "random-out", "degree": 1}}, "need at most"),
    "still": (
        {"rounds": [10**6], "topology": {"name": "directed-ring", "self_loops": False}},
        "a static or periodic network that mixes",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_options_are_one_line(case):
    change, text = BAD[case]
    with pytest.raises(ValueError, match=text) as caught:
        experiment("dfedpgp-measure", **{**INSTANCE, **change}).constants()
    assert "\n" not in str(caught.value)


def test_noise_without_moments_is_refused_where_the_right_side_is_random():
    noisy = {"name": "sin-sin", "sigma_u": 0.3}
    made = experiment("dfedpgp-measure", **{**INSTANCE, "problem": noisy, "x0": 0.0})
    with pytest.raises(ValueError, match="isotropic noise"):
        made.observe("stationarity", range(4), 0)
    assert made.observe("descent", range(4), 0).rows[0].values.shape == (4,)


def test_noise_of_the_heads_reaches_the_gradient_of_u_in_the_same_round():
    quiet, noisy = (
        {**INSTANCE, "problem": {**INSTANCE["problem"], "sigma_v": s}, "rounds": [1],
         "algorithm": {**INSTANCE["algorithm"], "batch": "per-step"}}
        for s in (0.0, 0.5)
    )  # fmt: skip
    one, two = (
        float(experiment("dfedpgp-measure", **o).observe("descent", range(1), 0).rows[0].values[0])
        for o in (quiet, noisy)
    )
    variance = [0.1**2 * 0.25 * (1 + (1 - 0.1 * x) ** 2) for x in B]
    gain = 2 * 0.15 * sum((c / 3) ** 2 * x for c, x in zip(C, variance, strict=True))
    # a difference of two numbers of order 1
    assert two - one == pytest.approx(gain, rel=1e-9)


def test_the_played_average_starts_at_round_one_where_the_printed_one_does():
    made = experiment("dfedpgp-measure", **INSTANCE)
    exact = made.observe("stationarity", range(1), 0).rows
    for row, other in zip(
        exact, made._played(made.at, "stationarity", [1, 4, 9], range(1), 0), strict=True
    ):
        assert float(row.values[0]) == pytest.approx(float(other.values[0]), rel=1e-12)
        assert row.at["T"] == other.at["T"]


def test_a_start_at_the_optimum_leaves_no_negative_gap():
    # rounding alone could put F(ubar^1, V^1) below the infimum, and a bound below 0
    for seed in range(40):
        a, *b = np.random.default_rng(seed).normal(size=4) * 3
        problem = {
            "name": "coupled-quadratic", "A": [[[0.3]]] * 3, "B": [[[0.3]]] * 3,
            "C": [[[0.0]]] * 3, "a": [[a]] * 3, "b": [[x] for x in b],
        }  # fmt: skip
        start = [[a, x] for x in b]
        made = experiment("dfedpgp-measure", **{**INSTANCE, "problem": problem, "x0": start})
        known = made.constants()
        (row, *_) = made.observe("stationarity", range(1), 0).rows
        assert known["dfedpgp_f_start"].value >= known["dfedpgp_f_best"].value
        assert row.at["dfedpgp_f_first"].value >= known["dfedpgp_f_best"].value


@pytest.mark.parametrize("name", [INSTANCE["topology"], {"name": "one-peer-exponential"}])
def test_constants_of_a_network_that_repeats_are_those_of_every_later_round(name):
    options = {**INSTANCE, "topology": name}
    far = experiment("dfedpgp-measure", **{**options, "rounds": [10**6]}).constants()
    near = experiment("dfedpgp-measure", **{**options, "rounds": [7]}).constants()
    for constant in ("delta", "C", "q", "C_row", "q_row"):
        assert far[constant].value == near[constant].value
        assert not far[constant].within
