"""Both sides of Section 2's claim, written out client by client, and the library's own methods."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.algorithms import DPSGD, FedAvg
from theorylab.algorithms._base import Context
from theorylab.experiments import experiment
from theorylab.experiments.pdbo import sgp_recovers
from theorylab.hypergradients.edge_law import matrices
from theorylab.kernels import Stream
from theorylab.problems import Quadratic

QUIET = {"noise": 0.0, "seed": 4}
UNEVEN = {"clients": 3, "network": {"name": "star", "weights": "uniform"}, "rounds": 4}


def start_of(made, seed, run=0):
    n, d = made.topology.clients, made.losses.dim
    return Stream(seed, "init").normal(np.array([run]), n, 0, 0, d)[0]


def gradient(made, i, x, sign):
    p = made.losses
    pull = p.H[i] @ x - p.b[i] - p.G[i] @ np.full(p.hyper, made.lam)
    return (1 + p.noise * sign) * pull


def by_hand(made, column, seed, run=0):
    """The largest gap, from Eq. (2) with (4a) or (4b), and the plain recursion; loops alone."""
    n, K, rests = made.clients, made.local_steps, made.rests
    steps = np.broadcast_to(made.step, (n,))
    x = start_of(made, seed, run)
    z, omega = x.copy(), np.broadcast_to(made.omega0, (n,)).astype(float)
    worst = 0.0
    for t in range(made.rounds):
        P = matrices(made.topology, t, np.array([run]))[0] if (t + 1) % rests == 0 else np.eye(n)
        signs = made.losses.sample(seed, np.array([run]), t)
        signs = np.zeros(n) if signs is None else signs[0]
        g = [steps[i] * gradient(made, i, z[i] / omega[i], signs[i]) for i in range(n)]
        h = [steps[i] * gradient(made, i, x[i], signs[i]) for i in range(n)]
        if column == "lian":
            z = np.array([sum(P[i, j] * z[j] for j in range(n)) - g[i] for i in range(n)])
            x = np.array([sum(P[i, j] * x[j] for j in range(n)) - h[i] for i in range(n)])
        else:
            z = np.array([sum(P[i, j] * (z[j] - g[j]) for j in range(n)) for i in range(n)])
            x = np.array([x[i] - h[i] for i in range(n)])
            if column == "alone":
                pass
            elif column == "bianchi":
                x = np.array([sum(P[i, j] * x[j] for j in range(n)) for i in range(n)])
            elif (t + 1) % K == 0:
                x = np.array([sum(x[j] for j in range(n)) / n for _ in range(n)])
        omega = P @ omega
        if column != "fedavg" or (t + 1) % K == 0:
            worst = max(worst, np.abs(z / omega[:, None] - x).max())
    return worst


@pytest.mark.parametrize("column", ["bianchi", "lian", "fedavg", "alone"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"omega0": [1.0, 2.0, 0.5], "step": [0.1, 0.2, 0.3]},
        {"network": {"name": "sto-d", "seed": 1}, "local_steps": 2},
        {"network": {"name": "random-out", "degree": 1}, "rests": 2, "lam": -1.0},
    ],
)
def test_the_gap_is_that_of_the_loops(column, options):
    made = experiment("sgp-recovers", **{**UNEVEN, **options})
    found = made.observe(column, range(2), 5).rows[0].values
    wanted = [by_hand(made, column, 5, run) for run in range(2)]
    # Some 4 rounds of 20 operations on numbers below 100
    assert np.abs(found - wanted).max() <= 4 * 20 * 100 * 2.0**-53
    assert max(wanted) > 1e-3


def library(made, method, P, rounds, every):
    """Models of the library's own method after ``rounds`` of its rounds, from the same start."""
    p = made.losses
    lam = np.full(p.hyper, made.lam)
    c = np.stack([np.linalg.solve(p.H[i], p.b[i] + p.G[i] @ lam) for i in range(p.clients)])
    problem = Quadratic(p.clients, H=p.H, c=c)
    x0 = (
        np.repeat(start_of(made, 7).mean(axis=0)[None], p.clients, 0)
        if every
        else start_of(made, 7)
    )
    state = method.init(x0[None], problem)
    for _ in range(rounds):
        state = method.step(state, Context(problem, csr_array(P), 7, np.arange(1)))
    return x0, state.x[0]


