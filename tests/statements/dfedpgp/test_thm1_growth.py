"""(3) for every step size below the cap: growth as derived; none at those of Corollary 1."""

import pytest

from theorylab.statements.dfedpgp import thm1
from theorylab.statements.dfedpgp.thm1_growth import STATEMENT


def test_the_growth_is_what_the_argument_gives(judged):
    found = judged(STATEMENT)
    for version in ("printed", "printed/proof-cap"):
        # a left side that stays over a bracket in 1/sqrt T
        measured = found[version, "vanishing-steps"].measured
        assert measured == pytest.approx(10**0.5, rel=0.02)
    assert found["printed", "at-the-cap"].measured > 1e6
    assert found["printed/corollary-steps", "rounds"].measured == pytest.approx(1, rel=0.02)


def test_planted_errors_are_refuted(missed):
    bound = STATEMENT.versions["printed"].terms["bounded"]
    variants = {f"times {k}/10": {"bounded": bound * k / 10} for k in (3, 5, 6, 7, 8)}
    assert missed(STATEMENT, "printed/corollary-steps", variants) == set()


def test_what_the_theorem_prints_is_judged_here_and_eq_32_there():
    assert "printed" in STATEMENT.versions
    assert all(
        name.split("/")[-1].startswith(("eq32", "corrected")) for name in thm1.STATEMENT.versions
    )
