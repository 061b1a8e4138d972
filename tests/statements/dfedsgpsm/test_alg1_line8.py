"""Line 8 where g = 0, and the length of its step."""

import pytest

from theorylab.statements.dfedsgpsm.alg1_line8 import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["implied", "at-rest"].measured == 2.0  # both clients, in every step
    assert found["corrected", "at-rest"].measured == 0.0
    assert found["corrected", "six-clients"].measured == pytest.approx(0.05, rel=1e-12)


def test_a_shorter_radius_is_refuted(missed):
    terms = STATEMENT.versions["corrected"].terms
    variants = {"a millionth less": terms | {"radius": terms["radius"] * (1 - 1e-6)}}
    assert missed(STATEMENT, "corrected", variants) == set()
