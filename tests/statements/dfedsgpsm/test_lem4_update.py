"""False for every realisation, and with SAM; true in the mean with G."""

import pytest

from theorylab.statements.dfedsgpsm._algorithm1 import a_tilde
from theorylab.statements.dfedsgpsm.lem4_update import STATEMENT
from theorylab.symbols import K, L_sample, alpha, sigma_l

UPDATE = STATEMENT.versions["corrected"].terms["update"]


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # (B + sigma)^2 / (B^2 + sigma^2) = 2.25 / 1.25
    assert found["printed", "signs"].ratio == pytest.approx(1.8, rel=1e-6)
    # d = 64: eps^2 + A^2 against B^2 + eps^2 + A^2 / (2d), B^2 = 1e-6 d
    ratio = (1e-6 + 1) / (64e-6 + 1e-6 + 1 / 128)
    assert found["printed/mean-square", "pinwheel"].ratio == pytest.approx(ratio, rel=1e-4)


def test_with_assumption_3_for_line_9_a_smaller_bound_is_refuted(missed):
    half = {"update": STATEMENT.versions["printed/line-9"].terms["update"] / 2}
    assert missed(STATEMENT, "printed/line-9", {"half": half}) == set()


def test_planted_errors_are_refuted(missed):
    full = UPDATE.subs(alpha, 0)
    variants = {
        "half": {"update": UPDATE / 2},
        "K for a~": {"update": full},
        "no sigma": {"update": UPDATE.subs(sigma_l, 0)},
        "no L_xi rho": {"update": UPDATE.subs(L_sample, 0)},
        "a~ to the first power": {"update": UPDATE / a_tilde},
        "no K": {"update": full / K**2},
    }
    assert missed(STATEMENT, "corrected", variants) == set()


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=True) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=True) >= 15 * 9
