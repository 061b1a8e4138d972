"""The simulated corner alone, on one parabola L/2 (x - p)^2 + c in place of the solver's data."""

import importlib
import math

import numpy as np
import pytest

from theorylab.known import How, Known
from theorylab.tightness import settings, theorem
from theorylab.tightness.push_sum import network
from theorylab.tightness.setting import GAP, LAST, LEAST, MEAN, B, L
from theorylab.tightness.worst_case import Data

# the package exports the function of the same name as the module
TRIANGLE = importlib.import_module("theorylab.tightness.triangle")
ROUNDING = 1e-9  # eps is 1e-10 of the data; a handful of float64 operations beside it


@pytest.fixture
def parabola(monkeypatch):
    """``parabola(setting, slope, c)``: the triangle where the data are slope and value at 0."""

    def solve(setting, slope, c=0.0):
        value = slope**2 / (2 * L) + c
        data = Data(np.zeros((1, 1)), np.full((1, 1), slope), np.array([value]))
        pep = Known(1.0, How.ESTIMATE, "by hand")
        monkeypatch.setattr(TRIANGLE, "worst_case", lambda setting, inner: (pep, [data]))
        return TRIANGLE.triangle(setting).simulated.value

    return solve


def row(method, claim, rounds):
    return next(s for s in settings(method, 1, rounds) if s.claim == claim)


def test_mean_and_least_are_over_the_gradients_of_the_rounds(parabola):
    slope = math.sqrt(2 * L * GAP)  # one step of 1/L reaches the minimiser
    mean = parabola(row("gradient-descent", MEAN, 2), slope)
    assert mean == pytest.approx(slope**2 / 2, rel=ROUNDING)
    assert parabola(row("gradient-descent", LEAST, 2), slope) <= ROUNDING


def test_functions_with_too_large_a_gap_are_shrunk_into_the_class(parabola):
    found = parabola(row("gradient-descent", MEAN, 1), 1.5 * math.sqrt(2 * L * GAP))
    assert found == pytest.approx(2 * L * GAP, rel=ROUNDING)
    assert found <= 2 * L * GAP


def test_functions_with_too_large_a_gradient_are_shrunk_into_the_class(parabola):
    found = parabola(row("push-sum", MEAN, 1), 1.2 * B)
    assert found == pytest.approx(B**2, rel=ROUNDING)
    assert found <= B**2


def test_the_last_loss_is_measured_from_the_infimum(parabola):
    # |x^0 - x*| = slope / L; the first step is the last, and it reaches the minimiser
    assert abs(parabola(row("gradient-descent", LAST, 1), 0.5 * L * GAP, c=5.0)) <= 5 * ROUNDING


def test_the_theorem_s_constants_are_of_all_rounds(monkeypatch):
    seen, real = [], theorem.topology_constants
    monkeypatch.setattr(
        theorem, "topology_constants", lambda t, horizon: seen.append(horizon) or real(t, horizon)
    )
    theorem.corrected_theorem1(network(3), eta=0.2, alpha=0.0, local_steps=1, rounds=7)
    assert seen == [7]
