"""The identity holds to rounding with line 9's gradient."""

import importlib

import pytest

from theorylab.verdicts import Job, judge


def result(version, check, seed=0):
    return judge(Job("dfedsgpsm.lem1", version, check, None, seeds=8, seed=seed))


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


def test_a_gradient_that_is_not_line_9s_is_seen(monkeypatch):
    module = importlib.import_module("theorylab.runs._looks")
    record_local = module.record_local

    def with_another(*arguments):
        record = arguments[3]
        record.used[0] = record.used[0] * (1 + 1e-9)
        record_local(*arguments)

    monkeypatch.setattr(module, "record_local", with_another)
    # traces are kept within a process, those of another seed are new
    assert result("printed", "sam-momentum", seed=1).verdict == "VIOLATED"
    monkeypatch.undo()
    assert result("printed", "sam-momentum", seed=2).verdict == "HOLDS"


def test_without_sam_it_is_an_identity_too():
    assert result("corrected", "momentum").verdict == "HOLDS"
