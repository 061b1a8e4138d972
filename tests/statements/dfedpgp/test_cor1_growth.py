"""The bracket's extremes: growth as the docstring derives it, bounded for the corrected one."""

import pytest

from theorylab.statements import Check
from theorylab.statements.dfedpgp import _sweeps as made
from theorylab.statements.dfedpgp.cor1_growth import STATEMENT
from theorylab.verdicts import judge_check


def test_the_growth_is_what_the_argument_gives(judged):
    found = judged(STATEMENT)
    # the ratio gains the factor K_u / (1 + O(K_u^2/sqrt T)), 1/L_v, sqrt T: fitted, so to 25 %
    for name, rate in (("body-steps-one-batch", 10), ("flat-heads", 10)):
        assert found["printed", name].measured == pytest.approx(rate, rel=0.25)
    assert found["printed", "biased"].measured > 10**0.5


def test_planted_errors_are_refuted(missed):
    bound = STATEMENT.versions["corrected"].terms["bounded"]
    variants = {f"times {k}/10": {"bounded": bound * k / 10} for k in (3, 5, 6, 7, 8)}
    assert missed(STATEMENT, "corrected", variants) == set()


def test_a_transient_is_no_growth_without_end():
    # The start is off along curvature 1e-6 alone: the gradient stays what it is while the bracket
    # falls, so the ratio is 2e-6 sqrt T, until T is about 10^12. It never passes 1.
    problem = {
        "name": "coupled-quadratic", "A": [[[1.0, 0.0], [0.0, 1e-6]]], "B": [[[1.0]]],
        "C": [[[0.0], [0.0]]], "a": [[0.0, 0.0]], "b": [[0.0]],
    }  # fmt: skip
    slow = {**made.IN_T, "problem": problem, "topology": {"name": "complete"}, "clients": 1}
    slow |= {"x0": [0.0, 1.0, 0.0], "bracket": "corrected"}
    result = judge_check(STATEMENT, "corrected", Check("slow", slow))
    assert result.verdict == "INCONCLUSIVE"
    assert result.measured == pytest.approx(10**0.5, rel=1e-2)


def test_without_the_network_the_bracket_is_too_small_by_one_over_delta():
    check = next(c for c in STATEMENT.versions["corrected"].checks if c.name == "without-network")
    assert judge_check(STATEMENT, "corrected", check).measured > 10
    whole = Check("whole", {**check.instance, "bracket": "corrected"})
    assert judge_check(STATEMENT, "corrected", whole).verdict != "VIOLATED"
