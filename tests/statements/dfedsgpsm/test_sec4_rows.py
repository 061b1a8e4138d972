"""Row sums: off on a chord, 1 on a directed ring."""

import pytest

from theorylab.statements.dfedsgpsm.sec4_rows import STATEMENT


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed", "ring"].measured == 0.0
    # client 2 hears of 0 (a third), 1 (a half) and itself (a half); client 1 of 0 and itself
    assert found["printed", "chord"].measured == pytest.approx(1 / 3, rel=1e-12)


def test_more_than_there_is_is_refuted(missed):
    assert missed(STATEMENT, "printed", {"all": lambda term: term + 1}) == set()
