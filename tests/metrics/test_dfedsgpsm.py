"""Rounds against plain array code, and their terms against loops written from the paper."""

import dataclasses
import pathlib
import runpy

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.constants import topology_constants
from theorylab.known import How, Known
from theorylab.metrics import _dfedsgpsm_terms as terms
from theorylab.metrics import measured, metric
from theorylab.problems import problem
from theorylab.runs import Setting, initial_models
from theorylab.topologies import topology

ALONE = runpy.run_path(str(pathlib.Path(__file__).with_name("_reference_dfedsgpsm.py")))
RUN = {
    "problem": {"name": "log-cosh", "dim": 2, "spread": 1.0, "seed": 4},
    "topology": {"name": "random-out", "degree": 1, "seed": 2},
    "clients": 3,
    "rounds": 5,
    "algorithm": {"eta": 0.1, "alpha": 0.6, "rho": 0.05, "local_steps": 3},
    "x0": [[1.0, 0.0], [0.0, -2.0], [0.5, 0.5]],
}
BASE = {"name": "log-cosh", "dim": 1}
STATE = {
    **RUN,
    **{"clients": 1, "topology": {"name": "complete"}, "rounds": 1, "x0": 0.3},
    "problem": {"name": "noisy", "base": BASE, "field": "state", "sigma": 0.7},
    "algorithm": {"eta": 0.1, "alpha": 0.5, "rho": 0.2, "local_steps": 2},
    "law": "enumerated",
}
GAUSSIAN = {"problem": {"name": "log-cosh", "sigma": 1.0}, "x0": 0.0}
K, ETA, ALPHA, RHO = 3, 0.1, 0.6, 0.05
PAIRS = [(k, s) for k in range(1, K + 1) for s in range(1, k + 1)]


def setting_of(**changed):
    run = {**RUN, **changed}
    losses, network = dict(run["problem"]), dict(run["topology"])
    p = problem(losses.pop("name"), run["clients"], **losses)
    graph = topology(network.pop("name"), run["clients"], **network)
    start = initial_models(p, 1, np.array(run["x0"]))[0]
    return Setting(p, graph, algorithm("dfedsgpsm", **run["algorithm"]), {}, run["rounds"], start)


def rows(column, runs=1, seed=0, law="auto", at=(), known=None, **changed):
    setting, kind = setting_of(**changed), metric(f"dfedsgpsm.{column}")
    network = topology_constants(setting.topology, setting.rounds) if kind.numbers else {}
    numbers = {**network, **(known or {})}
    asked = {"law": law, "runs": range(runs), "seed": seed, "rounds": at}
    return measured(kind, setting, numbers, **asked).rows


def recorded(setting, ids=(0,), seed=0):
    """Every round as the metrics see it."""
    rounds = []

    class Seen(metric("dfedsgpsm.step")):
        name = ""

        def of_round(self, p):
            rounds.append(p)
            return super().of_round(p)

    measured(Seen, setting, {}, law="auto", runs=range(len(ids)), seed=seed)
    return rounds


@pytest.mark.parametrize("sigma", [0.0, 0.3])
@pytest.mark.parametrize("rho", [0.0, RHO])
def test_the_rounds_are_those_of_plain_array_code(sigma, rho):
    steps = {**RUN["algorithm"], "rho": rho}
    setting = setting_of(problem={**RUN["problem"], "sigma": sigma}, algorithm=steps)
    p, ids = setting.problem, np.arange(2 if sigma else 1)
    told = ALONE["play"](
        p,
        lambda t: setting.topology.matrix(t, 0).toarray(),
        steps,
        np.repeat(setting.start[None], len(ids), axis=0),
        5,
        lambda t, k: p.sample(0, ids, t, k),
    )
    for seen, plain in zip(recorded(setting, ids), told, strict=True):
        assert seen.t == plain.t
        for name in ("x", "w", "after", "xs", "plain", "lifted", "used"):
            np.testing.assert_allclose(getattr(seen, name), getattr(plain, name), rtol=1e-12)


