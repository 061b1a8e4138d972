"""The oracle builds every M(t, s) by plain products and tries q on a fine grid."""

import math

import numpy as np
import pytest

from theorylab.constants import _products, consensus_pair, consensus_pairs, consensus_sample
from theorylab.known import How
from theorylab.topologies import topology

EDGES = [[i, (i + 1) % 8] for i in range(8)] + [[0, 4], [0, 2], [3, 6]]
EXAMPLE = ("edge-list", 8, {"edges": EDGES}, 30)
NAMED = {
    "row": lambda M, w: np.abs(M).sum(axis=1).max(),
    "spectral": lambda M, w: np.linalg.norm(M, 2),
    "entry": lambda M, w: np.abs(w[:, None] * M).max(),
}


def brute_heights(built, horizon, run=0):
    """norm -> largest norm for every lag, straight from the definition."""
    n = built.clients
    P = [built.matrix(t, run).toarray() for t in range(horizon)]
    w = [np.ones(n)]
    for t in range(horizon):
        w.append(P[t] @ w[-1])
    heights = {norm: np.zeros(horizon + 1) for norm in NAMED}
    for s in range(horizon + 1):
        Phi = np.eye(n)
        for t in range(s, horizon + 1):
            M = Phi / w[t][:, None] - 1 / n
            for norm, size in NAMED.items():
                heights[norm][t - s] = max(heights[norm][t - s], size(M, w[t]))
            Phi = P[t] @ Phi if t < horizon else Phi
    return heights


def brute_envelope(heights, first_lag):
    lags = np.arange(len(heights))
    seen = (lags >= first_lag) & (heights > 1e-13)  # below is the rounding of this oracle
    q = np.linspace(1e-4, 1, 200_000, endpoint=False)
    C = np.zeros_like(q)
    for lag in lags[seen]:
        C = np.maximum(C, heights[lag] / q**lag)
    return (C / (1 - q)).min()


CASES = [
    EXAMPLE,
    ("directed-ring", 6, {}, 20),
    ("one-peer-exponential", 6, {}, 25),
    ("star", 5, {"weights": "uniform"}, 25),
    ("random-out", 7, {"degree": 2, "seed": 1}, 20),
    ("erdos-renyi", 6, {"p": 0.3, "time_varying": True}, 18),
]


@pytest.mark.parametrize("norm", NAMED)
@pytest.mark.parametrize("first_lag", [0, 1])
@pytest.mark.parametrize(("name", "n", "options", "horizon"), CASES)
def test_the_pair_is_an_envelope_and_as_small_as_the_grid_finds(
    name, n, options, horizon, first_lag, norm
):
    built = topology(name, n, **options)
    heights = brute_heights(built, horizon)[norm]
    C, q = consensus_pair(built, horizon, norm=norm, first_lag=first_lag)
    lags = np.arange(first_lag, horizon + 1)
    # no tolerance but the rounding of the oracle's own products, absolute
    assert np.all(heights[first_lag:] <= C.value * q.value**lags + 1e-13)
    assert C.how is q.how is How.UPPER
    best = brute_envelope(heights, first_lag)
    # the grid's step 5e-6 in q; 1e-4 as asked, and never above it by more
    assert C.value / (1 - q.value) == pytest.approx(best, rel=1e-4)


def test_the_worked_example_has_the_published_pair():
    built = topology("edge-list", 8, edges=EDGES)
    for horizon in (40, 12_000):
        C, q = consensus_pair(built, horizon, norm="row", first_lag=1)
        assert (C.value, q.value) == pytest.approx((2.9574, 0.7796), abs=6e-5)
    # With lag 0 the pair still creeps up with the horizon, as q < |lambda_2| = 0.7786 has to.
    pairs = consensus_pairs(built, 61)
    C, q = pairs["row"]
    assert (C.value, q.value) == pytest.approx((3.1575, 0.7780), abs=6e-5)
    assert C.value / (1 - q.value) == pytest.approx(14.22, abs=6e-3)
    # Published as (2.3322, .7747) for a horizon nobody wrote down; q grows by 4e-4 from 63 to 64.
    shorter, longer = (consensus_pairs(built, horizon)["spectral"] for horizon in (63, 64))
    assert shorter[0].value == pytest.approx(2.3322, abs=6e-5)
    assert shorter[1].value < 0.7747 < longer[1].value


def test_no_q_of_a_long_horizon_is_below_the_second_eigenvalue():
    built = topology("edge-list", 8, edges=EDGES)
    second = np.sort(np.abs(np.linalg.eigvals(built.matrix(0).toarray())))[-2]
    for C, q in consensus_pairs(built, 12_000).values():
        # ||M|| at lag l is at least a constant times |lambda_2|^l; the tail's H-th root adds 0.1 %
        assert second < q.value < 1.001 * second
        assert "the rest from ||N||" in C.source


