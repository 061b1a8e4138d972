"""Claims about P itself, against fractions and graphs known by hand."""

from fractions import Fraction

import pytest

from theorylab.experiments import experiment
from theorylab.topologies import topology

PATH = {"topology": {"name": "path", "weights": "metropolis"}, "clients": 3}


def values(column, **options):
    made = experiment("network-matrices", **options)
    assert experiment("network-matrices", **made.describe()).describe() == made.describe()
    return [float(row.values[0]) for row in made.observe(column, range(1), 0).rows]


def test_windows_count_components_of_their_unions():
    peers = {"topology": {"name": "one-peer-exponential"}, "clients": 8, "rounds": 3}
    for width, most in ((1, 8), (2, 4), (3, 1)):
        found = values("components", **peers, width=width)
        assert len(found) == 3
        assert max(found) <= most
        assert (max(found) == 1) == (width == 3)


@pytest.mark.parametrize(
    ("network", "clients"),
    [
        ({"name": "one-peer-exponential"}, 10),
        ({"name": "directed-ring"}, 5),
        ({"name": "random-out", "degree": 1, "self_loops": True, "seed": 2}, 4),
    ],
)
def test_without_a_width_there_is_some_one(network, clients):
    found = values("components", topology=network, clients=clients, rounds=20)
    assert set(found) == {1.0}


def test_where_no_window_joins_them_the_period_tells():
    apart = {"name": "edge-list", "edges": [[0, 1], [2, 3]], "allow_disconnected": True}
    assert values("components", topology=apart, clients=4, rounds=2) == [4.0, 4.0]


def test_moduli_and_norms_of_a_path():
    # W = [[2,1,0],[1,1,1],[0,1,2]]/3 has 1, 2/3, 0
    assert values("moduli", **PATH) == pytest.approx([2 / 3, 0], abs=1e-15)
    assert values("norms", **PATH, powers=3) == pytest.approx([2 / 3, 4 / 9, 8 / 27], rel=1e-14)


def test_entries_of_powers_are_exact_fractions():
    weights = [[Fraction(5, 8), Fraction(3, 8)], [Fraction(3, 8), Fraction(5, 8)]]
    edges = [[j, i, float(weights[i][j])] for i in range(2) for j in range(2)]
    network = {"topology": {"name": "edge-list", "edges": edges}, "clients": 2}
    # |P^k - 1/2| = (1/4)^k / 2 for eigenvalue 5/8 - 3/8
    want = [float(Fraction(1, 4) ** k / 2) for k in range(1, 21)]
    assert values("entries", **network, powers=20) == pytest.approx(want, rel=0, abs=1e-15)


def test_sums_tell_columns_from_rows():
    edges = [[0, 0, 0.5], [0, 1, 0.5], [1, 1, 0.75], [1, 0, 0.25]]  # rows: 3/4 and 5/4
    uneven = {"topology": {"name": "edge-list", "edges": edges}, "clients": 2}
    assert values("sums", **uneven) == [0.25, 0.25]
    assert values("column_sums", **uneven, rounds=1) == [0.0]
    assert values("row_sums", **uneven, rounds=2) == [0.25, 0.25]
    # w(1) = (3/4, 5/4), w(2) = (11/16, 21/16)
    assert values("light", **uneven, rounds=2) == pytest.approx([4 / 3, 16 / 11], rel=1e-15)


def test_shares_of_round_0_are_compared_with_the_degrees_of_each_round():
    fixed = {"topology": {"name": "random-out", "degree": 1, "seed": 2}, "clients": 4}
    assert set(values("first_shares", **fixed)) == {0.0}
    drawn = {"name": "erdos-renyi", "p": 0.5, "time_varying": True, "seed": 2}
    found = values("first_shares", topology=drawn, clients=6)
    assert found[0] == 0.0
    assert max(found) > 0.1


def test_pulled_columns_do_not_sum_to_one():
    network = {"name": "random-in", "degree": 1, "seed": 3}
    for t, off in enumerate(values("column_sums", topology=network, clients=3, rounds=4)):
        P = topology("random-in", 3, degree=1, seed=3).matrix(t, 0).toarray()
        assert off == max(abs(sum(P[i, j] for i in range(3)) - 1) for j in range(3))
    complete = {"topology": {"name": "complete"}, "clients": 3, "rounds": 2}
    assert max(values("column_sums", **complete)) <= 3 * 2.0**-53


@pytest.mark.parametrize(
    ("column", "change", "line"),
    [
        ("norms", {"powers": 0}, "powers is 0; need an integer >= 1"),
        ("components", {"width": 0}, "width is 0"),
        ("components", {"rounds": 1.5}, "rounds is 1.5"),
        ("moduli", {"topology": {"name": "complete"}, "clients": 1}, "need lambda_2"),
        ("norms", {"topology": {"name": "one-peer-exponential"}}, "need one matrix"),
        ("norms", {"topology": {}}, "topology has no name"),
    ],
)
def test_what_cannot_be_is_one_line(column, change, line):
    with pytest.raises(ValueError, match=f"^network-matrices: [^\n]*{line}"):
        values(column, **{**PATH, **change})
