"""DFedPGP against plain loops, its minibatches, and what it reduces to."""

import pathlib
import runpy

import numpy as np
import pytest

from theorylab.algorithms import Context, DFedAlt, DFedPGP, algorithm
from theorylab.problems import problem
from theorylab.runs import Faults
from theorylab.topologies import topology

ALONE = runpy.run_path(str(pathlib.Path(__file__).with_name("_reference_partial.py")))
K_U, K_V = (1, 2, 3, 1, 2), (2, 1, 1, 3, 1)  # heterogeneous work, one number a client
PLAIN = {"eta_u": 0.1, "eta_v": 0.2}
RICH = {**PLAIN, "momentum": 0.6, "weight_decay": 0.1, "decay": 0.9}
NOISY = {"sigma_u": 0.4, "sigma_v": 0.5, "seed": 2}


@pytest.fixture
def coupled(bench):
    return type(bench)(problem("coupled-quadratic", 5, dim_u=3, dim_v=2, coupling=0.04, **NOISY))


def compare(world, graph, options, batch, *, effort=None, rounds=4, conserves=None):
    """Runs 0 and 1 of the engine against the loops."""
    x0, shared = world.models(2), world.losses.shared
    method = DFedPGP(**options, steps_u=K_U, steps_v=K_V, batch=batch)
    rows = None if effort is None else np.array([effort, effort])
    state = world.follow(method, graph, x0, rounds, effort=rows, conserves=conserves)
    for r in range(2):
        z, v, mu = ALONE["alternating"](
            world.gradient, x0[r], shared, [graph.matrix(t).toarray() for t in range(rounds)],
            run=r, K_u=K_U, K_v=K_V, per_step=batch == "per-step", push=True, effort=effort,
            **options,
        )  # fmt: skip
        # 4 rounds of about 100 operations on numbers of size <= 10, weights >= .1
        assert np.allclose(state.z[r], z, rtol=0, atol=1e-12)
        assert np.allclose(state.v[r], v, rtol=0, atol=1e-12)
        assert np.allclose(state.w[r], mu, rtol=0, atol=1e-14)
        assert np.allclose(state.x[r], np.array(z) * np.array(mu)[:, None], rtol=0, atol=1e-12)
    return x0, state


@pytest.mark.parametrize("batch", ["per-round", "per-step"])
@pytest.mark.parametrize("options", [PLAIN, RICH], ids=["plain", "rich"])
def test_it_follows_the_plain_loops(coupled, graph, options, batch):
    compare(coupled, graph, options, batch)


def test_the_row_stochastic_graph_of_the_experiments_keeps_every_weight_at_one(coupled):
    graph = topology("random-in", 5, degree=2, seed=1)
    _, state = compare(coupled, graph, RICH, "per-round")
    # three times 1/3, four rounds
    assert np.abs(state.w - 1).max() <= 4 * 3 * 2.0**-52


@pytest.mark.parametrize("batch", ["per-round", "per-step"])
def test_minibatches_are_those_of_the_plain_loops(bench, batch):
    losses = problem("logistic", 5, batch=3, seed=1)
    losses.shared = 50
    world = type(bench)(losses)
    compare(world, topology("random-out", 5, degree=2, seed=8), PLAIN, batch, rounds=2)


@pytest.mark.parametrize("batch", ["per-round", "per-step"])
def test_stragglers_do_their_share_of_both_phases_and_who_is_down_nothing(coupled, graph, batch):
    x0, state = compare(coupled, graph, RICH, batch, effort=[1.0, 0.4, 0.0, 0.6, 1.0])
    assert np.array_equal(state.v[:, 2], x0[:, 2, 3:])


def test_a_batch_with_stragglers_is_its_runs_bit_for_bit(coupled):
    graph, method = topology("ring", 5), DFedPGP(**RICH, steps_v=4, batch="per-step")
    effort = np.array([[1.0] * 5, [0.2] * 5])
    x0 = coupled.models(2)
    both = coupled.follow(method, graph, x0, 2, effort=effort)
    state = method.init(x0[1:], coupled.losses)
    for t in range(2):
        here = Context(coupled.losses, graph.matrix(t), 5, np.array([1]), None, effort[1:])
        state = method.step(state, here)
    assert np.array_equal(both.x[1], state.x[0])
    assert np.array_equal(both.v[1], state.v[0])


def numbers_drawn(world, method, effort=None):
    """The step numbers of the minibatches of one round, in order."""
    seen, real = [], world.losses.sample
    world.losses.sample = lambda seed, runs, t, step: (
        seen.append(step),
        real(seed, runs, t, step),
    )[1]
    try:
        world.follow(method, topology("ring", 5), world.models(1), 1, effort=effort)
    finally:
        del world.losses.sample
    return seen


def test_no_minibatch_serves_twice_unless_one_serves_the_round(coupled):
    steps = {**PLAIN, "steps_u": (3, 1, 1, 1, 1), "steps_v": (1, 1, 2, 1, 1)}
    assert numbers_drawn(coupled, DFedPGP(**steps, batch="per-step")) == [0, 1, 2, 3, 4]
    # client 2 gets one of its two steps done: u's first minibatch is number 2 as before
    effort = np.array([[1, 1, 0.5, 1, 1]])
    assert numbers_drawn(coupled, DFedPGP(**steps, batch="per-step"), effort) == [0, 2, 3, 4]
    assert numbers_drawn(coupled, DFedPGP(**steps)) == [0, 0]  # once for each phase


