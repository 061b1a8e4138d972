"""The curve of measured against bound: its rounds, its limits, and where a bound begins to bind."""

import types

import numpy as np
import pytest

from theorylab.known import How, Known
from theorylab.runs import Interval, Support, Trace, mean_interval
from theorylab.symbols import L, T, eta
from theorylab.verdicts.case import Place, Seen
from theorylab.verdicts.curve import curve_of, curve_of_places, first_below, grid
from theorylab.verdicts.result import finite

FOUR = Known(4.0, How.EXACT, "a test")


@pytest.mark.parametrize("rounds", [1, 2, 7, 40, 200, 10**5])
def test_the_rounds_of_a_curve_are_41_evenly_spaced_in_the_logarithm(rounds):
    assert grid(rounds) == sorted({round(rounds ** (k / 40)) for k in range(41)})
    assert (grid(rounds)[0], grid(rounds)[-1]) == (1, rounds)


@pytest.mark.parametrize(
    ("bound", "level", "first"),
    [
        (L / T, 0.5, 8.0),
        (L / T**2, 1e-6, 2000.0),
        (L / T, 1e-50, 4e50),
        (L / T, 5.0, 1.0),  # from the first round on
        (L / T, 1e-60, None),  # 4e60 rounds are too many
        (L + 0 * T, 5.0, None),  # T is no part of it
        (L * T / (1 + T), 3.0, None),  # it rises
    ],
)
def test_where_a_bound_falls_below_a_level(bound, level, first):
    found = first_below(bound, {L: FOUR, T: Known(3.0, How.EXACT, "a test")}, level)
    # the logarithm is halved until 1e-3 is left
    assert found is None if first is None else found == pytest.approx(first, rel=3e-3)


def trace(exact):
    draw = np.random.default_rng(5)
    values = np.tile(draw.random((1, 9)), (1, 1)) if exact else draw.random((6, 9))
    last = {"loss": draw.random(len(values))}
    return Trace({"loss": values}, np.arange(len(values)), exact, last=last)


@pytest.mark.parametrize("over", ["average", "last"])
@pytest.mark.parametrize("ceiling", [None, 2.0])
def test_a_curve_reads_the_statement_at_every_horizon(over, ceiling):
    quantity = types.SimpleNamespace(column="loss", over=over)
    whole = trace(False)
    support = None if ceiling is None else Support(ceiling=ceiling)
    found = curve_of(L / T, {L: FOUR, T: Known(9.0, How.EXACT, "")}, quantity, whole, support)
    assert found.rounds == grid(9)
    for k, t in enumerate(found.rounds):
        values = whole.columns["loss"]
        states = np.column_stack([values, whole.last["loss"]])  # x^0 .. x^9
        values = values[:, :t].mean(axis=1) if over == "average" else states[:, t]
        limits = mean_interval(values, ceiling)
        assert found.measured[k] == values.mean()
        assert (found.lower[k], found.upper[k]) == (limits.low, finite(limits.high))
        assert found.bound[k] == 4.0 / t
    fixed = curve_of(L / eta, {L: FOUR, eta: FOUR}, quantity, whole, support)
    assert set(fixed.bound) == {1.0}


def test_what_is_exact_has_no_interval_and_what_is_infinite_is_no_number():
    quantity = types.SimpleNamespace(column="loss", over="last")
    found = curve_of(L / T, {L: FOUR, T: FOUR}, quantity, trace(True), None)
    assert found.lower == found.upper == found.measured
    single = Trace({"loss": np.ones((1, 3))}, np.arange(1), False, last={"loss": np.ones(1)})
    found = curve_of(L / T, {L: FOUR, T: FOUR}, quantity, single, None)
    assert found.upper == [None] * 3  # without a ceiling there is no upper limit


def place(at, centre, bound):
    limits = Interval(centre - 1.0, centre + 2.0, True, "a test")
    known = {L: Known(bound, How.EXACT, "a test")}
    return Place(np.array([centre]), centre, limits, False, known, "", {"T": at})


def test_of_places_at_one_point_the_one_with_the_largest_ratio_is_drawn():
    places = (
        place(2.0, 3.0, 4.0),  # ratio .75
        place(2.0, 8.0, 16.0),  # ratio .5, though larger
        place(1.5, 1.0, 8.0),
        place(1.5, 1.0, 4.0),  # nearer
        place(1.0, 0.0, 1.0),
        place(3.0, -1.0, 1.0),
        place(3.0, 1.0, -1.0),  # beyond a bound below 0
    )
    found = curve_of_places(L, Seen(places, 1, True, "T"))
    assert found.axis == "T"
    assert found.rounds == [1, 1.5, 2, 3]
    assert [type(t) for t in found.rounds] == [int, float, int, int]
    assert found.measured == [0.0, 1.0, 3.0, 1.0]
    assert found.bound == [1.0, 4.0, 4.0, -1.0]
    assert found.lower == [-1.0, 0.0, 2.0, 0.0]
    assert found.upper == [2.0, 3.0, 5.0, 3.0]


def test_one_point_makes_no_curve_and_two_do():
    ones = (place(2.0, 3.0, 4.0), place(2.0, 1.0, 4.0))
    assert curve_of_places(L, Seen(ones, 1, True, "T")) is None
    assert curve_of_places(L, Seen((*ones, place(1.0, 0.0, 1.0)), 1, True, "T")).rounds == [1, 2]
