"""Printed: false at one point with SAM and two samples. Corrected: true."""

import math

import pytest

from theorylab.statements.dfedsgpsm.lem5_mean import STATEMENT
from theorylab.symbols import L, L_sample

TERMS = STATEMENT.versions["corrected"].terms
SHARP = {  # noise that bends 100 times as much as f: SAM's gain is nearly all of L_xi rho
    "problem": {
        "name": "noisy",
        "base": {"name": "log-cosh", "dim": 1, "center": 2.0},
        "field": "state",
        "sigma": 10.0,
        "length": 0.1,
    },
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 1,
    "algorithm": {"eta": 1e-3, "alpha": 0.0, "rho": 1e-3, "local_steps": 1},
    "x0": math.pi / 2 * 0.1 * 0.93,
    "law": "enumerated",
}


def test_the_verdicts(judged):
    found = judged(STATEMENT)["printed", "uphill"]
    # by hand: line 9 for each of the two samples, less the gradient of f where it is taken
    x = -0.3 * math.pi / 4
    slope, gap = math.tanh(x - 2), 0.0
    for s in (3.0, -3.0):
        up = x + math.copysign(0.2, slope + s * math.cos(x / 0.3))
        gap += s * math.cos(up / 0.3) / 2
    assert found.measured == pytest.approx(abs(slope * gap), rel=1e-12)
    assert found.bound < 1e-12


def test_planted_errors_are_refuted(missed):
    ascent = TERMS["ascent"]
    variants = {
        "nothing": TERMS | {"ascent": 0 * ascent},
        "half": TERMS | {"ascent": ascent / 2},
        "L alone": TERMS | {"ascent": ascent.subs(L_sample, 0)},
        "L rho": TERMS | {"ascent": ascent.subs(L_sample, L)},
        # survives: a field's L_sample has the L of f in it, and its slope has not
        "L_xi alone": TERMS | {"ascent": ascent.subs(L, 0)},
    }
    assert missed(STATEMENT, "corrected", variants, [SHARP]) == {"L_xi alone"}


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=True) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=True) >= 15 * 9
