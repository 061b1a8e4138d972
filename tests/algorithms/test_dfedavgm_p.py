"""DFedAvgM-P against plain loops, in both readings, and what it reduces to."""

import pathlib
import runpy

import numpy as np
import pytest

from theorylab.algorithms import DFedAlt, DFedAvgMP, Local, algorithm
from theorylab.problems import problem
from theorylab.topologies import topology

ALONE = runpy.run_path(str(pathlib.Path(__file__).with_name("_reference_partial.py")))
K_U, K_V = (2, 1, 3, 1, 2), (1, 2, 1, 3, 1)
RATES = {"eta_u": 0.1, "eta_v": 0.2}
NOISY = {"sigma_u": 0.4, "sigma_v": 0.5, "seed": 2}
ISLANDS = topology("random-in", 5, degree=0)  # P = I
EFFORTS = pytest.mark.parametrize(
    "effort", [None, [1.0, 0.4, 0.0, 0.6, 1.0]], ids=["all", "stragglers"]
)
BATCHES = pytest.mark.parametrize("batch", ["per-round", "per-step"])


@pytest.fixture
def coupled(bench):
    return type(bench)(problem("coupled-quadratic", 5, dim_u=3, dim_v=2, coupling=0.04, **NOISY))


def agree(state, r, u, v):
    # 4 rounds of about 100 operations on numbers of size <= 10
    assert np.allclose(state.x[r], u, rtol=0, atol=1e-12)
    assert np.allclose(state.v[r], v, rtol=0, atol=1e-12)


@EFFORTS
@BATCHES
def test_alternating_it_follows_the_plain_loops(coupled, graph, batch, effort):
    x0, both = coupled.models(2), {**RATES, "weight_decay": 0.1, "decay": 0.9}
    method = DFedAvgMP(**both, alpha=0.6, steps_u=K_U, steps_v=K_V, batch=batch)
    rows = None if effort is None else np.array([effort, effort])
    state = coupled.follow(method, graph, x0, 4, effort=rows)
    for r in range(2):
        u, v, _ = ALONE["alternating"](
            coupled.gradient, x0[r], 3, [graph.matrix(t).toarray() for t in range(4)], run=r,
            K_u=K_U, K_v=K_V, per_step=batch == "per-step", momentum=0.6, effort=effort, **both,
        )  # fmt: skip
        agree(state, r, u, v)


@EFFORTS
@BATCHES
def test_simultaneous_it_follows_the_plain_loops(coupled, graph, batch, effort):
    x0, both = coupled.models(2), {**RATES, "weight_decay": 0.1, "decay": 0.9}
    method = DFedAvgMP(**both, alpha=0.6, steps_u=K_U, update="simultaneous", batch=batch)
    rows = None if effort is None else np.array([effort, effort])
    state = coupled.follow(method, graph, x0, 4, effort=rows)
    for r in range(2):
        u, v = ALONE["simultaneous"](
            coupled.gradient, x0[r], 3, [graph.matrix(t).toarray() for t in range(4)], run=r,
            K=K_U, per_step=batch == "per-step", momentum=0.6, effort=effort, **both,
        )  # fmt: skip
        agree(state, r, u, v)


@BATCHES
def test_without_momentum_alternating_is_dfedalt_bit_for_bit(coupled, graph, batch):
    x0, steps = coupled.models(2), {"steps_u": K_U, "steps_v": K_V, "batch": batch}
    mine = coupled.follow(DFedAvgMP(**RATES, alpha=0.0, **steps), graph, x0, 4)
    other = coupled.follow(DFedAlt(**RATES, **steps), graph, x0, 4)
    assert np.array_equal(mine.x, other.x)
    assert np.array_equal(mine.v, other.v)


def test_simultaneous_on_islands_with_one_rate_is_local_training(coupled):
    x0 = coupled.models()
    one = {"eta_u": 0.1, "eta_v": 0.1, "alpha": 0.6, "steps_u": 3}
    mine = coupled.follow(DFedAvgMP(**one, update="simultaneous"), ISLANDS, x0, 4)
    other = coupled.follow(Local(0.1, alpha=0.6, local_steps=3), ISLANDS, x0, 4)
    assert np.array_equal(np.concatenate([mine.x, mine.v], axis=2), other.x)


def test_the_defaults_are_the_ablation_of_table_4(coupled):
    named = {"update": "alternating", "alpha": 0.9, "batch": "per-step", "steps_u": 5, "steps_v": 1}
    x0, ring = coupled.models(1), topology("ring", 5)
    mine = coupled.follow(DFedAvgMP(**RATES), ring, x0, 2)
    other = coupled.follow(DFedAvgMP(**RATES, **named), ring, x0, 2)
    assert np.array_equal(mine.x, other.x)
    assert np.array_equal(mine.v, other.v)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eta_u": 0}, "dfedavgm-p: eta_u is 0; need a step size > 0"),
        ({"alpha": 1}, "dfedavgm-p: alpha is 1; need 0 <= alpha < 1"),
        ({"steps_v": 0}, "dfedavgm-p: steps_v is 0; need 1 <= K < 2\\*\\*32, or one a client"),
        ({"update": "joint"}, "dfedavgm-p: update is 'joint'; need one of alternating, simul"),
        ({"batch": "all"}, "dfedavgm-p: batch is 'all'; need one of per-round, per-step"),
        ({"update": "simultaneous", "steps_v": 2}, "dfedavgm-p: steps_v is 2 with simultaneous"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        algorithm("dfedavgm-p", **{**RATES, **options})


def test_a_problem_without_a_personal_part_is_refused(bench):
    with pytest.raises(ValueError, match=r"^dfedavgm-p: log-cosh has 3 shared coordinates of 3"):
        DFedAvgMP(**RATES).init(bench.models(1), bench.losses)
