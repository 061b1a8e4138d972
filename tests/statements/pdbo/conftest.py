"""A formula of a lemma replaced by a wrong one."""

import pytest

from theorylab.verdicts import judge_check


@pytest.fixture
def judged_with(monkeypatch):
    def run(statement, faults, name):
        """The verdict with one of ``faults`` planted: a module, its formula, and a wrong one."""
        monkeypatch.setattr(*faults[name])
        # A seed of its own: what was measured under another fault is not what is measured here.
        seed = 1 + list(faults).index(name)
        check = statement.versions["printed"].checks[0]
        return judge_check(statement, "printed", check, seed=seed).verdict

    return run
