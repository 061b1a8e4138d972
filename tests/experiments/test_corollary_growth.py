"""The average against a full run, and the ratio against the bracket by hand."""

import math

import numpy as np
import pytest

from theorylab.experiments import CorollaryGrowth, experiment
from theorylab.experiments.corollary_growth import average


@pytest.mark.parametrize("T", [1, 16, 20000])
def test_the_average_is_that_of_all_rounds(T):
    y, total, eta = -1.5, 0.0, T**-0.5
    for _ in range(T):
        total += math.tanh(y) ** 2
        y -= eta * math.tanh(y)
    # what is left out is at most STOP / eta, of a sum of at least f0 / 2
    assert average(T, 1.5) == pytest.approx(total / T, rel=1e-9)


def test_the_ratio_keeps_the_first_term():
    made = CorollaryGrowth(gaps=[0.5, 0.25, 0.2], power=4.0, center=1.0)
    rows = made.observe("ratio_kept", range(1), 0).rows
    f0 = math.log(math.cosh(1.0))
    for gap, T, row in zip((0.5, 0.25, 0.2), (16, 256, 625), rows, strict=True):
        bracket = f0 / T**0.5 + ((1 / gap - 1) ** 2 + 1 / T) / T + 1 / T
        assert row.values[0] == pytest.approx(average(T, 1.0) / bracket, rel=1e-2 / T)


def test_the_growth_is_the_slope_of_the_printed_ratio():
    made = experiment("corollary-growth", gaps=[0.5, 0.25, 0.125], power=4.0)
    f0, logs = math.log(math.cosh(1.0)), []
    for gap, T in zip((0.5, 0.25, 0.125), (16, 256, 4096), strict=True):
        bracket = gap * f0 / T**0.5 + ((1 / gap - 1) ** 2 + 1 / T) / T + 1 / T
        logs.append(math.log10(average(T, 1.0) / bracket))
    slope = np.polyfit([-math.log10(g) for g in (0.5, 0.25, 0.125)], logs, 1)[0]
    (row,) = made.observe("growth", range(1), 0).rows
    assert row.values[0] == pytest.approx(10**slope, rel=1e-9)
    assert experiment("corollary-growth", **made.describe()).describe() == made.describe()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"gaps": [0.5, 0.1]}, "gaps is"),
        ({"gaps": [0.1, 0.2, 0.3]}, "gaps is"),
        ({"gaps": [1.5, 1.0, 0.3]}, "gaps is"),
        ({"power": 0.0}, "power is 0.0"),
        ({"center": -1.0}, "center -1.0"),
    ],
)
def test_a_wrong_option_is_one_line(options, line):
    with pytest.raises(ValueError, match=f"^corollary-growth: [^\n]*{line}"):
        CorollaryGrowth(**options)
