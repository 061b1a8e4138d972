"""Algorithm 3 is Eq. (11) where edges go both ways in every round."""

import pytest

from theorylab.statements.pdbo.alg3 import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check, seeds=16).verdict == check.expect
