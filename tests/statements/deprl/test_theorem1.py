"""The caps and the rounds of Theorem 1 and Corollary 1, against digits by the thousand."""

import math

import mpmath
import pytest

from theorylab.constants import deprl_constants
from theorylab.statements import evaluate
from theorylab.statements.deprl._symbols import L, unit
from theorylab.statements.deprl._symbols import p as smallest
from theorylab.statements.deprl.cor1 import STATEMENT as COR1
from theorylab.statements.deprl.thm1 import STATEMENT as THM1
from theorylab.symbols import T, n


@pytest.mark.parametrize(
    ("N", "p"),
    [
        *((2, 1 / 2), (33, 1 / 33), (34, 1 / 34), (100, 1 / 3), (104, 1 / 3), (128, 1 / 3)),
        *((128, 1 / 21), (128, 1 / 128), (128, 0.999), (1000, 1 / 3), (10**4, 1 / 2)),
    ],
)
def test_the_caps_and_rounds_are_right_for_thousands_of_workers(N, p):
    # 1 - (1 - p^N)^(1/N) in 50 digits is 0 from p^N = 1e-50 on; the oracle has as many digits more
    at = {n: N, T: 1, smallest: p, L: 3, unit: 1}
    beta_cap = next(a for a in THM1.versions["printed"].assumes if "(1-q)" in a.name)
    rounds = next(a for a in COR1.versions["printed"].assumes if "(1-q)" in a.name)
    known = deprl_constants(N, p, L=3.0)
    with mpmath.workdps(60 + math.ceil(-N * math.log10(p))):
        exact = mpmath.mpf(p)
        C, q = 2 * (1 + exact**-N) / (1 - exact**N), mpmath.root(1 - exact**N, N)
        cap = (1 - q) / (3 * mpmath.sqrt(2) * C * 3 * N)
        K = 18 * C**2 * 9 * mpmath.mpf(N) ** 3 / (1 - q) ** 2
        assert abs(evaluate(beta_cap.rule.rhs, at) / cap - 1) < 1e-12
        assert abs(evaluate(rounds.asks, at) / K - 1) < 1e-12
        # the same numbers in logarithms, next to float64's spacing
        assert known["deprl_log10_rounds"].value == pytest.approx(float(mpmath.log10(K)), rel=1e-15)
