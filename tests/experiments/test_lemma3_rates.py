"""Lemma 3's q, written out with fifty digits."""

import mpmath
import pytest

from theorylab.experiments import experiment


def test_the_rates_are_lemma_3_s():
    ring = {"topology": {"name": "directed-ring"}, "clients": 3, "dim": 2}
    made = experiment("lemma3-rates", **ring, steps=[2, 3])
    for row, K in zip(made.observe("q", range(1), 0).rows, (2, 3), strict=True):
        hops = (K + 1) * 2  # ring of three: D = 2, Delta = 2, B = 1
        want = (1 - 3 * mpmath.mpf(2) ** -hops) ** (mpmath.mpf(1) / (hops + 1))
        assert float(row.values[0]) == pytest.approx(float(want), rel=1e-15)
    with pytest.raises(ValueError, match="steps is \\[0\\]"):
        experiment("lemma3-rates", **ring, steps=[0])