@pytest.mark.parametrize("K", [1, 3])
def test_fedavg_is_the_library_s_with_every_client_taking_part(K):
    made = experiment(
        "sgp-recovers", clients=3, problem=QUIET, local_steps=K, rounds=2 * K, rests=K
    )
    method = FedAvg(eta=0.2, local_steps=K, fraction=1.0)
    x0, ours = library(made, method, np.eye(3), 2, True)
    x = x0.copy()
    for t in range(2 * K):
        x = np.array([x[i] - 0.2 * gradient(made, i, x[i], 0.0) for i in range(3)])
        if (t + 1) % K == 0:
            x = np.repeat(x.mean(axis=0)[None], 3, 0)
    assert np.abs(x - ours).max() <= 1e-13  # some hundred operations on numbers below 10


@pytest.mark.parametrize(
    ("column", "order"), [("bianchi", "step-then-mix"), ("lian", "mix-then-step")]
)
def test_the_two_orders_are_the_library_s_dpsgd(column, order):
    made = experiment("sgp-recovers", clients=3, problem=QUIET, network={"name": "ring"})
    P = made.topology.matrix(0).toarray()
    x0, ours = library(made, DPSGD(eta=0.2, order=order), P, 3, False)
    x = x0.copy()
    for _ in range(3):
        g = np.array([0.2 * gradient(made, i, x[i], 0.0) for i in range(3)])
        x = P @ (x - g) if column == "bianchi" else P @ x - g
    assert np.abs(x - ours).max() <= 1e-13


def test_the_allowance_stays_far_below_what_another_method_is_off_by():
    made = experiment("sgp-recovers", **UNEVEN)
    for column in ("bianchi", "lian", "fedavg", "alone"):
        row = made.observe(column, range(3), 0).rows[0]
        room = made.constants()["summands"].value * 2.0**-53 * row.at["magnitude"].value
        assert row.values.max() > 1e6 * room


@pytest.mark.parametrize(("column", "other"), [("alg2_4a", "4b"), ("alg2_4b", "4a")])
def test_algorithm_2_is_eq_2_and_not_the_other_variant_s(column, other, monkeypatch):
    options = {**UNEVEN, "omega0": [1.0, 2.0, 0.5]}
    made = experiment("sgp-recovers", **options)
    row = made.observe(column, range(2), 3).rows[0]
    assert row.values.max() <= 4 * 20 * 100 * 2.0**-53
    monkeypatch.setitem(sgp_recovers._VARIANT, column, other)
    assert made.observe(column, range(2), 3).rows[0].values.min() > 1e-3


def test_the_gaps_name_what_a_network_lacks():
    star = experiment("sgp-recovers", **UNEVEN).observe("fedavg", range(1), 0).rows[0].at
    # columns of the hub 1/3 each; the hub's row is 1/3 + 1/2 + 1/2
    assert star["sums_gap"] == pytest.approx(1 / 3 + 1 / 2 + 1 / 2 - 1)
    assert star["alone_gap"] == np.inf
    assert star["average_gap"] == pytest.approx(1.0)  # a leaf hears no other leaf
    rest = experiment("sgp-recovers", clients=3, local_steps=2, rests=2)
    at = rest.observe("fedavg", range(1), 0).rows[0].at
    assert at["schedule_gap"] <= 2.0**-52
    assert at["average_gap"] == pytest.approx(2.0)  # 1 instead of 1/3
    off = experiment("sgp-recovers", clients=3, local_steps=2)
    assert off.observe("fedavg", range(1), 0).rows[0].at["schedule_gap"] == np.inf


def test_the_start_s_gap_is_the_largest_of_any_client():
    made = experiment("sgp-recovers", clients=2, omega0=[0.5, 1.5])  # 1 on average
    assert made.constants()["omega_start"].value == 0.5


def test_a_batch_is_its_runs():
    made = experiment("sgp-recovers", network={"name": "sto-d"}, clients=4)
    both = made.observe("bianchi", range(3), 2).rows[0].values
    one = [made.observe("bianchi", range(r, r + 1), 2).rows[0].values[0] for r in range(3)]
    assert np.array_equal(both, one)


@pytest.mark.parametrize(
    "options",
    [{"rounds": 0}, {"local_steps": 0}, {"local_steps": 99}, {"rests": 0}, {"omega0": 0.0},
     {"omega0": [1.0, 2.0]}],
)  # fmt: skip
def test_bad_options_get_one_line(options):
    with pytest.raises(ValueError, match=r"^sgp-recovers: .*; need") as caught:
        experiment("sgp-recovers", **options)
    assert "\n" not in str(caught.value)


def test_models_that_leave_the_numbers_get_one_line():
    made = experiment("sgp-recovers", step=1e60, rounds=20)
    with pytest.raises(ValueError, match="not finite after T rounds; need a smaller step"):
        made.observe("bianchi", range(1), 0)
