"""Implied: false where many clients hear of two alone. Corrected: true."""

import math

import pytest

from theorylab.statements.dfedsgpsm._proof5 import ROOTS_AT_T, squared
from theorylab.statements.dfedsgpsm.lem5_r1 import STATEMENT
from theorylab.symbols import L, rho

TERMS = STATEMENT.versions["corrected"].terms
ROOTS = {**ROOTS_AT_T, "sharpness": L * rho}


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # nothing is lost where SAM is all there is
    assert found["corrected", "near"].ratio == pytest.approx(1, rel=1e-3)
    # by hand: half of the clients at +.02/201, where f' = tanh; the others see no curvature
    off = math.tanh(0.02 / 201) / 2
    for version in ("printed", "implied"):
        # a step of 1e-9 beside .02/201
        assert found[version, "two-sources"].measured == pytest.approx(off**2, rel=1e-4)
    many = found["implied", "two-sources"]
    curve = many.curve
    assert (curve.axis, curve.rounds) == ("clients", [26, 66, 162, 402])
    for n, measured, bound in zip(curve.rounds, curve.measured, curve.bound, strict=True):
        assert measured / bound == pytest.approx(n / (48 * (2 - 2 / n) ** 2), rel=1e-2)
    assert many.constants["C"]["value"] == pytest.approx(2 - 2 / 402, rel=1e-6)
    # the starts alone: n / (48 C^2)
    assert many.ratio == pytest.approx(402 / (48 * (2 - 2 / 402) ** 2), rel=1e-3)
    # larger q are valid, too, and refuted up to the root of the ratio: 1.45 / 201 = .0072
    upto = float(many.rests_on.split("valid C of each q up to ")[1])
    assert 1 / 201 < upto <= math.sqrt(many.ratio) / 201


def test_planted_errors_are_refuted(missed):
    variants = {
        "a hundredth less": {name: term * 0.99 for name, term in TERMS.items()},
        "half of rho": squared(ROOTS | {"sharpness": ROOTS["sharpness"] / 2}),
        "no start": squared(ROOTS | {"initial disagreement": 0 * L * rho}),
        "no drift": squared(ROOTS | {"client drift": 0 * L * rho}),
    }
    assert missed(STATEMENT, "corrected", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=True) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=True) >= 15 * 9
