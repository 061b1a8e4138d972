"""No seed was picked to please: every check keeps its verdict under others."""

import pytest

from theorylab.verdicts import jobs, judge


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 20261121])
def test_every_quick_check_has_its_verdict_for_other_seeds(seed):
    for job in jobs([], quick=True, seed=seed):
        result = judge(job)
        assert result.as_expected, f"{job.id} [{job.version}] {job.check}: {result.reason}"
