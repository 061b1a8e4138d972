"""DFedAlt against plain loops; what line 13 means; who may mix."""

import pathlib
import runpy

import numpy as np
import pytest

from theorylab.algorithms import Context, DFedAlt, algorithm
from theorylab.problems import problem
from theorylab.runs import Faults
from theorylab.topologies import topology

ALONE = runpy.run_path(str(pathlib.Path(__file__).with_name("_reference_partial.py")))
K_U, K_V = (2, 1, 3, 1, 2), (1, 2, 1, 3, 1)
PLAIN = {"eta_u": 0.1, "eta_v": 0.2}
RICH = {**PLAIN, "momentum": 0.6, "weight_decay": 0.1, "decay": 0.9}
NOISY = {"sigma_u": 0.4, "sigma_v": 0.5, "seed": 2}
ISLANDS = topology("random-in", 5, degree=0)  # P = I


@pytest.fixture
def coupled(bench):
    return type(bench)(problem("coupled-quadratic", 5, dim_u=3, dim_v=2, coupling=0.04, **NOISY))


@pytest.mark.parametrize("effort", [None, [1.0, 0.4, 0.0, 0.6, 1.0]], ids=["all", "stragglers"])
@pytest.mark.parametrize("batch", ["per-round", "per-step"])
@pytest.mark.parametrize("options", [PLAIN, RICH], ids=["plain", "rich"])
def test_it_follows_the_plain_loops(coupled, graph, options, batch, effort):
    x0 = coupled.models(2)
    method = DFedAlt(**options, steps_u=K_U, steps_v=K_V, batch=batch)
    rows = None if effort is None else np.array([effort, effort])
    state = coupled.follow(method, graph, x0, 4, effort=rows)
    for r in range(2):
        u, v, _ = ALONE["alternating"](
            coupled.gradient, x0[r], 3, [graph.matrix(t).toarray() for t in range(4)],
            run=r, K_u=K_U, K_v=K_V, per_step=batch == "per-step", effort=effort, **options,
        )  # fmt: skip
        # 4 rounds of about 100 operations on numbers of size <= 10
        assert np.allclose(state.x[r], u, rtol=0, atol=1e-12)
        assert np.allclose(state.v[r], v, rtol=0, atol=1e-12)
    assert np.array_equal(state.z, state.x)
    assert (state.w == 1).all()


def test_minibatches_are_those_of_the_plain_loops(bench):
    losses = problem("logistic", 5, batch=3, seed=1)
    losses.shared = 40
    world, graph = type(bench)(losses), topology("ring", 5)
    x0 = world.models(1)
    state = world.follow(DFedAlt(0.1, 0.2, steps_u=3, steps_v=2, batch="per-step"), graph, x0, 2)
    u, v, _ = ALONE["alternating"](
        world.gradient, x0[0], 40, [graph.matrix(0).toarray()] * 2, run=0, K_u=[3] * 5,
        K_v=[2] * 5, eta_u=0.1, eta_v=0.2, per_step=True,
    )  # fmt: skip
    # 2 rounds of 5 steps; a gradient sums about 60 products of numbers <= 10
    assert np.allclose(state.x[0], u, rtol=0, atol=1e-12)
    assert np.allclose(state.v[0], v, rtol=0, atol=1e-12)


def test_v_never_travels_and_u_does(coupled):
    x0 = coupled.models(1)
    method = DFedAlt(**PLAIN, steps_u=2, steps_v=2)
    alone = coupled.follow(method, ISLANDS, x0, 1)
    mixed = coupled.follow(method, topology("complete", 5), x0, 1)
    assert np.array_equal(alone.v, mixed.v)
    # a mean of five numbers <= 5, in another order
    assert np.allclose(mixed.x[0], alone.x[0].mean(axis=0), rtol=0, atol=5 * 5 * 2.0**-52)


def test_late_messages_are_refused_for_want_of_weights(coupled):
    mixing, _, _ = Faults(delay=1).apply(ISLANDS.matrix(0), 0, np.arange(1), 0, True)
    method = DFedAlt(**PLAIN)
    state = method.init(coupled.models(1), coupled.losses)
    with pytest.raises(ValueError, match="no push-sum weights; need a push-sum method"):
        method.step(state, Context(coupled.losses, mixing, 0, np.arange(1)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eta_u": -1}, "dfedalt: eta_u is -1; need a step size > 0"),
        ({"eta_v": float("nan")}, "dfedalt: eta_v is nan; need a step size > 0"),
        ({"steps_v": 1.5}, "dfedalt: steps_v is 1.5; need 1 <= K < 2\\*\\*32, or one a client"),
        ({"batch": None}, "dfedalt: batch is None; need one of per-round, per-step"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        algorithm("dfedalt", **{**PLAIN, **options})


def test_steps_for_another_number_of_clients_are_refused(coupled):
    method = DFedAlt(**PLAIN, steps_u=(1, 2))
    with pytest.raises(ValueError, match="2 numbers for 5 clients; need one number, or one a"):
        coupled.follow(method, ISLANDS, coupled.models(1), 1)


def test_a_problem_without_a_personal_part_is_refused(bench):
    with pytest.raises(ValueError, match=r"^dfedalt: log-cosh has 3 shared coordinates of 3"):
        DFedAlt(**PLAIN).init(bench.models(1), bench.losses)
