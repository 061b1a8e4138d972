import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from theorylab.registry import restored
from theorylab.topologies import from_function, topology


def ring(t, clients):
    P = np.eye(clients) / 2
    P[(np.arange(clients) + 1 + t % 2) % clients, np.arange(clients)] += 0.5
    return P


def matching(t, draws, clients):
    order, P = draws.permutation(clients), np.eye(clients)
    for i, j in zip(order[::2], order[1::2], strict=False):
        P[i, i] = P[j, j] = P[i, j] = P[j, i] = 0.5
    return csr_array(P)


def test_a_function_of_the_round_is_asked_once_a_phase():
    asked = []

    def f(t):
        asked.append(t)
        return ring(t, 4)

    made = from_function(f, clients=4, period=2)
    for t in (5, 0, 3):
        assert np.array_equal(made.matrix(t).toarray(), ring(t, 4))
    assert asked == [0, 1]


def test_without_a_period_every_round_is_its_own():
    made = from_function(lambda t: np.roll(np.eye(3), t, axis=0))
    assert (made.clients, made.period) == (3, None)
    assert np.array_equal(made.matrix(4, run=2).toarray(), np.roll(np.eye(3), 1, axis=0))


def test_a_law_is_a_function_of_seed_run_and_round():
    with restored():
        made = from_function(matching, clients=6, name="matching-of-mine")
        again = topology("matching-of-mine", 6)
        other = topology("matching-of-mine", 6, seed=1)
        backward = [again.matrix(t, 2).toarray() for t in (3, 2, 1, 0)][::-1]
        forward = [made.matrix(t, 2).toarray() for t in range(4)]
        assert np.array_equal(forward, backward)
        assert not np.array_equal(forward, [made.matrix(t, 3).toarray() for t in range(4)])
        assert not np.array_equal(forward, [other.matrix(t, 2).toarray() for t in range(4)])
        assert not np.array_equal(forward[0], forward[1])
        assert topology(**other.describe()).seed == 1
        assert topology("matching-of-mine", 9).matrix(0).shape == (9, 9)


def test_a_law_of_pairs_pairs_all_alike():
    made, seen = from_function(matching, clients=4), np.zeros((4, 4))
    for t in range(3000):
        seen += made.matrix(t).toarray() > 0
    # each of the three pairings has probability 1/3; 3000 rounds, off by .05 below 1e-6
    assert np.abs(seen[~np.eye(4, dtype=bool)] / 3000 - 1 / 3).max() < 0.05


def test_a_graph_has_the_weights_of_from_networkx():
    made = from_function(lambda t: nx.path_graph(3), period=1)
    assert np.array_equal(made.matrix(0).toarray(), topology("path", 3).matrix(0).toarray())


def leaks(t):
    P = ring(t, 3)
    P[:, 2] *= 0.9 if t == 4 else 1.0
    return P


def test_the_round_and_the_column_of_a_leak_are_named_at_first_use():
    with restored():
        made = from_function(leaks, name="leaks")
        made.matrix(3)
        with pytest.raises(ValueError, match=r"^leaks \(tests.topologies.test_from_function\.py, "
                           r"line \d+\): t=4: column 2 of P sums to 0\.9; need 1$"):  # fmt: skip
            made.matrix(4)


@pytest.mark.parametrize(
    ("f", "options", "error", "message"),
    [
        (3, {}, TypeError, "f is 3; need a function of t"),
        (lambda: 0, {}, ValueError, "it takes nothing; need t"),
        (lambda t, n: 0, {}, ValueError, "it takes t, n; need t, then any of draws and clients"),
        (matching, {"period": 2, "clients": 4}, ValueError, "f takes draws; need period=None"),
        (ring, {}, ValueError, "f takes clients; need clients="),
        (lambda t: np.eye(3), {"clients": 4}, ValueError, r"t=0: P has shape \(3, 3\); need \(4"),
        (lambda t: np.ones((2, 3)), {}, ValueError, r"t=0: P has shape \(2, 3\)"),
        (lambda t: None, {}, TypeError, "t=0: it is a NoneType; need"),
        (lambda t: np.eye(2), {"period": 0}, ValueError, "period is 0; need at least 1"),
    ],
)
def test_what_is_no_network_is_told_in_one_line(f, options, error, message):
    with pytest.raises(error, match=message) as caught:
        from_function(f, **{"period": 1, **options} if f is not matching else options)
    assert "\n" not in str(caught.value)
