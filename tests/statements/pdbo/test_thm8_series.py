"""The printed mu's are what the series add up to, to 12 digits."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from theorylab.statements import Check
from theorylab.statements.pdbo._mu import CONTRACTION, MU
from theorylab.statements.pdbo._symbols import eta_A, vr_alpha, vr_beta
from theorylab.statements.pdbo.thm8_series import STATEMENT
from theorylab.verdicts import judge_check

CASES = [(name, check) for name, v in STATEMENT.versions.items() for check in v.checks]


@pytest.mark.parametrize(("version", "check"), CASES, ids=[f"{v} {c.name}" for v, c in CASES])
def test_every_check_gets_its_verdict(version, check):
    assert judge_check(STATEMENT, version, check).verdict == check.expect


PLANTED = {
    "half": lambda e: e / 2,
    "0.999": lambda e: e * sp.Rational(999, 1000),
    "alpha-power": lambda e: e * (1 + vr_alpha) / 2,
    "beta-dropped": lambda e: e.subs(vr_beta**2 * eta_A**2, vr_beta**3 * eta_A**2),
    "eta-power": lambda e: e.subs(vr_beta**2 * eta_A**2, vr_beta**2 * eta_A**3),
    "no-second-sum": lambda e: e.subs(vr_beta**2 * eta_A**2, 0),
    "no-1+alpha-g": lambda e: e.subs(1 + vr_alpha * CONTRACTION, 1),
}


@pytest.mark.parametrize("name", PLANTED)
def test_every_planted_factor_is_refuted(name):
    version = STATEMENT.versions["printed"]
    changed = PLANTED[name](MU**2)
    assert changed != MU**2
    rounding = {"rounding": version.terms["rounding"]}
    false = replace(version, terms={"mu^2": changed, **rounding})
    planted = replace(STATEMENT, versions={"printed": false})
    for check in version.checks[:2]:
        found = judge_check(planted, "printed", check)
        if name == "alpha-power" or found.verdict == "VIOLATED":
            break
    assert found.verdict == "VIOLATED"


@pytest.mark.parametrize("number", range(20))
def test_random_weights_never_violate(number):
    rng = np.random.default_rng(number)
    alpha, beta, eta = rng.uniform([0.02] * 3, [0.98] * 3)
    options = {"eta": [eta], "alpha": alpha, "beta": beta, "last": 3000}
    for version in STATEMENT.versions:
        assert judge_check(STATEMENT, version, Check("random", options)).verdict == "HOLDS"
