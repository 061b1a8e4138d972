"""Printed: false for two clients. Corrected: true, and tight for close points."""

import math
from dataclasses import replace

import pytest

from theorylab.statements.dfedsgpsm.lem5_smooth import STATEMENT
from theorylab.symbols import L

POINTS = STATEMENT.versions["corrected"].terms["points"]


def test_the_verdicts(judged):
    found = judged(STATEMENT)["printed", "two-centers"]
    assert found.bound == 0.0
    assert found.measured == pytest.approx(math.tanh(1) ** 2, rel=1e-12)


def test_planted_errors_are_refuted(missed):
    variants = {str(k): {"points": POINTS * k / 10} for k in (0, 1, 5, 7, 9)}
    assert missed(STATEMENT, "corrected", variants) == set()


def test_a_lost_L_is_told_by_its_units():
    changed = replace(STATEMENT.versions["corrected"], terms={"points": POINTS / L})
    assert STATEMENT.mixed_units(changed) == (
        "the term 'points' has the units f, dfedsgpsm.smooth_fi has f^2 x^-2",
    )


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=True) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=True) >= 15 * 9