@pytest.mark.parametrize("batch", ["per-round", "per-step"])
def test_on_a_doubly_stochastic_graph_it_is_dfedalt(coupled, symmetric, batch):
    options = {**RICH, "steps_u": K_U, "steps_v": K_V, "batch": batch}
    x0 = coupled.models()
    mine = coupled.follow(DFedPGP(**options), symmetric, x0, 5)
    other = coupled.follow(DFedAlt(**options), symmetric, x0, 5)
    # the weights are 1 up to the rounding of row sums
    assert np.allclose(mine.z, other.x, rtol=0, atol=1e-13)
    assert np.allclose(mine.v, other.v, rtol=0, atol=1e-13)


def test_what_is_late_is_counted_and_arrives(coupled):
    graph, faults = topology("random-out", 5, degree=2, seed=8), Faults(delay=2)
    state = DFedPGP(**PLAIN).init(coupled.models(2), coupled.losses)
    method, ids = DFedPGP(**PLAIN), np.arange(2)
    for t in range(6):
        mixing, effort, keeps = faults.apply(graph.matrix(t), 5, ids, t, True)
        state = method.step(state, Context(coupled.losses, mixing, 5, ids, None, effort, keeps))
    assert state.flight is not None
    assert state.flight[0].shape == (2, 2, 5, 3)
    assert (state.flight[1] > 0).any()
    # 6 rounds of sums of 5 (2 + 1) numbers <= 5
    total = state.w.sum(axis=1) + state.flight[1].sum(axis=(1, 2))
    assert np.allclose(total, 5, rtol=0, atol=6 * 15 * 5 * 2.0**-52)


def test_push_sum_reaches_the_optimum_on_a_directed_graph_and_plain_gossip_does_not(bench):
    losses = problem("coupled-quadratic", 5, dim_u=3, dim_v=2, coupling=0.04, seed=2)
    edges = [[i, j] for i in range(5) for j in {i, (i + 1) % 5, (2 * i) % 5}]
    graph = topology("edge-list", 5, edges=edges, weights="uniform")
    world, rounds = type(bench)(losses), 3000
    options = {"eta_u": 0.05, "eta_v": 0.5, "steps_u": 1, "steps_v": 5, "decay": 0.998}
    start = world.models(1)
    state = world.follow(DFedPGP(**options), graph, start, rounds)
    at_optimum = np.concatenate([np.tile(losses.u_star, (5, 1)), losses.v_star], axis=1)[None]
    apart = np.linalg.norm(losses.gradient(at_optimum)[0, :, :3], axis=1).max()
    # what is left of the start: prod(1 - .44 eta_t) < e^-10 of it; and the clients' own gradients
    # pull them apart by eta_T |grad_u f_i|, 1 / (1 - q) <= 10 rounds of them
    left = 0.05 * 0.998**rounds * apart * 10 + np.exp(-10) * np.abs(start).max()
    assert np.abs(state.z[0] - losses.u_star).max() < left
    assert np.abs(state.v[0] - losses.v_star).max() < left
    biased = world.follow(DFedAlt(**options), graph, start, rounds)
    assert np.abs(biased.z[0] - losses.u_star).max() > 20 * left


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eta_u": 0}, "dfedpgp: eta_u is 0; need a step size > 0"),
        ({"eta_v": "x"}, "dfedpgp: eta_v is 'x'; need a step size > 0"),
        ({"steps_u": 0}, "dfedpgp: steps_u is 0; need 1 <= K < 2\\*\\*32, or one a client"),
        (
            {"steps_v": (1, 0)},
            r"dfedpgp: steps_v is \(1, 0\); need 1 <= K < 2\*\*32, or one a client",
        ),
        ({"momentum": 1}, "dfedpgp: momentum is 1; need 0 <= momentum < 1"),
        ({"weight_decay": -1}, "dfedpgp: weight_decay is -1; need weight_decay >= 0"),
        ({"decay": 0}, "dfedpgp: decay is 0; need 0 < decay <= 1"),
        ({"batch": "one"}, "dfedpgp: batch is 'one'; need one of per-round, per-step"),
        ({"rho": 1}, "dfedpgp: unknown option 'rho'; need one of eta_u, eta_v, steps_u"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        algorithm("dfedpgp", **{**PLAIN, **options})


def test_a_missing_step_size_is_named():
    with pytest.raises(
        ValueError, match=r"^dfedpgp: no step size eta_v is given; need eta_u, eta_v$"
    ):
        algorithm("dfedpgp", eta_u=0.1)


def test_a_problem_without_a_personal_part_is_refused(bench):
    message = "^dfedpgp: log-cosh has 3 shared coordinates of 3; need a problem with a shared and"
    with pytest.raises(ValueError, match=message):
        DFedPGP(**PLAIN).init(bench.models(1), bench.losses)
    with pytest.raises(ValueError, match=r"^dfedpgp: init came without the problem"):
        DFedPGP(**PLAIN).init(bench.models(1))
