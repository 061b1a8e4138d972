"""Shrinking keeps the violation and makes every step smaller."""

import math

import pytest

from theorylab.falsify import shrunk
from theorylab.falsify.score import Judge
from theorylab.falsify.shrink import candidates, size

BIG = {"share": 0.987654321, "count": 117, "extra": 3}


@pytest.fixture
def judge(planted):
    def made(deadline=math.inf):
        return Judge(planted(10.0), "printed", 16, 0, deadline)

    return made


def test_what_comes_out_is_violated_smaller_and_has_no_smaller_neighbour(judge):
    ask = judge()
    _, first = ask(BIG)
    small, result = shrunk(BIG, first, ask)
    assert result.verdict == "VIOLATED"
    assert size(small) < size(BIG)
    for other in candidates(small):
        _, found = ask(other)
        assert found is None or found.verdict != "VIOLATED" or found.ratio < 1.02


def test_what_is_not_allowed_is_passed_over(judge):
    ask = judge()
    _, first = ask(BIG)
    small, result = shrunk(BIG, first, ask, lambda made: "extra" in made)
    assert "extra" in small
    assert result.verdict == "VIOLATED"
    assert size(small) < size(BIG)


def test_every_candidate_is_smaller():
    assert all(size(other) < size(BIG) for other in candidates(BIG))


def test_nothing_is_returned_that_holds(judge):
    ask = judge(deadline=-math.inf)  # no time: the instance comes back as it is
    _, first = ask(BIG)
    assert shrunk(BIG, first, ask) == (BIG, first)


def test_clients_fall_to_a_plain_network_at_once():
    run = {
        "clients": 8,
        "rounds": 100,
        "topology": {"name": "edge-list", "edges": [[0, 1]]},
        "problem": {"name": "log-cosh"},
    }
    first = next(iter(candidates(run)))
    assert (first["clients"], first["topology"]) == (1, {"name": "complete"})


def test_a_loss_of_many_coordinates_becomes_one_of_few_and_no_option_that_says_so_goes():
    run = {
        "problem": {"name": "quadratic", "dim": 3, "L": 2.0},
        "topology": {"name": "complete"},
        "clients": 1,
        "rounds": 1,
        "algorithm": {"eta": 0.1},
    }
    made = [each["problem"].get("dim") for each in candidates(run) if "problem" in each]
    assert 1 in made
    assert None not in made  # without it the loss would have more
    assert size({**run, "problem": {**run["problem"], "dim": 1}}) < size(run)
