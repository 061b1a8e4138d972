"""The bracket's extremes: growth as the docstring derives it, bounded for the corrected one."""

import pytest

from theorylab.statements.dfedpgp.cor1_growth import STATEMENT


def test_the_growth_is_what_the_argument_gives(judged):
    found = judged(STATEMENT)
    # the ratio gains the factor K_u / (1 + O(K_u^2/sqrt T)), 1/L_v, sqrt T: fitted, so to 25 %
    for name, rate in (("body-steps-one-batch", 10), ("flat-heads", 10)):
        assert found["printed", name].measured == pytest.approx(rate, rel=0.25)
    assert found["printed", "biased"].measured > 10**0.5
    vanishing = found["printed/theorem", "vanishing-steps"].measured
    assert vanishing == pytest.approx(10**0.5, rel=0.02)
    assert found["printed/theorem", "at-the-cap"].measured > 1e6


def test_planted_errors_are_refuted(caught):
    bound = STATEMENT.versions["corrected"].terms["bounded"]
    variants = {f"times {k}/10": {"bounded": bound * k / 10} for k in (3, 5, 6, 7, 8)}
    assert caught(STATEMENT, "corrected", variants) == set(variants)
