"""HGP is unbiased for the truncated series, as printed, not for the hypergradient."""

import numpy as np
import pytest

from theorylab.experiments import experiment
from theorylab.statements.pdbo.appf import STATEMENT
from theorylab.verdicts import judge_check


def test_the_bias_is_the_rest_of_the_series_as_a_share_of_the_hypergradient():
    """By the matrices alone: Bbar (I - Abar)^{-1} c^y less its first term, at M = 1."""
    check = STATEMENT.versions["implied"].checks[0]
    found = judge_check(STATEMENT, "implied", check)
    at = experiment("hgp-error", **check.instance)
    whole = at.B @ np.linalg.solve(np.eye(len(at.A)) - at.A, at.local.c_y.ravel())
    rest = whole - at.B @ at.local.c_y.ravel()
    c_lam = at.local.c_lam.ravel()
    larger = max(np.linalg.norm(whole + c_lam), np.linalg.norm(whole - rest + c_lam))
    assert found.relative_error == pytest.approx(np.linalg.norm(rest) / larger, rel=1e-9)
    assert found.reason.endswith(f"relative error {100 * found.relative_error:.3g} %")
