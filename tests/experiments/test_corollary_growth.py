"""The average against a full run, and the ratio against the bracket by hand."""

import math

import mpmath
import numpy as np
import pytest

from theorylab.experiments import CorollaryGrowth, experiment
from theorylab.experiments.corollary_growth import average, loss
from theorylab.statements import Check
from theorylab.statements.dfedsgpsm.cor1_growth import STATEMENT
from theorylab.verdicts import judge_check


@pytest.mark.parametrize("T", [1, 16, 20000])
def test_the_average_is_that_of_all_rounds(T):
    y, total, eta = -1.5, 0.0, T**-0.5
    for _ in range(T):
        total += math.tanh(y) ** 2
        y -= eta * math.tanh(y)
    # what is left out is at most STOP / eta, of a sum of at least f0 / 2
    assert average(T, 1.5)[0] == pytest.approx(total / T, rel=1e-9)


def test_the_ratio_keeps_the_first_term():
    made = CorollaryGrowth(gaps=[0.5, 0.25, 0.2], power=4.0, center=1.0)
    rows = made.observe("ratio_kept", range(1), 0).rows
    f0 = math.log(math.cosh(1.0))
    for gap, T, row in zip((0.5, 0.25, 0.2), (16, 256, 625), rows, strict=True):
        bracket = f0 / T**0.5 + ((1 / gap - 1) ** 2 + 1 / T) / T + 1 / T
        assert row.values[0] == pytest.approx(average(T, 1.0)[0] / bracket, rel=1e-2 / T)


def test_the_growth_is_the_slope_of_the_printed_ratio():
    made = experiment("corollary-growth", gaps=[0.5, 0.25, 0.125], power=4.0)
    f0, logs = math.log(math.cosh(1.0)), []
    for gap, T in zip((0.5, 0.25, 0.125), (16, 256, 4096), strict=True):
        bracket = gap * f0 / T**0.5 + ((1 / gap - 1) ** 2 + 1 / T) / T + 1 / T
        logs.append(math.log10(average(T, 1.0)[0] / bracket))
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
        ({"center": 1e200}, "center 1e\\+200"),
        ({"gaps": [0.5, 0.1, 0.01]}, "T is 10\\^16 at 1-alpha=0.01 with center 1; need fewer"),
    ],
)
def test_a_wrong_option_is_one_line(options, line):
    with pytest.raises(ValueError, match=f"^corollary-growth: [^\n]*{line}"):
        CorollaryGrowth(**options)


def test_the_loss_has_its_digits_near_and_far():
    for y in (1e-60, 1e-9, 0.3, 0.999, 1.001, 5.0, 1e5):
        with mpmath.workdps(200):
            assert loss(-y) == pytest.approx(
                float(mpmath.log(mpmath.cosh(mpmath.mpf(y)))), rel=1e-13, abs=0
            )


def test_the_average_of_a_start_near_the_center_is_not_its_first_term():
    # y <- (1 - eta) y to a relative y^2: y^2 (1 - q^T)/(T (1 - q)), q = (1 - eta)^2
    q = (1 - 0.01) ** 2
    wanted = 1e-18 * (1 - q**10**4) / (10**4 * (1 - q))
    assert average(10**4, 1e-9)[0] == pytest.approx(wanted, rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        # T = gap^-3.9 is below 6, where the ratio stays bounded; the gradient is 1 all along
        ({"power": 3.9, "center": 300.0}, "on its way"),
        ({"power": 2.0, "center": 300.0}, "on its way"),
        # 1/T rules the bracket, the ratio is 6e-5
        ({"center": 1e-3}, "the order may hide 2"),
        ({"gaps": [0.99, 0.98, 0.97], "power": 1.0}, "the order may hide 2"),
    ],
)
def test_a_transient_refutes_nothing(options, why):
    found = judge_check(STATEMENT, "printed", Check("hostile", options))
    assert found.verdict == "INCONCLUSIVE"
    assert why in found.reason
    found = judge_check(STATEMENT, "corrected", Check("hostile", options))
    assert found.verdict == "HOLDS"


def test_what_lasts_is_still_refuted():
    for options in ({"power": 7.0}, {"center": 30.0}, {"gaps": [1.0, 0.5, 0.1]}):
        found = judge_check(STATEMENT, "printed", Check("lasts", options))
        assert found.verdict == "VIOLATED", found.reason


def test_gaps_that_are_too_near_are_one_line():
    made = CorollaryGrowth(gaps=[0.5, 0.49999999, 0.49999998])
    with pytest.raises(ValueError, match=r"^corollary-growth: [^\n]*need values further apart$"):
        made.observe("growth", range(1), 0)
