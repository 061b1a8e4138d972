"""The ratio of Algorithm 2's two averages against all sequences of rounds."""

import itertools

import numpy as np
import pytest

from theorylab.experiments import experiment

NETWORKS = [
    {"name": "sto-d", "seed": 2},
    {"name": "sto-u", "seed": 2},
    {"name": "sto-u", "seed": 2, "weights": "constant"},
    {"name": "random-out", "degree": 1},
]


@pytest.mark.parametrize("network", NETWORKS, ids=[f"{n['name']}{len(n)}" for n in NETWORKS])
@pytest.mark.parametrize("T", [1, 2, 3])
def test_the_ratio_is_the_mean_over_all_sequences(network, T):
    clients = 2 if network["name"] == "sto-d" else 3
    one = experiment("edge-estimates", clients=clients, network=network, rounds=[T])
    for (i, j), row in zip(one.pairs, one.observe("ratio", range(1), 0).rows, strict=True):
        total = 0.0
        for way in itertools.product(range(len(one.chance)), repeat=T):
            way = list(way)
            heard = one.there[way, i, j].sum()
            if heard:
                total += one.chance[way].prod() * one.P[way, j, i].sum() / heard
        wanted = abs(total * one.law.frequency[i, j] / one.law.mean[j, i] - 1)
        assert abs(row.values[0] - wanted) <= row.rounding


def test_the_averages_themselves_have_their_means():
    for network in NETWORKS:
        one = experiment("edge-estimates", network=network, rounds=[3])
        for row in one.observe("parts", range(1), 0).rows:
            assert row.values[0] <= row.rounding


def test_an_edge_may_not_be_seen_at_all():
    one = experiment("edge-estimates", network={"name": "random-out", "degree": 1}, rounds=[4])
    rows = one.observe("unseen", range(1), 0).rows
    assert [row.values[0] for row in rows] == pytest.approx(np.full(6, 0.5**4), rel=1e-12)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rounds": []}, "need integers 1..100000"),
        ({"network": {"name": "complete"}}, "edges that are drawn anew"),
    ],
)
def test_bad_input_is_one_line(options, says):
    with pytest.raises(ValueError, match=says) as caught:
        experiment("edge-estimates", **options)
    assert "\n" not in str(caught.value)
