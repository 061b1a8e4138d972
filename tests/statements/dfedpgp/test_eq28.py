"""(28): K_v steps are not K_v times the first; with every step's own gradient, true."""

import pytest
import sympy as sp

from theorylab.statements.dfedpgp._instances import HEAD_AT_CAP, ROUNDS, changed
from theorylab.statements.dfedpgp._symbols import (
    K_v,
    L_v,
    L_vu,
    apart,
    eta_v,
    head_walk,
    heads_at_mean,
    heads_at_u,
    moved_v,
    unit,
)
from theorylab.statements.dfedpgp.eq28 import STATEMENT

TERMS = STATEMENT.versions["corrected"].terms


def test_the_bounds_are_the_displays():
    at = {K_v: 3, L_v: 2, L_vu: 5, eta_v: sp.Rational(1, 10), apart: 7, unit: 1, moved_v: 11}
    at |= {heads_at_u: 13, heads_at_mean: 17, head_walk: 19}
    first = STATEMENT.versions["printed"].bound.subs(at)
    assert first == -sp.Rational(39, 10) + sp.Rational(25 * 7 + 11, 2)
    second = STATEMENT.versions["corrected"].bound.subs(at)
    assert second == (-sp.Rational(3 * 17, 2) + 3 * 25 * 7 + 4 * 19) / 10


def test_the_verdicts(judged):
    found = judged(STATEMENT)
    way = 1 - (1 - 1 / 128) ** 64
    result = found["printed", "step-at-the-cap"]
    assert result.measured == pytest.approx(-way, rel=1e-9)
    assert result.bound == pytest.approx(-0.5 + way**2 / 2, rel=1e-9)
    # next to nothing moves, and the gradient at u_i = mu_i z_i is not small
    still = found["printed", "nearly-stationary"]
    assert still.bound < 20 * still.measured < 0
    assert found["printed/debiased", "nearly-stationary"].verdict == "HOLDS"


def test_planted_errors_are_refuted(missed):
    descent, disagreement, drift = TERMS.values()
    # what z_i - ubar adds to the heads' gradients turns them round
    far = {
        **changed(ROUNDS, eta_u=1e-6, eta_v=1e-3, steps_u=1, steps_v=1), "rounds": 1,
        "problem": {"name": "coupled-quadratic", "A": [[[1.0]]] * 3, "B": [[[1.0]]] * 3,
                    "C": [[[0.9]]] * 3, "a": [[0.0]] * 3, "b": [[0.0]] * 3},
        "x0": [[3.0, -1.0], [-3.0, 1.0], [0.0, 0.0]],
    }  # fmt: skip
    long = changed(HEAD_AT_CAP, eta_v=1 / 32)
    variants = {
        "all of the descent": {"a": 2 * descent, "b": disagreement, "c": drift},
        "K_v^2": {"a": K_v * descent, "b": disagreement, "c": drift},
        "twice, no drift": {"a": 2 * descent, "b": disagreement},
        "no disagreement": {"a": descent, "c": drift},
        "half the disagreement, thrice the descent": {"a": 3 * descent, "b": disagreement / 2},
    }
    # Not refuted: no drift, which needs steps above Lemma 1's cap to turn a gradient round.
    assert missed(STATEMENT, "corrected", variants, extra=[far, long]) == set()


@pytest.mark.parametrize(
    "part", [range(1, 41, 2), pytest.param(range(41, 401, 2), marks=pytest.mark.slow)]
)
def test_drawn_true_instances_are_never_violated(part, never_violated):
    assert never_violated(STATEMENT, "corrected", part, rounds=5) >= 0.4 * len(part)
