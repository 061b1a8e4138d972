"""What every topology promises, for every registered name."""

import json

import numpy as np
import pytest

from theorylab.topologies import Topology, names, topology

EPS = np.finfo(float).eps
RING = [[k, (k + 1) % 8] for k in range(8)]
OPTIONS = {
    "edge-list": [{"edges": RING}, {"edges": RING, "weights": "lazy"}],
    "random-out": [{"seed": 3}, {"degree": 2, "seed": 4, "weights": "lazy"}],
    "random-in": [{"degree": 2, "seed": 4}, {"degree": 3}],
    "random-symmetric": [{"degree": 2, "seed": 4}, {"degree": 1, "weights": "uniform"}],
    "erdos-renyi": [{"p": 0.7, "seed": 1}, {"p": 0.4, "time_varying": True, "seed": 2}],
    "grid": [{}, {"rows": 1}],
    "directed-ring": [{}, {"self_loops": False}],
}
# "networks" are several, with no matrix of their own
CASES = [(n, options) for n in names() if n != "networks" for options in OPTIONS.get(n, [{}])]
NAMED = {
    *("directed-ring", "directed-exponential", "one-peer-exponential", "complete", "random-out"),
    "two-sources",
    *("erdos-renyi", "ring", "grid", "torus", "hypercube", "star", "path", "edge-list"),
    *("random-in", "random-symmetric"),
}


def test_every_promised_name_is_registered():
    assert set(names()) >= NAMED


@pytest.mark.parametrize(("name", "options"), CASES)
def test_columns_or_rows_sum_to_one_and_storage_is_canonical(name, options):
    built = topology(name, 8, **options)
    for t in range(5):
        P = built.matrix(t, run=1)
        assert P.shape == (8, 8)
        assert P.dtype == np.float64
        # n terms, each rounded once: n eps
        axis = 0 if built.column_stochastic else 1
        assert np.abs(P.toarray().sum(axis=axis) - 1).max() <= 8 * EPS
        assert (P.data > 0).all()
        for i in range(8):
            row = P.indices[P.indptr[i] : P.indptr[i + 1]]
            assert (np.diff(row) > 0).all(), "sorted, without duplicates"


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_description_builds_the_same_matrices(name, options):
    built = topology(name, 8, **options)
    again = topology(**json.loads(json.dumps(built.describe())))
    assert (again.period, again.seed) == (built.period, built.seed)
    for t in (0, 1, 7):
        assert np.array_equal(again.matrix(t, 2).toarray(), built.matrix(t, 2).toarray())


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_periodic_topology_returns_the_same_object_and_nobody_can_write_to_it(name, options):
    built = topology(name, 8, **options)
    P = built.matrix(1)
    for array in (P.data, P.indices, P.indptr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    if built.period is not None:
        assert built.matrix(1 + 3 * built.period, run=5) is P


@pytest.mark.parametrize(("name", "options"), CASES)
def test_a_round_depends_neither_on_call_order_nor_on_other_runs(name, options):
    forward, backward = topology(name, 8, **options), topology(name, 8, **options)
    asked = [(t, run) for t in range(3) for run in range(3)]
    there = {key: forward.matrix(*key).toarray() for key in asked}
    back = {key: backward.matrix(*key).toarray() for key in reversed(asked)}
    assert all(np.array_equal(there[key], back[key]) for key in asked)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_uniform_out_degree_says_what_the_matrix_shows(name, options):
    built = topology(name, 8, **options)
    P = [built.matrix(t).toarray() for t in range(built.period or 20)]
    shown = all(np.allclose(A[A > 0], (1 / (A > 0).sum(axis=0) * (A > 0))[A > 0]) for A in P)
    assert built.uniform_out_degree == shown


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: topology("rinq", 8), ValueError, "no 'rinq'; did you mean ring"),
        (lambda: topology("ring", 8, degree=2), ValueError, "ring takes no option 'degree'; need"),
        (lambda: topology("ring", 0), ValueError, "ring: clients is 0; need at least 1"),
        (
            lambda: topology("ring", 2**40),
            ValueError,
            "ring: clients is 1099511627776; need at most",
        ),
        (
            lambda: topology("random-out", 2**24 + 1),
            ValueError,
            "clients is 16777217; need at most",
        ),
        (lambda: topology("ring", 8.0), TypeError, r"ring: clients is 8.0 \(float\); need an int"),
        (lambda: topology("ring", True), TypeError, "ring: clients is True"),
        (lambda: topology("ring", 8).matrix(-1), ValueError, "ring: round t is -1; need at least"),
        (lambda: topology("ring", 8).matrix(0, -2), ValueError, "ring: run is -2; need at least"),
        (lambda: topology("ring", 8).matrix(1.5), TypeError, r"ring: round t is 1.5 \(float\)"),
        (lambda: topology("ring", 8, self_loops=1), TypeError, "ring: self_loops is 1"),
        (lambda: topology("ring", 8, weights="even"), ValueError, "ring: weights='even'; need one"),
        (lambda: topology("random-out", 8, seed=-1), ValueError, "random-out: seed is -1; need"),
    ],
)
def test_bad_input_is_named_in_one_line(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_taken_name_is_refused():
    with pytest.raises(
        ValueError,
        match=r"'ring' is taken: .*/undirected\.py, line .*test_base\.py",
    ):

        class Mine(Topology, name="ring"):
            pass


def test_a_cycle_is_one_period_and_of_a_matrix_that_keeps_to_it_alone():
    graph = topology("one-peer-exponential", 8)
    assert graph.cycle(2) is None
    assert [id(P) for P in graph.cycle(3)] == [id(graph.matrix(t)) for t in range(3)]
    assert topology("random-out", 8).cycle(9) is None

    class Turning(type(graph)):
        def matrix(self, t, run=0):
            return super().matrix(t * t, run)

    class Tilted(type(topology("random-out", 8))):
        def matrix(self, t, run=0):
            return super().matrix(t // 2, run)

    assert Turning(8).cycle(3) is None
    assert topology("random-out", 8).drawn is not None
    assert Tilted(8).drawn is None
    right = topology("random-out", 8).matrix(2, 1)
    assert (Tilted(8).matrix(5, 1) != right).nnz == 0


def built_by(given, columns=True):
    class Mine(Topology):
        column_stochastic = columns

        def __init__(self):
            super().__init__(2, period=1, options={})

        def _build(self, t, run):
            return given

    return Mine().matrix(0)


def test_a_class_may_build_an_array_which_is_checked():
    assert built_by(np.array([[0.25, 0], [0.75, 1]])).toarray().tolist() == [[0.25, 0], [0.75, 1]]
    assert built_by([[0, 1], [0.5, 0.5]], columns=False).nnz == 3
    for given, told in (([[0.5, 0], [0.25, 1]], "t=0.*0.75"), (np.eye(3), "shape"), ({}, "dict")):
        with pytest.raises((TypeError, ValueError), match=told):
            built_by(given)
