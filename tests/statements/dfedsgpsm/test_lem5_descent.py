"""Printed: false at one point with SAM and two samples. Corrected: true."""

import math

import pytest
from sympy import simplify

from theorylab.statements.dfedsgpsm._algorithm1 import a_tilde
from theorylab.statements.dfedsgpsm._proof5 import ROOTS, ROOTS_AT_T
from theorylab.statements.dfedsgpsm._symbols import t
from theorylab.statements.dfedsgpsm.lem5 import STATEMENT as LEM5
from theorylab.statements.dfedsgpsm.lem5_descent import STATEMENT
from theorylab.symbols import K, L_sample, T, alpha, q

TERMS = STATEMENT.versions["corrected"].terms
SLOPE = {  # 2 (f - f') / eta = 2 |grad f|^2 to first order: half of the bound
    "problem": {"name": "log-cosh", "dim": 1, "center": 1.0},
    "topology": {"name": "directed-ring"},
    "clients": 3,
    "rounds": 3,
    "algorithm": {"eta": 1e-6, "alpha": 0.5, "rho": 0.0, "local_steps": 3},
}


def test_the_average_over_t_is_lemma_5():
    for version in ("printed", "corrected"):
        here, there = STATEMENT.versions[version].terms, LEM5.versions[version].terms
        parts = ("client drift", "consensus", "sharpness")
        if version == "corrected":
            here, there = {**here, **ROOTS_AT_T}, {**there, **ROOTS}
        for name in ("noise", *parts):
            assert here[name] == there[name]
        # sum over t of q^2t is at most 1/(1 - q^2)
        power = 2 if version == "corrected" else 1  # of roots, in the corrected ones
        start = there["initial disagreement"] ** power * T * (1 - q**2) * q ** (2 * t)
        assert simplify(here["initial disagreement"] ** power - start) == 0


def test_the_verdicts(judged):
    found = judged(STATEMENT)["printed", "uphill"]
    assert found.terms["descent"] < 0  # the mean step goes uphill
    assert found.measured > 0.9
    # by hand: one step for each of the two samples
    x, later = -0.3 * math.pi / 4, []
    f = math.log(math.cosh(x - 2))
    for s in (3.0, -3.0):
        up = x + math.copysign(0.2, math.tanh(x - 2) + s * math.cos(x / 0.3))
        later.append(x - 1e-3 * (math.tanh(up - 2) + s * math.cos(up / 0.3)))
    after = sum(math.log(math.cosh(y - 2)) for y in later) / 2
    assert found.measured == pytest.approx(math.tanh(x - 2) ** 2, rel=1e-12)
    # a difference of losses of size 2, over 1e-3
    assert found.terms["descent"] == pytest.approx(2 * (f - after) / 1e-3, rel=1e-10)


def test_planted_errors_are_refuted(missed):
    down = TERMS["descent"]
    variants = {
        "less than half": {name: term / 2.1 for name, term in TERMS.items()},
        "no descent": TERMS | {"descent": 0 * down},
        "K/(1-alpha) for a~": TERMS | {"descent": down * a_tilde * (1 - alpha) ** 2 / K},
        "another K": TERMS | {"descent": down / K},
        "no L_xi rho": {name: term.subs(L_sample, 0) for name, term in TERMS.items()},
        "no noise": TERMS | {"noise": 0 * down},
    }
    # SHARPNESS alone covers the noise at the only noisy instance
    assert missed(STATEMENT, "corrected", variants, [SLOPE]) == {"no noise"}


def test_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 20, noise=True) >= 15


@pytest.mark.slow
def test_two_hundred_drawn_true_instances_are_never_violated(never_violated):
    assert never_violated(STATEMENT, "corrected", 200, noise=True) >= 15 * 9
