"""Lemma 2: read again, faults planted, random instances."""

import pytest

from theorylab.statements import evaluate
from theorylab.statements.dfedalt import _instances as made
from theorylab.statements.dfedalt._symbols import K_v, L_v, eta_v, head, sigma_v
from theorylab.statements.dfedalt.lem2 import STATEMENT

AT = {eta_v: 0.5, K_v: 3, L_v: 2, head: 7, sigma_v: 5}
STILL = made.changed({**made.SIGNS, "x0": [0.3, 0.0]}, eta_v=1e-3)
PULL = {**made.SIGNS, "problem": made.scalars(2, 1.0, 1.0), "x0": 1.0}
PULL = made.changed(PULL, eta_v=1e-4)
CORRECTED = STATEMENT.versions["corrected"].terms


def test_terms_read_again_from_the_paper():
    for version in ("printed", "printed/last"):
        terms = STATEMENT.versions[version].terms
        assert float(evaluate(terms["gradient"], AT)) == 16 * 0.25 * 9 * 7
        assert float(evaluate(terms["noise"], AT)) == 8 * 0.25 * 9 * 25
    cap = next(a.rule for a in STATEMENT.versions["printed"].assumes if "1/(2 K_v" in a.name)
    assert float(evaluate(cap.rhs, AT)) == pytest.approx(1 / 12)
    # 2 (1 + 1)^6 / 4 (9 * 7 + 3 * 25)
    assert [float(evaluate(CORRECTED[k], AT)) for k in CORRECTED] == [32 * 63, 32 * 75]


def without(name, factor=0):
    return {k: term * (factor if k == name else 1) for k, term in CORRECTED.items()}


def test_planted_faults_are_refuted(missed):
    # A factor 1/2 is not refuted: gradient and noise are never in one direction, so 2 is slack.
    faults = {
        "no noise": (without("noise"), STILL),
        "no gradient": (without("gradient"), PULL),
        "a quarter of the noise": (without("noise", 0.25), STILL),
        "a quarter of the gradient": (without("gradient", 0.25), PULL),
        "K for K^2": (without("gradient", 1 / K_v), PULL),
        "noise without K": (without("noise", 1 / K_v), STILL),
        "eta^3": (without("noise", eta_v * L_v), STILL),
    }
    assert missed(STATEMENT, "corrected", faults) == set()


@pytest.mark.parametrize("count", [8, pytest.param(200, marks=pytest.mark.slow)])
def test_random_instances_are_not_violated(never_violated, random_rounds, count):
    for version, cap in (("printed", 0.5), ("printed/last", 0.5), ("corrected", 3.0)):
        share = never_violated(
            STATEMENT, version, lambda d, c=cap: random_rounds(d, cap=c), range(count)
        )
        assert share > 0.9, version
