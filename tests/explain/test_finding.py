"""The difference of two instances names each thing that differs, with its default, and no other."""

import pytest

from theorylab.explain.finding import differences, finding_lines
from theorylab.falsify.scope import written
from theorylab.statements import BUILT_IN

RUN = {
    "problem": {"name": "log-cosh", "dim": 1, "center": 2.0},
    "topology": {"name": "ring"},
    "clients": 4,
    "rounds": 20,
    "algorithm": {"eta": 0.1, "alpha": 0.0},
    "x0": 0.0,
}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, []),
        ({"rounds": 2, "clients": 3}, ["n: 4 -> 3", "T: 20 -> 2"]),
        ({"algorithm": {"eta": 0.1, "alpha": 0.5}}, ["alpha: 0 -> .5"]),
        ({"problem": {**RUN["problem"], "center": 8.0}}, ["center: 2 -> 8"]),
        ({"problem": {**RUN["problem"], "scale": 1.0}}, []),  # its default
        ({"problem": {**RUN["problem"], "sigma": 0.5}}, ["noise: none -> gaussian (sigma = .5)"]),
        (
            {"problem": {"name": "noisy", "base": RUN["problem"], "field": "rademacher"}},
            ["noise: none -> rademacher (sigma = 1)"],
        ),
        ({"problem": {"name": "huber", "dim": 1}}, ["another loss"]),
        ({"topology": {"name": "ring", "self_loops": False}}, ["self_loops: yes -> no"]),
        (
            {"topology": {"name": "random-out", "degree": 1}},
            ["network: ring -> random-out"],
        ),
        ({"x0": [[1.0], [-1.0], [0.0], [0.0]]}, ["x^0: 0 -> (1, -1, 0, 0)"]),
        ({"law": "moments"}, ["law: not given -> moments"]),
        ({"algorithm": {"eta": 0.10000001, "alpha": 0.0}}, ["eta: 0.1 -> 0.10000001"]),
    ],
)
def test_what_differs_is_told_once(changes, told):
    assert differences(RUN, {**RUN, **changes}) == told


def test_the_network_of_one_client_is_no_difference():
    one = {**RUN, "clients": 1}
    assert differences(one, {**one, "topology": {"name": "complete"}}) == []


def test_an_experiments_options_are_told_by_their_names():
    before, after = {"share": 0.25, "place": {"dim": 2}}, {"share": 0.5, "place": {"dim": 1}}
    assert differences(before, after) == ["share: .25 -> .5", "dim: 2 -> 1"]
    assert finding_lines("start", before, before)[2] == "difference: none."


def test_what_reads_alike_is_told_by_its_entries_and_digits():
    before, after = [[float(k)] for k in range(9)], [[float(k)] for k in range(9)]
    after[7], after[8] = [7.5], [8.25]
    told = differences({**RUN, "x0": before}, {**RUN, "x0": after})
    assert told == ["x^0[7][0]: 7.0 -> 7.5, and 1 more"]
    noise = [{**RUN["problem"], "sigma": sigma} for sigma in (0.5, 0.50000001)]
    told = differences(*({**RUN, "problem": each} for each in noise))
    assert told == ["sigma: 0.5 -> 0.50000001"]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({"name": "log-cosh", "dim": 2}, {"name": "log-cosh"}, ["dim: 2 -> 1"]),
        (
            {"name": "quadratic", "dim": 3, "L": 2.0},
            {"name": "quadratic"},
            ["dim: 3 -> 4", "L: 2 -> 1"],
        ),
        (
            {"name": "huber", "dim": 1},
            {"name": "huber", "centers": [[1.0, 2.0]]},  # which say the dimension
            ["dim: 1 -> 2", "centers: 0 -> ((1, 2))"],
        ),
        ({"name": "quadratic"}, {"name": "quadratic", "dim": 10**9}, ["another loss"]),  # not made
    ],
)
def test_a_default_that_takes_over_is_told_by_its_value(before, after, told):
    one = {**RUN, "clients": 1}
    assert differences({**one, "problem": before}, {**one, "problem": after}) == told


def test_a_loss_that_is_told_by_its_options_is_told_with_its_defaults():
    line = finding_lines("one", RUN, {**RUN, "problem": {"name": "softmax", "batch": 8}})[1]
    assert line.startswith("finding: softmax losses (")
    assert "batch = 8" in line
    assert "seed = 0" in line


def test_numbers_of_an_experiment_that_stand_at_their_defaults_are_written_out():
    told = written(BUILT_IN["dfedpgp.eq6"], {"clients": 3})
    assert told["clients"] == 3
    assert told["rounds"] == 16
