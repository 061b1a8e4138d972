"""Assumption 3: exact means of all signs, and a biased estimator."""

import pytest

from theorylab.problems import SinSin
from theorylab.statements import Check
from theorylab.statements.deprl import _instances as made
from theorylab.statements.deprl.asm3 import STATEMENT
from theorylab.verdicts import judge_check


@pytest.mark.parametrize(
    ("version", "part"), [("printed", slice(0, 2)), ("printed/theta", slice(2, 4))]
)
def test_a_bias_of_a_millionth_is_seen(monkeypatch, version, part):
    plain = SinSin.stochastic_gradient

    def biased(self, x, sample):
        g = plain(self, x, sample)
        g[..., part] += 1e-6
        return g

    monkeypatch.setattr(SinSin, "stochastic_gradient", biased)
    check = Check("biased", {**made.PROBED, "probes": 5}, "VIOLATED")
    assert judge_check(STATEMENT, version, check).verdict == "VIOLATED"
