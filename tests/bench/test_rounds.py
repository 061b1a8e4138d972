"""The bench of whole rounds: a record of every case, against a peer that computes the same."""

import json

import numpy as np
import pytest

from theorylab.bench import BENCHES, render, rounds
from theorylab.problems import problem
from theorylab.topologies import check_column_stochastic, topology


def test_the_quick_bench_has_both_sides_of_every_case():
    record = BENCHES["rounds"](quick=True)
    assert json.loads(json.dumps(record)) == record
    assert [case["noisy"] for case in record["cases"]] == [False, True] * len(rounds.QUICK)
    for case in record["cases"]:
        assert case["speedup"] == case["seconds"]["numpy"] / case["seconds"]["theorylab"]
        assert ("our noise" in case["seconds"]) == case["noisy"]
    assert render(record).row_count == len(record["cases"])


def test_the_peers_network_is_one_of_the_same_law():
    loop = rounds.NumPyLoop(problem("quadratic", 9, dim=2), 1)
    P = loop.network(np.random.default_rng(0))
    check_column_stochastic(P.tocsr(), "peer")
    assert np.diff(P.indptr).tolist() == [rounds.DEGREE + 1] * 9
    assert all(len(set(P[:, [j]].indices)) == rounds.DEGREE + 1 for j in range(9))


def test_a_peer_that_computes_something_else_is_told():
    losses = problem("quadratic", 9, dim=2, sigma=1.0)
    loop = rounds.NumPyLoop(losses, 1)
    loop.c = loop.c + 1e-9
    with pytest.raises(AssertionError, match="numpy is off by"):
        rounds._check(losses, topology("random-out", 9, degree=4), loop)
