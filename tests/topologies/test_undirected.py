import numpy as np
import pytest

from theorylab.topologies import topology


def neighbours(name, n, **options):
    P = topology(name, n, **options).matrix(0).toarray()
    return [set(np.flatnonzero(P[:, i])) - {i} for i in range(n)]


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_a_ring_joins_neighbours(n):
    assert neighbours("ring", n) == [{(i - 1) % n, (i + 1) % n} - {i} for i in range(n)]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_path_has_ends_and_a_star_a_hub(n):
    path = [{j for j in (i - 1, i + 1) if 0 <= j < n} for i in range(n)]
    assert neighbours("path", n) == path
    star = [{j for j in range(n) if j != i and 0 in (i, j)} for i in range(n)]
    assert neighbours("star", n) == star


@pytest.mark.parametrize("k", [0, 1, 3, 4])
def test_hypercube_neighbours_differ_in_one_bit(k):
    assert neighbours("hypercube", 2**k) == [{i ^ 2**b for b in range(k)} for i in range(2**k)]


@pytest.mark.parametrize(("name", "joined"), [("grid", False), ("torus", True)])
@pytest.mark.parametrize(("n", "rows"), [(12, 3), (12, 4), (6, 2), (5, 1), (1, 1)])
def test_grid_and_torus_neighbours(name, joined, n, rows):
    columns = n // rows

    def step(position, change, size):
        moved = position + change
        return moved % size if joined else moved

    expected = []
    for i in range(n):
        r, c = divmod(i, columns)
        near = [(step(r, d, rows), c) for d in (-1, 1)] + [
            (r, step(c, d, columns)) for d in (-1, 1)
        ]
        inside = {(a, b) for a, b in near if 0 <= a < rows and 0 <= b < columns}
        expected.append({a * columns + b for a, b in inside} - {i})
    assert neighbours(name, n, rows=rows) == expected


def test_a_grid_is_as_square_as_can_be():
    assert topology("grid", 12).describe()["rows"] == 3
    assert topology("grid", 7).describe()["rows"] == 1


def test_weights_are_symmetric_unless_uniform_ones_are_asked_for():
    P = topology("star", 4).matrix(0).toarray()
    assert np.array_equal(P, P.T)
    P = topology("star", 4, weights="uniform").matrix(0).toarray()
    assert np.array_equal(P[:, 0], np.full(4, 0.25))
    assert np.array_equal(P[:, 1], [0.5, 0.5, 0, 0])


@pytest.mark.parametrize(
    ("name", "n", "options", "message"),
    [
        ("hypercube", 6, {}, "hypercube: clients is 6; need a power of two"),
        ("grid", 6, {"rows": 4}, "grid: rows is 4; need a divisor of 6 clients"),
        ("path", 3, {"self_loops": False}, "weights='metropolis' with self_loops=False"),
    ],
)
def test_bad_sizes_are_named(name, n, options, message):
    with pytest.raises(ValueError, match=message):
        topology(name, n, **options)
