"""What the constants of a network promise, on networks drawn by Hypothesis.

Oracles are Fractions of the very float64 entries, so nothing is lost between the two.
"""

import functools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from theorylab import strategies as drawn
from theorylab.constants import consensus_pairs, delta, diameter, lambda2, sigma2, window
from theorylab.kernels import push_mix

EPS = float(np.finfo(np.float64).eps)
SEEDS = st.integers(0, 2**32 - 1)
ANY = st.one_of(drawn.column_stochastic(), drawn.doubly_stochastic(), drawn.metropolis())
DOUBLY = st.one_of(drawn.doubly_stochastic(), drawn.metropolis())


def gamma(k):
    return k * EPS / 2 / (1 - k * EPS / 2)


def times(A, B):
    n = len(A)
    return [[sum(A[i][k] * B[k][j] for k in range(n)) for j in range(n)] for i in range(n)]


def identity(n):
    return [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]


def relabelled(P, order):
    """Client i is called order[i] from now on."""
    made = np.zeros(P.shape)
    made[np.ix_(order, order)] = P.toarray()
    return drawn.to_csr(made.tolist())


def lazy(P, keep):
    """keep I + (1 - keep) P; for keep a power of two, rounded once per entry."""
    return drawn.to_csr((keep * np.eye(P.shape[0]) + (1 - keep) * P.toarray()).tolist())


def close(n):
    # The accuracy that the constants promise, 64 n eps, for both sides of a comparison; and the
    # rounding of the entries, n eps, which the norm passes on.
    return (2 * 64 + 2) * n * EPS


@given(drawn.periodic_sequences(), SEEDS)
def test_push_mix_keeps_the_mass(sequence, seed):
    n = sequence.clients
    x = np.random.default_rng(seed).standard_normal((n, 2))
    w = np.ones(n)
    for t in range(6):
        P = sequence.matrix(t)
        x1, w1, z = push_mix(P, x, w)
        for before, after in ((x[:, 0], x1[:, 0]), (x[:, 1], x1[:, 1]), (w, w1)):
            mass = sum(map(Fraction, after.tolist())) - sum(map(Fraction, before.tolist()))
            # entries rounded once (columns sum to 1 within n eps), then n-term sums of products
            assert abs(mass) <= 3 * gamma(n + 2) * np.abs(before).sum() * 2
        assert np.array_equal(z, x1 / w1[:, None])
        x, w = x1, w1


@settings(max_examples=60)
@given(drawn.periodic_sequences(), SEEDS, st.integers(0, 3), st.integers(1, 9))
def test_the_envelope_holds_on_random_vectors(sequence, seed, start, rounds):
    n, horizon = sequence.clients, start + rounds
    pairs = consensus_pairs(sequence, horizon)
    w = np.ones(n)
    for t in range(start):
        w = sequence.matrix(t) @ w
    x = np.random.default_rng(seed).standard_normal((n, 1))
    sizes = {"row": np.abs(x).max(), "spectral": np.linalg.norm(x)}
    mean = x.mean()
    for t in range(start, horizon + 1):
        gap = x[:, 0] / w - mean
        found = {"row": np.abs(gap).max(), "spectral": np.linalg.norm(gap)}
        # x and w are off by gamma_((n + 2) t) of the mass that went through them, w is the divisor
        off = 4 * gamma((n + 4) * (t + 2)) * n * max(sizes.values()) / w.min()
        for norm in found:
            C, q = pairs[norm]
            assert found[norm] <= C.value * q.value ** (t - start) * sizes[norm] + off
        x, w, _ = push_mix(sequence.matrix(t), x, w)


@settings(max_examples=60)
@given(drawn.periodic_sequences(st.integers(1, 4)), st.integers(1, 8))
def test_exact_products_lie_below_the_envelope_and_above_delta(sequence, horizon):
    n, phases = sequence.clients, sequence.exact
    C, q = consensus_pairs(sequence, horizon)["row"]
    weights = [[Fraction(1)] * n]
    for t in range(horizon):
        P = phases[t % len(phases)]
        weights.append([sum(P[i][j] * weights[-1][j] for j in range(n)) for i in range(n)])
    floor, known = min(map(min, weights)), delta(sequence, horizon)
    assert known.value <= floor
    assert known.lower <= floor <= known.upper
    for s in range(horizon):
        Phi = identity(n)
        for t in range(s, horizon + 1):
            M = [[Phi[i][j] / weights[t][i] - Fraction(1, n) for j in range(n)] for i in range(n)]
            row = max(sum(map(abs, line)) for line in M)
            # C and q are rounded upwards by more than the rounding of this product of floats;
            # columns that sum to 1 only within n eps leave M a rest of (t + 1) n eps / w.
            rest = 4 * (t + 1) * n * n * EPS / float(min(weights[t]))
            assert float(row) <= C.value * q.value ** (t - s) + rest
            Phi = times(phases[t % len(phases)], Phi)


@given(drawn.periodic_sequences(matrices="doubly"), st.integers(1, 12))
def test_doubly_stochastic_sequences_lose_no_weight(sequence, horizon):
    allowed = (horizon + 1) * (sequence.clients + 2) * EPS  # row sums are 1 within n eps
    assert 1 - allowed * 4 <= delta(sequence, horizon).value <= 1
    products = functools.reduce(
        lambda done, t: sequence.matrix(t) @ done, range(horizon), np.eye(sequence.clients)
    )
    assert np.abs(products.sum(axis=1) - 1).max() <= allowed


