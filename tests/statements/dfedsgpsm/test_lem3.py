"""Printed: false for K > 64 with SAM near a minimum. Corrected: true."""

import pytest
from sympy import simplify

from theorylab.statements.dfedsgpsm._symbols import z_gradient
from theorylab.statements.dfedsgpsm.lem3 import STATEMENT
from theorylab.statements.dfedsgpsm.thm1 import STATEMENT as THM1
from theorylab.symbols import B, K, L, delta, eta

TERMS = STATEMENT.versions["corrected"].terms
FAR = {  # one client on a slope of nearly 1: the drift is K eta
    "problem": {"name": "log-cosh", "dim": 1, "center": 9.0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 1,
    "algorithm": {"eta": 1e-3, "alpha": 0.0, "rho": 0.0, "local_steps": 16},
}


def test_the_printed_C_1_is_that_of_theorem_1():
    # Theorem 1 prints it once more, and is compared with fractions by hand there
    drift = THM1.versions["printed"].terms["client drift"]
    in_theorem = drift * delta / (3 * eta**2 * L**2) - 64 * K**2 * B**2
    assert simplify(STATEMENT.versions["printed"].terms["C_1"] / eta**2 - in_theorem) == 0
    printed = STATEMENT.versions["printed"].terms["signal"]
    assert simplify(printed - 64 * K**2 * eta**2 * z_gradient) == 0


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # K = 1000 steps of slope D + rho against 64 K rho^2 + 64 K^2 D^2, D = rho / 100 the distance
    steps, near = 1000, 0.01
    ratio = steps * (1 + near) ** 2 / (64 * (1 + steps * near**2))
    assert ratio > 14
    # eta K L = 1e-5 of the way is walked, and tanh bends by (D + rho)^2 / 3
    assert found["printed", "sam-near-the-minimum"].ratio == pytest.approx(ratio, rel=1e-4)
    # C_1 has 64 K^2 where 64 K was printed
    ratio = found["corrected", "sam-near-the-minimum"].ratio
    assert ratio == pytest.approx((1 + near) ** 2 / (64 * (1 + near**2)), rel=1e-4)


def test_planted_errors_are_refuted_as_far_as_the_slack_of_64_allows(missed):
    sharp, signal = TERMS["sharpness"], TERMS["signal"]
    variants = {
        "rho^2 without K^2 (printed: K)": TERMS | {"sharpness": sharp / K**2},
        "64 K L^2 rho^2": TERMS | {"sharpness": sharp / K},
        "no rho": TERMS | {"sharpness": 0 * sharp},
        "signal without K^2": TERMS | {"signal": signal / K**2},
        "no signal": TERMS | {"signal": 0 * signal},
        # survivors: the true drift is 1/64 of the bound, from 4 (splitting) times 16
        "half": {name: term / 2 for name, term in TERMS.items()},
        "no sigma_l": TERMS | {"noise": 0 * TERMS["noise"]},
    }
    assert missed(STATEMENT, "corrected", variants, [FAR]) == {"half", "no sigma_l"}


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=True) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=True) >= 15 * 9
