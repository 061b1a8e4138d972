"""(18): what earlier rounds left is no multiple of the last gradient; of the largest it is."""

import pytest
import sympy as sp

from theorylab.statements.dfedpgp._symbols import K_u, eta_u, largest_gradient, last_gradient
from theorylab.statements.dfedpgp.eq18 import STATEMENT
from theorylab.symbols import q

TERM = STATEMENT.versions["corrected"].terms["largest"]


def test_the_bounds_are_the_paper_s_line():
    at = {K_u: 3, eta_u: sp.Rational(1, 10), q: sp.Rational(3, 4), last_gradient: 5}
    assert STATEMENT.versions["printed"].bound.subs(at) == 6
    assert TERM.subs({**at, largest_gradient: 7}) == sp.Rational(42, 5)


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    # Alike quadratics: the gradient is .83^t, what is left eta sum_j q^(t-j) .83^j, from j = 1 on.
    result = found["printed", "fading"]
    rate = result.constants["q"]["value"]
    own = sum(rate ** (29 - j) * 0.83**j for j in range(1, 30))
    assert result.ratio == pytest.approx(own * (1 - rate) / 0.83**29, rel=1e-6)
    assert found["corrected", "steady"].ratio > 0.999
    assert found["printed/largest-j", "steady"].ratio > 0.999
    # (14) at K_u = 1, D = 2, Delta = 7: lambda = 1 - 8/2^14, q = lambda^(1/15)
    result = found["printed/eq14", "fading"]
    rate = (1 - 2.0**-11) ** (1 / 15)
    own = sum(rate ** (79 - j) * 0.83**j for j in range(1, 80))
    assert result.ratio == pytest.approx(own * (1 - rate) / 0.83**79, rel=1e-6)


def test_planted_errors_are_refuted(missed):
    variants = {
        "the last": {"largest": TERM.subs(largest_gradient, last_gradient)},
        "half": {"largest": TERM / 2},
        "0.99": {"largest": TERM * 0.99},
        "q^2 for q": {"largest": TERM.subs(q, q**2)},
        "half the step": {"largest": TERM.subs(eta_u, eta_u / 2)},
    }
    assert missed(STATEMENT, "corrected", variants) == set()


@pytest.mark.parametrize(
    "part", [range(1, 41, 2), pytest.param(range(41, 401, 2), marks=pytest.mark.slow)]
)
def test_drawn_true_instances_are_never_violated(part, never_violated):
    assert never_violated(STATEMENT, "corrected", part, rounds=5) >= 0.4 * len(part)
