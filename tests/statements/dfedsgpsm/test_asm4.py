"""Bounded heterogeneity of log cosh; quadratics with other curvatures fail."""

from theorylab.statements.dfedsgpsm.asm4 import STATEMENT
from theorylab.symbols import sigma_g


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    assert "grows without limit" in found["printed", "other-curvatures"].reason


def test_a_smaller_sigma_is_refuted(missed):
    variants = {str(k): {"sigma_g^2": sigma_g**2 * k / 10} for k in (1, 3, 5, 6, 7)}
    assert missed(STATEMENT, "printed", variants) == set()