@given(drawn.periodic_sequences(connected=False, period=st.integers(1, 4)))
def test_the_window_is_the_smallest_that_joins_every_union(sequence):
    p, n = sequence.period, sequence.clients

    def joined(start, length):
        graph = nx.DiGraph()
        graph.add_nodes_from(range(n))
        for t in range(start, start + length):
            to, of = sequence.matrix(t).nonzero()
            graph.add_edges_from(zip(of.tolist(), to.tolist(), strict=True))
        return nx.is_strongly_connected(graph)

    fits = [B for B in range(1, p + 1) if all(joined(s, B) for s in range(p))]
    assert window(sequence, 10).value == min(fits, default=math.inf)


@given(ANY, st.data())
def test_names_of_clients_do_not_matter(P, data):
    n = P.shape[0]
    Q = relabelled(P, data.draw(drawn.permutations(n)))
    assert diameter(Q).value == diameter(P).value
    assert abs(lambda2(Q).value - lambda2(P).value) <= close(n)
    assert abs(sigma2(Q).value - sigma2(P).value) <= close(n) * math.sqrt(n)  # ||P|| <= sqrt(n)


@settings(max_examples=40)
@given(drawn.periodic_sequences(connected=False), st.data())
def test_names_of_clients_do_not_matter_to_a_sequence(sequence, data):
    order = data.draw(drawn.permutations(sequence.clients))
    other = drawn.Periodic([relabelled(sequence.matrix(t), order) for t in range(sequence.period)])
    assert window(other, 9).value == window(sequence, 9).value
    one, two = delta(sequence, 9), delta(other, 9)
    assert one.lower <= two.upper  # both enclose the same number
    assert two.lower <= one.upper


@given(DOUBLY)
def test_a_doubly_stochastic_matrix_and_its_transpose_mix_alike(P):
    n, T = P.shape[0], drawn.to_csr(P.toarray().T.tolist())
    assert abs(lambda2(T).value - lambda2(P).value) <= close(n)
    assert abs(sigma2(T).value - sigma2(P).value) <= close(n)
    # P maps the complement of 1 into itself, with norm sigma2 there.
    assert abs(sigma2(P).value - np.linalg.norm(P.toarray() - 1 / n, 2)) <= close(n)
    assert lambda2(P).value <= sigma2(P).value + close(n)
    assert sigma2(P).value <= 1 + close(n)


@given(drawn.column_stochastic(connected=False, self_loops=False))
def test_turning_every_edge_around_keeps_the_diameter(P):
    reverse = drawn.to_csr(P.toarray().T.tolist())
    assert diameter(P).value == diameter(reverse).value


@given(drawn.column_stochastic(n=2, connected=False, self_loops=False, exact=True))
def test_two_clients_have_the_trace_less_one(P):
    expected = abs(float(P[0][0] + P[1][1] - 1))  # det(P - x) = (x - 1) (x - (trace - 1))
    assert abs(lambda2(drawn.to_csr(P)).value - expected) <= close(2)


@given(drawn.column_stochastic(connected=False, self_loops=False, exact=True))
def test_traces_of_exact_powers_lie_below_the_second_eigenvalue(P):
    # |tr P^k - 1| = |sum of the other k-th powers| <= (n - 1) |lambda_2|^k.
    n, value = len(P), lambda2(drawn.to_csr(P)).value
    power = identity(n)
    for k in range(1, 9):
        power = times(P, power)
        rest = abs(sum(power[i][i] for i in range(n)) - 1)
        assert float(rest) <= (n - 1) * (value + close(n)) ** k + k * n * EPS


@given(drawn.column_stochastic(connected=False, self_loops=False), st.sampled_from([0.5, 0.25]))
def test_self_loops_change_no_distance_and_no_window(P, keep):
    # True of the edges: a path or a cut never uses a self-loop.
    slow = lazy(P, keep)
    assert diameter(slow).value == diameter(P).value
    assert window(drawn.Periodic([slow]), 3).value == window(drawn.Periodic([P]), 3).value


@given(drawn.strongly_connected_digraphs(), st.sampled_from([0.5, 0.25]))
def test_self_loops_end_every_period(graph, keep):
    # Without loops the ring itself has |lambda_2| = 1. With them the only eigenvalue of modulus 1
    # is 1, and it is simple, the graph being strongly connected.
    if graph.clients == 1:
        return
    P = np.zeros((graph.clients, graph.clients))
    for a, b in graph.edges:
        P[b, a] = 1
    P = drawn.to_csr((P / P.sum(axis=0)).tolist())
    assert lambda2(P).value <= 1
    assert lambda2(lazy(P, keep)).value < 1


@given(drawn.metropolis(), st.sampled_from([0.5, 0.25, 0.75]))
def test_more_laziness_only_slows_a_positive_semidefinite_matrix(P, keep):
    # (I + P) / 2 has eigenvalues in [0, 1], so a further share a gives a + (1 - a) lambda_2. It is
    # false of P itself: a negative eigenvalue gets smaller in modulus, and P may mix faster.
    n = P.shape[0]
    base = lazy(P, 0.5)
    slow = lambda2(lazy(base, keep)).value
    expected = keep + (1 - keep) * lambda2(base).value if n > 1 else 0
    assert abs(slow - expected) <= close(n)
    assert slow >= lambda2(base).value - close(n)


@given(drawn.doubly_stochastic(), st.sampled_from([0.5, 0.25, 0.75]))
def test_laziness_costs_no_more_than_its_share(P, keep):
    bound = keep + (1 - keep) * sigma2(P).value  # the triangle inequality on the complement of 1
    assert sigma2(lazy(P, keep)).value <= bound + close(P.shape[0])