def test_terms_of_a_round_are_the_papers_sums():
    p = problem("log-cosh", 3, dim=2, spread=1.0, seed=4)
    P = topology("random-out", 3, degree=1, seed=2).matrix(0).toarray()
    x, w = np.array(RUN["x0"]), np.ones(3)

    def grad(i, y):
        return p.gradient(np.tile(y, (1, 3, 1)))[0, i]

    def mean(y):
        return np.mean([grad(i, y) for i in range(3)], axis=0)

    for t in range(2):
        xs, lifted, used = np.zeros((K + 1, 3, 2)), np.zeros((K, 3, 2)), np.zeros((K, 3, 2))
        xs[0] = x
        for i in range(3):
            v = np.zeros(2)
            for k in range(K):
                z = xs[k, i] / w[i]
                g = grad(i, z)
                lifted[k, i] = z + RHO * g / np.linalg.norm(g)
                used[k, i] = grad(i, lifted[k, i])
                v = ALPHA * v + used[k, i]
                xs[k + 1, i] = xs[k, i] - ETA * v
        if t == 0:
            x, w = P @ xs[K], P @ w
    xbar = x.mean(axis=0)
    a = sum(ALPHA ** (k - s) for k, s in PAIRS)
    every = [(i, ALPHA ** (k - s) / (3 * a), s - 1) for i in range(3) for k, s in PAIRS]

    def at(column, label):
        (row,) = [r for r in rows(column, at=[1]) if r.label == label]
        return row

    step = np.sum((xs[2, 2] - xs[1, 2]) ** 2)
    assert at("step", "t=1, i=2, k=1").values[0] == pytest.approx(step)
    drift = np.mean([np.sum((xs[3, i] - x[i]) ** 2) for i in range(3)])
    assert at("drift", "t=1, k=3").values[0] == pytest.approx(drift)
    at_z = np.mean([np.sum(mean(x[i] / w[i]) ** 2) for i in range(3)])
    assert at("drift", "t=1, k=3").at["z_gradient"] == pytest.approx(at_z)
    moved = ETA * sum(ALPHA ** (k - s) * used[s - 1, 1] for k, s in PAIRS)
    assert at("update", "t=1, i=1").values[0] == pytest.approx(np.sum(moved**2))
    R1 = sum(c * (grad(i, lifted[s, i]) - mean(xbar)) for i, c, s in every)
    assert at("r1", "t=1").values[0] == pytest.approx(np.sum(R1**2))
    gap = sum(c * np.sum((grad(i, lifted[s, i]) - mean(xbar)) ** 2) for i, c, s in every)
    assert at("smooth_f", "t=1").values[0] == pytest.approx(gap)
    gap = sum(c * np.sum((grad(i, lifted[s, i]) - grad(i, xbar)) ** 2) for i, c, s in every)
    assert at("smooth_fi", "t=1").values[0] == pytest.approx(gap)
    way = sum(c * np.sum((lifted[s, i] - xbar) ** 2) for i, c, s in every)
    assert at("smooth_fi", "t=1").at["point_gap"] == pytest.approx(way)
    found = at("descent", "t=1")
    assert found.values[0] == pytest.approx(np.sum(mean(xbar) ** 2))
    assert found.at["f_next"] == pytest.approx(p.mean_loss(xs[K].mean(axis=0)[None])[0])


def test_the_sums_of_6_are_the_printed_ones():
    ring = {"topology": {"name": "directed-ring"}}
    setting = setting_of(**ring)
    # on this ring the least pair is that of all lags; another number tells them apart
    least = {"q_least": Known(0.3, How.UPPER, "of the test")}
    known = {**topology_constants(setting.topology, setting.rounds), **least}
    U = []
    for p in recorded(setting):
        total = sum(ALPHA ** (k - s) * p.used[s - 1][0] for k, s in PAIRS)
        U.append(np.linalg.norm(ETA * total, axis=1))
    for row in rows("distance", known=least, **ring):
        t, i = (int(part.split("=")[1]) for part in row.label.split(", "))
        for name in ("row", "least", "sgp"):
            q = known[f"q_{name}"].value
            own = sum(q ** (t - j) * U[j][i] for j in range(t + 1))
            top = sum(q ** (t - j) * max(U[j]) for j in range(t))
            assert row.at[f"own_sum_{name}"] == pytest.approx(own)
            assert row.at[f"largest_sum_{name}"] == pytest.approx(top)
        assert row.at["own_start"] == pytest.approx(np.linalg.norm(RUN["x0"][i]))
        away = np.array(RUN["x0"]) - np.mean(RUN["x0"], axis=0)
        largest = max(np.linalg.norm(each) for each in away)
        assert row.at["largest_gap"] == pytest.approx(largest, rel=1e-14)