@pytest.mark.parametrize("name", ["directed-ring", "ring", "hypercube"])
def test_a_normal_matrix_has_its_second_eigenvalue_and_C_one(name):
    built = topology(name, 8)
    second = np.sort(np.abs(np.linalg.eigvals(built.matrix(0).toarray())))[-2]
    C, q = consensus_pair(built, 3000)
    assert q.value == pytest.approx(second, rel=1e-5)  # (1 + 1e-3)^(1/H) in the tail
    assert C.value == pytest.approx(1, rel=1e-5)


def test_the_tail_certificate_holds_on_a_horizon_that_can_be_computed(monkeypatch):
    built = topology("edge-list", 8, edges=EDGES)
    heights = brute_heights(built, 100)
    monkeypatch.setattr(_products, "VANISHED", 1e-3)
    monkeypatch.setattr(_products, "DECAYED", 1e-3)
    for norm, (C, q) in consensus_pairs(built, 100).items():
        assert "the rest from" in C.source
        assert np.all(heights[norm] <= C.value * q.value ** np.arange(101) + 1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 10])
@pytest.mark.parametrize("name", ["complete", "random-out"])
def test_the_complete_graph_forgets_in_one_round(name, n):
    options = {"degree": n - 1} if name == "random-out" else {}
    for norm, (C, q) in consensus_pairs(topology(name, n, **options), 50).items():
        assert q.value == 0
        # M(t, t) = I - 11^T/n: norm 1, row sum 2 (n - 1) / n
        lag0 = {"row": 2 * (n - 1) / n, "spectral": float(n > 1), "entry": 1 - 1 / n}[norm]
        assert C.value == pytest.approx(lag0, rel=2e-9)


def test_many_starts_in_small_blocks_give_the_same(monkeypatch):
    built = topology("random-out", 7, degree=2, seed=1)
    whole = consensus_pairs(built, 20)
    monkeypatch.setattr(_products, "STACK", 3 * 49)
    for norm, (C, q) in consensus_pairs(built, 20).items():
        assert (C.value, q.value) == (whole[norm][0].value, whole[norm][1].value)


def test_above_the_exact_size_the_two_norm_is_bounded_and_says_so(monkeypatch):
    built = topology("random-out", 7, degree=2, seed=1)
    tight = consensus_pair(built, 20)
    monkeypatch.setattr(_products, "EXACT", 4)
    C, q = consensus_pair(built, 20)
    assert C.value / (1 - q.value) >= tight[0].value / (1 - tight[1].value)
    heights = brute_heights(built, 20)["spectral"]
    assert np.all(heights <= C.value * q.value ** np.arange(21))


@pytest.mark.parametrize(
    ("built", "reason"),
    [
        (
            topology("edge-list", 2, edges=[], allow_disconnected=True),
            "client 1 cannot be reached from client 0",
        ),
        (topology("directed-ring", 4, self_loops=False), r"no q < 1 found: \|\|N\(r \+ "),
    ],
)
def test_where_nothing_decays_there_is_no_pair(monkeypatch, built, reason):
    monkeypatch.setattr(_products, "BUDGET", 1e4)
    C, q = consensus_pair(built, 5000)
    assert C.value == q.value == math.inf
    with pytest.raises(ValueError, match=reason):
        raise ValueError(C.source)


def test_a_client_without_weight_has_no_debiased_model():
    edges = [[0, 1], [1, 0], [1, 2], [2, 1]]
    built = topology("edge-list", 3, edges=edges, self_loops=False)
    assert consensus_pair(built, 5)[0].value > 0  # bipartite, but every client has inflow
    drawn = topology("random-out", 5, degree=1, self_loops=False, seed=1)
    C, _ = consensus_pair(drawn, 5)
    assert C.value == math.inf
    assert "holds no weight at round" in C.source


def test_bad_arguments_are_named():
    built = topology("ring", 4)
    with pytest.raises(ValueError, match="horizon is 0, first_lag 0; need >= 1 and 0 or 1"):
        consensus_pair(built, 0)
    with pytest.raises(ValueError, match="norm is 'max'; need one of row, spectral, entry"):
        consensus_pair(built, 5, norm="max")


def test_a_sample_of_runs_is_an_estimate_and_takes_the_worst():
    built = topology("random-out", 6, degree=2)
    found = consensus_sample(built, 12, 4)
    for norm, (C, q) in found.items():
        each = [consensus_pairs(built, 12, run)[norm] for run in range(4)]
        assert C.value / (1 - q.value) == max(c.value / (1 - p.value) for c, p in each)
        assert C.how is q.how is How.ESTIMATE
        assert "worst of 4 runs" in C.source
    with pytest.raises(ValueError, match="consensus_sample: runs is 0; need at least 1"):
        consensus_sample(built, 12, 0)
