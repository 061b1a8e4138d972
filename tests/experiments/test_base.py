"""The contract of an experiment: rows that are laws or samples, options that are named."""

import numpy as np
import pytest

from theorylab.experiments import (
    EXPERIMENTS,
    Experiment,
    Observation,
    Row,
    experiment,
    relative_error,
)
from theorylab.experiments._base import check_column


class Coin(Experiment, name="test-coin"):
    columns = ("heads",)

    def __init__(self, *, chance=0.5):
        self.chance = chance

    def describe(self):
        return {"chance": self.chance}

    def constants(self):
        return {}

    def observe(self, column, runs, seed):
        check_column(self, column)
        law = np.array([1 - self.chance, self.chance])
        return Observation((Row(np.array([0.0, 1.0]), weights=law),), exact=True)


def test_a_subclass_is_found_by_its_name():
    made = experiment("test-coin", chance=0.25)
    assert isinstance(made, Coin)
    assert experiment("test-coin", **made.describe()).chance == 0.25


def test_two_classes_cannot_share_a_name():
    with pytest.raises(ValueError, match=r"'test-coin' is taken: .*test_base\.py, line"):
        type("Other", (Coin,), {"__qualname__": "Other"}, name="test-coin")
    assert EXPERIMENTS["test-coin"] is Coin


@pytest.mark.parametrize(
    ("name", "options", "line"),
    [
        ("test-con", {}, "no 'test-con'; did you mean test-coin[?]$"),
        ("test-coin", {"chances": 1}, "test-coin: got an unexpected keyword argument 'chances'$"),
    ],
)
def test_wrong_names_and_options_are_one_line(name, options, line):
    with pytest.raises(ValueError, match=r"^experiment[^\n]*" + line):
        experiment(name, **options)


def test_an_unknown_column_names_those_there_are():
    with pytest.raises(ValueError, match="column is 'tails'; need one of heads"):
        experiment("test-coin").observe("tails", range(1), 0)


@pytest.mark.parametrize(
    ("values", "options", "line"),
    [
        ([], {}, r"values have shape \(0,\)"),
        ([np.nan], {}, "hold nan"),
        ([1.0], {"rounding": -1.0}, "rounding is -1.0; need >= 0"),
        ([1.0], {"relative_error": -0.1}, "relative_error is -0.1; need a number >= 0"),
        ([1.0], {"relative_error": np.inf}, "relative_error is inf; need a number >= 0"),
        ([1.0, 2.0], {"weights": [1.0]}, "weights do not fit"),
        ([1.0, 2.0], {"weights": [1.5, -0.5]}, "weights do not fit"),
        ([1.0, 2.0], {"weights": [0.5, 0.4]}, "weights sum to 0.9; need 1"),
    ],
)
def test_a_row_that_is_no_row_is_refused(values, options, line):
    with pytest.raises(ValueError, match=line):
        Row(np.array(values), **options)


def test_an_exact_observation_holds_numbers_or_laws():
    with pytest.raises(ValueError, match="several values and no weights"):
        Observation((Row(np.array([1.0, 2.0])),), exact=True)
    with pytest.raises(ValueError, match="no row"):
        Observation((), exact=True)
    with pytest.raises(ValueError, match="axis is 'M'"):
        Observation((Row(np.ones(1), {"T": 1.0}), Row(np.ones(1), {"M": 1.0})), True, "M")


def test_a_relative_error_is_the_largest_gap_over_the_largest_entry_of_either_side():
    left, right = np.array([1.0, -4.0]), np.array([1.5, -3.0])
    assert relative_error(left - right, left, right) == 0.25
    assert relative_error([0.5], right) == 0.5 / 3
    assert relative_error([0.0], left) == 0.0


def test_where_both_sides_are_0_or_nothing_there_is_no_relative_error():
    assert relative_error([1e-17], np.zeros(3), 0.0) is None
    assert relative_error([1.0], np.zeros(0)) is None
    assert relative_error([1.0], np.inf) is None
