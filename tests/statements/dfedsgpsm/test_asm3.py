"""The heterogeneity bounds no noise; sigma_l does; line 9's gradient is biased."""

from theorylab.statements.dfedsgpsm.asm3 import STATEMENT
from theorylab.symbols import sigma_l


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert found["printed/heterogeneity", "alike-clients"].bound == 0.0
    assert found["printed", "alike-clients"].bound > 0
    assert found["printed/line-9", "state-noise"].measured > 1e-3


def test_a_smaller_sigma_is_refuted(caught):
    variants = {str(k): {"sigma_l^2": sigma_l**2 * k / 10} for k in (1, 3, 5, 7, 9)}
    assert caught(STATEMENT, "printed/sigma-l", variants) == set(variants)
