"""Sampling A and B in one round leaves HGP unbiased."""

from theorylab.statements import Check
from theorylab.statements.pdbo._unbiased import instances
from theorylab.statements.pdbo.sec61 import STATEMENT
from theorylab.verdicts import judge_check


def test_a_bias_is_seen_where_there_is_one():
    """The claim "no longer unbiased" of a recursion that is biased: Algorithm 5's."""
    options = {"reading": "alg5", "terms": 3, "alpha": 0.5}
    check = Check("alg5", {**instances("eq12", together=True)["sto-d"], **options})
    found = judge_check(STATEMENT, "printed", check)
    assert found.verdict == "HOLDS"
    assert found.measured > 1e6 * found.bound > 0
