"""How far Gaussian draws move a run: c against differences of SGD in plain NumPy."""

import numpy as np
import pytest

from theorylab.algorithms import algorithm
from theorylab.problems import LogCosh, problem
from theorylab.runs import Setting
from theorylab.statements import Check, Quantity, Source, Statement, Version
from theorylab.symbols import symbol
from theorylab.topologies import topology
from theorylab.verdicts import judge_check
from theorylab.verdicts.gaussian_runs import self_bound

level = symbol("gaussian_level", "b", "a bound to compare with")
N, D, T, ETA, SIGMA = 3, 2, 4, 0.5, 0.8
COSH = {"name": "log-cosh", "dim": D, "sigma": SIGMA, "centers": [[0.3, 0.0], [0.0, -0.2], [0, 0]]}
RING = {"name": "directed-ring"}
ALIKE = {"name": "log-cosh", "dim": D, "sigma": SIGMA}
LEANING = [[0, 0, 0.6], [0, 1, 0.4], [1, 0, 0.1], [1, 1, 0.9]]  # columns sum to 1, rows do not
COLUMNS = ("suboptimality", "loss", "squared_gradient", "squared_distance", "consensus")


def setting(problem_of=COSH, network=RING, method="sgp", rounds=T, clients=N, **options):
    losses = problem(clients=clients, **problem_of)
    return Setting(
        losses, topology(clients=clients, **network), algorithm(method, **{"eta": ETA, **options}),
        {}, rounds, np.zeros((clients, losses.dim)),
    )  # fmt: skip


def columns(noise, centers, matrix, optimum, least):
    """Every column at x^T of one run, from standard normal draws (T, n, d)."""
    x = np.zeros((N, D))
    for draws in noise:
        x = matrix @ (x - ETA * (np.tanh(x - centers) + SIGMA / np.sqrt(D) * draws))
    mean = x.mean(axis=0)
    f = np.log(np.cosh(mean - centers)).sum(axis=1).mean()
    slope = np.tanh(mean - centers).mean(axis=0)
    return np.array([
        f - least, f - least, slope @ slope, (mean - optimum) @ (mean - optimum),
        ((x - mean) ** 2).sum() / N,
    ])  # fmt: skip


def test_no_column_moves_faster_than_its_bound_says():
    centers, matrix = (
        np.array(COSH["centers"]),
        np.asarray(topology("directed-ring", N).matrix(0).todense()),
    )
    optimum = np.zeros(D)
    for _ in range(200):
        optimum = optimum - np.tanh(optimum - centers).mean(axis=0)
    least = np.log(np.cosh(optimum - centers)).sum(axis=1).mean()
    bounds = np.array([self_bound(setting(), column) for column in COLUMNS])
    largest, draw, step = np.zeros(len(COLUMNS)), np.random.default_rng(1), 1e-5
    for size in (0.02, 0.3, 1.0, 3.0):
        noise = size * draw.standard_normal((T, N, D))
        here = columns(noise, centers, matrix, optimum, least)
        slope = np.zeros((len(COLUMNS), noise.size))
        for k in range(noise.size):
            moved = np.zeros(noise.size)
            moved[k] = step
            moved = moved.reshape(noise.shape)
            ends = [columns(noise + s * moved, centers, matrix, optimum, least) for s in (1, -1)]
            slope[:, k] = (ends[0] - ends[1]) / (2 * step)
        largest = np.maximum(largest, (slope**2).sum(axis=1) / (2 * bounds * here))
    assert (largest <= 1).all()
    assert (largest > 0.05).all()  # the bound is of that size


def test_the_speed_adds_up_over_rounds_and_contracts_where_every_loss_is_strongly_convex():
    base = {"name": "logistic", "batch": None, "reg": 0.5, "target": [0, 1]}
    noisy = {"name": "noisy", "base": base, "field": "gaussian", "sigma": 2.0}
    plain = setting(COSH, rounds=9)
    L, each = 1.0, SIGMA**2 / D
    assert self_bound(plain, "suboptimality") == pytest.approx(9 * ETA**2 * each / N * L, rel=1e-5)
    steps = setting(COSH, rounds=9, decay=0.5)
    total = sum((ETA * 0.5**t) ** 2 for t in range(9))
    assert self_bound(steps, "squared_distance") == pytest.approx(2 * total * each / N, rel=1e-5)
    strong = setting(noisy, rounds=200, eta=0.1, clients=2)
    L = strong.problem.constants()["L"].value
    ratio = max(abs(1 - 0.1 * 0.5), abs(1 - 0.1 * L))
    total = 0.01 * 4.0 / strong.problem.dim * sum(ratio ** (2 * k) for k in range(200))
    assert self_bound(strong, "consensus") == pytest.approx(2 * total / 2, rel=1e-5)


class Mine(LogCosh, name="test-mine-cosh"):
    """A user's, with a gradient of its own: of it nothing is known."""

    def gradient(self, x):
        return 2 * super().gradient(x)


class Same(LogCosh, name="test-same-cosh"):
    """A user's that changes nothing."""


@pytest.mark.usefixtures("registries")
def test_where_the_proof_does_not_apply_there_is_no_bound():
    assert self_bound(setting(), "loss") is not None
    alike = setting({**COSH, "name": "test-same-cosh"})
    assert self_bound(alike, "loss") == self_bound(setting(COSH), "loss")
    assert self_bound(setting(method="dpsgd", network={"name": "ring"}), "loss") is not None
    rademacher = {"name": "noisy", "base": {"name": "log-cosh", "dim": 2}, "field": "rademacher"}
    for other in (
        setting(eta=2.0000001),  # above 2/L
        setting(network={"name": "edge-list", "edges": LEANING}, clients=2, problem_of=ALIKE),
        setting(network={"name": "random-out", "seed": 0, "degree": 1}),
        setting(method="dpsgd", network={"name": "ring"}, order="mix-then-step"),
        setting(method="osgp", local_steps=2),
        setting(rademacher),
        setting({**rademacher, "field": "common"}),
        setting({**rademacher, "field": "state"}),
        setting({"name": "test-mine-cosh", "dim": 2, "sigma": 1.0}),
        setting({"name": "quadratic", "sigma": 1.0}),
        setting({**COSH, "sigma": 0.0}),
    ):
        assert self_bound(other, "loss") is None
    assert self_bound(setting(), "accuracy") is None


def judged(problem_of, quantity, value, seeds=64):
    instance = {
        "problem": problem_of, "topology": {"name": "complete"}, "clients": 1, "rounds": 20,
        "algorithm": {"eta": 0.1}, "constants": {"gaussian_level": value}, "x0": 0.0,
    }  # fmt: skip
    check = Check("one", instance)
    claim = Statement(
        "mine.gauss", Source("mine", "1", "a mean"), quantity,
        {"claim": Version({"b": level}, (), (check,))}, algorithm="sgp",
    )  # fmt: skip
    return judge_check(claim, "claim", check, seeds=seeds)


@pytest.mark.parametrize("over", ["last", "average", "max", "run best", "average iterate"])
def test_a_mean_of_such_runs_holds_without_a_word_of_the_user(over):
    cosh = {"name": "log-cosh", "dim": 8, "sigma": 0.5}
    start = judged(cosh, Quantity("suboptimality", over), 1e9)
    assert (start.verdict, start.given) == ("HOLDS", "")
    assert "Gaussian draws" in start.interval
