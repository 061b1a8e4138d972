"""The identity holds to rounding with line 9's gradient and fails with line 7's under SAM."""

import pytest

from theorylab.verdicts import Job, judge


def result(version, check):
    return judge(Job("dfedsgpsm.lem1", version, check, None, seeds=8, seed=0, budget=600.0))


def test_the_allowance_is_gamma_of_82_roundings_for_six_local_steps():
    found = result("corrected", "sam-momentum")
    u, m = 2.0**-53, 6**2 + 6 * 6 + 10
    allowance = m * u / (1 - m * u) * found.constants["magnitude"]["value"]
    assert found.bound == pytest.approx(allowance, rel=1e-15, abs=0)
    # 3K + 2 roundings in the recursion, K(K+1)/2 + 4 in the double sum, fit in
    assert m >= (3 * 6 + 2) + (6 * 7 // 2 + 4)


@pytest.mark.parametrize("version", ["printed", "corrected"])
def test_the_perturbed_gradient_makes_it_an_identity(version):
    found = result(version, "sam-momentum")
    assert found.verdict == "HOLDS"
    # gamma_82 S with S about 3, and something is actually measured
    assert 0 < found.measured <= found.bound < 82 * 2.0**-53 * 10


def test_the_plain_gradient_breaks_it_by_far_more_than_rounding():
    found = result("printed/line-7", "sam-momentum")
    assert found.verdict == "VIOLATED"
    assert found.ratio > 1e6


def test_without_sam_both_gradients_are_the_same():
    assert result("printed/line-7", "momentum").verdict == "HOLDS"
