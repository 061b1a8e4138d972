"""Whole rounds in one call are the kernels one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from theorylab import _core
from theorylab.kernels import (
    ClientLosses,
    DrawnNetwork,
    Mixing,
    get_threads,
    push_mix,
    random_mixing,
    rounds,
    set_threads,
)

ONE = np.zeros(1, np.int64)


def losses(n, d=3, noise=0.5, dtype=np.float64):
    rng = np.random.default_rng(n)
    H = np.eye(d) + np.zeros((n, d, d))
    centers = rng.normal(size=(n, d)).astype(dtype)
    return ClientLosses.quadratic(H.astype(dtype), centers, noise)


def ring(n):
    """One matrix: a client keeps half, and the next one gets half."""
    return Mixing([csr_array(0.5 * np.eye(n) + 0.5 * np.roll(np.eye(n), 1, axis=0))])


def start(table, R):
    rng = np.random.default_rng(R)
    x = rng.normal(size=(R, table.clients, table.dim)).astype(table.dtype)
    return x, np.ones(x.shape[:2], table.dtype)


def one_by_one(table, network, x, w, *, seed, first, etas, runs, graphs, push_sum=True, **options):
    """The same rounds by three calls each."""
    z = x
    for t, eta in enumerate(etas, start=first):
        half = table.local_steps(x, w, seed=seed, runs=runs, round=t, eta=eta, **options)
        P = [
            random_mixing(
                network.seed, t, np.array([run]), network.clients, network.degree,
                self_loops=network.self_loops,
            )[0]
            for run in graphs
        ]  # fmt: skip
        x, after, z = push_mix(P if len(P) > 1 else P[0], half, w)
        w = after if push_sum else w
    return x, w, z


@given(
    n=st.integers(1, 9),
    R=st.integers(1, 3),
    T=st.integers(1, 6),
    first=st.integers(0, 20),
    single=st.booleans(),
    push_sum=st.booleans(),
    own=st.booleans(),
    data=st.data(),
)
def test_rounds_are_the_kernels_one_by_one(n, R, T, first, single, push_sum, own, data):
    table = losses(n, dtype=np.float32 if single else np.float64)
    network = DrawnNetwork(n, data.draw(st.integers(0, n - 1)), True, 7)
    x, w = start(table, R)
    kept = x.copy(), w.copy()
    counts = np.arange(R * n).reshape(R, n) % 3
    asked = {
        "seed": 5, "first": first, "etas": np.linspace(0.3, 0.1, T), "runs": np.arange(R) + 2,
        "graphs": np.arange(R) if own else ONE, "steps": 2, "counts": counts, "alpha": 0.5,
        "rho": 0.1, "push_sum": push_sum,
    }  # fmt: skip
    *made, fault = rounds(table, network, x, w, **asked)
    assert fault is None
    if len(asked["graphs"]) == 1:
        asked["graphs"] = ONE
    right = one_by_one(table, network, x, w, **asked)
    for one, other in zip(made[: 3 if push_sum else 2], right, strict=False):
        assert np.array_equal(one, other)
    assert np.array_equal(x, kept[0])
    assert np.array_equal(w, kept[1])


@pytest.mark.parametrize(
    ("n", "d", "R"), [(2500, 10, 1), (300, 33, 3), (20_000, 1, 1), (700, 16, 9), (700, 10, 8)]
)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("own", [False, True])
def test_rounds_of_any_size_are_the_kernels_one_by_one(n, d, R, threads, own):
    """Rows of one vector and of more than fit, and networks drawn ahead by one thread or by two."""
    table = losses(n, d)
    network, (x, w) = DrawnNetwork(n, 3, True, 7), start(table, R)
    asked = {
        "seed": 5, "first": 6, "etas": np.linspace(0.3, 0.1, 5), "runs": np.arange(R) + 2,
        "graphs": np.arange(R) if own else ONE, "steps": 1,
    }  # fmt: skip
    before = get_threads()
    try:
        set_threads(threads)
        *made, fault = rounds(table, network, x, w, **asked)
    finally:
        set_threads(before)
    assert fault is None
    for one, other in zip(made, one_by_one(table, network, x, w, **asked), strict=True):
        assert np.array_equal(one, other)


@given(
    n=st.integers(1, 6),
    R=st.integers(1, 3),
    ends=st.sets(st.integers(1, 12), min_size=1),
    push_sum=st.booleans(),
    drawn=st.booleans(),
)
def test_states_on_the_way_are_those_of_shorter_calls(n, R, ends, push_sum, drawn):
    table, at = losses(n), sorted(ends)
    network = DrawnNetwork(n, min(2, n - 1), True, 7) if drawn else ring(n)
    x, w = start(table, R)
    asked = {
        "seed": 5, "first": 6, "runs": np.arange(R), "graphs": ONE, "steps": 2, "alpha": 0.5,
        "push_sum": push_sum,
    }  # fmt: skip
    etas = np.linspace(0.3, 0.1, at[-1])
    *made, fault = rounds(table, network, x, w, etas=etas, ends=np.array(at), **asked)
    assert fault is None
    for k, end in enumerate(at):
        *right, _ = rounds(table, network, x, w, etas=etas[:end], **asked)
        for one, other in zip(made[: 3 if push_sum else 2], right, strict=False):
            assert np.array_equal(one[k], other)


@pytest.mark.parametrize("ends", [[], [0, 3], [2, 2, 3], [1, 2], [1, 4]])
def test_states_that_no_round_leads_to_are_refused(ends):
    table = losses(3)
    asked = {"seed": 5, "first": 0, "runs": np.arange(1), "graphs": ONE, "etas": np.ones(3)}
    with pytest.raises(ValueError, match="rounds: ends need"):
        rounds(table, ring(3), *start(table, 1), ends=np.array(ends, np.int64), **asked)


@pytest.mark.parametrize("R", [7, 8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 8, 10, 16, 24, 70])
def test_runs_without_noise_are_each_alone_bit_for_bit(d, dtype, R):
    """They share a client's Hessian and a row of the network, four at a time."""
    n, rng = 30, np.random.default_rng(d)
    H = rng.normal(size=(n, d, d)).astype(dtype)
    table = ClientLosses.quadratic(
        H + H.transpose(0, 2, 1), rng.normal(size=(n, d)).astype(dtype), 0.0
    )
    x, w = start(table, R)
    w *= rng.random(w.shape).astype(dtype) + dtype(0.5)
    w[:, 3] = w[1] = 1
    options = {"seed": 1, "steps": 3, "alpha": 0.5, "first": 4, "etas": np.full(3, 0.01)}
    network = DrawnNetwork(n, 3, True, 7)
    made = {}
    for isa in _core.usable_isas().split(", "):
        _core.use_isa(isa)
        *whole, fault = rounds(table, network, x, w, runs=np.arange(R), graphs=ONE, **options)
        assert fault is None
        assert np.isfinite(whole[0]).all()
        for r in range(R):
            one, ids = slice(r, r + 1), np.array([r])
            *alone, _ = rounds(table, network, x[one], w[one], runs=ids, graphs=ONE, **options)
            for a, b in zip(alone, whole, strict=True):
                assert np.array_equal(a, b[one])
        made[isa] = b"".join(a.tobytes() for a in whole)
    assert len(set(made.values())) == 1