def test_the_mean_over_clients_is_that_of_the_rows():
    noise = {"problem": {**RUN["problem"], "sigma": 0.5}}
    each = [row.values for row in rows("consensus", 3, 5, at=[2], **noise)]
    (row,) = rows("consensus_mean", 3, 5, at=[2], **noise)
    assert len(row.values) == 3
    assert row.values == pytest.approx(sum(each) / len(each), rel=1e-12)
    assert row.at["t"] == 2


def test_the_recursion_is_an_identity_with_line_9s_gradient_alone():
    for p in recorded(setting_of()):
        gap, size, _ = terms.residual(p, ETA, ALPHA)
        assert gap.max() < 1e-14 * size  # 15 operations on numbers of that size
        gap, *_ = terms.residual(dataclasses.replace(p, used=p.plain), ETA, ALPHA)
        assert gap.max() > 1e-4 * size


def test_what_rounding_can_do_is_allowed_for():
    # 2 (f_now - f_next) / (a~ eta) is off by eps f / eta, whatever |grad f|^2 is
    tiny = {"eta": 1e-13, "local_steps": 1}
    for row in rows("descent", algorithm=tiny, x0=0.3):
        gap = row.at["f_now"] - row.at["f_next"]
        assert abs(2 * gap / 1e-13 - 2 * row.values[0]) < row.rounding < 1
    # models that never differ stay apart by rounding alone, once the weights differ
    # (SAM would turn a gradient of 1e-17 into a step)
    plain = {"eta": 0.1, "alpha": 0.6, "local_steps": 3}
    still = {"problem": {"name": "log-cosh", "center": 0.1}, "x0": 0.1, "algorithm": plain}
    for row in rows("distance", **still):
        assert row.values[0] <= row.rounding < 1e-11
    for row in rows("consensus", **still):
        assert row.values[0] <= row.rounding < 1e-22


def test_an_enumerated_law_is_the_mean_over_all_sign_patterns():
    (row,) = [r for r in rows("step", **STATE) if r.label == "t=0, i=0, k=1"]
    total = 0.0
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        x, v = 0.3, 0.0
        for s in signs:
            g = np.tanh(x) + 0.7 * s * np.cos(x)
            up = x + 0.2 * np.sign(g)
            v = 0.5 * v + np.tanh(up) + 0.7 * s * np.cos(up)
            x -= 0.1 * v
        total += (0.1 * v) ** 2 / 4
    assert row.values == pytest.approx([total], rel=1e-12)


def test_with_noise_a_sample_looks_at_the_right_sides_that_are_given_alone():
    steps = {"eta": 0.1, "local_steps": 2}
    drift = rows("drift", 4, problem={"name": "log-cosh", "sigma": 1.0}, x0=0.5, algorithm=steps)
    assert {row.label.split(",")[0] for row in drift} == {"t=0"}


@pytest.mark.parametrize(
    ("changed", "column", "line"),
    [
        ({"law": "all"}, "step", "law is 'all'; need one of auto, exact, moments"),
        ({"law": "exact", **GAUSSIAN}, "step", "but the run is random"),
        ({"law": "enumerated", **GAUSSIAN}, "step", "no outcomes that could be listed"),
        ({**STATE, "algorithm": {"eta": 0.1, "local_steps": 19}}, "step", "more than 65536"),
        (GAUSSIAN, "distance", "right side is random"),
        ({**STATE, "law": "sampled"}, "descent", "right side is random"),
        ({"algorithm": {"eta": 0.1, "decay": 0.9}}, "step", "decay 0.9; need one K, and decay 1"),
        ({"at": [9]}, "step", "no place was looked at"),
    ],
)
def test_what_cannot_be_measured_is_one_line(changed, column, line):
    with pytest.raises(ValueError, match=line) as caught:
        rows(column, 3, **changed)
    assert "\n" not in str(caught.value)
