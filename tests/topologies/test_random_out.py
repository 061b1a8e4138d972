import itertools
from collections import Counter

import numpy as np
import pytest

from theorylab.topologies import topology


def receivers(built, t, run=0):
    P = built.matrix(t, run)
    sets = [set() for _ in range(built.clients)]
    for i, j in zip(*P.nonzero(), strict=True):
        sets[j].add(int(i))
    return sets


@pytest.mark.parametrize(("n", "degree"), [(1, 0), (2, 1), (5, 0), (7, 3), (7, 6), (40, 10)])
def test_every_client_draws_degree_distinct_others_and_keeps_itself(n, degree):
    built = topology("random-out", n, degree=degree, seed=5)
    for t in range(10):
        for j, chosen in enumerate(receivers(built, t)):
            assert j in chosen
            assert len(chosen) == degree + 1


def test_every_set_of_receivers_is_equally_likely():
    n, degree, rounds = 5, 2, 3000
    built = topology("random-out", n, degree=degree, seed=11)
    counts = Counter()
    for t in range(rounds):
        for j, chosen in enumerate(receivers(built, t)):
            counts[j, tuple(sorted(chosen - {j}))] += 1
    for j in range(n):
        sets = list(itertools.combinations([i for i in range(n) if i != j], degree))
        seen = np.array([counts[j, s] for s in sets])
        assert seen.sum() == rounds
        expected = rounds / len(sets)
        # chi-square with 5 degrees of freedom: above 35.9 with probability 1e-6; the seed is fixed
        assert ((seen - expected) ** 2 / expected).sum() < 35.9


def test_rounds_runs_and_seeds_differ():
    draws = [
        topology("random-out", 30, seed=seed).matrix(t, run).toarray()
        for seed, run, t in itertools.product((0, 1), (0, 1), (0, 1))
    ]
    assert all(not np.array_equal(a, b) for a, b in itertools.combinations(draws, 2))


def test_ten_receivers_unless_there_are_fewer_others():
    assert topology("random-out", 30).degree == 10
    assert topology("random-out", 4).degree == 3


def test_more_receivers_than_others_are_refused():
    with pytest.raises(ValueError, match="degree is 4, but each of 4 clients has only 3 others"):
        topology("random-out", 4, degree=4)