def test_a_periodic_network_takes_its_matrices_in_turn():
    table = losses(4)
    x, w = start(table, 2)
    P = [random_mixing(1, t, 1, 4, 2)[0] for t in range(3)]
    asked = {"seed": 1, "etas": np.full(5, 0.1), "runs": np.arange(2)}
    x1, w1, z1, _ = rounds(table, Mixing(P), x, w, first=2, graphs=ONE, **asked)
    for t in range(2, 7):
        half = table.local_steps(x, w, seed=1, runs=np.arange(2), round=t, steps=1, eta=0.1)
        x, w, z = push_mix(P[t % 3], half, w)
    assert np.array_equal(x1, x)
    assert np.array_equal(w1, w)
    assert np.array_equal(z1, z)


@pytest.mark.parametrize("threads", [1, 2])
def test_large_networks_have_the_same_bits_for_any_threads(threads):
    before = get_threads()
    try:
        set_threads(threads)
        P = random_mixing(3, 4, np.array([1]), 6000, 5)[0]
    finally:
        set_threads(before)
    assert P.has_canonical_format
    assert (np.diff(P.indices) > 0)[
        np.diff(np.repeat(np.arange(6000), np.diff(P.indptr))) == 0
    ].all()
    assert np.bincount(P.indices, minlength=6000).tolist() == [6] * 6000
    assert np.array_equal(P.indices, random_mixing(3, 4, np.array([1]), 6000, 5)[0].indices)


def leaky(n, share):
    P = random_mixing(1, 0, 1, n, 1)[0]
    P.data = P.data * share
    return Mixing([P])


@pytest.mark.parametrize(("share", "what"), [(0.9, "weight"), (0.0, "no weight")])
def test_a_leak_ends_the_rounds_where_it_is(share, what):
    table = losses(3)
    x, w = start(table, 1)
    asked = {"seed": 1, "etas": np.full(9, 0.1), "runs": ONE, "graphs": ONE}
    *_, fault = rounds(table, leaky(3, share), x, w, first=4, **asked)
    assert (fault.what, fault.t) == (what, 4)
    *_, fault = rounds(table, leaky(3, 0.9), x, w, first=4, conserves=False, **asked)
    assert fault is None


BASE = {"seed": 1, "first": 0, "etas": np.full(2, 0.1), "runs": ONE, "graphs": ONE}


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"etas": np.zeros(0)}, "out of range"),
        ({"first": 2**32 - 1}, "out of range"),
        ({"graphs": np.arange(3)}, "one id, or one a run"),
        ({"runs": np.arange(2)}, "need R=1 ids"),
        ({"network": DrawnNetwork(4, 1, True, 0)}, "other clients"),
        ({"network": DrawnNetwork(3, 3, True, 0)}, "degree out of range"),
        ({"network": Mixing(random_mixing(1, 0, 1, 3, 1)[0])}, "list of matrices"),
        ({"w": np.ones((1, 2))}, "w is float64"),
    ],
)
def test_what_does_not_fit_is_one_line(given, line):
    table = losses(3)
    x, w = start(table, 1)
    asked = {"network": DrawnNetwork(3, 1, True, 0), "x": x, "w": w, **BASE, **given}
    with pytest.raises(ValueError, match=line):
        rounds(table, **asked)
