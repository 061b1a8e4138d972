"""Shares of round 0: columns by hand."""

from theorylab.experiments import experiment
from theorylab.statements.dfedsgpsm.alg1_input import STATEMENT
from theorylab.topologies import topology


def test_the_columns_of_every_round_are_off_by_their_degrees(judged):
    network = topology("erdos-renyi", 6, p=0.5, time_varying=True, seed=2)
    matrices = [network.matrix(t, 0).toarray() for t in range(16)]
    degrees = [[len({j, *P[:, j].nonzero()[0]}) for j in range(6)] for P in matrices]
    by_hand = [
        max(abs(d / first - 1) for d, first in zip(each, degrees[0], strict=True))
        for each in degrees
    ]
    check = STATEMENT.versions["printed"].checks[0]
    rows = experiment("network-matrices", **check.instance).observe("first_shares", range(1), 0)
    assert [float(row.values[0]) for row in rows.rows] == by_hand
    assert judged(STATEMENT)["printed", check.name].measured in by_hand
    assert max(by_hand) >= 1


def test_less_than_rounding_is_refuted(missed):
    assert missed(STATEMENT, "corrected", {"less": lambda term: term - 1}) == set()
