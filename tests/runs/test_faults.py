"""Faults: what they do to P(t), that mass is conserved or its loss noticed, and who works."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab.algorithms import OSGP, Context, Delayed, DFedAvg, DFedSGPSM, MassError
from theorylab.problems import problem
from theorylab.runs import Faults, Snapshot, simulate
from theorylab.topologies import Topology, topology

GRAPH = topology("random-out", 6, degree=3, seed=2)
RUNS = np.arange(4)


def losses(sigma=0.0):
    centers = 4 + 3 * np.random.default_rng(4).normal(size=(6, 2))
    return problem("quadratic", 6, mu=0.5, L=1.0, c=centers, sigma=sigma, seed=4)


def parts_of(made):
    """[[now, late 1, ...] of run 0, ...] as dense arrays."""
    if isinstance(made, Delayed):
        return [
            [made.now[r].toarray(), *(late[r].toarray() for late in made.later)]
            for r in range(len(made.now))
        ]
    return [[P.toarray()] for P in made]


@settings(max_examples=60)
@given(loss=st.floats(0, 1), failing=st.floats(0, 1), delay=st.integers(0, 3), t=st.integers(0, 50))
def test_with_shares_kept_by_the_sender_columns_still_sum_to_one(loss, failing, delay, t):
    faults = Faults(loss=loss, failing=failing, delay=delay)
    made, effort, conserves = faults.apply(GRAPH.matrix(t), 1, RUNS, t, True)
    if isinstance(made, list | Delayed):
        for parts in parts_of(made):
            total = sum(parts)
            # 4 entries a column and a diagonal of at most 4 shares: 8 roundings
            assert np.abs(total.sum(axis=0) - 1).max() <= 8 * np.finfo(float).eps
            for late in parts[1:]:
                assert (np.diag(late) == 0).all(), "a client's own share is never late"
    assert conserves
    assert effort is None or set(np.unique(effort)) <= {0.0, 1.0}


def test_messages_are_lost_at_the_stated_rate_and_the_share_goes_where_it_should():
    P, kept = GRAPH.matrix(0).toarray(), 0
    edges = (P > 0) & ~np.eye(6, dtype=bool)
    for on_loss in ("sender", "receiver", "drop"):
        faults = Faults(loss=0.3, on_loss=on_loss)
        lost_share = []
        for t in range(400):
            made, _, conserves = faults.apply(GRAPH.matrix(0), 7, RUNS, t, True)
            assert conserves == (on_loss == "sender")
            for (now,) in parts_of(made):
                lost = edges & (now == 0)
                kept += 1
                lost_share.append(lost.sum() / edges.sum())
                own = np.diag(now) - np.diag(P)
                axis = {"sender": 0, "receiver": 1}.get(on_loss)
                expected = 0 if axis is None else (P * lost).sum(axis=axis)
                assert np.allclose(own, expected, rtol=0, atol=1e-15)
                assert np.array_equal(now[edges & ~lost], P[edges & ~lost])
        # 1600 * 18 messages: Hoeffding, off by .02 with probability < 1e-9
        assert abs(np.mean(lost_share) - 0.3) < 0.02


def test_a_client_that_is_down_neither_works_nor_talks():
    faults = Faults(down=[(2, 3, 5)])
    for t in range(8):
        made, effort, _ = faults.apply(GRAPH.matrix(t), 0, RUNS, t, True)
        if not 3 <= t <= 5:
            assert effort is None
            assert made is GRAPH.matrix(t) or np.array_equal(
                made.toarray(), GRAPH.matrix(t).toarray()
            )
            continue
        assert (effort[:, 2] == 0).all()
        assert (np.delete(effort, 2, axis=1) == 1).all()
        for (now,) in parts_of(made):
            alone = np.eye(6)[2]
            assert np.array_equal(now[:, 2], alone)
            assert np.array_equal(now[2], alone)


def test_delays_are_uniform_and_every_message_arrives_once():
    counts = np.zeros(4)
    for t in range(300):
        made, _, _ = Faults(delay=3, delay_probability=0.6).apply(GRAPH.matrix(t), 0, RUNS, t, True)
        P = GRAPH.matrix(t).toarray()
        edges = (P > 0) & ~np.eye(6, dtype=bool)
        for parts in parts_of(made):
            assert np.array_equal(sum(parts), P)
            counts += [(part[edges] > 0).sum() for part in parts]
    # 300 * 4 * 18 messages: Hoeffding, off by .02 with probability < 1e-7
    assert np.abs(counts / counts.sum() - [0.4, 0.2, 0.2, 0.2]).max() < 0.02


@pytest.mark.parametrize(
    "faults",
    [
        Faults(loss=0.3),
        Faults(failing=0.2),
        Faults(delay=3),
        Faults(stragglers=0.5),
        Faults(loss=0.2, failing=0.1, delay=2, stragglers=0.3),
    ],
    ids=["loss", "failing", "delay", "stragglers", "all"],
)
def test_no_mass_is_lost_and_push_sum_still_reaches_the_average_optimum(faults):
    method = OSGP(0.03, local_steps=1, decay=0.998)
    seen = []

    def audit(snapshot: Snapshot):
        state = snapshot.state
        waiting = 0 if state.flight is None else state.flight[1].sum(axis=(1, 2))
        seen.append(np.abs(state.w.sum(axis=1) + waiting - 6).max())

    trace = simulate(losses(), GRAPH, method, rounds=2000, runs=2, graph_run=None, faults=faults,
                     every=500, checkpoint=audit)  # fmt: skip
    assert max(seen) < 2000 * 6 * np.finfo(float).eps  # a rounding a client and round
    z = trace.final_x / trace.final_w[:, :, None]
    # the step size ends at 5e-4; clients that work less weigh less: heterogeneity is left to them
    bias = 0.02 if faults.stragglers == faults.failing == 0 else 0.2
    assert np.linalg.norm(z - losses().optimum, axis=2).max() < bias


def test_dropped_mass_is_gone_and_a_network_that_loses_it_silently_is_caught():
    dropped = simulate(
        losses(), GRAPH, OSGP(0.01), rounds=30, faults=Faults(loss=0.3, on_loss="drop")
    )
    assert dropped.final_w.sum() < 1

    class Leaky(Topology):
        def _build(self, t, run):
            return GRAPH.matrix(t, run) * (1 - 1e-9 * (t == 4))

    with pytest.raises(MassError, match=r"round 4: the sum of .* changed by .*e-09 more than"):
        simulate(losses(), Leaky(6, period=None, options={}), OSGP(0.01), rounds=6)


def test_mass_in_flight_is_counted_and_losing_it_is_caught():
    state = []
    simulate(losses(), GRAPH, OSGP(0.01), rounds=4, faults=Faults(delay=2),
             checkpoint=lambda snapshot: state.append(snapshot.state))  # fmt: skip
    x_way, w_way = state[-1].flight
    assert (w_way >= 0).all()
    assert w_way.sum() > 0.1
    assert x_way.shape == (1, 2, 6, 2)


def test_what_is_on_the_way_still_arrives_when_the_delays_end():
    method, kept = OSGP(0.01), []
    simulate(losses(), GRAPH, method, rounds=4, faults=Faults(delay=2),
             checkpoint=lambda snapshot: kept.append(snapshot.state))  # fmt: skip
    state = kept[-1]
    for t in (4, 5):
        state = method.step(state, Context(losses(), GRAPH.matrix(t, 0), 0, np.arange(1)))
    assert state.flight[1].sum() == 0
    assert abs(state.w.sum() - 6) < 1e-14  # 6 rounds of sums of 6 weights


def test_a_delay_of_everything_by_one_round_is_the_recursion_with_old_messages():
    # every message takes exactly one round: x' = D x + O x_before, D the diagonal, O the rest
    graph, x = topology("directed-ring", 6), np.random.default_rng(1).normal(size=(6, 2))
    flat = problem("quadratic", 6, dim=2, mu=1e-300, L=1e-300, heterogeneity=0.0)
    trace = simulate(flat, graph, OSGP(1.0, local_steps=1), rounds=5, x0=x,
                     faults=Faults(delay=1, delay_probability=1.0))  # fmt: skip
    P = graph.matrix(0).toarray()
    own, others = np.diag(np.diag(P)), P - np.diag(np.diag(P))
    now, way, w, w_way = x, np.zeros((6, 2)), np.ones(6), np.zeros(6)
    for _ in range(5):
        now, way = own @ now + way, others @ now
        w, w_way = own @ w + w_way, others @ w
    # 5 rounds of three-term sums of numbers of size <= 3
    assert np.allclose(trace.final_x[0], now, rtol=0, atol=1e-14)
    assert np.allclose(trace.final_w[0], w, rtol=0, atol=1e-15)


@pytest.mark.parametrize("start", [2.225073858507e-311, 5e-324, 1e-300, 1e300])
def test_numbers_too_small_for_relative_rounding_are_no_lost_mass(start):
    ring = topology("directed-ring", 3)
    flat = problem("log-cosh", 3, dim=2, scale=1e-300)
    for dtype in (np.float64, np.float32) if start < 1e30 else (np.float64,):
        trace = simulate(flat, ring, OSGP(0.5, local_steps=1), rounds=9, x0=start, dtype=dtype)
        assert np.isfinite(trace.final_x).all()


def test_runs_are_their_own_batch_and_seeds_differ():
    faults = Faults(loss=0.3, failing=0.1, delay=2, stragglers=0.3)
    options = {"rounds": 6, "seed": 3, "faults": faults}
    method = DFedSGPSM(0.05, 0.5, 0.1, 3)
    together = simulate(losses(0.5), GRAPH, method, runs=[4, 0, 7], **options)
    for row, run in enumerate([4, 0, 7]):
        alone = simulate(losses(0.5), GRAPH, method, runs=[run], **options)
        assert np.array_equal(together.final_x[row], alone.final_x[0])
    other = simulate(losses(0.5), GRAPH, method, runs=[4], **{**options, "seed": 4})
    assert not np.array_equal(other.final_x[0], together.final_x[0])


def test_stragglers_do_a_share_of_their_steps():
    _, effort, _ = Faults(stragglers=0.4).apply(GRAPH.matrix(0), 0, np.arange(2000), 0, True)
    slow = effort < 1
    # 12000 clients: Hoeffding, off by .02 with probability < 2e-4 each; the seed is fixed
    assert abs(slow.mean() - 0.4) < 0.02
    assert abs(effort[slow].mean() - 0.5) < 0.02
    assert abs((effort[slow] ** 2).mean() - 1 / 3) < 0.02  # uniform, not always one half
    assert (effort > 0).all()


def test_gossip_refuses_delays():
    with pytest.raises(ValueError, match="no push-sum weights"):
        simulate(losses(), GRAPH, DFedAvg(0.1), rounds=2, faults=Faults(delay=1))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"loss": 1.5}, ValueError, r"faults: loss is 1\.5; need 0 <= loss <= 1"),
        ({"loss": "x"}, TypeError, "faults: loss is 'x'; need a probability"),
        ({"on_loss": "keep"}, ValueError, "on_loss is 'keep'; need one of sender, receiver, drop"),
        ({"delay": -1}, ValueError, "delay is -1; need rounds, an integer >= 0"),
        ({"delay": 1.5}, ValueError, r"delay is 1\.5; need rounds"),
        ({"down": [(0, 5, 2)]}, ValueError, r"down has \(0, 5, 2\); need \(client, first, last\)"),
    ],
)
def test_bad_options_are_named(options, error, message):
    with pytest.raises(error, match=message):
        Faults(**options)


def test_a_client_that_does_not_exist_cannot_be_down():
    with pytest.raises(ValueError, match=r"down names client 9; need 0\.\.5"):
        simulate(losses(), GRAPH, OSGP(0.1), rounds=1, faults=Faults(down=[(9, 0, 1)]))
