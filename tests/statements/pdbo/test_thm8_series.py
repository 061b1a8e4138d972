"""The printed mu's are what the series add up to, to 12 digits."""

import numpy as np
import pytest
import sympy as sp

from theorylab.statements import Check
from theorylab.statements.pdbo._mu import CONTRACTION, MU
from theorylab.statements.pdbo._symbols import eta_A, vr_alpha, vr_beta
from theorylab.statements.pdbo.thm8_series import STATEMENT
from theorylab.verdicts import judge_check

PLANTED = {
    "half": lambda e: e / 2,
    "0.999": lambda e: e * sp.Rational(999, 1000),
    "alpha-power": lambda e: e * (1 + vr_alpha) / 2,
    "beta-dropped": lambda e: e.subs(vr_beta**2 * eta_A**2, vr_beta**3 * eta_A**2),
    "eta-power": lambda e: e.subs(vr_beta**2 * eta_A**2, vr_beta**2 * eta_A**3),
    "no-second-sum": lambda e: e.subs(vr_beta**2 * eta_A**2, 0),
    "no-1+alpha-g": lambda e: e.subs(1 + vr_alpha * CONTRACTION, 1),
}


def test_planted_factors_are_refuted(missed):
    version = STATEMENT.versions["printed"]
    squares = {name: change(MU**2) for name, change in PLANTED.items()}
    assert MU**2 not in squares.values()
    faults = {
        name: {"mu^2": changed, "rounding": version.terms["rounding"]}
        for name, changed in squares.items()
    }
    first, second = (
        missed(STATEMENT, "printed", faults, at=c.instance) for c in version.checks[:2]
    )
    assert first & second == set()
    assert "alpha-power" not in first


@pytest.mark.parametrize("number", range(20))
def test_random_weights_never_violate(number):
    rng = np.random.default_rng(number)
    alpha, beta, eta = rng.uniform([0.02] * 3, [0.98] * 3)
    options = {"eta": [eta], "alpha": alpha, "beta": beta, "last": 3000}
    for version in STATEMENT.versions:
        assert judge_check(STATEMENT, version, Check("random", options)).verdict == "HOLDS"
