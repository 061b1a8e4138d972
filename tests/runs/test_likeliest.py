"""The likeliest outcomes, against all outcomes in the order of their chances."""

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from theorylab.algorithms import Algorithm
from theorylab.problems import problem
from theorylab.runs import Setting
from theorylab.runs.laws import enumeration
from theorylab.runs.likeliest import likeliest
from theorylab.topologies import topology

DRAWS = {
    "rare": [[0.99, 0.01], [0.9, 0.04, 0.06], [0.98, 0.02]],
    "alike": [[0.5, 0.5], [1.0], [0.125, 0.875], [0.25, 0.25, 0.5]],
    "many": [[0.9, 0.1]] * 6,
}


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("count", [1, 5, 1000])
def test_they_are_those_of_the_largest_chances_and_none_comes_twice(name, count):
    draws = DRAWS[name]
    exact = {
        way: float(np.prod([Fraction(row[k]) for row, k in zip(draws, way, strict=True)]))
        for way in itertools.product(*(range(len(row)) for row in draws))
    }
    table, weights = likeliest([np.array(row) for row in draws], count)
    assert len(weights) == min(count, len(exact))
    found = [tuple(row) for row in table.tolist()]
    assert len(set(found)) == len(found)
    assert weights == pytest.approx([exact[way] for way in found], rel=1e-14)
    assert weights == pytest.approx(sorted(exact.values(), reverse=True)[:count], rel=1e-14)


def test_nothing_is_said_where_a_few_tell_next_to_nothing():
    assert likeliest([np.array([0.5, 0.5])] * 6, 10) is None
    assert likeliest([np.array([0.9, 0.1])] * 3, 0) is None
    assert likeliest([np.array([1 - 1e-6, 1e-6])] * 1100, 4000) is None  # no room for the table


@pytest.mark.parametrize("p", [1e-6, 1e-5, 1e-4])
@pytest.mark.parametrize("rounds", [20, 31])
def test_what_is_left_over_is_never_too_small(p, rounds):
    # a ceiling times that is an upper limit: a rounding of 2e-15 is no room that nobody sees
    @dataclass(frozen=True)
    class Tosses(Algorithm):
        name = "tosses"

        def step(self, state, net):
            return net.next(state, x=state.x * (1 - net.coins(1, "bernoulli", p=p)))

    losses = problem("quadratic", 1, H=[[[1.0]]], c=[[0.0]])
    parts = losses, topology("complete", 1), Tosses()
    law = enumeration(Setting(*parts, {}, rounds, np.ones((1, 1))), 16, rare=True)
    found = law.likeliest(512)
    q, seen = Fraction(p), set(map(tuple, found.table))
    ones = [list(row) for row in seen]
    rare = next(k for k, unit in enumerate(law.units[0].values) if unit == 1)
    true = sum(q ** row.count(rare) * (1 - q) ** (rounds - row.count(rare)) for row in ones)
    assert len(seen) == len(found.weights) == 512
    left = 1 - Fraction(float(found.weights.sum()))
    assert 1 - true <= left <= 1 - true + Fraction(1, 10**12)
