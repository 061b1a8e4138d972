"""Lemma 5: read again, faults planted, random instances."""

import mpmath
import numpy as np
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
from theorylab.statements.dfedalt.lem5 import CORRECTED, STATEMENT, STEADY
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.topologies import topology

AT = {eta_u: 0.5, K_u: 3, L_u: 2, G: 7, G_past: 7, sigma_u: 5, delta: 3, lam: 0.75, t: 2}
APART = {**made.APART, "rounds": 12}
NOISE = {**made.TWO_ROUNDS, "problem": {**made.TWO_ROUNDS["problem"], "a": [[0.0]] * 2},
         "x0": 0.0, "topology": made.pair(0.01)}  # fmt: skip
NOISE = made.changed(NOISE, eta_u=1e-4)
BOUND = CORRECTED["spread"]


def test_terms_read_again_from_the_paper():
    for version in ("printed", "printed/together", "printed/display", "printed/cap"):
        printed = STATEMENT.versions[version].terms
        # 18 * 1/4 * 9 / (1/16) (25 + 9 + 7)
        assert float(evaluate(sum(printed.values()), AT)) == 18 * 0.25 * 9 * 16 * 41
    # (9/16 * 4 + 3 sqrt(3 * 64/4 (9 * 16 + 75)))^2
    by_hand = (9 / 16 * 4 + 3 * (48 * (9 * 16 + 75)) ** 0.5) ** 2
    assert float(evaluate(BOUND, {**AT, start_spread: 16})) == pytest.approx(by_hand, rel=1e-14)


def test_without_a_gradient_by_hand():
    # q = .75 (1 + .01 * 2)^3; c^2 = 2 * 1e-4 (9 * 9 + 3 * 25)
    q, c = 0.75 * 1.02**3, (2e-4 * (81 + 75)) ** 0.5
    by_hand = (q**2 * 4 + q / (1 - q) * c) ** 2
    at = {**AT, eta_u: 0.01, start_spread: 16}
    assert float(evaluate(STEADY["spread"], at)) == pytest.approx(by_hand, rel=1e-14)


def test_the_unstable_counterexample_in_fifty_digits():
    problem, steps = made.UNSTABLE["problem"], made.UNSTABLE["algorithm"]
    with mpmath.workdps(50):
        A, r, eta = (mpmath.mpf(x) for x in (problem["A"], problem["r"], steps["eta_u"]))
        a = [mpmath.mpf(row[0]) for row in problem["a"]]
        u = [mpmath.mpf(0)] * 2
        for _ in range(steps["steps_u"]):
            u = [x - eta * (A * (x - c) + r * mpmath.sin(x)) for x, c in zip(u, a, strict=True)]
        u = [0.75 * u[0] + 0.25 * u[1], 0.25 * u[0] + 0.75 * u[1]]  # lambda = 1/2
        bar, center = sum(u) / 2, sum(a) / 2
        apart = sum((x - bar) ** 2 for x in u) / 2
        G_t = sum((A * (x - center) + r * mpmath.sin(x)) ** 2 for x in u) / 2
        diversity = sum((A * (c - center)) ** 2 for c in a) / 2
        assert apart > 3 * 18 * (eta * steps["steps_u"]) ** 2 / 0.25 * (diversity + G_t)


def test_planted_faults_are_refuted(missed):
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
    assert missed(STATEMENT, "corrected", wrapped) == set()


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(holds_in_rounds, count):
    assert holds_in_rounds(STATEMENT, "corrected", range(count)) > 0.9


def mixing(random_rounds, draw, together, share, **options):
    """Steps of at most ``share`` of the cap, whatever the network's gap is."""
    found = random_rounds(draw, cap=0.2357, together=together, **options)
    graph = dict(found["topology"])
    W = topology(graph.pop("name"), found["clients"], **graph).matrix(0).toarray()
    gap = 1 - np.linalg.norm(W - 1 / len(W), 2)  # 1 - lambda, with ``share`` to spare
    found["algorithm"]["eta_u"] *= share * max(gap, 0.0)
    return found if found["algorithm"]["eta_u"] > 0 else {**found, "topology": {"name": "complete"}}


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_under_the_cap_random_instances_are_not_violated(never_violated, random_rounds, count):
    for version, together in (("printed/cap", True), ("corrected/no-gradient", False)):
        share = never_violated(
            STATEMENT,
            version,
            lambda d, x=together: mixing(random_rounds, d, x, 0.9),
            range(count),
        )
        assert share > 0.8, version


def test_planted_faults_without_a_gradient_are_refuted(missed):
    slow, bound = made.SLOW_MODE, STEADY["spread"]
    q = lam * (1 + eta_u * L_u) ** K_u
    apart = made.changed(APART, eta_u=1e-4)
    faults = {
        "no start": (bound.subs(start_spread, 0), apart),
        "half of the start": (bound.subs(start_spread, start_spread / 2), apart),
        "q^(2t)": (bound.subs(q**t, q ** (2 * t)), apart),
        "no diversity": (bound.subs(delta, 0), slow),
        "a third": (bound / 3, slow),
        "q for q/(1-q)": (bound.subs(q / (1 - q), q), slow),
        "no noise": (bound.subs(sigma_u, 0), NOISE),
        "1/K of all": (bound / K_u, made.changed(slow, steps_u=5, eta_u=1e-6)),
    }
    wrapped = {
        name: ({"spread": term, "rounding": STEADY["rounding"]}, at)
        for name, (term, at) in faults.items()
    }
    assert missed(STATEMENT, "corrected/no-gradient", wrapped) == set()
