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


def brute_envelope(heights, first_lag, second=0.0):
    """min C/(1-q) over q >= ``second`` for the lags seen: no pair of all lags can be smaller."""
    lags = np.arange(len(heights))
    seen = (lags >= first_lag) & (heights > 1e-12)  # below is the rounding of this oracle
    q = np.linspace(max(1e-4, second), 1, 200_000, endpoint=False)
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


def second_modulus(built):
    """|lambda_2| for one round, of the product over a period."""
    product = np.eye(built.clients)
    for t in range(built.period):
        product = built.matrix(t).toarray() @ product
    return np.sort(np.abs(np.linalg.eigvals(product)))[-2] ** (1 / built.period)


@pytest.mark.parametrize("norm", NAMED)
@pytest.mark.parametrize("lags", ["all", "positive", "least"])
@pytest.mark.parametrize(("name", "n", "options", "horizon"), CASES)
def test_the_pair_is_an_envelope_and_as_small_as_the_grid_finds(
    name, n, options, horizon, lags, norm
):
    built = topology(name, n, **options)
    forever = built.period is not None
    horizon = 60 if forever else horizon
    heights = brute_heights(built, horizon)[norm]
    if lags == "least":
        heights[0] = NAMED[norm](np.eye(n) - 1 / n, np.ones(n))
    C, q = consensus_pair(built, 3 if forever else horizon, norm=norm, lags=lags)
    first = int(lags == "positive")
    # no tolerance but the rounding of the oracle's own products, absolute
    assert np.all(heights[first:] <= C.value * q.value ** np.arange(first, horizon + 1) + 1e-13)
    assert C.how is q.how is How.UPPER
    assert C.within == q.within == ("" if forever else f"rounds 0..{horizon}, run 0")
    best = brute_envelope(heights, first, second_modulus(built) if forever else 0.0)
    # The grid's step is 5e-6 in q. The tail may cost 2 %, see _products.SLACK.
    assert best * (1 - 1e-4) <= C.value / (1 - q.value) <= best * (1.02 if forever else 1 + 1e-4)


def test_the_worked_example_has_the_published_pair():
    built = topology("edge-list", 8, edges=EDGES)
    C, q = consensus_pair(built, 40, norm="row", lags="positive")
    assert (C.value, q.value) == pytest.approx((2.9574, 0.7796), abs=6e-5)


@pytest.mark.parametrize("name", ["ring", "star", "one-peer-exponential", "directed-exponential"])
def test_the_pair_of_a_network_does_not_depend_on_the_rounds_of_a_run(name):
    built = topology(name, 6)
    assert consensus_pairs(built, 1) == consensus_pairs(built, 500)


def test_two_sources_have_the_pair_of_their_eigenvalue():
    # Two sources of 50 listeners each: rows sum to 1/51^t but for the sources' own lag 0.
    C, q = consensus_pair(topology("two-sources", 102), 2, norm="row")
    assert q.value == pytest.approx(1 / 51, rel=1e-3)
    assert C.value == pytest.approx(2 * (1 - 1 / 102), rel=1e-6)


def test_a_defective_eigenvalue_needs_a_larger_q():
    # De Bruijn: P^2 = 11^T/4, so |lambda_2| = 0, but P is not 11^T/4
    edges = [[j, i % 4] for j in range(4) for i in (2 * j, 2 * j + 1)]
    built = topology("edge-list", 4, edges=edges, self_loops=False)
    for C, q in consensus_pairs(built, 3).values():
        assert 0 < q.value < 1
        assert C.within == ""


@pytest.mark.parametrize("norm", NAMED)
@pytest.mark.parametrize(("name", "n", "options", "horizon"), CASES)
def test_every_pair_of_the_curve_is_an_envelope(name, n, options, horizon, norm):
    built = topology(name, n, **options)
    heights = brute_heights(built, horizon)[norm]
    C, q = consensus_pair(built, horizon, norm=norm)
    rates = C.pairs.rates()
    assert q.value in rates
    for rate in [*rates, (1 + q.value) / 2]:
        factor = C.pairs.C(rate)
        assert np.all(heights <= factor * rate ** np.arange(horizon + 1) + 1e-13)
        assert factor / (1 - rate) >= C.value / (1 - q.value) * (1 - 1e-12)
    if C.pairs.q_min:
        assert C.pairs.C(C.pairs.q_min * 0.999) == math.inf


def test_no_q_is_below_the_second_eigenvalue():
    built = topology("edge-list", 8, edges=EDGES)
    second = np.sort(np.abs(np.linalg.eigvals(built.matrix(0).toarray())))[-2]
    for C, q in consensus_pairs(built, 1).values():
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
        (topology("directed-ring", 4, self_loops=False), r"lambda_2\| = 1: the closed class has"),
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
    with pytest.raises(ValueError, match="horizon is 0; need >= 1"):
        consensus_pair(built, 0)
    with pytest.raises(ValueError, match="norm is 'max'; need one of row, spectral, entry"):
        consensus_pair(built, 5, norm="max")
    with pytest.raises(ValueError, match="lags is 'some'; need one of all, positive, least"):
        consensus_pair(built, 5, lags="some")


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
