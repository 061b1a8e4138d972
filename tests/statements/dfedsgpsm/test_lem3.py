"""Printed: false for K > 64 with SAM near a minimum. Corrected: true."""

import math

import numpy as np
import pytest
from sympy import Rational, simplify, sqrt

from theorylab.statements import evaluate
from theorylab.statements.dfedsgpsm._symbols import local_step, z_gradient
from theorylab.statements.dfedsgpsm.lem3 import STATEMENT
from theorylab.statements.dfedsgpsm.thm1 import STATEMENT as THM1
from theorylab.symbols import B, K, L, L_sample, alpha, delta, eta, rho, sigma_g, sigma_l

TERMS = STATEMENT.versions["corrected"].terms
FAR = {  # one client on a slope of nearly 1: the drift is K eta
    "problem": {"name": "log-cosh", "dim": 1, "center": 9.0},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 1,
    "algorithm": {"eta": 1e-3, "alpha": 0.0, "rho": 0.0, "local_steps": 16},
}
STILL = {  # nothing but noise: at the minimum of one client
    "problem": {"name": "noisy", "base": {"name": "log-cosh", "dim": 1}, "field": "rademacher"},
    "topology": {"name": "complete"},
    "clients": 1,
    "rounds": 1,
    "algorithm": {"eta": 1e-4, "alpha": 0.5, "rho": 0.0, "local_steps": 6},
    "law": "enumerated",
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
    # noise alone: K eta^2 sigma_l^2 against 8 K, or 8 K^2, of it, and sigma_g = 0
    for version, share in (("printed", lambda K: 8), ("printed/proof-3", lambda K: 8 * K)):
        curve = found[version, "noise-alone"].curve
        assert curve.rounds == [1, 2, 4, 8]
        for steps, measured, bound in zip(curve.rounds, curve.measured, curve.bound, strict=True):
            assert measured == pytest.approx(steps * 1e-12, rel=1e-4)
            assert bound / measured == pytest.approx(share(steps), rel=1e-4)
    curve = found["printed", "sam-near-the-minimum"].curve
    assert curve.axis == "local_steps"
    for steps, measured, bound in zip(curve.rounds, curve.measured, curve.bound, strict=True):
        by_hand = steps * (1 + near) ** 2 / (64 * (1 + steps * near**2))
        assert measured / bound == pytest.approx(by_hand, rel=1e-4)
    # where alike steps are all there is nothing is lost but tanh's bend
    assert found["corrected", "sam-near-the-minimum"].ratio == pytest.approx(1, rel=1e-4)


def test_the_corrected_bound_by_hand():
    # k = 3, alpha = 1/2: c = 7/4, 3/2, 1, a~ = 17/4; B = 3, sigma_l = 4, L_xi rho = 1: G = 6
    at = {
        local_step: 3,
        alpha: Rational(1, 2),
        B: 3,
        sigma_l: 4,
        L_sample: 10,
        rho: Rational(1, 10),
    }
    at |= {eta: Rational(1, 100), sigma_g: Rational(1, 2), z_gradient: Rational(1, 4)}
    a, squares = Rational(17, 4), Rational(7, 4) ** 2 + Rational(3, 2) ** 2 + 1
    far = (a * 6 / 100) ** 2
    near = (((sqrt(squares) * 4 + a * 2) / 100) / (1 - a / 100)) ** 2
    assert near < far
    # L eta a~ / delta = 17/400, then 17/40, then more than 1
    for slope, expected in ((1, near), (10, far), (100, far)):
        found = evaluate(TERMS["drift"], {**at, L: slope, delta: 1})
        assert float(found) == pytest.approx(float(expected), rel=1e-14)


def test_it_is_never_more_than_the_printed_terms_with_K_squared():
    draw = np.random.default_rng(5)
    old = STATEMENT.versions["printed"].bound + 64 * (K**2 - K) * L**2 * rho**2 * eta**2
    for _ in range(300):
        steps = int(draw.integers(1, 200))
        at = {s: float(10 ** draw.uniform(-3, 3)) for s in old.free_symbols - {alpha, K, eta}}
        at |= {K: steps, local_step: steps, alpha: float(1 - 10 ** draw.uniform(-4, 0))}
        at |= {delta: 0.5, eta: float(draw.uniform(0, 1)) * 0.5 / (8 * at[L] * steps)}
        at |= {L_sample: at[L]}
        momentum = 16 * steps**2 * at[alpha] ** 2 / (1 - at[alpha]) ** 2 * at[eta] ** 2
        gradient = math.hypot(at[B], at[sigma_l])
        more = momentum * ((gradient + at[L] * at[rho]) ** 2 - 2 * gradient**2)
        assert evaluate(TERMS["drift"], at) <= evaluate(old, at) + more


def test_planted_errors_are_refuted(missed):
    drift = TERMS["drift"]
    variants = {
        "a hundredth less": {"drift": 0.99 * drift},
        "rho^2 without K^2": {"drift": drift.subs(rho, rho / sqrt(K))},
        "no rho": {"drift": drift.subs(rho, 0)},
        "no signal": {"drift": drift.subs(z_gradient, 0)},
        "no sigma_l": {"drift": drift.subs(sigma_l, 0)},
    }
    assert missed(STATEMENT, "corrected", variants, [FAR, STILL]) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=True) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=True) >= 15 * 9
