"""Lemma 5: read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt._symbols import (
    G,
    G_past,
    K_u,
    L_u,
    delta,
    eta_u,
    lam,
    sigma_u,
    start_spread,
)
from theorylab.statements.dfedalt.lem5 import CORRECTED, STATEMENT
from theorylab.statements.dfedsgpsm._symbols import t

AT = {eta_u: 0.5, K_u: 3, L_u: 2, G: 7, G_past: 7, sigma_u: 5, delta: 3, lam: 0.75, t: 2}
APART = {**made.APART, "rounds": 12}
NOISE = {**made.TWO_ROUNDS, "problem": {**made.TWO_ROUNDS["problem"], "a": [[0.0]] * 2},
         "x0": 0.0, "topology": made.pair(0.01)}  # fmt: skip
NOISE = made.changed(NOISE, eta_u=1e-4)
BOUND = CORRECTED["spread"]


def test_every_check_gets_its_verdict(judged):
    judged(STATEMENT)


def test_terms_read_again_from_the_paper():
    for version in ("printed", "printed/together", "printed/display"):
        printed = STATEMENT.versions[version].terms
        # 18 * 1/4 * 9 / (1/16) (25 + 9 + 7)
        assert float(evaluate(sum(printed.values()), AT)) == 18 * 0.25 * 9 * 16 * 41
    # (9/16 * 4 + 3 sqrt(3 * 64/4 (9 * 16 + 75)))^2
    by_hand = (9 / 16 * 4 + 3 * (48 * (9 * 16 + 75)) ** 0.5) ** 2
    assert float(evaluate(BOUND, {**AT, start_spread: 16})) == pytest.approx(by_hand, rel=1e-14)


def test_planted_faults_are_refuted(caught):
    # Not refuted: a gradient or noise term dropped (they are within delta's slack here), sqrt(3).
    slow = made.SLOW_MODE
    faults = {
        "no start": (BOUND.subs(start_spread, 0), made.changed(APART, eta_u=1e-4)),
        "half of the start": (BOUND.subs(start_spread, start_spread / 2), APART),
        "lambda^(2t)": (BOUND.subs(lam**t, lam ** (2 * t)), made.changed(APART, eta_u=1e-4)),
        "no diversity": (BOUND.subs(delta, 0), slow),
        "a quarter": (BOUND / 4, slow),
        "lambda for lambda/(1-lambda)": (BOUND.subs(lam / (1 - lam), lam), slow),
        "no noise": (BOUND.subs(sigma_u, 0), NOISE),
        "1/K of all": (BOUND / K_u**2, made.changed(slow, steps_u=5, eta_u=1e-6)),
    }
    wrapped = {
        name: ({"spread": term, "rounding": CORRECTED["rounding"]}, at)
        for name, (term, at) in faults.items()
    }
    assert caught(STATEMENT, "corrected", wrapped) == []


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, random_rounds, count):
    for together in (True, False):
        share = never_violated(
            STATEMENT, "corrected", lambda d, s=together: random_rounds(d, together=s), range(count)
        )
        assert share > 0.9
    never_violated(STATEMENT, "printed/together", lambda d: random_rounds(d), range(count))
