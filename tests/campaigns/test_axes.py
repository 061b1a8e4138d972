"""Which points a plan has, in which order."""

import itertools
import math

import numpy as np
import pytest

from theorylab.campaigns import Axis, plan
from theorylab.campaigns.axes import Points, Sample
from theorylab.campaigns.campaign import Cells
from theorylab.campaigns.plan import Plan

from .conftest import document


def points(**parts):
    return [*Plan(columns=["loss"], **parts).points()]


def test_a_grid_has_every_combination_and_its_last_axis_moves_first():
    found = points(axes={"a": [1, 2], "b": ["x", "y", "z"]})
    assert found == [{"a": a, "b": b} for a, b in itertools.product([1, 2], "xyz")]


def test_a_range_has_its_ends_and_is_even_in_its_scale():
    found = [
        p["a"] for p in points(axes={"a": {"low": 0.2, "high": 2, "count": 5, "scale": "log"}})
    ]
    assert found[0] == 0.2
    assert found[-1] == 2  # exp(log .2 + (log 2 - log .2)) is less
    assert np.allclose(np.diff(np.log(found)), math.log(10) / 4)
    whole = points(axes={"a": {"low": 1, "high": 3, "count": 9, "whole": True}})
    assert [point["a"] for point in whole] == [1, 2, 3]


def test_a_latin_hypercube_has_one_point_in_every_stratum_of_every_axis():
    axes = {"a": {"low": 0, "high": 1}, "b": {"low": 10, "high": 20}}
    found = points(axes=axes, sample={"count": 50, "seed": 3})
    for name, low, width in (("a", 0, 1), ("b", 10, 10)):
        strata = sorted(int(50 * (point[name] - low) / width) for point in found)
        assert strata == list(range(50))
    assert found == points(axes=axes, sample={"count": 50, "seed": 3})
    assert found != points(axes=axes, sample={"count": 50, "seed": 4})


def test_a_random_sample_takes_every_value_of_a_list():
    found = points(axes={"a": ["x", "y"]}, sample={"count": 40, "kind": "random"})
    assert sorted(point["a"] for point in found) == ["x", "y"]  # each point once


def test_a_filter_keeps_what_fulfils_it():
    found = points(axes={"a": [1, 2, 3], "b": ["x", "y"]}, where=["a >= 2 and b != 'x'"])
    assert found == [{"a": 2, "b": "y"}, {"a": 3, "b": "y"}]


def test_what_comes_twice_in_a_list_is_one_cell():
    assert points(cells=[{"a": 1}, {"a": 2}, {"a": 1}]) == [{"a": 1}, {"a": 2}]


def test_10_to_the_12_cells_are_refused_at_once():
    many = {name: Axis(low=0, high=1, count=10**6) for name in "ab"}
    with pytest.raises(ValueError, match="1000000000000 cells came; need at most 10000000"):
        Points(many, None, None, [])


@pytest.mark.parametrize(
    ("axis", "line"),
    [
        ([], "at least 1 item"),
        ([1, 1], "1 comes twice"),
        ({"low": 2, "high": 1, "count": 2}, "need low < high"),
        ({"low": 0, "high": 1, "count": 2, "scale": "log"}, "> 0 in log"),
        ({"low": 0}, "need values, or low and high"),
        ({"low": 0, "high": 1}, "count is missing"),
        ({"values": [1], "step": 2}, "no key 'step'"),
    ],
)
def test_an_axis_that_is_none_is_refused_in_one_line(axis, line):
    with pytest.raises(ValueError, match=line) as caught:
        Cells(plan(document(axes={"clients": axis})))
    assert "\n" not in str(caught.value)


def test_a_sample_draws_as_many_points_as_it_says():
    assert Sample(count=7, kind="random").shares(3).shape == (7, 3)
