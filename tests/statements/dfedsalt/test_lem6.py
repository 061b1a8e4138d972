"""Lemma 6: read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _symbols as s
from theorylab.statements.dfedsalt import _instances as made
from theorylab.statements.dfedsalt.lem6 import CORRECTED, STATEMENT, STEADY
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.symbols import rho

AT = {
    s.eta_u: 0.5, s.K_u: 3, s.L_u: 2, s.L_sample: 4, s.G: 7, s.G_past: 7, s.sigma_u: 5, s.delta: 3,
    s.lam: 0.75, t: 2, rho: 6, s.start_spread: 16,
}  # fmt: skip
BOUND = CORRECTED["spread"]
APART = made.changed(made.APART, eta_u=1e-4)
PULLED = made.PULLED


def test_terms_read_again_from_the_paper():
    for version in ("printed", "printed/together"):
        printed = STATEMENT.versions[version].terms
        by_hand = 6 * 0.25 * 3 * 16 * (4 * 36 + 9 * (25 + 9 + 7))
        assert float(evaluate(sum(printed.values()), AT)) == by_hand
    steps = 4 * 64 * 0.25 * (9 * (9 + 7 + 16 * 36) + 3 * 25)
    assert float(evaluate(BOUND, AT)) == pytest.approx(
        (9 / 16 * 4 + 3 * steps**0.5) ** 2, rel=1e-14
    )


def test_without_a_gradient_by_hand():
    # q = .75 (1 + .01 * 2)^3; c^2 = 3 * 1e-4 (9 (9 + 16 * 36) + 3 * 25)
    q, c = 0.75 * 1.02**3, (3e-4 * (9 * (9 + 16 * 36) + 75)) ** 0.5
    by_hand = (q**2 * 4 + q / (1 - q) * c) ** 2
    at = {**AT, s.eta_u: 0.01}
    assert float(evaluate(STEADY["spread"], at)) == pytest.approx(by_hand, rel=1e-14)


def test_planted_faults_without_a_gradient_are_refuted(missed):
    bound = STEADY["spread"]
    q = s.lam * (1 + s.eta_u * s.L_u) ** s.K_u
    faults = {
        "no start": (bound.subs(s.start_spread, 0), APART),
        "half of the start": (bound.subs(s.start_spread, s.start_spread / 2), APART),
        "no sharpness": (bound.subs(rho, 0), PULLED),
        "a fifth": (bound / 5, PULLED),
        "1/K of all": (bound / s.K_u, PULLED),
        "q for q/(1-q)": (bound.subs(q / (1 - q), q), PULLED),
        "rho^2 / K": (bound.subs(rho, rho / s.K_u), PULLED),
    }
    wrapped = {
        name: ({"spread": term, "rounding": STEADY["rounding"]}, at)
        for name, (term, at) in faults.items()
    }
    assert missed(STATEMENT, "corrected/no-gradient", wrapped) == set()


def test_planted_faults_are_refuted(missed):
    # Not refuted: a factor 1/2, which is the slack of four parts in one square.
    faults = {
        "no start": (BOUND.subs(s.start_spread, 0), APART),
        "lambda^(2t)": (BOUND.subs(s.lam**t, s.lam ** (2 * t)), APART),
        "half of the start": (BOUND.subs(s.start_spread, s.start_spread / 2), APART),
        "no sharpness": (BOUND.subs(rho, 0), PULLED),
        "a fifth": (BOUND / 5, PULLED),
        "1/K of all": (BOUND / s.K_u, PULLED),
        "lambda for lambda/(1-lambda)": (BOUND.subs(s.lam / (1 - s.lam), s.lam), PULLED),
        "rho^2 / K": (BOUND.subs(rho, rho / s.K_u), PULLED),
    }
    wrapped = {
        name: ({"spread": term, "rounding": CORRECTED["rounding"]}, at)
        for name, (term, at) in faults.items()
    }
    assert missed(STATEMENT, "corrected", wrapped) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count), sam=True) > 0.9
