"""sigma_l bounds the noise."""

import pytest

from theorylab.statements.dfedsgpsm.asm3 import STATEMENT
from theorylab.symbols import sigma_l


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # clients with like losses: sigma_g is 0 there, and sigma_l = 1/2 is the larger of the two
    assert found["printed", "alike-clients"].bound == pytest.approx(0.25, rel=1e-15)


def test_a_smaller_sigma_is_refuted(missed):
    variants = {str(k): {"sigma_l^2": sigma_l**2 * k / 10} for k in (1, 3, 5, 7, 9)}
    assert missed(STATEMENT, "printed/sigma-l", variants) == set()
